//! A closed cylinder.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::mesh::Mesh;
use crate::mesh::shapes::round::{default_edge, revolve, turn};
use crate::mesh::shapes::{ShapeKind, along, check_edge, check_size, parts};

/// A cylinder about the y axis and the origin. Its facets contain it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius, m.
    pub radius_m: f64,
    /// Length, m.
    pub length_m: f64,
    /// Approximate length of the edges, m. The default is a twelfth of the radius.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Cylinder {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(default_edge(self.radius_m))
    }
}

impl ShapeKind for Cylinder {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        check_size(at, "length_m", self.length_m)?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        cylinder(self.radius_m, self.length_m, self.edge())
    }
}

fn cylinder(radius: f64, length: f64, edge: f64) -> Mesh {
    let around = parts(std::f64::consts::TAU * radius, edge, 8);
    let side = parts(length, edge, 1);
    let cap = parts(radius, edge, 1);
    let circumscribed = radius / turn(1, 2 * around).1 * (1.0 + 1e-12);
    let inner = |ring: u32| circumscribed * f64::from(ring) / f64::from(cap);
    let mut profile: Vec<(f64, f64)> = (1..cap).map(|ring| (inner(ring), -0.5 * length)).collect();
    profile.extend((0..=side).map(|ring| (circumscribed, along(length, ring, side))));
    profile.extend((1..cap).rev().map(|ring| (inner(ring), 0.5 * length)));
    revolve(&profile, -0.5 * length, 0.5 * length, around)
}
