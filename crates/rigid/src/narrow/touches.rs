//! The contact points of two bodies.

use smallvec::SmallVec;

use cloth_core::math::Vec3;

/// A contact point of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Half way between the two surfaces, m.
    pub point: Vec3,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Signed distance of the surfaces along the normal, m: below 0 if they overlap.
    pub gap: f64,
}

/// The contact points of two bodies. Their order depends on these two bodies alone.
pub type Touches = SmallVec<[Touch; 8]>;
