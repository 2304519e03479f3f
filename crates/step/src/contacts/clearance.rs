//! The end of a step: shortens motions where surfaces would come nearer than the clearance.

use std::iter::zip;

use crate::contacts::search::{CandidateSearch, margin};
use crate::model::Model;
use crate::report::{Counter, Measure, ROUNDS, StepReport};
use crate::state::context::Context;
use crate::state::motion::{StepMotion, nodes, vertices};
use crate::state::trouble::{Found, Trouble};
use crate::time::scheme::Scheme;
use cloth_bodies::bodies::{Body, Place};
use cloth_bodies::contact::fail_safe::{
    BodyMotion, FailSafe, FailSafeReport, Paths, WholeBody, stopped_velocity,
};
use cloth_collision::candidates::SearchObserver;
use cloth_collision::collision::{Pair, stays_within};
use cloth_core::error::Result;
use cloth_core::ids::VertexId;
use cloth_core::linear::Jacobian;
use cloth_core::math::{Mat3, Vec3};

/// Part of its shortest edge that a vertex may lose to the fail-safe before the step is redone
/// (docs/methods.md, section 4).
const LOSS_LIMIT: f64 = 0.125;

/// Further searches for vertices that stop, before one for all vertices.
const MOST_SEARCHES: usize = 3;

/// Changes the end of a motion so that no pair comes nearer than the clearance.
///
/// Candidates cover the intended motion, and not that of vertices which stop on their way. Where
/// there are such, their pairs are sought, and all is shortened again.
pub(crate) struct Clearance<'a> {
    fail_safe: &'a mut FailSafe,
    /// Vertices whose stops were sought.
    covered: Vec<bool>,
    searches: usize,
}

impl<'a> Clearance<'a> {
    pub fn new(model: &Model, fail_safe: &'a mut FailSafe) -> Self {
        let covered = vec![false; model.numbering.vertices_with_nodes()];
        Self { fail_safe, covered, searches: 0 }
    }

    /// Shortens the `motion` where it is covered by `candidates`. Before: the candidates of all ranks
    /// cover it. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn shorten(
        &mut self,
        here: &Context,
        candidates: &[Pair],
        motion: &mut StepMotion,
    ) -> Result<FailSafeReport> {
        shorten(here, self.fail_safe, candidates, motion)
    }

    /// Ends the stage after an `outcome` that is accepted. True if all stops are covered. If not, their
    /// pairs are candidates now, and the motion must be shortened again. Collective.
    ///
    /// # Errors
    /// When another rank has failed, and those of the `observer`.
    pub fn settle(
        &mut self,
        here: &Context,
        outcome: &FailSafeReport,
        search: &mut CandidateSearch,
        motion: &mut StepMotion,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<bool> {
        let mut stopped = stopped(here.model, outcome, motion, &self.covered);
        if stopped.is_empty() {
            stop(here, outcome, motion);
            record(here, outcome, motion, report);
            return Ok(true);
        }
        if self.searches == MOST_SEARCHES {
            stopped = (0..self.covered.len() as VertexId).collect();
        }
        self.searches += 1;
        stopped.iter().for_each(|&vertex| self.covered[vertex as usize] = true);
        motion.x1.copy_from_slice(self.fail_safe.targets());
        search.cover_stops(here, motion, &stopped, report, observer)?;
        Ok(false)
    }
}

/// What is wrong with the `outcome` of the fail-safe.
pub(crate) fn unclear(model: &Model, outcome: &FailSafeReport) -> Option<Found> {
    match (&outcome.conflict, &outcome.too_near) {
        (Some(conflict), _) => Some(Found::new(Trouble::Pinched(conflict.clone()))),
        (None, Some(too_near)) => Some(Found::new(Trouble::TooNear(*too_near))),
        (None, None) => Found::around(Trouble::Truncated, lost_much(model, outcome)),
    }
}

/// The vertices that stop before the end of their paths and whose stops are not `covered`, rising.
fn stopped(
    model: &Model,
    outcome: &FailSafeReport,
    motion: &StepMotion,
    covered: &[bool],
) -> Vec<VertexId> {
    let margin = margin(model);
    let truncated = outcome.truncated.iter().map(|truncation| truncation.vertex);
    let is_open = |&it: &VertexId| !covered[it as usize] && !motion.ends_on_path(it, margin);
    let mut stopped: Vec<VertexId> = truncated.filter(is_open).collect();
    stopped.sort_unstable();
    stopped
}

fn shorten(
    here: &Context,
    fail_safe: &mut FailSafe,
    candidates: &[Pair],
    motion: &mut StepMotion,
) -> Result<FailSafeReport> {
    let Context { model, rank, span, .. } = *here;
    let margin = margin(model);
    let flights =
        Vec::from_iter(zip(&model.bodies, &motion.start.coordinates).map(|(body, at)| {
            let scheme = span.scheme;
            Flight { body: &**body, at, scheme }
        }));
    let terms = motion.body_terms(model);
    let bodies = zip(model.numbering.bodies(), &flights).map(|(range, flight)| {
        let inverse = |node| terms.of(node).map_or(Mat3::zeros(), |terms| terms.mass[1]);
        WholeBody {
            vertices: vertices(range),
            u: &motion.u1[nodes(range)],
            inverse_masses: [range.nodes.start, range.nodes.end - 1].map(inverse),
            motion: flight,
        }
    });
    let bodies = Vec::from_iter(bodies);
    let (x0, path_end) = (&motion.start.x0, &motion.path_end);
    let delta_m = model.settings.contact.clearance_m;
    let (prescribed, radii) = (&motion.start.prescribed, model.surfaces.radii());
    let masses = &model.cloth.masses;
    let paths = Paths { x0, prescribed, masses, bodies: &bodies, radii, delta_m };
    // Candidates come within the contact distance and two margins. So two bodies that stray by half of
    // that, less the clearance, are still known, and a body and a vertex that strays by its margin.
    let of_body = margin + 0.5 * (model.distances.most_m - delta_m);
    let own = |vertex: usize| match model.numbering.place(vertex as VertexId) {
        Place::Body(_) => of_body,
        Place::Own(_) => margin,
    };
    let stays =
        |vertex: usize, x1: &_| stays_within(&x0[vertex], &path_end[vertex], x1, own(vertex));
    let x1 = &mut motion.x1;
    fail_safe.run(&*rank.world, &rank.threads, candidates, &paths, &stays, x1)
}

/// A body in a step that begins at the coordinates `at`.
struct Flight<'a> {
    body: &'a dyn Body,
    at: &'a [f64],
    scheme: Scheme,
}

impl BodyMotion for Flight<'_> {
    fn step_s(&self) -> f64 {
        self.scheme.step_s()
    }

    fn place(&self, u: &[Vec3], x: &mut [Vec3]) {
        self.body.place(&self.scheme.moved(self.body, self.at, u), x);
    }

    fn middle(&self, u: &[Vec3]) -> Vec<f64> {
        self.scheme.middle(self.body, self.at, u)
    }

    fn jacobian(&self, middle: &[f64], node: usize, mean: &Vec3) -> Jacobian {
        self.body.jacobian(middle, node, 1.0, mean)
    }
}

/// The vertices that lose too much.
fn lost_much(model: &Model, outcome: &FailSafeReport) -> Vec<VertexId> {
    let limit = |vertex: VertexId| LOSS_LIMIT * model.shortest_edges[vertex as usize];
    let lost = outcome.truncated.iter().filter(|lost| lost.lost_m > limit(lost.vertex));
    lost.map(|lost| lost.vertex).collect()
}

/// Cloth loses the component of its velocity towards each plane that stopped it. A body slides as a
/// whole.
fn stop(here: &Context, outcome: &FailSafeReport, motion: &mut StepMotion) {
    for stops in outcome.stops.chunk_by(|a, b| a.vertex == b.vertex) {
        // Planes stop vertices of cloth and skin one by one, and such a vertex has one node.
        let node = here.model.numbering.nodes_of(stops[0].vertex).start;
        let u = &mut motion.u1[node as usize];
        *u = stopped_velocity(*u, stops, here.span.scheme.step_s());
    }
    outcome.bodies.iter().for_each(|end| motion.place_as(here.model, end));
}

fn record(here: &Context, outcome: &FailSafeReport, motion: &StepMotion, report: &mut StepReport) {
    report.count(Counter::FailSafePasses, outcome.per_pass.len() as u64);
    report.count(Counter::Truncated, outcome.truncated.len() as u64);
    report.count(Counter::Planes, outcome.planes);
    for (pass, truncated) in outcome.per_pass.iter().enumerate() {
        report.truncated_per_pass[pass.min(ROUNDS - 1)] += truncated;
    }
    if here.rank.world.rank() == 0 {
        let lost = outcome.truncated.iter().map(|truncation| truncation.lost_m).sum();
        report.measure(Measure::PathLost, lost);
    }
    report.measure(Measure::Path, motion.path_length(&here.rank.layout.own));
}
