//! Hinges and triangles of a sheet, with energy and forces.

use crate::bodies::cloth::elements::bending::curvature::{
    corner_opposite, largest_scaled_eigenvalue, stiffness_matrix,
};
use crate::bodies::cloth::elements::bending::hinge::{
    Hinge, hinge_angle, hinge_angle_and_gradient,
};
use crate::bodies::cloth::elements::bending::treatment::BendingTreatment;
use crate::bodies::cloth::material::BendingStiffness;
use crate::ids::{FaceId, NONE, VertexId};
use crate::math::{Vec2, Vec3};
use crate::mesh::Topology;

/// What bending knows of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvatureTriangle {
    /// The hinge opposite to each corner, or [`NONE`] at a boundary edge.
    pub hinges: [u32; 3],
    /// M, N m: entries 00, 01, 02, 11, 12, 22; rows of missing hinges are zero.
    pub m: [f64; 6],
}

impl CurvatureTriangle {
    /// A row of M, N m.
    pub fn row(&self, corner: usize) -> [f64; 3] {
        const PLACE: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        PLACE[corner].map(|place| self.m[place])
    }

    /// Moments (N m) `M dtheta` on its hinges. The angle of a missing hinge may have any value.
    #[inline]
    pub fn moments(&self, d: [f64; 3]) -> [f64; 3] {
        let m = &self.m;
        [
            m[0] * d[0] + m[1] * d[1] + m[2] * d[2],
            m[1] * d[0] + m[3] * d[1] + m[4] * d[2],
            m[2] * d[0] + m[4] * d[1] + m[5] * d[2],
        ]
    }

    /// Energy (J) at the angles `d` (rad) of its hinges beyond their rest angles.
    #[inline]
    pub fn energy(&self, d: [f64; 3]) -> f64 {
        let moments = self.moments(d);
        0.5 * (moments[0] * d[0] + moments[1] * d[1] + moments[2] * d[2])
    }
}

/// The hinges and triangles of a sheet of cloth.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HingedSheet {
    /// One per interior edge, in the order of edges.
    pub hinges: Vec<Hinge>,
    /// One per face.
    pub triangles: Vec<CurvatureTriangle>,
}

impl HingedSheet {
    /// From the rest shape: the vertices' positions `rest` (m), and corners 1 and 2 of each face
    /// relative to corner 0 in its material axes (`in_plane`, m). The `stiffness` of a face is
    /// positive definite or zero.
    pub fn new(
        faces: &[[VertexId; 3]],
        topology: &Topology,
        in_plane: &[[Vec2; 2]],
        rest: &[Vec3],
        stiffness: impl Fn(FaceId) -> BendingStiffness,
    ) -> Self {
        let (edges, triangles) = (topology.edges.len(), Vec::with_capacity(faces.len()));
        let mut sheet = Self { hinges: Vec::with_capacity(edges), triangles };
        let mut hinge_of_edge = vec![NONE; topology.edges.len()];
        for (edge, &[low, high]) in topology.edge_faces.iter().enumerate() {
            if high != NONE {
                hinge_of_edge[edge] = sheet.hinges.len() as u32;
                sheet.hinges.push(hinge(faces, topology, rest, edge as u32, [low, high]));
            }
        }
        for face in 0..faces.len() as FaceId {
            let m = stiffness_matrix(topology, in_plane, face, stiffness(face));
            let hinges =
                topology.face_edges[face as usize].map(|edge| hinge_of_edge[edge as usize]);
            let bound = largest_scaled_eigenvalue(&m);
            for (i, &hinge) in hinges.iter().enumerate().filter(|&(_, &hinge)| hinge != NONE) {
                sheet.hinges[hinge as usize].stiffness_bound += bound * m[(i, i)];
            }
            let m = [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33];
            sheet.triangles.push(CurvatureTriangle { hinges, m });
        }
        sheet
    }

    /// Bending energy (J) of the whole cloth at positions `x` (m).
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        (0..self.triangles.len()).map(|face| self.face_energy(face as FaceId, x)).sum()
    }

    /// Bending energy (J) of one face.
    pub fn face_energy(&self, face: FaceId, x: &[Vec3]) -> f64 {
        let triangle = &self.triangles[face as usize];
        let deviation = triangle.hinges.map(|hinge| match self.hinges.get(hinge as usize) {
            Some(hinge) => hinge.deviation(hinge_angle(hinge.gather(x))),
            None => 0.0,
        });
        triangle.energy(deviation)
    }

    /// Elastic forces (N) on all vertices: minus the gradient of [`Self::energy`]. Tests compare
    /// the assembly with them.
    pub fn forces(&self, x: &[Vec3]) -> Vec<Vec3> {
        let angles: Vec<_> =
            self.hinges.iter().map(|hinge| hinge.deviation_and_gradient(hinge.gather(x))).collect();
        let mut moments = vec![0.0; self.hinges.len()];
        for triangle in &self.triangles {
            let deviation =
                triangle.hinges.map(|hinge| angles.get(hinge as usize).map_or(0.0, |a| a.0));
            for (hinge, moment) in triangle.hinges.into_iter().zip(triangle.moments(deviation)) {
                if hinge != NONE {
                    moments[hinge as usize] += moment;
                }
            }
        }
        let mut forces = vec![Vec3::zeros(); x.len()];
        for ((hinge, (_, gradient)), moment) in self.hinges.iter().zip(&angles).zip(&moments) {
            for (&vertex, gradient) in hinge.vertices.iter().zip(gradient) {
                forces[vertex as usize] -= gradient * *moment;
            }
        }
        forces
    }

    /// For each vertex a share of a bound on `(h^2 + 2 h beta) w^2 / 4` over all bending modes w
    /// (1/s) at positions `x` (m): the largest share is the bound. Explicit bending is stable up to
    /// 1. The bound grows as `D h^2 / (rho L^4)`. `masses` in kg, infinite for fixed vertices.
    ///
    /// Since `K <= sum_h d_h g_h g_h^T`, it is the largest sum of absolute values in a row of
    /// `M^-1/2 K M^-1/2` (Gershgorin).
    pub fn explicit_ratios(&self, x: &[Vec3], masses: &[f64], h: f64, beta: f64) -> Vec<f64> {
        let scale = 0.25 * (h * h + 2.0 * h * beta);
        let mut row_sums = vec![0.0; x.len()];
        for hinge in &self.hinges {
            let (_, gradient) = hinge_angle_and_gradient(hinge.gather(x));
            let mut scaled = [0.0; 4];
            for (scaled, (gradient, &vertex)) in
                scaled.iter_mut().zip(gradient.iter().zip(&hinge.vertices))
            {
                *scaled = gradient.norm() / masses[vertex as usize].sqrt();
            }
            let sum: f64 = scaled.iter().sum();
            for (scaled, &vertex) in scaled.iter().zip(&hinge.vertices) {
                row_sums[vertex as usize] += scale * hinge.stiffness_bound * sum * scaled;
            }
        }
        row_sums
    }

    /// The treatment of each hinge that is stable for steps of `h` (s) and stiffness-proportional
    /// damping `beta` (s). All hinges of a vertex whose share is large are in the matrix, which
    /// covers them whole. So the others alone must be stable, and half of the bound is left for
    /// triangles that deform.
    pub fn treatments(
        &self,
        rest: &[Vec3],
        masses: &[f64],
        h: f64,
        beta: f64,
    ) -> Vec<BendingTreatment> {
        let ratios = self.explicit_ratios(rest, masses, h, beta);
        let is_soft = |hinge: &Hinge| hinge.vertices.iter().all(|&v| ratios[v as usize] <= 0.5);
        let treatment = |hinge: &Hinge| match is_soft(hinge) {
            true => BendingTreatment::Explicit,
            false => BendingTreatment::Implicit,
        };
        self.hinges.iter().map(treatment).collect()
    }
}

fn hinge(
    faces: &[[VertexId; 3]],
    topology: &Topology,
    rest: &[Vec3],
    edge: u32,
    sides: [FaceId; 2],
) -> Hinge {
    let [low, high] = sides;
    let corners = faces[low as usize];
    let opposite = corner_opposite(topology, low, edge);
    let vertices = [
        corners[(opposite + 1) % 3],
        corners[(opposite + 2) % 3],
        corners[opposite],
        faces[high as usize][corner_opposite(topology, high, edge)],
    ];
    let (rest_angle, _) = hinge_angle_and_gradient(vertices.map(|v| rest[v as usize]));
    Hinge { vertices, faces: sides, rest_angle, stiffness_bound: 0.0 }
}
