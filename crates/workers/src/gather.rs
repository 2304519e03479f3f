//! What all ranks tell each other in a step.

use bytemuck::{Pod, Zeroable};

use cloth_core::{Result, Vec3, World, message};
use cloth_rigid::constraint::{Contact, Partner};
use cloth_rigid::simulation::split_step::Middle;

/// A contact in a message. Places are the same on all ranks.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ContactRecord {
    first: u32,
    second: u32,
    /// 1 if the second body is fixed.
    is_fixed: u32,
    feature: u32,
    shift: Vec3,
    point: Vec3,
    normal: Vec3,
    gap: f64,
}

impl From<&Contact> for ContactRecord {
    fn from(contact: &Contact) -> Self {
        let Contact { first, second, shift, feature, point, normal, gap } = *contact;
        let (second, is_fixed) = match second {
            Partner::Movable(place) => (place, 0),
            Partner::Fixed(place) => (place, 1),
        };
        Self { first, second, is_fixed, feature, shift, point, normal, gap }
    }
}

impl From<&ContactRecord> for Contact {
    fn from(record: &ContactRecord) -> Self {
        let ContactRecord { first, second, is_fixed, feature, shift, point, normal, gap } = *record;
        let second = if is_fixed == 1 { Partner::Fixed(second) } else { Partner::Movable(second) };
        Self { first, second, shift, feature, point, normal, gap }
    }
}

/// The contacts of all ranks, on all ranks. `middle` has those of this rank. They come in the order
/// of their ids, which does not depend on ranks.
///
/// # Errors
/// If a rank fails.
pub fn contacts(world: &dyn World, middle: &Middle) -> Result<Vec<Contact>> {
    // Each rank sorts its own: the ranks that get them only have to merge.
    let own = in_order(middle, middle.contacts);
    if world.size() == 1 {
        return Ok(own);
    }
    let own: Vec<ContactRecord> = own.iter().map(Into::into).collect();
    let all: Vec<Contact> = message::all_gather_v(world, &own)?.iter().map(Into::into).collect();
    Ok(in_order(middle, &all))
}

/// The contacts in the order of their ids.
fn in_order(middle: &Middle, contacts: &[Contact]) -> Vec<Contact> {
    let key = |(contact, at): (&Contact, u32)| {
        let second = middle.fixed.id_of(contact.second, &middle.bodies);
        (middle.bodies.id(contact.first as usize), second, contact.feature, at)
    };
    let mut keys: Vec<_> = contacts.iter().zip(0..).map(key).collect();
    // This sort is fast where lists are sorted one after the other.
    keys.sort();
    keys.into_iter().map(|(.., at)| contacts[at as usize]).collect()
}
