//! Where two bodies touch.

use smallvec::SmallVec;

use crate::math::Vec3;

/// A point at which two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Half way between the two surfaces, m.
    pub point: Vec3,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Distance of the surfaces, m: below 0 if they overlap.
    pub gap: f64,
}

/// The points at which two bodies touch, in an order that depends on these two alone.
pub type Touches = SmallVec<[Touch; 8]>;
