//! A sphere of nearly equal triangles.

use serde::{Deserialize, Serialize};

use crate::mesh::shapes::round::{default_edge, smallest};
use crate::mesh::shapes::{ShapeKind, check_edge, check_size, parts};
use crate::mesh::{Mesh, refine};
use crate::{Result, Vec3};

/// A sphere about the origin. Its facets contain it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius, m.
    pub radius_m: f64,
    /// Approximate length of the edges, m. The default is a twelfth of the radius.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Sphere {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(default_edge(self.radius_m))
    }
}

impl ShapeKind for Sphere {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        sphere(self.radius_m, self.edge())
    }

    fn is_round(&self) -> bool {
        true
    }
}

/// An icosahedron. Its faces are cut into n x n and moved outwards to the sphere.
fn sphere(radius: f64, edge: f64) -> Mesh {
    const ARC: f64 = 1.107_148_717_794_090_5; // between neighbouring corners: atan 2
    let frequency = parts(ARC * radius, edge, 1);
    let coarse = icosahedron();
    let fine = refine::subdivide(&coarse.positions, &coarse.faces, frequency);
    let mut mesh = Mesh {
        positions: fine.points.iter().map(|point| point.normalize()).collect(),
        faces: fine.faces,
    };
    let scale = radius / smallest(&mesh, |_| Vec3::zeros());
    mesh.positions.iter_mut().for_each(|point| *point *= scale);
    mesh
}

fn icosahedron() -> Mesh {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut positions = Vec::new();
    for i in 0..3 {
        for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
            let mut point = Vec3::zeros();
            point[(i + 1) % 3] = a;
            point[(i + 2) % 3] = b;
            positions.push(point.normalize());
        }
    }
    // Neighbours are less than 1.1 apart, all others more than 1.7.
    let near = |a: usize, b: usize| (positions[a] - positions[b]).norm() < 1.4;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    let [p, q, r] = [a, b, c].map(|i| positions[i]);
                    let outwards = (q - p).cross(&(r - p)).dot(&p) > 0.0;
                    let [b, c] = if outwards { [b, c] } else { [c, b] };
                    faces.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    Mesh { positions, faces }
}
