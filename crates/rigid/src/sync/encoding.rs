//! The bytes of messages about bodies.
//!
//! A message begins with the version of the encoding, the purpose, and the number of the
//! communication. Items follow. An item is a byte for the kind, then the fields with the same bytes
//! as in memory. All ranks must run the same program on the same kind of machine. The version
//! detects another program.

use bytemuck::{Pod, pod_read_unaligned};

use crate::domain::region::Ranks;
use crate::record::{BodyRecord, state_of, state_words};
use crate::{Body, BodyId, BodyState, Load};

/// The version of this encoding.
const VERSION: u8 = 3;

/// The purpose of a communication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Next-neighbour synchronisation.
    NextNeighbour = 1,
    /// Shadow-owner synchronisation: owners send to holders.
    FromOwners = 2,
    /// Shadow-owner synchronisation: holders send to neighbours and owners.
    FromHolders = 3,
    /// Values from copies to their owners.
    ToOwners = 4,
    /// Values from owners to their copies.
    ToCopies = 5,
    /// Values between ranks that agree on their number and order.
    ToRanks = 6,
}

/// Bytes before the first item.
pub(super) const HEAD: usize = 8;

pub(super) fn write_head(bytes: &mut Vec<u8>, purpose: Purpose, communication: u32) {
    bytes.extend_from_slice(&[VERSION, purpose as u8, 0, 0]);
    bytes.extend_from_slice(&communication.to_le_bytes());
}

/// The items of a message. Fails with the reason if it is not the expected message.
pub(super) fn read_head(
    bytes: &[u8],
    purpose: Purpose,
    communication: u32,
) -> Result<&[u8], String> {
    let mut awaited = Vec::with_capacity(HEAD);
    write_head(&mut awaited, purpose, communication);
    match bytes.split_at_checked(HEAD) {
        Some((head, items)) if head == awaited => Ok(items),
        Some((head, _)) if head[0] != VERSION => {
            Err(format!("version {} of the encoding instead of {VERSION}", head[0]))
        }
        Some((head, _)) => Err(format!("begins with {head:?} instead of {awaited:?}")),
        None => Err(format!("{} bytes are no message", bytes.len())),
    }
}

/// One piece of news about a body.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// The receiver gets a shadow copy. `radius` is that of the bounding ball, m.
    NewCopy { body: Body, radius: f64, owner: u32 },
    /// The new state of the receiver's copy.
    Update { id: BodyId, state: BodyState },
    /// The receiver's copy is not needed any more, or the body was deleted.
    Remove { id: BodyId },
    /// The receiver becomes the owner of its copy. `holders` are the ranks with copies.
    Migrate { id: BodyId, holders: Ranks },
    /// The receiver's copy has a new owner.
    OwnerChanged { id: BodyId, owner: u32 },
    /// For the owner: `holder` got a copy from the sender.
    NewHolder { id: BodyId, holder: u32 },
    /// For the owner and the neighbours: the sender dropped its copy.
    Dropped { id: BodyId },
    /// Force and torque on the receiver's copy in this step.
    Load { id: BodyId, load: Load },
}

/// The names of the kinds. The byte of a kind is its index.
const KINDS: [&str; 8] =
    ["new copy", "update", "remove", "migrate", "owner changed", "new holder", "dropped", "load"];

/// Appends an item to a message.
pub(super) fn write(bytes: &mut Vec<u8>, item: &Item) {
    match item {
        Item::NewCopy { body, radius, owner } => {
            bytes.push(0);
            put(bytes, &BodyRecord::of(body));
            put(bytes, radius);
            put(bytes, owner);
        }
        Item::Update { id, state } => {
            bytes.push(1);
            put(bytes, id);
            put(bytes, &state_words(state));
        }
        Item::Remove { id } => {
            bytes.push(2);
            put(bytes, id);
        }
        Item::Migrate { id, holders } => {
            bytes.push(3);
            put(bytes, id);
            put(bytes, &(holders.len() as u32));
            holders.iter().for_each(|holder| put(bytes, holder));
        }
        Item::OwnerChanged { id, owner } => {
            bytes.push(4);
            put(bytes, id);
            put(bytes, owner);
        }
        Item::NewHolder { id, holder } => {
            bytes.push(5);
            put(bytes, id);
            put(bytes, holder);
        }
        Item::Dropped { id } => {
            bytes.push(6);
            put(bytes, id);
        }
        Item::Load { id, load } => {
            bytes.push(7);
            put(bytes, id);
            put(bytes, load);
        }
    }
}

/// Takes the first item off `bytes`. If it does not decode, fails with the name of its kind.
pub(super) fn read(bytes: &mut &[u8]) -> Result<Item, String> {
    let Some((&kind, rest)) = bytes.split_first() else { return Err("no item".to_owned()) };
    *bytes = rest;
    let name = || match KINDS.get(kind as usize) {
        Some(name) => format!("`{name}`"),
        None => format!("of kind {kind}"),
    };
    read_fields(kind, bytes).ok_or_else(name)
}

fn read_fields(kind: u8, bytes: &mut &[u8]) -> Option<Item> {
    Some(match kind {
        0 => {
            let body = take::<BodyRecord>(bytes)?.body()?;
            Item::NewCopy { body, radius: take(bytes)?, owner: take(bytes)? }
        }
        1 => Item::Update { id: take(bytes)?, state: state_of(&take(bytes)?) },
        2 => Item::Remove { id: take(bytes)? },
        3 => {
            let (id, count): (_, u32) = (take(bytes)?, take(bytes)?);
            let holders: Option<_> = (0..count).map(|_| take(bytes)).collect();
            Item::Migrate { id, holders: holders? }
        }
        4 => Item::OwnerChanged { id: take(bytes)?, owner: take(bytes)? },
        5 => Item::NewHolder { id: take(bytes)?, holder: take(bytes)? },
        6 => Item::Dropped { id: take(bytes)? },
        7 => Item::Load { id: take(bytes)?, load: take(bytes)? },
        _ => return None,
    })
}

/// Appends a plain value.
pub(super) fn put<T: Pod>(bytes: &mut Vec<u8>, value: &T) {
    bytes.extend_from_slice(bytemuck::bytes_of(value));
}

/// Takes a plain value off `bytes`. None if there are too few bytes.
pub(super) fn take<T: Pod>(bytes: &mut &[u8]) -> Option<T> {
    let (value, rest) = bytes.split_at_checked(size_of::<T>())?;
    *bytes = rest;
    Some(pod_read_unaligned(value))
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::shape::{Capsule, Cuboid, Sphere};
    use crate::{Shape, Twist};
    use cloth_core::Vec3;

    fn body() -> Body {
        let twist = Twist { angular: Vec3::new(-0.0, 2.0, 3.0), linear: Vec3::new(4.0, 5.0, 6.0) };
        let rotation = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
        Body {
            id: 1 << 60,
            shape: Shape::Box(Cuboid::of_half(Vec3::new(0.1, 0.2, 0.3))),
            material: 7,
            mass: 0.3,
            inertia: Vec3::new(1.0, 2.0, 3.0),
            state: BodyState { position: Vec3::new(0.1, -0.2, 1e-300), rotation, twist },
            load: Load::NONE,
        }
    }

    fn items() -> Vec<Item> {
        let mut items: Vec<_> = [
            Shape::Sphere(Sphere { radius_m: 0.5 }),
            body().shape,
            Shape::Capsule(Capsule { radius_m: 0.25, length_m: 2.0 * 0.5 }),
            Shape::Solid(u32::MAX),
        ]
        .map(|shape| Item::NewCopy { body: Body { shape, ..body() }, radius: 0.75, owner: 3 })
        .into();
        let id = body().id;
        items.extend([
            Item::Update { id, state: body().state },
            Item::Remove { id },
            Item::Migrate { id, holders: Ranks::from_slice(&[1, 5, 9, 12, 40]) },
            Item::OwnerChanged { id, owner: 11 },
            Item::NewHolder { id, holder: 12 },
            Item::Dropped { id },
            Item::Load { id, load: Load { force: Vec3::x(), torque: -Vec3::z() } },
        ]);
        items
    }

    #[test]
    fn items_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        items().iter().for_each(|item| write(&mut bytes, item));
        let mut rest = &bytes[..];
        for item in items() {
            assert_eq!(read(&mut rest), Ok(item));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn an_item_that_was_cut_is_named() {
        for (item, name) in items()[3..].iter().zip(KINDS) {
            let mut bytes = Vec::new();
            write(&mut bytes, item);
            for length in 1..bytes.len() {
                assert_eq!(read(&mut &bytes[..length]), Err(format!("`{name}`")));
            }
        }
        assert_eq!(read(&mut &[77, 1, 2][..]), Err("of kind 77".to_owned()));
    }

    #[test]
    fn a_message_of_another_version_or_communication_is_refused() {
        let mut bytes = Vec::new();
        write_head(&mut bytes, Purpose::ToCopies, 7);
        assert_eq!(read_head(&bytes, Purpose::ToCopies, 7), Ok(&[][..]));
        assert!(read_head(&bytes, Purpose::ToCopies, 8).is_err());
        assert!(read_head(&bytes, Purpose::ToOwners, 7).is_err());
        assert!(read_head(&bytes[..5], Purpose::ToCopies, 7).is_err());
        bytes[0] = 9;
        let cause = read_head(&bytes, Purpose::ToCopies, 7).unwrap_err();
        assert!(cause.contains("version 9"), "{cause}");
    }
}
