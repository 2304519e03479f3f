//! Bodies that wait yield: they go back for a body that arrives.
//!
//! A body that waits takes room that another one may need. It gives it back: it goes towards where
//! its motion was earlier and earlier, along the way that it came, no faster than the other body
//! requires. So whoever arrives later need not wait. On its way back it is an obstacle like all
//! others: cloth behind it is pushed, and where there is no room for that it stands still
//! (docs/methods.md, section 8).

use xxhash_rust::xxh3::Xxh3;

use crate::bodies::prescribed::Rigid;
use crate::contact::fail_safe::Conflict;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::dropped::ROOM;
use crate::step::simulation::Simulation;
use crate::step::span::Span;
use crate::step::state::State;
use crate::step::waiting::{LONGEST_PAUSE, MOST_FAILURES, Prescribed, Waiting};

/// A body goes back at most this many times as fast as the one arrives that it yields to. Its
/// furthest vertex counts, which may be far from the pinch, and its way may be oblique.
const MOST_SPEEDS: f64 = 8.0;

/// The part of its speed that a body which goes back keeps from a whole step to the next. The
/// other body usually comes nearer still.
const KEPT_SPEED: f64 = 0.75;

/// A body that goes back more slowly than this stands still, m/s.
const LEAST_SPEED: f64 = 1e-3;

/// How a body that waits goes back. Part of the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retreat {
    /// It goes towards where its motion was at this time, s.
    pub to_s: f64,
    /// The speed of its furthest vertex, m/s. It does not go back if 0.
    pub speed: f64,
    /// Until then it does not go back, because it had no room on its way, ticks.
    pub cornered_ticks: u64,
}

impl Retreat {
    /// Adds all of it to `hash`.
    pub(super) fn add_to(&self, hash: &mut Xxh3) {
        hash.update(&self.to_s.to_le_bytes());
        hash.update(&self.speed.to_le_bytes());
        hash.update(&self.cornered_ticks.to_le_bytes());
    }

    /// It finds no room on its way, and stands still until `end` (ticks).
    pub(super) fn corner(&mut self, end: u64) {
        (self.speed, self.cornered_ticks) = (0.0, end);
    }

    /// After a whole step.
    pub(super) fn slow_down(&mut self) {
        self.speed *= KEPT_SPEED;
        if self.speed < LEAST_SPEED {
            self.speed = 0.0;
        }
    }
}

impl Prescribed<'_> {
    /// Whether it has a motion and is not at its start.
    fn can_go_back(&self, waiting: &Waiting, state: &State) -> bool {
        self.pose_at(0.0).is_some_and(|start| self.way_m(waiting, &start, state) > 0.0)
    }

    /// Where a body that goes back ends the step of `span` after `state`, and the time (s) of its
    /// motion that it goes towards. None if it does not go back, or has no motion or came to its
    /// start.
    pub fn way_back(&self, waiting: &Waiting, state: &State, span: &Span) -> Option<(Rigid, f64)> {
        let reach_m = waiting.retreat.speed * span.h;
        if reach_m == 0.0 || state.ticks < waiting.retreat.cornered_ticks {
            return None;
        }
        let mut to_s = waiting.retreat.to_s;
        loop {
            let to = self.pose_at(to_s)?;
            let way_m = self.way_m(waiting, &to, state);
            if way_m >= reach_m || (to_s <= 0.0 && way_m > 0.0) {
                let share = f64::min(reach_m / way_m, 1.0);
                return Some((waiting.pose.towards(&to, share, self.center(state)), to_s));
            }
            if to_s <= 0.0 {
                return None;
            }
            let step_s = span.h * (TICKS_PER_STEP / span.ticks) as f64;
            to_s = f64::max(to_s - step_s, 0.0);
        }
    }
}

impl Simulation<'_> {
    /// Bodies that wait near `conflict` shall go back, or go back faster, for the bodies that
    /// `arrive`, in a whole step that ends at `end` (ticks). Of two bodies that wait, the one goes
    /// back that has waited longer. False if none can.
    pub(super) fn make_way(
        &mut self,
        arrive: &[usize],
        conflict: &Conflict,
        span: &Span,
        end: u64,
    ) -> bool {
        let age = |body: usize| self.state.waiting[body].map_or(u64::MAX, |it| it.since_ticks);
        let youngest = arrive.iter().map(|&body| (age(body), body)).max();
        let speed = arrive.iter().map(|&body| self.speed_in(conflict, body, span));
        let speed = speed.fold(0.0, f64::max);
        let prescribed = Vec::from_iter(Prescribed::all(&self.model));
        let yields = |body: &usize| {
            let Some(waiting) = &self.state.waiting[*body] else { return false };
            !arrive.contains(body)
                && prescribed[*body].can_go_back(waiting, &self.state)
                && Some((waiting.since_ticks, *body)) < youngest
                && waiting.retreat.cornered_ticks <= self.state.ticks
                && waiting.retreat.speed < MOST_SPEEDS * speed
        };
        let near = self.waiting_near(conflict);
        let near = Vec::from_iter(near.into_iter().filter(yields));
        for &body in &near {
            if let Some(waiting) = &mut self.state.waiting[body] {
                let faster = f64::max(2.0 * waiting.retreat.speed, speed);
                waiting.retreat.speed = faster.min(MOST_SPEEDS * speed);
                waiting.until_ticks = end + LONGEST_PAUSE * TICKS_PER_STEP;
                waiting.failures = MOST_FAILURES;
            }
        }
        !near.is_empty()
    }

    /// How fast a body moves at `conflict` in the failed attempt at `span`, m/s.
    pub(super) fn speed_in(&self, conflict: &Conflict, body: usize, span: &Span) -> f64 {
        let motion = &self.stages.motion;
        let way = |&vertex: &u32| {
            let vertex = vertex as usize;
            (motion.predicted[vertex] - motion.x0[vertex]).norm()
        };
        let of_body = |vertex: &&u32| self.bodies_of([*vertex].into_iter()).contains(&body);
        let ways = conflict.pushing.iter().filter(of_body).map(way);
        ways.fold(0.0, f64::max) / span.h
    }

    /// The bodies that wait and are named in `conflict`, or near a vertex without room. Layers of
    /// cloth may lie between the two.
    fn waiting_near(&self, conflict: &Conflict) -> Vec<usize> {
        let waiting = self.state.waiting.iter().enumerate().filter(|(_, it)| it.is_some());
        let waiting = Vec::from_iter(waiting.map(|(body, _)| body));
        if waiting.is_empty() {
            return waiting;
        }
        let named = self.bodies_of(conflict.prescribed.iter());
        let near = self.touching(&self.crowded_places(), ROOM);
        let is_near = |body: &usize| {
            *body < self.model.obstacles.len()
                && conflict.crowded.iter().any(|&vertex| near.has(*body, vertex))
        };
        waiting.into_iter().filter(|body| named.contains(body) || is_near(body)).collect()
    }
}
