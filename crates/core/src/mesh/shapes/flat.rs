//! Flat shapes: a rectangle of cells that are cut into triangles, a rectangle that is cut to about
//! the same edge everywhere, and a disc of rings of triangles.

use serde::{Deserialize, Serialize};

use crate::bounds::cells;
use crate::mesh::Mesh;
use crate::mesh::shapes::round::turn;
use crate::mesh::shapes::{ShapeKind, along, check_edge, check_size, parts};
use crate::{Result, Vec3};

/// A rectangle in the plane y = 0 about the origin. It faces up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Size along x, m.
    pub width_m: f64,
    /// Size along z, m.
    pub length_m: f64,
    /// Cells along x.
    pub columns: u32,
    /// Cells along z.
    pub rows: u32,
    /// How the cells are cut.
    #[serde(default)]
    pub diagonal: Diagonal,
}

/// How the cells of a sheet are cut into triangles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Diagonal {
    /// All in one direction.
    #[default]
    Same,
    /// In alternating directions, so that diamonds appear.
    Alternating,
    /// Every other row is shifted by half a cell. The triangles are equilateral
    /// when rows are sqrt(3)/2 of a cell apart.
    Equilateral,
}

impl ShapeKind for Sheet {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "width_m", self.width_m)?;
        check_size(at, "length_m", self.length_m)?;
        cells(&format!("{at}.columns"), self.columns)?;
        cells(&format!("{at}.rows"), self.rows)
    }

    fn mesh(&self) -> Mesh {
        sheet(self.width_m, self.length_m, self.columns, self.rows, self.diagonal)
    }

    fn triangles(&self) -> f64 {
        2.0 * f64::from(self.columns) * f64::from(self.rows)
    }
}

/// The mesh of a [`Sheet`], `width` x `length` in m.
pub fn sheet(width: f64, length: f64, columns: u32, rows: u32, diagonal: Diagonal) -> Mesh {
    if diagonal == Diagonal::Equilateral {
        return staggered_sheet(width, length, columns, rows);
    }
    let mut mesh = Mesh::default();
    for j in 0..=rows {
        for i in 0..=columns {
            mesh.positions.push(Vec3::new(along(width, i, columns), 0.0, along(length, j, rows)));
        }
    }
    let at = |i: u32, j: u32| j * (columns + 1) + i;
    for j in 0..rows {
        for i in 0..columns {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            if diagonal == Diagonal::Alternating && (i + j) % 2 == 1 {
                mesh.faces.extend([[a, b, d], [b, c, d]]);
            } else {
                mesh.faces.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    mesh
}

/// Even rows have `columns + 1` vertices. Odd rows are shifted by half a cell
/// and have one vertex more, so that they end on the same straight sides.
fn staggered_sheet(width: f64, length: f64, columns: u32, rows: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let mut starts = vec![];
    for j in 0..=rows {
        starts.push(mesh.positions.len() as u32);
        let z = along(length, j, rows);
        for i in 0..=columns + j % 2 {
            let half_cells =
                if j % 2 == 0 { 2 * i } else { (2 * i).saturating_sub(1).min(2 * columns) };
            mesh.positions.push(Vec3::new(along(width, half_cells, 2 * columns), 0.0, z));
        }
    }
    for j in 0..rows {
        let [near, far] = [starts[j as usize], starts[j as usize + 1]];
        for i in 0..=columns {
            if j % 2 == 0 {
                mesh.faces.push([near + i, far + i, far + i + 1]);
            } else {
                mesh.faces.push([near + i, far + i, near + i + 1]);
            }
            if i < columns && j % 2 == 0 {
                mesh.faces.push([near + i, far + i + 1, near + i + 1]);
            } else if i < columns {
                mesh.faces.push([near + i + 1, far + i, far + i + 1]);
            }
        }
    }
    mesh
}

/// A rectangle in the plane y = 0 about the origin. It faces up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Size along x, m.
    pub width_m: f64,
    /// Size along z, m.
    pub length_m: f64,
    /// Approximate length of the edges, m. The default is the larger size.
    #[serde(default)]
    pub edge_m: Option<f64>,
}

impl Plane {
    fn edge(&self) -> f64 {
        self.edge_m.unwrap_or(self.width_m.max(self.length_m))
    }
}

impl ShapeKind for Plane {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "width_m", self.width_m)?;
        check_size(at, "length_m", self.length_m)?;
        check_edge(at, self.edge_m)
    }

    fn fill_in(&mut self) {
        self.edge_m = Some(self.edge());
    }

    fn mesh(&self) -> Mesh {
        let cells = |size: f64| parts(size, self.edge(), 1);
        let (columns, rows) = (cells(self.width_m), cells(self.length_m));
        sheet(self.width_m, self.length_m, columns, rows, Diagonal::Same)
    }
}

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
