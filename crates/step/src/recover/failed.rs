//! An attempt at a step that failed, as its remedies see it.

use crate::model::Model;
use crate::state::State;
use crate::state::control::Cause;
use crate::state::step_start::StepStart;
use crate::time::clock::Span;
use cloth_bodies::contact::fail_safe::Conflict;
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;
use cloth_core::threads::Threads;

/// An attempt that failed.
pub(crate) struct Failed<'a> {
    /// What all ranks know alike.
    pub model: &'a Model,
    /// The threads of this rank.
    pub threads: &'a Threads,
    /// What the attempt knew before its solve.
    pub start: &'a StepStart,
    /// The state before the attempt.
    pub state: &'a mut State,
    /// The end of the whole step that the attempt is part of, ticks.
    pub end: u64,
}

impl Failed<'_> {
    /// The time of the attempt.
    pub fn span(&self) -> Span {
        let Model { clock, settings, .. } = self.model;
        let (start, ticks) = (self.state.ticks, self.state.control.ticks);
        Span::new(clock, settings.solver.integrator, start, ticks)
    }

    /// Makes the next attempt smaller. False if this attempt was the smallest already.
    pub fn shrink(&mut self, cause: Cause) -> bool {
        self.state.control.shrink(cause)
    }

    /// Makes the next attempt as large as the whole step allows.
    pub fn enlarge(&mut self) {
        self.state.control.enlarge(self.state.ticks, self.end);
    }

    /// The prescribed bodies that prescribed `vertices` belong to, rising.
    pub fn bodies_of<'v>(&self, vertices: impl Iterator<Item = &'v VertexId>) -> Vec<usize> {
        let now_s = self.span().t0_s;
        let mut bodies: Vec<usize> =
            vertices.filter_map(|&vertex| self.model.prescribed_body(vertex, now_s)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// The prescribed bodies that push in `conflict` and move, rising.
    pub fn pushing(&self, conflict: &Conflict) -> Vec<usize> {
        let moves = |vertex: &&VertexId| {
            let vertex = **vertex as usize;
            self.start.x0[vertex] != self.start.predicted[vertex]
        };
        self.bodies_of(conflict.pushing.iter().filter(moves))
    }

    /// How fast a body moves at `conflict`, m/s.
    pub fn speed_in(&self, conflict: &Conflict, body: usize) -> f64 {
        let way = |&vertex: &u32| {
            let vertex = vertex as usize;
            (self.start.predicted[vertex] - self.start.x0[vertex]).norm()
        };
        let of_body = |vertex: &&u32| self.bodies_of([*vertex].into_iter()).contains(&body);
        let ways = conflict.pushing.iter().filter(of_body).map(way);
        self.span().scheme.speed(ways.fold(0.0, f64::max))
    }

    /// Positions of all vertices, m: free ones at the start of the attempt, prescribed ones at its
    /// end.
    pub fn crowded_places(&self) -> Vec<Vec3> {
        let StepStart { x0, predicted, prescribed, .. } = self.start;
        let places = x0.iter().zip(predicted).zip(prescribed);
        places.map(|((x0, x1), prescribed)| if *prescribed { *x1 } else { *x0 }).collect()
    }
}
