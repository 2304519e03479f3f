//! The search for candidates: pairs that may come near in the step.

use crate::collision::{Detector, Pair, Test};
use crate::error::{Error, Result};
use crate::stealing::Processors;
use crate::stealing::replay::SearchRecorder;
use crate::step::context::Context;
use crate::step::model::Model;
use crate::step::motion::StepMotion;
use crate::step::report::{Counter, Phase, StepReport};

/// How far a vertex may stray from its predicted path before candidates are
/// sought again, as a share of the contact distance. On the tablecloth half of
/// it brings a second traversal in few steps, while candidates grow with it.
const MARGIN: f64 = 0.5;

/// Hierarchies, bounds and processors of one rank, and its candidates.
pub(super) struct CandidateSearch {
    detector: Detector,
    pub processors: Processors,
    roots: Vec<Test>,
    pub recorder: Option<SearchRecorder>,
}

impl CandidateSearch {
    pub fn new(detector: Detector, processors: Processors) -> Self {
        Self { detector, processors, roots: Vec::new(), recorder: None }
    }

    /// The pairs that this rank found.
    pub fn candidates(&self) -> &[Pair] {
        self.detector.candidates()
    }

    /// One traversal over the predicted motion. After: the candidates of all ranks are all pairs
    /// that come near, as long as every vertex stays within its margin.
    pub fn find(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        report: &mut StepReport,
    ) -> Result<()> {
        let (sweep, surfaces) = (motion.sweep(radius(here.model)), &here.model.surfaces);
        report.time(Phase::Refit, |_| self.detector.refit(&here.rank.threads, surfaces, &sweep));
        self.collect(here, motion, report)
    }

    /// Seeks the candidates of the vertices that have left the paths along which they were sought
    /// again, along the actual ones. All ranks decide alike: they know all positions. After: the
    /// candidates cover the actual motion.
    pub fn follow(
        &mut self,
        here: &Context,
        motion: &mut StepMotion,
        report: &mut StepReport,
    ) -> Result<()> {
        let (model, margin) = (here.model, margin(here.model));
        let strayed =
            report.time(Phase::Refit, |_| motion.follow_strayed(&model.numbering, margin));
        if strayed.is_empty() {
            return Ok(());
        }
        report.count(Counter::Retraversals, 1);
        report.count(Counter::Strayed, strayed.len() as u64);
        let (sweep, surfaces) = (motion.sweep(radius(model)), &model.surfaces);
        report.time(Phase::Refit, |_| self.detector.refit_strayed(surfaces, &sweep, &strayed));
        self.collect(here, motion, report)
    }

    fn collect(
        &mut self,
        here: &Context,
        motion: &StepMotion,
        report: &mut StepReport,
    ) -> Result<()> {
        let (rank, model) = (here.rank, here.model);
        let (sweep, surfaces) = (motion.sweep(radius(model)), &model.surfaces);
        let executed = report.time(Phase::Tests, |report| {
            let (own, roots) = (&rank.layout.own_patches, &mut self.roots);
            let mut counts = self.detector.root_tests(surfaces, &sweep, own, roots);
            let (on, processors) = ((rank.world, &rank.threads), &mut self.processors);
            let shared = self.detector.collect_shared(on, processors, surfaces, &sweep, roots)?;
            counts.add(&shared);
            report.count(Counter::Tests, counts.tests);
            report.test_hash = report.test_hash.wrapping_add(counts.hash);
            report.count(Counter::Candidates, counts.candidates);
            Ok::<_, Error>(counts)
        })?;
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let (uses, patches) = (self.processors.usage(), model.partition.patches.len());
        let trees = || self.detector.test_trees(surfaces, &sweep, patches);
        recorder.search(rank.world, uses, executed, trees)
    }
}

/// Within what distance along the paths pairs are candidates, m.
fn radius(model: &Model) -> f64 {
    model.settings.contact.distance_m + 2.0 * margin(model)
}

/// How far a vertex may stray from its path, m.
pub(super) fn margin(model: &Model) -> f64 {
    MARGIN * model.settings.contact.distance_m
}
