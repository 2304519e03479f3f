//! The base point about which a solve linearises the forces (symbols as in [`crate::time::scheme`]).

use std::borrow::Cow;
use std::iter::zip;

use crate::model::Model;
use crate::state::bdf2::{Base, Bdf2};
use crate::state::motion::StepMotion;
use crate::time::clock::Span;
use crate::time::scheme::{History, Scheme};
use cloth_bodies::bodies::cloth::assembly::{StepInputs, Target};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;

impl StepMotion {
    /// Makes the base point of the first solve. Before: start and targets of the step are known.
    pub fn begin_base(&mut self, start: &History, scheme: Scheme) {
        let mut bdf2 = std::mem::take(&mut self.bdf2);
        let Bdf2 { x, u, v, inertial, .. } = &mut bdf2;
        [&mut *x, &mut *u, &mut *v, &mut *inertial].into_iter().for_each(Vec::clear);
        if scheme.has_history() {
            x.extend_from_slice(&self.x0);
            u.extend_from_slice(&self.u0);
            inertial.extend_from_slice(&self.u0);
            for vertex in 0..self.inverse_masses.len() {
                let [x0, u0] = [&self.x0[vertex], &self.u0[vertex]];
                let [v0, a0] = [&start.velocities[vertex], &start.accelerations[vertex]];
                u[vertex] = match self.prescribed[vertex] {
                    true => scheme.velocity(x0, &self.predicted[vertex]),
                    false => scheme.base([u0, v0], &self.last_changes[vertex]),
                };
                x[vertex] = scheme.end(x0, &u[vertex]);
                inertial[vertex] = match self.prescribed[vertex] {
                    // So that the row of a pin has its change of `u` as its inertia.
                    true => u0 * 1.5 - u[vertex] * 0.5,
                    false => scheme.inertial(v0, a0),
                };
            }
            *v = self.in_forces(u, scheme);
        }
        self.bdf2 = bdf2;
    }

    /// The base point of the next solve: the start of the step or an estimate of its end, as the
    /// scheme wants it, or the solution that it repairs.
    pub fn about(&self) -> Base<'_> {
        let Bdf2 { x, u, v, .. } = &self.bdf2;
        match (self.repairs, v.is_empty()) {
            (true, true) => Base { x: &self.solved.x, u: &self.solved.u, v: &self.solved.u },
            (true, false) => Base { x: &self.solved.x, u: &self.solved.u, v },
            (false, true) => Base { x: &self.x0, u: &self.u0, v: &self.u0 },
            (false, false) => Base { x, u, v },
        }
    }

    /// The velocities of all nodes in forces at the end of the step, if their mean velocities are
    /// `u`; m/s.
    pub fn in_forces(&self, u: &[Vec3], scheme: Scheme) -> Vec<Vec3> {
        let mut v = u.to_vec();
        for (vertex, v) in v[..self.inverse_masses.len()].iter_mut().enumerate() {
            if !self.prescribed[vertex] {
                *v = scheme.in_forces(&self.u0[vertex], v);
            }
        }
        v
    }

    /// The velocities of all nodes in forces at the end of the step if no force acts, m/s.
    pub fn inertial(&self) -> &[Vec3] {
        match self.bdf2.inertial.is_empty() {
            true => &self.u0,
            false => &self.bdf2.inertial,
        }
    }

    /// The inputs of the forces on cloth, linearised about `base`. The end of the step is `ahead_s`
    /// (s) after it.
    pub fn inputs<'a>(
        &'a self,
        model: &Model,
        span: &Span,
        base: Base<'a>,
        ahead_s: f64,
    ) -> StepInputs<'a> {
        StepInputs {
            x0: &self.x0,
            v0: self.inertial(),
            x: base.x,
            v: base.v,
            ahead_s,
            h: span.scheme.effective_s(),
            stability: span.scheme.stability(),
            gravity: self.gravity,
            loads: &self.loads,
            draws: &self.draws,
            wind: model.wind(span.t1_s),
            clamps: model.cloth.clamps.at(span.t0_s),
        }
    }

    /// Changes of the velocities of all nodes from the base point `u` on, if they go on
    /// accelerating as in the last step; m/s.
    pub fn first_changes(&self) -> Cow<'_, [Vec3]> {
        let expected = zip(&self.u0, &self.last_changes).zip(&self.bdf2.u);
        match self.bdf2.u.is_empty() {
            true => Cow::Borrowed(&self.last_changes),
            false => expected.map(|((u0, change), u)| u0 + change - u).collect(),
        }
    }

    /// Prescribed vertices and the changes of their velocities from the base point on, m/s.
    pub fn prescribed_changes(&self, base: Base, scheme: Scheme) -> Vec<(VertexId, Vec3)> {
        let change = |&(vertex, place): &Target| {
            let at = vertex as usize;
            (vertex, scheme.velocity(&self.x0[at], &place) - base.u[at])
        };
        self.targets.iter().map(change).collect()
    }
}
