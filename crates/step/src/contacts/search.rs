//! The search for candidates: pairs that may come near in the step.

use crate::model::Model;
use crate::report::{Counter, Phase, StepReport};
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use cloth_collision::candidates::{
    SearchObserver, SearchOver, SearchProcessors, SweptSurfaces, collect_shared,
};
use cloth_collision::collision::screen::Pace;
use cloth_collision::collision::{CandidateFinder, Pair, Test};
use cloth_collision::stealing::RankThreads;
use cloth_core::error::{Error, Result};
use cloth_core::ids::VertexId;

/// How far a vertex may end from its predicted end before candidates are sought again, as a share
/// of the contact distance. A larger margin makes more candidates, a smaller one more retraversals.
/// With one half, a mesh whose edges are less than three contact distances long is never culled by
/// flatness, and searches take as long as without.
const MARGIN: f64 = 0.2;

/// Hierarchies, bounds and processors of one rank, and its candidates.
pub(crate) struct CandidateSearch {
    finder: CandidateFinder,
    processors: SearchProcessors,
    roots: Vec<Test>,
}

impl CandidateSearch {
    pub fn new(finder: CandidateFinder, processors: SearchProcessors) -> Self {
        Self { finder, processors, roots: Vec::new() }
    }

    /// Goes on with other surfaces, in the same patches.
    pub fn replace(&mut self, finder: CandidateFinder) {
        (self.finder, self.roots) = (finder, Vec::new());
    }

    /// The pairs that this rank found.
    pub fn candidates(&self) -> &[Pair] {
        self.finder.candidates()
    }

    /// One search along the predicted motion. After: the candidates of all ranks are all pairs that
    /// come near, as long as every vertex ends within the margin of the end
    /// of its path. Collective.
    ///
    /// # Errors
    /// When another rank has failed, and those of the `observer`.
    pub fn find(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<()> {
        let (sweep, surfaces) =
            (motion.sweep(&here.model.surfaces, radius(here.model)), &here.model.surfaces);
        report.time(Phase::Refit, |_| self.finder.refit(&here.rank.threads, surfaces, &sweep));
        self.collect(here, motion, report, observer)
    }

    /// A retraversal, if some vertices strayed: a further search along their actual paths. All
    /// ranks decide alike, because they know all positions. After: the candidates of all ranks
    /// cover the actual motion. Collective.
    ///
    /// # Errors
    /// As for [`Self::find`].
    pub fn follow(
        &mut self,
        here: &Context,
        motion: &mut StepMotion,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<()> {
        let (model, margin) = (here.model, margin(here.model));
        let strayed = report.time(Phase::Refit, |_| {
            motion.follow_strayed(&here.rank.threads, &model.numbering, margin)
        });
        if strayed.is_empty() {
            return Ok(());
        }
        report.count(Counter::Retraversals, 1);
        report.count(Counter::Strayed, strayed.len() as u64);
        let (sweep, surfaces) = (motion.sweep(&model.surfaces, radius(model)), &model.surfaces);
        report.time(Phase::Refit, |_| {
            self.finder.refit_strayed(surfaces, &sweep, &strayed, Pace::Common);
        });
        self.collect(here, motion, report, observer)
    }

    /// A retraversal for vertices that the fail-safe stops. After: the candidates of all ranks
    /// cover all motions in which the `stopped` vertices, in rising order, end anywhere within the
    /// margin of their paths, and all others where their paths end. Collective.
    ///
    /// # Errors
    /// As for [`Self::find`].
    pub fn cover_stops(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        stopped: &[VertexId],
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<()> {
        report.count(Counter::Retraversals, 1);
        report.count(Counter::Strayed, stopped.len() as u64);
        let (sweep, surfaces) =
            (motion.sweep(&here.model.surfaces, radius(here.model)), &here.model.surfaces);
        report.time(Phase::Refit, |_| {
            self.finder.refit_strayed(surfaces, &sweep, stopped, Pace::Any);
        });
        self.collect(here, motion, report, observer)
    }

    fn collect(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<()> {
        let (rank, model) = (here.rank, here.model);
        let (sweep, surfaces) = (motion.sweep(&model.surfaces, radius(model)), &model.surfaces);
        self.processors.trace_tasks(observer.traces_tasks());
        let executed = report.time(Phase::Tests, |report| {
            let (own, roots) = (&rank.layout.own_patches, &mut self.roots);
            let threads = &rank.threads;
            let mut counts = self.finder.root_tests(threads, surfaces, &sweep, own, roots);
            let on = RankThreads { world: &*rank.world, threads: &rank.threads };
            let (processors, finder) = (&mut self.processors, &mut self.finder);
            let over = SweptSurfaces { surfaces, sweep: &sweep };
            let below_roots = collect_shared(on, processors, finder, over, roots)?;
            counts.add(&below_roots);
            report.count(Counter::Tests, counts.tests);
            report.test_hash = report.test_hash.wrapping_add(counts.hash);
            report.count(Counter::Candidates, counts.candidates);
            Ok::<_, Error>(counts)
        })?;
        let (processors, finder) = (&self.processors, &self.finder);
        let world = &*rank.world;
        observer.searched(&SearchOver { world, processors, executed, finder, surfaces, sweep })
    }
}

/// Pairs that come within this distance along the paths are candidates, m.
fn radius(model: &Model) -> f64 {
    model.distances.most_m + 2.0 * margin(model)
}

/// How far from the end of its path a vertex may end, and how far from its path if it is stopped,
/// m.
pub(super) fn margin(model: &Model) -> f64 {
    MARGIN * model.distances.most_m
}
