//! What all ranks tell each other in a step.

use bytemuck::{Pod, Zeroable};

use crate::error::Result;
use crate::math::Vec3;
use crate::ranks::{World, message};
use crate::rigid::constraint::contact::Contact;
use crate::rigid::constraint::pair::Partner;

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

/// The contacts of all ranks, on all ranks.
///
/// # Errors
/// If a rank fails.
pub fn contacts(world: &dyn World, own: &[Contact]) -> Result<Vec<Contact>> {
    if world.size() == 1 {
        return Ok(own.to_vec());
    }
    let own: Vec<ContactRecord> = own.iter().map(Into::into).collect();
    Ok(message::all_gather_v(world, &own)?.iter().map(Into::into).collect())
}
