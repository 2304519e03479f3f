//! The motion that the fail-safe shortens.

use std::ops::Range;

use cloth_collision::collision::{Pair, Radii};
use cloth_core::linear::Jacobian;
use cloth_core::{Mat3, Vec3, VertexId};

/// The start of a motion of all vertices of all surfaces. It is the same on all ranks. The slices
/// are indexed by vertex.
#[derive(Clone, Copy)]
pub struct Paths<'a> {
    /// Positions at the start (m).
    pub x0: &'a [Vec3],
    /// Whether a vertex is prescribed (obstacle, pin, handle): the fail-safe never stops it.
    pub prescribed: &'a [bool],
    /// Masses of vertices that move alone (kg). Those without an entry count as prescribed.
    pub masses: &'a [f64],
    /// Bodies whose vertices move together, by rising vertex.
    pub bodies: &'a [WholeBody<'a>],
    /// Radii of round surfaces.
    pub radii: Radii<'a>,
    /// Distance that every pair keeps (m). A pair that starts nearer comes no nearer.
    pub delta_m: f64,
}

impl Paths<'_> {
    pub(super) fn is_prescribed(&self, vertex: VertexId) -> bool {
        self.prescribed[vertex as usize]
    }

    /// The number of the body that `vertex` belongs to, if it does not move alone.
    pub(super) fn body_of(&self, vertex: VertexId) -> Option<usize> {
        let vertex = vertex as usize;
        let body = self.bodies.partition_point(|body| body.vertices.end <= vertex);
        self.bodies.get(body).is_some_and(|it| it.vertices.contains(&vertex)).then_some(body)
    }

    /// The bodies of the first and of the second side of a pair.
    pub(super) fn bodies_of(&self, pair: &Pair) -> [Option<usize>; 2] {
        [pair.vertices[0], pair.vertices[3]].map(|vertex| self.body_of(vertex))
    }

    /// The share that the first side of a pair has in the mass of both, along the `normal`. None if
    /// neither is a body. A body shares its mass among as many pairs as `pairs` says.
    pub(super) fn share_of_first(&self, pair: &Pair, normal: &Vec3, pairs: &[u32]) -> Option<f64> {
        let of_bodies = self.bodies_of(pair);
        if of_bodies == [None; 2] {
            return None;
        }
        let (first, second) = pair.vertices.split_at(pair.first_side());
        let mass_kg = |side: &[VertexId], body: Option<usize>| match body {
            Some(body) => {
                let at = side.iter().map(|&vertex| self.x0[vertex as usize]).sum::<Vec3>();
                let mass_kg = self.bodies[body].mass_kg(&(at / side.len() as f64), normal);
                mass_kg / f64::from(pairs[body])
            }
            None => {
                let of = |&vertex: &VertexId| self.masses.get(vertex as usize).copied();
                side.iter().map(|vertex| of(vertex).unwrap_or(f64::INFINITY)).sum()
            }
        };
        let [above, below] = [mass_kg(first, of_bodies[0]), mass_kg(second, of_bodies[1])];
        Some(if above == f64::INFINITY { 1.0 } else { above / (above + below) })
    }

    /// How far the vertices of the first and the second side of a pair, which a normal points to
    /// and away from, stand above the surface (m): negative for the second side.
    pub(super) fn offsets(&self, pair: &Pair) -> [f64; 2] {
        let [first, second] = self.radii.of_sides(pair);
        [first, 0.0 - second]
    }
}

/// A body whose vertices move together.
#[derive(Clone)]
pub struct WholeBody<'a> {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// The velocities of its one or two nodes with which it reaches its intended end, m/s.
    pub u: &'a [Vec3],
    /// The inverse masses of its nodes, 1/kg.
    pub inverse_masses: [Mat3; 2],
    /// Where velocities take it.
    pub motion: &'a dyn BodyMotion,
}

impl WholeBody<'_> {
    /// The mass with which a point at `at` (m) resists a push along the `normal`, kg.
    fn mass_kg(&self, at: &Vec3, normal: &Vec3) -> f64 {
        let middle = self.motion.middle(self.u);
        let inverse = (0..self.u.len()).map(|node| {
            let push = self.motion.jacobian(&middle, node, at).transpose_times(normal, 1.0);
            push.dot(&(self.inverse_masses[node] * push))
        });
        1.0 / inverse.sum::<f64>()
    }
}

/// The motion of a body in a step, by the velocities `u` of its nodes (m/s).
pub trait BodyMotion: Sync {
    /// Length of the step, s.
    fn step_s(&self) -> f64;

    /// Writes where its vertices end (m). Velocities of zero give their start, bit by bit.
    fn place(&self, u: &[Vec3], x: &mut [Vec3]);

    /// Its coordinates in the middle of the step.
    fn middle(&self, u: &[Vec3]) -> Vec<f64>;

    /// How a node moves a vertex in a step with this `middle`. The vertex is at `mean` (m) in the mean
    /// of both ends of the step. The velocities that belong to the middle give its exact motion.
    fn jacobian(&self, middle: &[f64], node: usize, mean: &Vec3) -> Jacobian;
}
