//! Shapes of movable bodies: all that follows from a shape alone. Where two shapes touch is for
//! `rigid::narrow`.

pub mod measures;

use crate::math::Vec3;

/// A convex hull or closed mesh in the table that all ranks share.
pub type SolidId = u32;

/// The geometry of a body in its own frame: the origin is the centre of mass, the axes are the
/// principal axes of inertia.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A cuboid.
    Box {
        /// Half of the edge lengths, m.
        half: Vec3,
    },
    /// All points near a segment of the y axis.
    Capsule {
        /// Half of the segment's length, m.
        half_length: f64,
        /// Distance from the segment, m.
        radius: f64,
    },
    /// A convex hull or closed mesh.
    Solid(SolidId),
}

impl Shape {
    /// How far from the centre rotation moves its surface, if a ball of this radius (m) holds it,
    /// m. That of a sphere stays where it is.
    #[inline]
    pub fn swing(&self, radius: f64) -> f64 {
        if matches!(self, Self::Sphere { .. }) { 0.0 } else { radius }
    }
}

/// The bits of a shape: its kind, and up to three parameters.
pub type ShapeWords = [u64; 4];

impl Shape {
    /// Its bits.
    pub fn words(&self) -> ShapeWords {
        let (kind, parameters) = match *self {
            Self::Sphere { radius } => (0, [radius, 0.0, 0.0]),
            Self::Box { half } => (1, half.into()),
            Self::Capsule { half_length, radius } => (2, [half_length, radius, 0.0]),
            Self::Solid(solid) => (3, [f64::from(solid), 0.0, 0.0]),
        };
        let [a, b, c] = parameters.map(f64::to_bits);
        [kind, a, b, c]
    }

    /// The shape with these bits, if there is one.
    pub fn of_words(words: &ShapeWords) -> Option<Self> {
        let [kind, parameters @ ..] = *words;
        let [a, b, c] = parameters.map(f64::from_bits);
        let shape = match kind {
            0 => Self::Sphere { radius: a },
            1 => Self::Box { half: Vec3::new(a, b, c) },
            2 => Self::Capsule { half_length: a, radius: b },
            3 => Self::Solid(a as u32),
            _ => return None,
        };
        // A parameter that the shape has not is 0, and the number of a solid is whole.
        (shape.words() == *words).then_some(shape)
    }
}
