//! A ball.

use serde::{Deserialize, Serialize};

use crate::shape::surface::{EDGE, rounded};
use crate::shape::{ShapeKind, check_length};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::shapes::{self, ShapeKind as _};
use cloth_core::{Result, Vec3};

/// A ball.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius, m.
    pub radius_m: f64,
}

impl ShapeKind for Sphere {
    const AXES: [usize; 3] = [0; 3];
    const IS_BALL: bool = true;

    fn check(&self, at: &str) -> Result<()> {
        check_length(at, "radius_m", self.radius_m)
    }

    fn sizes(&self) -> [f64; 3] {
        [self.radius_m, 0.0, 0.0]
    }

    fn of_sizes([radius_m, ..]: [f64; 3]) -> Self {
        Self { radius_m }
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.radius_m
    }

    fn half_width(&self) -> f64 {
        self.radius_m
    }

    fn mass_properties(&self, density: f64) -> MassProperties {
        let radius = self.radius_m;
        let mass = density * 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
        MassProperties { mass, inertia: Vec3::repeat(0.4 * mass * radius * radius) }
    }

    fn with_reach(&self, reach: f64) -> Self {
        Self { radius_m: reach }
    }

    fn margin(&self) -> f64 {
        self.radius_m
    }

    fn support(&self, _: &Vec3) -> Vec3 {
        Vec3::zeros()
    }

    fn surface() -> ObjDocument {
        let ball = shapes::Sphere { radius_m: 1.0, edge_m: Some(EDGE) };
        rounded(ball.mesh(), |_| Vec3::zeros())
    }
}
