//! A cylinder with a half ball at each end.

use serde::{Deserialize, Serialize};

use crate::shape::surface::{EDGE, rounded};
use crate::shape::{ALONG, Feature, ShapeKind, check_length};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::shapes::{self, ShapeKind as _};
use cloth_core::{Result, Vec3};

/// All points within a radius of a segment of the y axis. The segment is centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius, m.
    pub radius_m: f64,
    /// Length of the segment, without the two caps, m.
    pub length_m: f64,
}

impl Capsule {
    /// Half of the segment's length, m.
    #[inline]
    pub fn half_length(&self) -> f64 {
        0.5 * self.length_m
    }
}

impl ShapeKind for Capsule {
    const AXES: [usize; 3] = [1, 0, 1];

    fn check(&self, at: &str) -> Result<()> {
        check_length(at, "radius_m", self.radius_m)?;
        check_length(at, "length_m", self.length_m)
    }

    fn sizes(&self) -> [f64; 3] {
        [self.half_length(), self.radius_m, 0.0]
    }

    fn of_sizes([half_length, radius_m, _]: [f64; 3]) -> Self {
        Self { radius_m, length_m: 2.0 * half_length }
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.half_length() + self.radius_m
    }

    fn farthest(&self, from: &Vec3) -> f64 {
        Vec3::new(from.x, from.y.abs() + self.half_length(), from.z).norm() + self.radius_m
    }

    fn half_width(&self) -> f64 {
        self.radius_m
    }

    fn mass_properties(&self, density: f64) -> MassProperties {
        let (half_length, radius, pi) = (self.half_length(), self.radius_m, std::f64::consts::PI);
        let square = radius * radius;
        let cylinder = density * pi * square * 2.0 * half_length;
        let ends = density * 4.0 / 3.0 * pi * square * radius;
        let along = cylinder * 0.5 * square + ends * 0.4 * square;
        // The centre of mass of a half ball is 3/8 of the radius from its flat side.
        let offset = half_length * half_length + 0.75 * half_length * radius;
        let across = cylinder * (square / 4.0 + half_length * half_length / 3.0)
            + ends * (0.4 * square + offset);
        MassProperties { mass: cylinder + ends, inertia: Vec3::new(across, along, across) }
    }

    fn with_reach(&self, reach: f64) -> Self {
        let slenderness = self.half_length() / self.radius_m;
        let radius = reach / (1.0 + slenderness);
        Self::of_sizes([slenderness * radius, radius, 0.0])
    }

    fn margin(&self) -> f64 {
        self.radius_m
    }

    fn support(&self, direction: &Vec3) -> Vec3 {
        Vec3::y() * self.half_length().copysign(direction.y)
    }

    fn feature(&self, direction: &Vec3) -> Feature {
        if direction.y.abs() < ALONG * direction.norm() {
            return [-1.0, 1.0]
                .iter()
                .map(|sign| Vec3::y() * (sign * self.half_length()))
                .collect();
        }
        Feature::from_iter([self.support(direction)])
    }

    fn surface() -> ObjDocument {
        let capsule = shapes::Capsule { radius_m: 1.0, length_m: 2.0, edge_m: Some(EDGE) };
        rounded(capsule.mesh(), core)
    }

    fn stretch(&self, vertex: &Vec3) -> Vec3 {
        let core = core(*vertex);
        core * self.half_length() + (vertex - core) * self.radius_m
    }
}

/// The point of the segment from -1 to 1 on the y axis that is nearest to `x`.
fn core(x: Vec3) -> Vec3 {
    Vec3::new(0.0, x.y.clamp(-1.0, 1.0), 0.0)
}
