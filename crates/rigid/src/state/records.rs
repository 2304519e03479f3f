//! The state as lists of records, which are saved, hashed, and sent to other ranks.
//!
//! A saved state is a head and five lists. Records have the same bytes as in memory:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `rigid`, two zeros and the version of the format |
//! | 32 | steps, time, sizes |
//! | 8 each | the length of each list |
//! | 184 each | bodies, by rising id |
//! | 8 each | ids of bodies that the next step deletes, rising |
//! | 56 each | forces for the next step, by rising id, then by their bits |
//! | 64 each | kept impulses of contacts, by rising id of the first body; those of one body in their order |
//! | 80 each | kept impulses of joints, by rising id of the first body, then by joint |

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::constraint::{KeptImpulse, KeptJoint};
use crate::record::BodyRecord;
use crate::sync::limits::SizeRange;
use crate::{BodyId, Load};
use cloth_core::{Result, Vec3, World, message};

const MARK: [u8; 8] = *b"rigid\0\0\x02";

/// The records of the state of one rank, or of all ranks together.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    /// What is the same on all ranks.
    pub head: Head,
    /// Bodies.
    pub bodies: Vec<BodyRecord>,
    /// Bodies that the next step deletes.
    pub deleted: Vec<BodyId>,
    /// Forces for the next step.
    pub forces: Vec<ForceRecord>,
    /// Kept impulses. The impulses of one body are adjacent, in the order of the step.
    pub impulses: Vec<KeptImpulse>,
    /// Kept impulses of joints.
    pub joints: Vec<KeptJoint>,
}

/// The part of the state that is the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Head {
    /// Number of steps so far.
    pub steps: u64,
    /// Time since the start, s.
    pub time_s: f64,
    /// [`SizeRange::largest_radius`], m.
    pub largest_radius: f64,
    /// [`SizeRange::least_half_width`], m.
    pub least_half_width: f64,
}

impl Head {
    /// The sizes of all bodies.
    pub fn sizes(&self) -> SizeRange {
        let &Self { largest_radius, least_half_width, .. } = self;
        SizeRange { largest_radius, least_half_width }
    }

    /// Replaces them.
    pub fn set_sizes(&mut self, sizes: &SizeRange) {
        let SizeRange { largest_radius, least_half_width } = *sizes;
        (self.largest_radius, self.least_half_width) = (largest_radius, least_half_width);
    }
}

/// A force and torque that were set on a body for the next step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ForceRecord {
    /// The body.
    pub body: BodyId,
    /// Force and torque.
    pub load: Load,
}

impl Records {
    fn none(head: Head) -> Self {
        let (bodies, deleted, forces, impulses, joints) = Default::default();
        Self { head, bodies, deleted, forces, impulses, joints }
    }

    /// True if all lists are empty.
    pub fn is_empty(&self) -> bool {
        let Self { head: _, bodies, deleted, forces, impulses, joints } = self;
        let kept = impulses.is_empty() && joints.is_empty();
        bodies.is_empty() && deleted.is_empty() && forces.is_empty() && kept
    }

    /// Gathers the records of all ranks on rank 0, in the order of a saved state. Other ranks get
    /// empty lists. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn gather(self, world: &dyn World) -> Result<Self> {
        let Self { head, bodies, deleted, forces, impulses, joints } = self;
        let mut all = Self {
            head,
            bodies: message::gather_v(world, 0, &bodies)?,
            deleted: message::gather_v(world, 0, &deleted)?,
            forces: message::gather_v(world, 0, &forces)?,
            impulses: message::gather_v(world, 0, &impulses)?,
            joints: message::gather_v(world, 0, &joints)?,
        };
        all.bodies.sort_unstable_by_key(|record| record.id);
        all.deleted.sort_unstable();
        all.forces.sort_unstable_by_key(ForceRecord::key);
        // The impulses of one body come from one rank, and a stable sort keeps their order.
        all.impulses.sort_by_key(|kept| kept.body);
        all.joints.sort_unstable_by_key(|kept| (kept.body, kept.joint));
        Ok(all)
    }

    /// Splits the records into one part for each of `ranks`. `rank_of` gives the rank of a body.
    pub fn split(self, ranks: usize, rank_of: impl Fn(BodyId) -> u32) -> Vec<Self> {
        let Self { head, bodies, deleted, forces, impulses, joints } = self;
        let mut parts = vec![Self::none(head); ranks];
        let at = |id: BodyId| rank_of(id) as usize;
        bodies.into_iter().for_each(|it| parts[at(it.id)].bodies.push(it));
        deleted.into_iter().for_each(|id| parts[at(id)].deleted.push(id));
        forces.into_iter().for_each(|it| parts[at(it.body)].forces.push(it));
        impulses.into_iter().for_each(|it| parts[at(it.body)].impulses.push(it));
        joints.into_iter().for_each(|it| parts[at(it.body)].joints.push(it));
        parts
    }

    /// The records of the bodies whose positions (m) satisfy `are_own`. Before: bodies are sorted
    /// by id.
    pub fn filtered(self, are_own: impl Fn(&Vec3) -> bool) -> Self {
        let Self { head, mut bodies, mut deleted, mut forces, mut impulses, mut joints } = self;
        bodies.retain(|record| are_own(&record.position()));
        let is_own = |id: BodyId| bodies.binary_search_by_key(&id, |it| it.id).is_ok();
        deleted.retain(|&id| is_own(id));
        forces.retain(|it| is_own(it.body));
        impulses.retain(|it| is_own(it.body));
        joints.retain(|it| is_own(it.body));
        Self { head, bodies, deleted, forces, impulses, joints }
    }

    /// Takes all records out. The lists are empty afterwards.
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::none(self.head))
    }

    /// Appends the records of another rank.
    pub fn extend(&mut self, other: Self) {
        let Self { head: _, bodies, deleted, forces, impulses, joints } = other;
        self.bodies.extend(bodies);
        self.deleted.extend(deleted);
        self.forces.extend(forces);
        self.impulses.extend(impulses);
        self.joints.extend(joints);
    }

    /// A hash of the records of all ranks. It does not depend on the number of ranks or the order
    /// of bodies. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn hash(&self, world: &dyn World) -> Result<u64> {
        let Self { head, bodies, deleted, forces, impulses, joints } = self;
        let mut sums = [
            sum_of_hashes(bodies.chunks(1)),
            sum_of_hashes(deleted.chunks(1)),
            sum_of_hashes(forces.chunks(1)),
            // The order of the impulses of one body is part of the state.
            sum_of_hashes(impulses.chunk_by(|a, b| a.body == b.body)),
            sum_of_hashes(joints.chunks(1)),
        ];
        world.all_reduce_sum(&mut sums)?;
        let mut hasher = Xxh3::new();
        hasher.update(bytemuck::bytes_of(head));
        hasher.update(bytemuck::bytes_of(&sums));
        Ok(hasher.digest())
    }

    /// The bytes of these records, in their present order.
    pub fn encode(&self) -> Vec<u8> {
        let Self { head, bodies, deleted, forces, impulses, joints } = self;
        let counts = [bodies.len(), deleted.len(), forces.len(), impulses.len(), joints.len()];
        let counts = counts.map(|count| count as u64);
        let parts: [&[u8]; 8] = [
            &MARK,
            bytemuck::bytes_of(head),
            bytemuck::bytes_of(&counts),
            bytemuck::cast_slice(bodies),
            bytemuck::cast_slice(deleted),
            bytemuck::cast_slice(forces),
            bytemuck::cast_slice(impulses),
            bytemuck::cast_slice(joints),
        ];
        parts.concat()
    }

    /// Decodes the bytes of [`Records::encode`].
    ///
    /// # Errors
    /// If the mark is wrong, or if there are too few or too many bytes. The message says which.
    pub fn decode(mut bytes: &[u8]) -> std::result::Result<Self, String> {
        let length = bytes.len();
        let mark = take::<[u8; 8]>(&mut bytes, 1)?;
        if mark != [MARK] {
            return Err(format!("it begins with {mark:?} instead of {MARK:?}"));
        }
        let head = take::<Head>(&mut bytes, 1)?;
        let counts = take::<u64>(&mut bytes, 5)?;
        let records = Self {
            head: head[0],
            bodies: take(&mut bytes, counts[0])?,
            deleted: take(&mut bytes, counts[1])?,
            forces: take(&mut bytes, counts[2])?,
            impulses: take(&mut bytes, counts[3])?,
            joints: take(&mut bytes, counts[4])?,
        };
        if !bytes.is_empty() {
            let (rest, used) = (bytes.len(), length - bytes.len());
            return Err(format!("{rest} bytes follow its end at byte {used}"));
        }
        Ok(records)
    }

    /// Checks that the records are in the order of a saved state and that each belongs to a body.
    ///
    /// # Errors
    /// If the order is wrong, or a record belongs to no body. The message names that body.
    pub fn check_order(&self) -> std::result::Result<(), String> {
        let Self { head: _, bodies, deleted, forces, impulses, joints } = self;
        let is_body = |id: BodyId| bodies.binary_search_by_key(&id, |it| it.id).is_ok();
        let of = |id: BodyId| (!is_body(id)).then_some(id);
        let unknown = (deleted.iter().find_map(|&id| of(id)))
            .or_else(|| forces.iter().find_map(|it| of(it.body)))
            .or_else(|| impulses.iter().find_map(|it| of(it.body)))
            .or_else(|| joints.iter().find_map(|it| of(it.body)));
        let is_sorted = bodies.is_sorted_by(|a, b| a.id < b.id)
            && deleted.is_sorted_by(|a, b| a < b)
            && forces.is_sorted_by_key(ForceRecord::key)
            && impulses.is_sorted_by_key(|kept| kept.body)
            && joints.is_sorted_by(|a, b| (a.body, a.joint) < (b.body, b.joint));
        match unknown {
            None if is_sorted => Ok(()),
            None => Err("its records are not in their order".to_owned()),
            Some(id) => Err(format!("it has a record of body {id}, which it has not")),
        }
    }
}

impl ForceRecord {
    fn key(&self) -> (BodyId, [u64; 6]) {
        (self.body, self.load.bits())
    }
}

/// The wrapping sum of the hashes of all groups.
fn sum_of_hashes<'a, T: Pod>(groups: impl Iterator<Item = &'a [T]>) -> i64 {
    let hashes = groups.map(|group| xxh3_64(bytemuck::cast_slice(group)));
    hashes.fold(0, u64::wrapping_add) as i64
}

/// Cuts `count` values off `bytes`. If there are too few bytes, it fails before it allocates
/// memory.
fn take<T: Pod>(bytes: &mut &[u8], count: u64) -> std::result::Result<Vec<T>, String> {
    let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(size_of::<T>()));
    let Some((values, rest)) = size.and_then(|size| bytes.split_at_checked(size)) else {
        let (left, size) = (bytes.len(), size_of::<T>());
        return Err(format!(
            "{count} records of {size} bytes do not fit into its last {left} bytes"
        ));
    };
    *bytes = rest;
    Ok(values.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
}
