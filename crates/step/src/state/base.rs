//! The base point about which a solve linearises the forces (symbols as in [`crate::time::scheme`]).

use std::borrow::Cow;
use std::iter::zip;

use crate::model::Model;
use crate::state::bdf2::{Base, Bdf2, Estimate};
use crate::state::motion::StepMotion;
use crate::time::clock::Span;
use crate::time::scheme::{History, Scheme};
use cloth_bodies::bodies::cloth::assembly::{StepInputs, Target};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;

impl StepMotion {
    /// What a step in a run of BDF2 begins with. Before: start and targets of the step are known.
    pub fn begin_bdf2(&self, start: &History, scheme: Scheme) -> Bdf2 {
        let estimate = scheme.has_history().then(|| self.estimate(start, scheme));
        Bdf2 { estimate, ..Bdf2::default() }
    }

    fn estimate(&self, start: &History, scheme: Scheme) -> Estimate {
        let [mut x, mut u, mut inertial] =
            [self.start.x0.clone(), self.start.u0.clone(), self.start.u0.clone()];
        for vertex in 0..self.start.inverse_masses.len() {
            let [x0, u0] = [&self.start.x0[vertex], &self.start.u0[vertex]];
            let [v0, a0] = start.at(vertex);
            u[vertex] = match self.start.prescribed[vertex] {
                true => scheme.velocity(x0, &self.start.predicted[vertex]),
                false => scheme.base([u0, v0], &self.start.last_changes[vertex]),
            };
            x[vertex] = scheme.end(x0, &u[vertex]);
            inertial[vertex] = match self.start.prescribed[vertex] {
                // So that the row of a pin has its change of `u` as its inertia.
                true => u0 * 1.5 - u[vertex] * 0.5,
                false => scheme.inertial(v0, a0),
            };
        }
        let v = self.in_forces(&u, scheme);
        Estimate { x, u, v, inertial }
    }

    /// Moves the base point to the solution that the next solve repairs.
    pub fn move_base(&mut self, scheme: Scheme) {
        let Some(mut bdf2) = self.bdf2.take() else { return };
        if let Some(estimate) = &mut bdf2.estimate {
            estimate.v = self.in_forces(&self.solved.u, scheme);
        }
        self.bdf2 = Some(bdf2);
    }

    /// The estimate of the end, with BDF2.
    fn estimated(&self) -> Option<&Estimate> {
        self.bdf2.as_ref()?.estimate.as_ref()
    }

    /// The base point of the next solve: the start of the step or an estimate of its end, as the
    /// scheme wants it, or the solution that it repairs.
    pub fn about(&self) -> Base<'_> {
        match (self.repairs, self.estimated()) {
            (true, None) => Base { x: &self.solved.x, u: &self.solved.u, v: &self.solved.u },
            (true, Some(it)) => Base { x: &self.solved.x, u: &self.solved.u, v: &it.v },
            (false, None) => Base { x: &self.start.x0, u: &self.start.u0, v: &self.start.u0 },
            (false, Some(it)) => Base { x: &it.x, u: &it.u, v: &it.v },
        }
    }

    /// The velocities of all nodes in forces at the end of the step, if their mean velocities are
    /// `u`; m/s.
    pub fn in_forces(&self, u: &[Vec3], scheme: Scheme) -> Vec<Vec3> {
        let mut v = u.to_vec();
        for (vertex, v) in v[..self.start.inverse_masses.len()].iter_mut().enumerate() {
            if !self.start.prescribed[vertex] {
                *v = scheme.in_forces(&self.start.u0[vertex], v);
            }
        }
        v
    }

    /// The velocities of all nodes in forces at the end of the step if no force acts, m/s.
    pub fn inertial(&self) -> &[Vec3] {
        self.estimated().map_or(&self.start.u0, |it| &it.inertial)
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
            x0: &self.start.x0,
            v0: self.inertial(),
            x: base.x,
            v: base.v,
            ahead_s,
            h: span.scheme.effective_s(),
            stability: span.scheme.stability(),
            gravity: self.start.gravity,
            loads: &self.start.loads,
            draws: &self.start.draws,
            wind: model.wind(span.t1_s),
            clamps: model.cloth.clamps.at(span.t0_s),
        }
    }

    /// Changes of the velocities of all nodes from the base point `u` on, if they go on
    /// accelerating as in the last step; m/s.
    pub fn first_changes(&self) -> Cow<'_, [Vec3]> {
        let Some(base) = self.estimated() else { return Cow::Borrowed(&self.start.last_changes) };
        let expected = zip(&self.start.u0, &self.start.last_changes).zip(&base.u);
        expected.map(|((u0, change), u)| u0 + change - u).collect()
    }

    /// Prescribed vertices and the changes of their velocities from the base point on, m/s.
    pub fn prescribed_changes(&self, base: Base, scheme: Scheme) -> Vec<(VertexId, Vec3)> {
        let change = |&(vertex, place): &Target| {
            let at = vertex as usize;
            (vertex, scheme.velocity(&self.start.x0[at], &place) - base.u[at])
        };
        self.start.targets.iter().map(change).collect()
    }
}
