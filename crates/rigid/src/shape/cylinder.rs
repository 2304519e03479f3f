//! A cylinder with flat ends.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use serde::{Deserialize, Serialize};

use crate::shape::surface::{EDGE, document};
use crate::shape::{ALONG, Feature, ShapeKind, check_length};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::shapes::{self, ShapeKind as _};
use cloth_core::{Result, Vec3};

/// The x and z of the corners of an octagon in the unit circle. It approximates a flat end.
const RIM: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [0.0, 1.0],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-1.0, 0.0],
    [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [0.0, -1.0],
    [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
];

/// A cylinder about the y axis with flat ends, centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius, m.
    pub radius_m: f64,
    /// Length, m.
    pub length_m: f64,
}

impl ShapeKind for Cylinder {
    const AXES: [usize; 3] = [0, 1, 0];

    fn check(&self, at: &str) -> Result<()> {
        check_length(at, "radius_m", self.radius_m)?;
        check_length(at, "length_m", self.length_m)
    }

    fn sizes(&self) -> [f64; 3] {
        [self.radius_m, 0.5 * self.length_m, 0.0]
    }

    fn of_sizes([radius_m, half_length, _]: [f64; 3]) -> Self {
        Self { radius_m, length_m: 2.0 * half_length }
    }

    fn reach(&self) -> f64 {
        let [radius, half_length, _] = self.sizes();
        (radius * radius + half_length * half_length).sqrt()
    }

    fn farthest(&self, from: &Vec3) -> f64 {
        let across = Vec3::new(from.x, 0.0, from.z).norm() + self.radius_m;
        Vec3::new(across, from.y.abs() + 0.5 * self.length_m, 0.0).norm()
    }

    fn half_width(&self) -> f64 {
        self.radius_m.min(0.5 * self.length_m)
    }

    fn mass_properties(&self, density: f64) -> MassProperties {
        let square = self.radius_m * self.radius_m;
        let mass = density * PI * square * self.length_m;
        let across = mass * (square / 4.0 + self.length_m * self.length_m / 12.0);
        MassProperties { mass, inertia: Vec3::new(across, mass * square / 2.0, across) }
    }

    fn support(&self, direction: &Vec3) -> Vec3 {
        let [radius, half_length, _] = self.sizes();
        let out = Vec3::new(direction.x, 0.0, direction.z);
        let out = out.try_normalize(0.0).unwrap_or(Vec3::x());
        out * radius + Vec3::y() * half_length.copysign(direction.y)
    }

    fn feature(&self, direction: &Vec3) -> Feature {
        let [radius, half_length, _] = self.sizes();
        let (end, length) = (self.support(direction), direction.norm());
        let across = Vec3::new(direction.x, 0.0, direction.z).norm();
        if across < ALONG * length {
            RIM.iter().map(|[x, z]| Vec3::new(radius * x, end.y, radius * z)).collect()
        } else if direction.y.abs() < ALONG * length {
            [-half_length, half_length].iter().map(|&y| Vec3::new(end.x, y, end.z)).collect()
        } else {
            Feature::from_iter([end])
        }
    }

    fn surface() -> ObjDocument {
        let cylinder = shapes::Cylinder { radius_m: 1.0, length_m: 2.0, edge_m: Some(EDGE) };
        let mut mesh = cylinder.mesh();
        // The mesh of an obstacle encloses the shape. In frames, touching bodies would overlap.
        let radius =
            mesh.positions.iter().map(|x| (x.x * x.x + x.z * x.z).sqrt()).fold(0.0, f64::max);
        for x in &mut mesh.positions {
            (x.x, x.z) = (x.x / radius, x.z / radius);
        }
        document(mesh)
    }
}
