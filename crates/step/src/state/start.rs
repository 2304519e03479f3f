//! Whether a scene, or a simulation that goes on in a changed scene, starts clean.

use crate::model::Model;
use crate::state::State;
use cloth_bodies::contact::settings::DirtyStart;
use cloth_collision::collision::enclosure::enclosed;
use cloth_collision::collision::intersect::{ProblemKind, StartProblem, start_state};
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::doubled::{Doubled, WELD};
use cloth_core::threads::Threads;

impl Model {
    /// Refuses a start in which surfaces cross or are nearer than the clearance, or a body is inside
    /// of a closed one. If the scene
    /// allows such a start, the problems are returned instead, a line each.
    ///
    /// # Errors
    /// What is wrong, where, and what to do.
    pub fn check_start(&self) -> Result<Vec<String>> {
        self.check_state(&Threads::INLINE, &State::start(self), "the start of the scene")
    }

    /// The same check for the surfaces in `state`. Errors are `at` this place.
    pub(crate) fn check_state(
        &self,
        threads: &Threads,
        state: &State,
        at: &str,
    ) -> Result<Vec<String>> {
        let x = self.places(state);
        let clearance_m = self.settings.contact.clearance_m;
        let problems = start_state(threads, &self.surfaces, &x, clearance_m);
        let is_all = problems.iter().map(|it| it.count).sum::<usize>() < StartProblem::MOST;
        let least = if is_all { "" } else { "at least " };
        let line = |problem: &StartProblem| format!("{least}{}", self.describe(problem));
        let mut lines = Vec::from_iter(problems.iter().map(line));
        let doubled = self.doubled_vertices(&problems, &x);
        for [inner, outer] in enclosed(&self.surfaces, &x) {
            let objects = [inner.min(outer), inner.max(outer)];
            if problems.iter().all(|problem| problem.objects != objects) {
                let [inner, outer] = [inner, outer].map(|object| &self.names[object as usize]);
                lines.push(format!("`{inner}` is inside of `{outer}`"));
            }
        }
        let apart = "move the objects apart, or go on with contact.dirty_start: Allow";
        let remedy = match doubled.is_empty() {
            true => apart.to_owned(),
            false => format!("{WELD}; if they are to be apart, {apart}"),
        };
        lines.splice(0..0, doubled);
        if lines.is_empty() || self.settings.contact.dirty_start == DirtyStart::Allow {
            return Ok(lines);
        }
        Err(Error::input(at, lines.join("; "), remedy))
    }

    /// What is said about vertices at the same place, of each cloth that has `problems` with itself
    /// where all vertices are at `x` (m).
    fn doubled_vertices(&self, problems: &[StartProblem], x: &[Vec3]) -> Vec<String> {
        let of_one = problems.iter().map(|it| it.objects).filter(|[a, b]| a == b);
        let mut objects = Vec::from_iter(of_one.map(|[object, _]| object as usize));
        objects.sort_unstable();
        objects.dedup();
        let describe = |object: usize| {
            let vertices = self.surfaces.list[object].vertices();
            let said = Doubled::new(&x[vertices], None).describe(0)?;
            Some(format!("the mesh of `{}` is not one surface: {said}", self.names[object]))
        };
        objects.into_iter().filter_map(describe).collect()
    }

    /// Where all vertices are in `state`, m.
    pub(crate) fn places(&self, state: &State) -> Vec<Vec3> {
        let mut x = state.positions.clone();
        x.resize(self.numbering.vertices(), Default::default());
        let bodies = self.bodies.iter().zip(self.numbering.bodies()).zip(&state.coordinates);
        for ((body, range), at) in bodies {
            let own = range.vertices.start as usize..range.vertices.end as usize;
            body.place(at, &mut x[own]);
        }
        let (obstacles, time_s) =
            (&mut x[self.numbering.free_vertices()..], self.clock.seconds(state.ticks));
        self.place_obstacles(true, obstacles, |number, obstacle| {
            state.pose_of_waiting(number).or_else(|| obstacle.pose_at(time_s))
        });
        state.released.place(&mut x);
        x
    }

    fn describe(&self, problem: &StartProblem) -> String {
        let [first, second] = problem.objects.map(|object| &self.names[object as usize]);
        let (what, count) = (problem.objects[0] == problem.objects[1], problem.count);
        let objects = if what {
            format!("`{first}` and itself")
        } else {
            format!("`{first}` and `{second}`")
        };
        let places: Vec<String> = problem
            .places
            .iter()
            .map(|p| format!("({:.4}, {:.4}, {:.4})", p.x, p.y, p.z))
            .collect();
        let places = places.join(", ");
        match problem.kind {
            ProblemKind::Intersecting => {
                format!("{count} intersections between {objects}, first at {places} m")
            }
            ProblemKind::TooNear => format!(
                "{count} pairs of {objects} are nearer than contact.clearance_m (the nearest {:.2e} m), \
                 first at {places} m",
                problem.smallest_m
            ),
        }
    }
}
