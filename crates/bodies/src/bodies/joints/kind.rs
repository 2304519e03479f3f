//! The kinds of joints. A new kind is a line of [`JointKind`] and of its two tables.

use serde::{Deserialize, Serialize};

/// Which relative motions of two bodies a joint locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointKind {
    /// The points coincide.
    Ball,
    /// The points and the x axes coincide.
    Hinge,
    /// The first point moves along the second x axis. The axes coincide.
    Slider,
    /// The frames coincide.
    Fixed,
    /// The distance of the points is in a range. The x axis is the line through them.
    Distance,
}

/// The free motion that a joint can limit and drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    /// None.
    Nothing,
    /// The translation along the x axis.
    Translation,
    /// The rotation about the x axis.
    Rotation,
}

impl JointKind {
    /// Which motions are locked: translations along x, y, z, then rotations about x, y, z.
    pub const fn locked(self) -> [bool; 6] {
        match self {
            Self::Ball => [true, true, true, false, false, false],
            Self::Hinge => [true, true, true, false, true, true],
            Self::Slider => [false, true, true, true, true, true],
            Self::Fixed => [true; 6],
            Self::Distance => [false; 6],
        }
    }

    /// The motion that limits and motors are for.
    pub const fn along(self) -> Along {
        match self {
            Self::Ball | Self::Fixed => Along::Nothing,
            Self::Slider | Self::Distance => Along::Translation,
            Self::Hinge => Along::Rotation,
        }
    }
}

impl Along {
    /// Its place among the six motions.
    pub const fn row(self) -> Option<usize> {
        match self {
            Self::Nothing => None,
            Self::Translation => Some(0),
            Self::Rotation => Some(3),
        }
    }
}
