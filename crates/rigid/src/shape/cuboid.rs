//! A cuboid.

use serde::{Deserialize, Serialize};

use crate::shape::surface::document;
use crate::shape::{ALONG, Feature, ShapeKind, check_length};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::shapes::{self, ShapeKind as _};
use cloth_core::{Result, Vec3};

/// A cuboid, centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Edge lengths along x, y, z, m.
    pub size_m: [f64; 3],
}

impl Cuboid {
    /// The cuboid with the given half edge lengths along x, y, z, m.
    pub fn of_half(half: Vec3) -> Self {
        Self { size_m: (half * 2.0).into() }
    }

    /// Half edge lengths along x, y, z, m.
    #[inline]
    pub fn half(&self) -> Vec3 {
        Vec3::from(self.size_m) * 0.5
    }
}

impl ShapeKind for Cuboid {
    const AXES: [usize; 3] = [0, 1, 2];

    fn check(&self, at: &str) -> Result<()> {
        self.size_m.iter().try_for_each(|&size| check_length(at, "size_m", size))
    }

    fn sizes(&self) -> [f64; 3] {
        self.half().into()
    }

    fn of_sizes(half: [f64; 3]) -> Self {
        Self::of_half(half.into())
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.half().norm()
    }

    fn farthest(&self, from: &Vec3) -> f64 {
        (from.abs() + self.half()).norm()
    }

    fn half_width(&self) -> f64 {
        self.half().min()
    }

    fn mass_properties(&self, density: f64) -> MassProperties {
        let half = self.half();
        let mass = density * 8.0 * half.x * half.y * half.z;
        let square = half.component_mul(&half);
        let inertia = (Vec3::repeat(square.sum()) - square) * (mass / 3.0);
        MassProperties { mass, inertia }
    }

    fn support(&self, direction: &Vec3) -> Vec3 {
        self.half().zip_map(direction, f64::copysign)
    }

    fn feature(&self, direction: &Vec3) -> Feature {
        let (corner, most) = (self.support(direction), ALONG * direction.norm());
        let mut corners = Feature::from_iter([corner]);
        for axis in (0..3).filter(|&axis| direction[axis].abs() < most) {
            // The mirrored corners are added in reverse order, so that they go around the face.
            for place in (0..corners.len()).rev() {
                let mut other = corners[place];
                other[axis] = -other[axis];
                corners.push(other);
            }
        }
        corners
    }

    fn surface() -> ObjDocument {
        document(shapes::Cuboid { size_m: [2.0; 3], edge_m: None }.mesh())
    }
}
