//! An open tube, such as a skirt or a sleeve.

use serde::{Deserialize, Serialize};

use crate::bounds::cells;
use crate::mesh::Mesh;
use crate::mesh::shapes::round::turn;
use crate::mesh::shapes::{ShapeKind, along, check_size};
use crate::{Error, Result, Vec3};

/// The side of a cylinder or of a truncated cone about the y axis and the origin. It faces outwards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tube {
    /// Radius of the lower end, m.
    pub radius_m: f64,
    /// Radius of the upper end, m. The default is that of the lower end.
    #[serde(default)]
    pub top_radius_m: Option<f64>,
    /// Length along y, m.
    pub length_m: f64,
    /// Cells around the tube, at least 3.
    pub columns: u32,
    /// Cells along it.
    pub rows: u32,
}

impl ShapeKind for Tube {
    fn check(&self, at: &str) -> Result<()> {
        check_size(at, "radius_m", self.radius_m)?;
        if let Some(top_radius_m) = self.top_radius_m {
            check_size(at, "top_radius_m", top_radius_m)?;
        }
        check_size(at, "length_m", self.length_m)?;
        cells(&format!("{at}.columns"), self.columns)?;
        if self.columns < 3 {
            let cause = format!("{} cells make no tube", self.columns);
            return Err(Error::input(format!("{at}.columns"), cause, "choose at least 3"));
        }
        cells(&format!("{at}.rows"), self.rows)
    }

    fn fill_in(&mut self) {
        self.top_radius_m.get_or_insert(self.radius_m);
    }

    fn mesh(&self) -> Mesh {
        let ends_m = [self.radius_m, self.top_radius_m.unwrap_or(self.radius_m)];
        tube(ends_m, self.length_m, self.columns, self.rows)
    }

    fn triangles(&self) -> f64 {
        2.0 * f64::from(self.columns) * f64::from(self.rows)
    }
}

/// Odd rings are turned by half a cell, so that the triangles are isosceles.
fn tube([lower, upper]: [f64; 2], length: f64, columns: u32, rows: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for ring in 0..=rows {
        let share = f64::from(ring) / f64::from(rows);
        let r = lower + share * (upper - lower);
        for i in 0..columns {
            let (sin, cos) = turn(2 * i + ring % 2, 2 * columns);
            mesh.positions.push(Vec3::new(r * cos, along(length, ring, rows), -r * sin));
        }
    }
    let at = |ring: u32, i: u32| ring * columns + i % columns;
    for ring in 0..rows {
        for i in 0..columns {
            let [a, b] = [at(ring, i), at(ring, i + 1)];
            let [c, d] = [at(ring + 1, i), at(ring + 1, i + 1)];
            if ring % 2 == 0 {
                mesh.faces.extend([[a, b, c], [c, b, d]]);
            } else {
                mesh.faces.extend([[a, d, c], [a, b, d]]);
            }
        }
    }
    mesh
}
