//! A disc of rings of triangles.

use serde::{Deserialize, Serialize};

use crate::bounds::cells;
use crate::mesh::Mesh;
use crate::mesh::shapes::round::turn;
use crate::mesh::shapes::{ShapeKind, check_size};
use crate::{Result, Vec3};

/// A disc in the plane y = 0 about the origin. It faces up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Radius, m.
    pub radius_m: f64,
    /// Rings of triangles.
    pub rings: u32,
}

impl ShapeKind for Disc {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        cells(&format!("{at}.rings"), self.rings)
    }

    fn mesh(&self) -> Mesh {
        disc(self.radius_m, self.rings)
    }

    fn triangles(&self) -> f64 {
        6.0 * f64::from(self.rings).powi(2)
    }
}

/// Ring i of `rings` has 6 i vertices.
fn disc(radius: f64, rings: u32) -> Mesh {
    let mut mesh = Mesh { positions: vec![Vec3::zeros()], faces: vec![] };
    for ring in 1..=rings {
        let r = radius * f64::from(ring) / f64::from(rings);
        for i in 0..6 * ring {
            let (sin, cos) = turn(i, 6 * ring);
            mesh.positions.push(Vec3::new(r * cos, 0.0, -r * sin));
        }
    }
    // Vertex i of a ring; ring 0 is the centre.
    let at =
        |ring: u32, i: u32| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) + i % (6 * ring) };
    for ring in 1..=rings {
        for sector in 0..6 {
            for i in 0..ring {
                let (outer, inner) = (sector * ring + i, sector * (ring - 1) + i);
                mesh.faces.push([at(ring - 1, inner), at(ring, outer), at(ring, outer + 1)]);
                if i + 1 < ring {
                    let [a, b] = [at(ring - 1, inner), at(ring - 1, inner + 1)];
                    mesh.faces.push([a, at(ring, outer + 1), b]);
                }
            }
        }
    }
    mesh
}
