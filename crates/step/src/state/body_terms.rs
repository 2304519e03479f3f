//! What bodies of few nodes and skins give the linear system.

use cloth_bodies::bodies::numbering::BodyRange;
use cloth_core::ids::NodeId;
use cloth_core::math::{Mat3, Vec3};

/// What bodies of few nodes and skins give the system in a step, by rising node.
#[derive(Clone, Copy)]
pub struct BodyTerms<'a> {
    /// The first of these nodes.
    pub first: NodeId,
    /// Their terms.
    pub terms: &'a [NodeTerms],
}

/// The terms of one node of a body: its block of the matrix and its right-hand side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeTerms {
    /// Its mass, kg, and the inverse of its mass, which is zero if the node is prescribed.
    pub mass: [Mat3; 2],
    /// The change of its velocity in free flight, m/s.
    pub free: Vec3,
}

impl NodeTerms {
    /// The terms of a node that changes its velocity by `free` (m/s) in free flight. Its mass is
    /// not known yet.
    pub fn of_change(free: Vec3) -> Self {
        Self { mass: [Mat3::zeros(); 2], free }
    }

    /// Whether the node is one of skin that is prescribed.
    pub(crate) fn is_held(&self) -> bool {
        self.mass[1] == Mat3::zeros()
    }
}

impl BodyTerms<'_> {
    /// No bodies.
    pub const NONE: Self = Self { first: NodeId::MAX, terms: &[] };

    /// The terms of `node`. None if it belongs to cloth.
    pub(crate) fn of(&self, node: NodeId) -> Option<&NodeTerms> {
        self.terms.get(node.checked_sub(self.first)? as usize)
    }
}

/// What is added to the `fall` (m/s) of a round body in its prediction, m/s: what the last step
/// added, up to the size of gravity, so that what was carried is carried on, as of cloth. Were it
/// predicted to fall, a ball that rolls would meet the faces ahead of it from the side.
pub(crate) fn carried(last_changes: &[Vec3], fall: Vec3, range: &BodyRange) -> Vec3 {
    within(last_changes[range.nodes.start as usize] - fall, fall.norm())
}

/// `vector`, no longer than `limit`.
pub(crate) fn within(vector: Vec3, limit: f64) -> Vec3 {
    let length = vector.norm();
    if length > limit { vector * (limit / length) } else { vector }
}
