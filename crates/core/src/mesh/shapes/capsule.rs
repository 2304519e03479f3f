//! A cylinder with a half sphere at each end.

use serde::{Deserialize, Serialize};

use crate::mesh::Mesh;
use crate::mesh::shapes::round::{default_edge, revolve, smallest, turn};
use crate::mesh::shapes::{ShapeKind, along, check_edge, check_size, parts};
use crate::{Result, Vec3};

/// All points within `radius_m` of a segment of the y axis about the origin. Its facets contain it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius, m.
    pub radius_m: f64,
    /// Length of the segment, m.
    pub length_m: f64,
    /// Approximate length of the edges, m. The default is a twelfth of the radius.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Capsule {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(default_edge(self.radius_m))
    }
}

impl ShapeKind for Capsule {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        check_size(at, "length_m", self.length_m)?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        capsule(self.radius_m, self.length_m, self.edge())
    }

    fn is_round(&self) -> bool {
        true
    }
}

fn capsule(radius: f64, length: f64, edge: f64) -> Mesh {
    let around = parts(std::f64::consts::TAU * radius, edge, 8);
    let cap = parts(0.5 * std::f64::consts::PI * radius, edge, 2);
    let side = parts(length, edge, 1);
    // Rings from bottom to top: radius, height of the core point, height above it.
    let mut rings = Vec::new();
    for ring in 1..=cap {
        let (sin, cos) = turn(ring, 4 * cap);
        rings.push((sin, -0.5 * length, -cos));
    }
    rings.extend((1..side).map(|ring| (1.0, along(length, ring, side), 0.0)));
    rings.extend((1..=cap).rev().map(|ring| {
        let (sin, cos) = turn(ring, 4 * cap);
        (sin, 0.5 * length, cos)
    }));
    let build = |scale: f64| {
        let profile: Vec<(f64, f64)> =
            rings.iter().map(|&(r, core, above)| (scale * r, core + scale * above)).collect();
        revolve(&profile, -0.5 * length - scale, 0.5 * length + scale, around)
    };
    // The core point of a face is the nearest point of the segment. Only the radius is scaled:
    // this keeps the directions of the facets on caps and side.
    let core = |p: Vec3| Vec3::new(0.0, p.y.clamp(-0.5 * length, 0.5 * length), 0.0);
    build(radius * radius / smallest(&build(radius), core))
}
