//! A ball.

use crate::shape::ShapeKind;
use crate::shape::surface::{EDGE, rounded};
use cloth_bodies::bodies::rigid::MassProperties;
use cloth_core::bounds::{LENGTH, positive_within};
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::shapes::{self, ShapeKind as _};
use cloth_core::settings;

settings! {
    /// A ball.
    #[derive(Copy)]
    pub struct Sphere {
        /// Radius, m.
        pub radius_m: f64 => positive_within(LENGTH),
    }
}

impl ShapeKind for Sphere {
    const AXES: [usize; 3] = [0; 3];
    const IS_BALL: bool = true;

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
