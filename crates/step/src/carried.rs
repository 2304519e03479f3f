//! What predictions carry on from the last step.

use cloth_bodies::bodies::numbering::BodyRange;
use cloth_core::math::Vec3;

/// What is added to the `fall` (m/s) of a round body in its prediction, m/s: what the last step
/// added, up to the size of gravity, so that what was carried is carried on, as of cloth. Were it
/// predicted to fall, a ball that rolls would meet the faces ahead of it from the side.
pub(super) fn carried(last_changes: &[Vec3], fall: Vec3, range: &BodyRange) -> Vec3 {
    within(last_changes[range.nodes.start as usize] - fall, fall.norm())
}

/// `vector`, no longer than `limit`.
pub(super) fn within(vector: Vec3, limit: f64) -> Vec3 {
    let length = vector.norm();
    if length > limit { vector * (limit / length) } else { vector }
}
