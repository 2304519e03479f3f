//! Positions and velocities of all objects' vertices over one step.

use crate::collision::{Sweep, stays_within};
use crate::ids::VertexId;
use crate::math::Vec3;
use crate::step::clock::Clock;
use crate::step::model::Model;
use crate::step::state::State;

/// One step in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub ticks: u64,
    /// Ticks by which obstacles and handles fall behind in it.
    pub held_ticks: u64,
    /// Size, s.
    pub h: f64,
    /// Time of obstacles and handles at its start, s.
    pub t0_s: f64,
    /// And at its end, s.
    pub t1_s: f64,
    /// Time of the wind, s.
    pub wind_s: f64,
}

impl Span {
    /// The next `ticks` after `state`, in which obstacles and handles wait if `held`.
    pub fn new(clock: &Clock, state: &State, ticks: u64, held: bool) -> Self {
        let start = state.ticks - state.lag_ticks;
        let held_ticks = if held { ticks } else { 0 };
        Self {
            ticks,
            held_ticks,
            h: clock.seconds(ticks),
            t0_s: clock.seconds(start),
            t1_s: clock.seconds(start + ticks - held_ticks),
            wind_s: clock.seconds(state.ticks + ticks),
        }
    }
}

/// All vertices during a step: cloths first, then obstacles.
pub(super) struct Motion {
    /// At the start, m.
    pub x0: Vec<Vec3>,
    /// At the end as foreseen before the solve, m.
    pub predicted: Vec<Vec3>,
    /// The end of the motion along which candidates were sought, m.
    pub path_end: Vec<Vec3>,
    /// At the end, m.
    pub x1: Vec<Vec3>,
    /// Cloth at the start, obstacles over the step, m/s.
    pub v0: Vec<Vec3>,
    /// The same with cloth at the end, m/s.
    pub v1: Vec<Vec3>,
    /// 1/kg; zero for what moves as told.
    pub inverse_masses: Vec<f64>,
    cloth: usize,
}

impl Motion {
    pub fn new(model: &Model) -> Self {
        let (cloth, all) = (model.cloth.vertex_count(), model.all_vertices());
        let mut x = vec![Vec3::zeros(); all];
        model.place_obstacles(0.0, true, &mut x[cloth..]);
        Self {
            predicted: x.clone(),
            path_end: x.clone(),
            x1: x.clone(),
            x0: x,
            v0: vec![Vec3::zeros(); all],
            v1: vec![Vec3::zeros(); all],
            inverse_masses: vec![0.0; all],
            cloth,
        }
    }

    /// Where everything would be at the end of the step: cloth in free flight,
    /// pins and obstacles as told.
    pub fn predict(
        &mut self,
        model: &Model,
        state: &State,
        targets: &[(VertexId, Vec3)],
        span: &Span,
    ) {
        let cloth = self.cloth;
        let fall = model.gravity() * (span.h * span.h);
        self.x0[..cloth].copy_from_slice(&state.positions);
        self.v0[..cloth].copy_from_slice(&state.velocities);
        for (vertex, mass) in model.cloth.masses.iter().enumerate() {
            self.predicted[vertex] = self.x0[vertex] + self.v0[vertex] * span.h + fall;
            self.inverse_masses[vertex] = 1.0 / mass;
        }
        for &(vertex, place) in targets {
            self.predicted[vertex as usize] = place;
            self.inverse_masses[vertex as usize] = 0.0;
        }
        model.place_obstacles(span.t0_s, false, &mut self.x0[cloth..]);
        model.place_obstacles(span.t1_s, false, &mut self.predicted[cloth..]);
        for vertex in cloth..self.x0.len() {
            self.x1[vertex] = self.predicted[vertex];
            self.v0[vertex] = (self.x1[vertex] - self.x0[vertex]) / span.h;
            self.v1[vertex] = self.v0[vertex];
        }
        self.path_end.copy_from_slice(&self.predicted);
    }

    /// The cloth vertices that are further than `margin_m` from the paths along which
    /// candidates were sought, rising; their paths become their actual motion.
    pub fn follow_strayed(&mut self, margin_m: f64) -> Vec<VertexId> {
        let mut strayed = Vec::new();
        for (vertex, end) in self.path_end[..self.cloth].iter_mut().enumerate() {
            let (x0, x1) = (&self.x0[vertex], &self.x1[vertex]);
            if !stays_within(x0, end, x1, margin_m) {
                *end = *x1;
                strayed.push(vertex as VertexId);
            }
        }
        strayed
    }

    /// Sum of the lengths of the motions of `vertices`, m.
    pub fn path_length(&self, vertices: &[VertexId]) -> f64 {
        let lengths = vertices.iter().map(|&v| (self.x1[v as usize] - self.x0[v as usize]).norm());
        lengths.sum()
    }

    /// Cloth at the end of the step from its velocities `v1`, and pins where
    /// they are told to be.
    pub fn finish(&mut self, targets: &[(VertexId, Vec3)], h: f64) {
        for vertex in 0..self.cloth {
            self.x1[vertex] = self.x0[vertex] + self.v1[vertex] * h;
        }
        for &(vertex, place) in targets {
            self.x1[vertex as usize] = place;
        }
    }

    /// Changes the velocity of one cloth vertex, and its place with it.
    pub fn push(&mut self, vertex: VertexId, delta_v: Vec3, h: f64) {
        let vertex = vertex as usize;
        self.v1[vertex] += delta_v;
        self.x1[vertex] = self.x0[vertex] + self.v1[vertex] * h;
    }

    /// The motion along which candidates are sought, for pairs within `radius` (m).
    pub fn sweep(&self, radius: f64) -> Sweep<'_> {
        Sweep { x0: &self.x0, x1: &self.path_end, radius }
    }

    /// Velocities of the cloths at the end of the step.
    pub fn cloth_v1(&mut self) -> &mut [Vec3] {
        &mut self.v1[..self.cloth]
    }

    /// Makes the end of the step the state.
    pub fn commit(&self, state: &mut State, span: &Span) {
        state.positions.copy_from_slice(&self.x1[..self.cloth]);
        state.velocities.copy_from_slice(&self.v1[..self.cloth]);
        state.ticks += span.ticks;
        state.lag_ticks += span.held_ticks;
    }
}
