//! Bending: the curvature of each triangle from the dihedral angles of its hinges.
//!
//! A hinge is an interior edge with its two faces. Its angle theta is 0 when flat
//! and positive where the faces fold towards their front. On one triangle, a small
//! curvature `kappa = (k11, k22, 2 k12)` (material axes) makes the angles
//! `theta = T kappa`; T is exact for the three quadratics on the triangle's six
//! vertices. The triangle's energy is the least that its angles allow,
//!
//! `W = 1/2 dtheta^T M dtheta`, `M = A (T D^-1 T^T)^-1`, `dtheta = theta - theta_rest`,
//!
//! with one row of T per hinge: three rows give `M = A T^-T D T^-1`; at a boundary
//! edge the missing angle is free and transmits no moment. Where every neighbour is
//! the triangle's point reflection, `T^-1` is the shape operator of Gingold et al.
//! (2004) and Grinspun et al. (2006).

use std::f64::consts::{PI, TAU};

use crate::bodies::cloth::curvature::{
    corner_opposite, largest_scaled_eigenvalue, stiffness_matrix,
};
use crate::bodies::cloth::lanes::{LaneVec3, Lanes};
use crate::bodies::cloth::material::BendingStiffness;
use crate::ids::{FaceId, NONE, VertexId};
use crate::math::{Vec2, Vec3};
use crate::mesh::Topology;

/// An interior edge between its two faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hinge {
    /// The edge as the first face runs through it, then the vertices opposite to it
    /// in the first and in the second face.
    pub vertices: [VertexId; 4],
    /// Its faces, the lower one first.
    pub faces: [FaceId; 2],
    /// Angle of the rest shape, rad.
    pub rest_angle: f64,
    /// A diagonal that bounds the assembled `M` from above, N m.
    pub stiffness_bound: f64,
}

impl Hinge {
    /// Angle minus rest angle in (-pi, pi], and the angle's gradient (1/m). So the
    /// angle is followed up to half a turn away from rest, without any state.
    #[inline]
    pub fn deviation_and_gradient(&self, x: [Vec3; 4]) -> (f64, [Vec3; 4]) {
        let (angle, gradient) = hinge_angle_and_gradient(x);
        (self.deviation(angle), gradient)
    }

    /// An angle in (-pi, pi] less the rest angle, in (-pi, pi].
    #[inline]
    pub fn deviation(&self, angle: f64) -> f64 {
        within_half_turn(angle - self.rest_angle)
    }

    fn gather(&self, of: &[Vec3]) -> [Vec3; 4] {
        self.vertices.map(|v| of[v as usize])
    }
}

fn within_half_turn(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

/// Dihedral angle in (-pi, pi] and its gradient (1/m) at the edge's start and end,
/// the first and the second face's opposite vertex. Bridson, Marino & Fedkiw (2003)
/// section 4; Tamstorf & Grinspun (2013) section 3. Heights below a thousandth of
/// the longest side count as such, so that the gradient stays finite.
pub fn hinge_angle_and_gradient(x: [Vec3; 4]) -> (f64, [Vec3; 4]) {
    let [angle_and_gradient] = hinge_angles_and_gradients([x]);
    angle_and_gradient
}

/// [`hinge_angle_and_gradient`] of L hinges, bit for bit, faster than one by one:
/// two at a time fill the registers.
#[inline]
pub fn hinge_angles_and_gradients<const L: usize>(x: [[Vec3; 4]; L]) -> [(f64, [Vec3; 4]); L] {
    let edge = LaneVec3::<L>::gather(|i| x[i][1] - x[i][0]);
    let low = LaneVec3::<L>::gather(|i| x[i][2] - x[i][0]);
    let high = LaneVec3::<L>::gather(|i| x[i][3] - x[i][0]);
    let (n_low, n_high) = (edge.cross(low), high.cross(edge));
    let squared_length = edge.dot(edge);
    let length = squared_length.sqrt();
    let (sine, cosine) = (length * n_high.dot(low), n_low.dot(n_high));

    let tiny = Lanes::all(f64::MIN_POSITIVE);
    let scale = squared_length.max(low.dot(low)).max(high.dot(high));
    let smallest = scale * 1e-6;
    let inverse_length = squared_length.max(smallest).max(tiny).recip();
    let flattest = (smallest * scale).max(tiny);
    let at_low = n_low * (length * n_low.dot(n_low).max(flattest).recip());
    let at_high = n_high * (length * n_high.dot(n_high).max(flattest).recip());
    // Each face turns about the edge: its end points share the opposite motion.
    let minus_end =
        at_low * (low.dot(edge) * inverse_length) + at_high * (high.dot(edge) * inverse_length);
    let start = minus_end - at_low - at_high;
    let mut result = [(0.0, [Vec3::zeros(); 4]); L];
    for (i, result) in result.iter_mut().enumerate() {
        let angle = libm::atan2(sine.0[i], cosine.0[i]);
        let gradient = [start.lane(i), -minus_end.lane(i), at_low.lane(i), at_high.lane(i)];
        *result = (angle, gradient);
    }
    result
}

/// A triangle as bending sees it.
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

    /// Moments (N m) `M dtheta` on its hinges; any value may stand for a missing one.
    #[inline]
    pub fn moments(&self, d: [f64; 3]) -> [f64; 3] {
        let m = &self.m;
        [
            m[0] * d[0] + m[1] * d[1] + m[2] * d[2],
            m[1] * d[0] + m[3] * d[1] + m[4] * d[2],
            m[2] * d[0] + m[4] * d[1] + m[5] * d[2],
        ]
    }
}

/// How bending enters the system matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BendingTreatment {
    /// In the right-hand side only.
    Explicit,
    /// With a diagonal of hinges: half of a bound for elasticity, all of it for
    /// damping, in Gauss-Newton form.
    DiagonalHinges,
}

impl std::fmt::Display for BendingTreatment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Explicit => "explicit",
            Self::DiagonalHinges => "implicit (diagonal of hinges)",
        })
    }
}

impl BendingTreatment {
    /// A hinge's blocks are this times `grad_a grad_b^T` (kg m^2).
    #[inline]
    pub fn block_scale(self, hinge: &Hinge, h: f64, beta: f64) -> f64 {
        match self {
            Self::Explicit => 0.0,
            Self::DiagonalHinges => (0.5 * h * h + h * beta) * hinge.stiffness_bound,
        }
    }

    /// A hinge's right-hand side is minus this times `grad_a` (kg m^2/s): `moment`
    /// is the sum of elastic and damping moments (N m), `rate` the angle's rate (1/s).
    #[inline]
    pub fn impulse(self, hinge: &Hinge, moment: f64, rate: f64, h: f64) -> f64 {
        match self {
            Self::Explicit => h * moment,
            Self::DiagonalHinges => h * moment + 0.5 * h * h * hinge.stiffness_bound * rate,
        }
    }
}

/// The bending model of a cloth: constant, shared by all who assemble.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bending {
    /// One per interior edge, in the order of edges.
    pub hinges: Vec<Hinge>,
    /// One per face.
    pub triangles: Vec<CurvatureTriangle>,
}

impl Bending {
    /// From the rest shape: vertices of the faces in space (m), corners 1 and 2 of
    /// each face relative to corner 0 in its material axes (m), and each face's
    /// stiffness, positive definite or zero.
    pub fn new(
        faces: &[[VertexId; 3]],
        topology: &Topology,
        in_plane: &[[Vec2; 2]],
        rest: &[Vec3],
        stiffness: impl Fn(FaceId) -> BendingStiffness,
    ) -> Self {
        let (edges, triangles) = (topology.edges.len(), Vec::with_capacity(faces.len()));
        let mut bending = Self { hinges: Vec::with_capacity(edges), triangles };
        let mut hinge_of_edge = vec![NONE; topology.edges.len()];
        for (edge, &[low, high]) in topology.edge_faces.iter().enumerate() {
            if high != NONE {
                hinge_of_edge[edge] = bending.hinges.len() as u32;
                bending.hinges.push(hinge(faces, topology, rest, edge as u32, [low, high]));
            }
        }
        for face in 0..faces.len() as FaceId {
            let m = stiffness_matrix(topology, in_plane, face, stiffness(face));
            let hinges =
                topology.face_edges[face as usize].map(|edge| hinge_of_edge[edge as usize]);
            let bound = largest_scaled_eigenvalue(&m);
            for (i, &hinge) in hinges.iter().enumerate().filter(|&(_, &hinge)| hinge != NONE) {
                bending.hinges[hinge as usize].stiffness_bound += bound * m[(i, i)];
            }
            let m = [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33];
            bending.triangles.push(CurvatureTriangle { hinges, m });
        }
        bending
    }

    /// Bending energy (J) of the whole cloth at positions `x` (m).
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        (0..self.triangles.len()).map(|face| self.face_energy(face as FaceId, x)).sum()
    }

    /// Bending energy (J) of one face.
    pub fn face_energy(&self, face: FaceId, x: &[Vec3]) -> f64 {
        let triangle = &self.triangles[face as usize];
        let deviation = triangle.hinges.map(|hinge| match self.hinges.get(hinge as usize) {
            Some(hinge) => hinge.deviation_and_gradient(hinge.gather(x)).0,
            None => 0.0,
        });
        let moments = triangle.moments(deviation);
        0.5 * (moments[0] * deviation[0] + moments[1] * deviation[1] + moments[2] * deviation[2])
    }

    /// Elastic forces (N) on all vertices, minus the gradient of [`Self::energy`]:
    /// the reference that the patch-wise assembly is compared with.
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

    /// Bound on `(h^2 + 2 h beta) w^2 / 4` over all bending modes w (1/s) at
    /// positions `x`: explicit bending is stable up to 1. Grows as
    /// `D h^2 / (rho L^4)`. `masses` in kg (infinite where fixed).
    ///
    /// With `K <= sum_h d_h g_h g_h^T` it is the largest row sum of the absolute
    /// values of `M^-1/2 K M^-1/2` (Gershgorin).
    pub fn explicit_ratio(&self, x: &[Vec3], masses: &[f64], h: f64, beta: f64) -> f64 {
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
                row_sums[vertex as usize] += hinge.stiffness_bound * sum * scaled;
            }
        }
        0.25 * (h * h + 2.0 * h * beta) * row_sums.into_iter().fold(0.0, f64::max)
    }

    /// The treatment that is stable for steps of `h` (s) and stiffness-proportional
    /// damping `beta` (s). Half of the bound is left for triangles that deform.
    pub fn treatment(&self, rest: &[Vec3], masses: &[f64], h: f64, beta: f64) -> BendingTreatment {
        if self.explicit_ratio(rest, masses, h, beta) <= 0.5 {
            BendingTreatment::Explicit
        } else {
            BendingTreatment::DiagonalHinges
        }
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
