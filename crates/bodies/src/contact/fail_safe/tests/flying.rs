//! Rigid bodies as the fail-safe sees them.

use std::ops::Range;

use super::*;
use crate::bodies::Body;
use crate::bodies::rigid::{Frame, MassProperties, RigidBody};
use cloth_core::Mat3;
use cloth_core::linear::Jacobian;
use cloth_core::mesh::Mesh;

/// Length of the step, s.
pub const STEP_S: f64 = 0.01;

/// A rigid body at the start of a step.
#[derive(Debug, Clone)]
pub struct Flying {
    body: RigidBody,
    at: Vec<f64>,
    /// The velocities with which it reaches its intended end, m/s.
    pub u: Vec<Vec3>,
    pub vertices: Range<usize>,
    inverse_masses: [Mat3; 2],
}

impl Flying {
    /// A body with vertices `own` in its own frame (m), all points within `radius_m` of which are its
    /// own if that is not zero. It moves by `way` (m) and turns by `turn` (rad) in the step.
    pub fn new(
        own: &[Vec3],
        radius_m: f64,
        mass: f64,
        frame: Frame,
        [way, turn]: [Vec3; 2],
        first: usize,
    ) -> Self {
        let size = own.iter().map(|x| x.norm()).fold(radius_m, f64::max);
        let inertia = 0.2 * mass * size * size * Vec3::new(1.0, 1.6, 2.2);
        let mesh = Mesh { positions: own.to_vec(), faces: Vec::new() };
        let body = RigidBody::with_mass("body", mesh, MassProperties { mass, inertia }, frame)
            .moving(way / STEP_S, turn / STEP_S);
        let body = if radius_m > 0.0 { body.round(own.to_vec(), radius_m) } else { body };
        let (at, u) = body.start();
        let middle = body.middle(&at, &u, STEP_S);
        let inverse = |node| body.mass(&middle, node).try_inverse().expect("a mass");
        let inverse_masses = [0, 1].map(inverse);
        Self { body, at, u, vertices: first..first + own.len(), inverse_masses }
    }

    pub fn whole(&self) -> WholeBody<'_> {
        WholeBody {
            vertices: self.vertices.clone(),
            u: &self.u,
            inverse_masses: self.inverse_masses,
            motion: self,
        }
    }

    /// Where its vertices end with the velocities `u`, m.
    pub fn end(&self, u: &[Vec3]) -> Vec<Vec3> {
        let mut x = vec![Vec3::zeros(); self.vertices.len()];
        self.place(u, &mut x);
        x
    }

    /// Where its vertices end after a fraction of its motion, m.
    pub fn at(&self, fraction: f64) -> Vec<Vec3> {
        self.end(&Vec::from_iter(self.u.iter().map(|u| u * fraction)))
    }

    /// Its kinetic energy with the velocities `u` and the mass in the middle of its motion, J.
    pub fn energy_j(&self, u: &[Vec3]) -> f64 {
        let masses = self.inverse_masses.map(|inverse| inverse.try_inverse().expect("a mass"));
        u.iter().zip(masses).map(|(u, mass)| 0.5 * u.dot(&(mass * u))).sum()
    }
}

impl BodyMotion for Flying {
    fn step_s(&self) -> f64 {
        STEP_S
    }

    fn place(&self, u: &[Vec3], x: &mut [Vec3]) {
        self.body.place(&self.body.moved(&self.at, u, STEP_S), x);
    }

    fn middle(&self, u: &[Vec3]) -> Vec<f64> {
        self.body.middle(&self.at, u, STEP_S)
    }

    fn jacobian(&self, middle: &[f64], node: usize, mean: &Vec3) -> Jacobian {
        self.body.jacobian(middle, node, 1.0, mean)
    }
}
