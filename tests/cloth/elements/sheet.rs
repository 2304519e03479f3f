//! A flat sheet of cloth and its elements, for the tests beside this file.

use cloth_sim::bodies::cloth::elements::bending::{BendingFactors, HingedSheet};
use cloth_sim::bodies::cloth::elements::membrane::MembraneTriangle;
use cloth_sim::bodies::cloth::material::BendingStiffness;
use cloth_sim::bodies::cloth::setup::RestTriangle;
use cloth_sim::math::{Vec2, Vec3};
use cloth_sim::mesh::Topology;

use crate::elements::Random;

/// A flat sheet in the xy plane, warp along x.
pub struct Sheet {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Vertices of each triangle.
    pub faces: Vec<[u32; 3]>,
}

#[derive(Clone, Copy)]
pub enum Diagonals {
    Rising,
    Falling,
    Alternating,
}

impl Sheet {
    /// `nx` by `ny` cells of size `cell`. Inner vertices are moved at random by up to `jitter`
    /// of a cell in each direction.
    pub fn grid(nx: u32, ny: u32, cell: f64, diagonals: Diagonals, jitter: f64) -> Self {
        let mut random = Random(1);
        let mut x = Vec::new();
        for j in 0..=ny {
            for i in 0..=nx {
                let inner = i > 0 && i < nx && j > 0 && j < ny;
                let size = if inner { jitter } else { 0.0 };
                let (dx, dy) = (size * random.signed(), size * random.signed());
                x.push(Vec3::new(f64::from(i) + dx, f64::from(j) + dy, 0.0) * cell);
            }
        }
        let mut faces = Vec::new();
        for j in 0..ny {
            for i in 0..nx {
                let a = j * (nx + 1) + i;
                let (b, c, d) = (a + 1, a + nx + 2, a + nx + 1);
                let rises = match diagonals {
                    Diagonals::Rising => true,
                    Diagonals::Falling => false,
                    Diagonals::Alternating => (i + j) % 2 == 0,
                };
                faces.extend(match rises {
                    true => [[a, b, c], [a, c, d]],
                    false => [[a, b, d], [b, c, d]],
                });
            }
        }
        Self { x, faces }
    }

    fn corners(&self, face: usize) -> [Vec3; 3] {
        self.faces[face].map(|v| self.x[v as usize])
    }

    fn in_plane(&self) -> Vec<[Vec2; 2]> {
        let plane = |face| {
            let [a, b, c] = self.corners(face);
            let RestTriangle { x1, x2 } = RestTriangle::along(b - a, c - a, Vec3::x());
            [x1, x2]
        };
        (0..self.faces.len()).map(plane).collect()
    }

    pub fn membrane(&self) -> Vec<MembraneTriangle> {
        let in_plane = self.in_plane();
        self.faces.iter().zip(in_plane).map(|(&f, [a, b])| MembraneTriangle::new(f, a, b)).collect()
    }

    fn topology(&self) -> Topology {
        Topology::new(&self.faces).unwrap()
    }

    pub fn bending(&self, stiffness: BendingStiffness) -> HingedSheet {
        HingedSheet::new(&self.faces, &self.topology(), &self.in_plane(), &self.x, |_| stiffness)
    }

    pub fn bending_factors(&self, stiffness: BendingStiffness) -> BendingFactors {
        BendingFactors::new(&self.topology(), &self.in_plane(), |_| stiffness, &[])
    }

    pub fn area(&self) -> f64 {
        self.membrane().iter().map(|t| t.area).sum()
    }
}
