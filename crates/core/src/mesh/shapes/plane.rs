//! A rectangle that is cut to about the same edge everywhere.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::mesh::Mesh;
use crate::mesh::shapes::{Diagonal, ShapeKind, check_edge, check_size, parts, sheet};

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
