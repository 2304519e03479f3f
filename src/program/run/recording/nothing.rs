//! Replaces the recording of test trees. It has no options, so no step is recorded.

use std::path::Path;

use clap::Args;
use cloth_sim::error::Result;
use cloth_sim::observe::{SearchObserver, SearchOver};
use cloth_sim::ranks::World;
use cloth_sim::scene::Scene;
use cloth_sim::step::{Model, StepReport};

use crate::program::output::run_json::RunHead;

/// No options.
#[derive(Debug, Clone, Default, Args)]
pub struct RecordingArguments {}

impl RecordingArguments {
    pub fn is_given(&self) -> bool {
        false
    }

    pub fn every(&self) -> Option<u64> {
        None
    }

    pub fn records(&self, _: u64, _: &Scene) -> bool {
        false
    }

    pub fn check(&self, _: &Path, _: bool) -> Result<()> {
        Ok(())
    }

    pub fn begin(&self, _: &Scene, _: &Model, _: &RunHead) -> Result<Option<TreeWriter>> {
        Ok(None)
    }
}

/// Sees searches and records nothing.
#[derive(Debug, Default)]
pub struct StepRecorder;

impl SearchObserver for StepRecorder {
    fn searched(&mut self, _: &SearchOver) -> Result<()> {
        Ok(())
    }
}

impl StepRecorder {
    pub fn finish(self, _: &dyn World, _: u64, _: &StepReport) -> Result<Option<RecordedStep>> {
        Ok(None)
    }
}

/// No step is ever recorded.
pub enum RecordedStep {}

/// No file is ever written.
pub enum TreeWriter {}

impl TreeWriter {
    pub fn step(&mut self, _: &RecordedStep) -> Result<()> {
        Ok(())
    }
}
