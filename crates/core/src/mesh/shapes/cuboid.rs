//! A box of square cells.

use serde::{Deserialize, Serialize};

use crate::mesh::Mesh;
use crate::mesh::shapes::{ShapeKind, along, check_edge, check_size, parts};
use crate::{Result, Vec3};

/// A box about the origin. A scene calls it `Box`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Box", deny_unknown_fields)]
pub struct Cuboid {
    /// Size along x, y and z, m.
    pub size_m: [f64; 3],
    /// Approximate length of the edges, m. The default is the largest size.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Cuboid {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(Vec3::from(self.size_m).max())
    }
}

impl ShapeKind for Cuboid {
    fn check(&self, at: &str) -> Result<()> {
        self.size_m.into_iter().try_for_each(|size| check_size(at, "size_m", size))?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        cuboid(self.size_m.into(), self.edge())
    }
}

fn cuboid(size: Vec3, edge: f64) -> Mesh {
    let cells = [0, 1, 2].map(|axis| parts(size[axis], edge, 1));
    let mut builder = Welded::default();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, cells[axis]] {
            for j in 0..cells[v] {
                for i in 0..cells[u] {
                    let corner = |di: u32, dj: u32| {
                        let mut index = [0; 3];
                        (index[axis], index[u], index[v]) = (side, i + di, j + dj);
                        index
                    };
                    let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    builder.quad(quad, side == 0, |index| {
                        Vec3::from_fn(|axis, _| along(size[axis], index[axis], cells[axis]))
                    });
                }
            }
        }
    }
    builder.mesh
}

/// A mesh whose vertices are known by integer coordinates. Each vertex is made once.
#[derive(Default)]
struct Welded {
    mesh: Mesh,
    known: std::collections::HashMap<[u32; 3], u32>,
}

impl Welded {
    fn quad(&mut self, corners: [[u32; 3]; 4], flip: bool, place: impl Fn([u32; 3]) -> Vec3) {
        let [a, b, c, d] = corners.map(|index| {
            *self.known.entry(index).or_insert_with(|| {
                self.mesh.positions.push(place(index));
                self.mesh.positions.len() as u32 - 1
            })
        });
        let pair = if flip { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] };
        self.mesh.faces.extend(pair);
    }
}
