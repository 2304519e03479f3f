//! Seams that have closed become welds between two frames.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::clock::TICKS_PER_STEP;
use crate::contacts::ContactStage;
use crate::impulses::ImpulseStage;
use crate::model::Model;
use crate::motion::StepMotion;
use crate::repartition::repartition;
use crate::report::{Counter, StepReport};
use crate::sewing::Unwelded;
use crate::simulation::Simulation;
use crate::state::State;
use crate::watch::EnergyWatch;
use cloth_bodies::contact::fail_safe::FailSafe;
use cloth_collision::collision::CandidateFinder;
use cloth_core::error::Result;

impl Simulation<'_> {
    /// How many stitches of seams that weld are still threads, by cause.
    pub fn unwelded(&self) -> BTreeMap<Unwelded, usize> {
        let Some(sewing) = &self.model.sewing else { return BTreeMap::new() };
        let known = self.state.welded.as_deref().unwrap_or_default();
        sewing.unwelded(&self.state.positions, known, self.time_s())
    }

    /// After a step that ends a frame: welds the stitches that have closed. Collective.
    pub(super) fn weld(&mut self, report: &mut StepReport) -> Result<()> {
        let steps = u64::from(self.model.settings.steps_per_frame.at_most()).max(1);
        if !(self.state.ticks / TICKS_PER_STEP).is_multiple_of(steps) {
            return Ok(());
        }
        let Some((model, state)) = self.model.after_closing(&self.state)? else { return Ok(()) };
        let count = |state: &State| state.welded.as_ref().map_or(0, Vec::len);
        report.count(Counter::Welds, (count(&state) - count(&self.state)) as u64);
        self.state = state;
        self.go_on_with(model)
    }

    /// Welds what is welded in the `saved` state, and nothing else. Collective.
    pub(super) fn weld_as_in(&mut self, saved: &State) -> Result<()> {
        match self.model.with_welds(&self.state, saved)? {
            Some(model) => self.go_on_with(model),
            None => Ok(()),
        }
    }

    /// Replaces the model by one of the same patches.
    fn go_on_with(&mut self, model: Model) -> Result<()> {
        let Self { rank, state, stages, .. } = self;
        repartition(&model, rank.partition.clone(), rank, stages, &mut state.contacts)?;
        stages.motion = StepMotion::new(&model);
        stages.search.replace(CandidateFinder::new(&model.surfaces));
        stages.contacts = ContactStage::new(&model);
        (stages.impulses, stages.fail_safe) = (ImpulseStage::default(), FailSafe::default());
        stages.watch = EnergyWatch::new(&model);
        self.model = Arc::new(model);
        Ok(())
    }
}
