//! What one rank measures in the steps that lead to a frame.

use cloth_sim::error::Result;
use cloth_sim::observe::{ProcessorUse, Theft, note_theft};
use cloth_sim::ranks::World;
use cloth_sim::step::{PassedObstacle, Simulation, StepReport, WaitingBody};

use crate::program::output::steps_jsonl::{FrameRecord, PassedRecord, WaitingRecord};
use crate::program::run::gather;
use crate::program::run::step_watch::StepWatch;

/// Who is behind or passed after a step.
pub struct AfterStep {
    /// Prescribed bodies that are behind their motion.
    pub waiting: Vec<WaitingBody>,
    /// Obstacles that cloth passes.
    pub passed: Vec<PassedObstacle>,
}

/// Measurements of one rank, step by step.
#[derive(Default)]
pub struct FrameSteps {
    /// The report of each step.
    pub reports: Vec<StepReport>,
    /// How each processor of the rank spent the searches: in the first step, then in the second...
    pub uses: Vec<ProcessorUse>,
    /// Length of each search of each step, s.
    pub searches_s: Vec<Vec<f64>>,
    thefts: Vec<Theft>,
    waiting: Vec<WaitingRecord>,
    passed: Vec<PassedRecord>,
}

impl FrameSteps {
    /// Adds a step, and who is behind or passed after it.
    pub fn add(&mut self, report: &StepReport, watch: StepWatch, after: AfterStep) {
        let AfterStep { waiting, passed } = after;
        self.passed.iter_mut().for_each(|record| record.vertices.clear());
        passed.into_iter().for_each(|obstacle| self.note_passed(obstacle));
        self.waiting.iter_mut().for_each(|record| record.behind_m = 0.0);
        waiting.iter().for_each(|body| self.note(body));
        self.reports.push(*report);
        self.uses.extend(watch.uses);
        self.searches_s.push(watch.lengths_s);
        watch.thefts.iter().for_each(|theft| note_theft(&mut self.thefts, *theft));
    }

    fn note_passed(&mut self, PassedObstacle { name, vertices }: PassedObstacle) {
        let known = self.passed.iter().position(|record| record.obstacle == name);
        let place = known.unwrap_or(self.passed.len());
        if known.is_none() {
            let vertices = Vec::new();
            self.passed.push(PassedRecord { obstacle: name, steps: 0, largest: 0, vertices });
        }
        let record = &mut self.passed[place];
        record.steps += 1;
        record.largest = record.largest.max(vertices.len() as u64);
        record.vertices = vertices;
    }

    fn note(&mut self, body: &WaitingBody) {
        let known = self.waiting.iter().position(|record| record.body == body.name);
        let place = known.unwrap_or(self.waiting.len());
        if known.is_none() {
            let body = body.name.clone();
            self.waiting.push(WaitingRecord {
                body,
                steps: 0,
                largest_behind_m: 0.0,
                behind_m: 0.0,
            });
        }
        let record = &mut self.waiting[place];
        record.steps += 1;
        record.behind_m = body.behind_m;
        record.largest_behind_m = record.largest_behind_m.max(body.behind_m);
    }

    /// The record of `frame`, whose last step is over. It is whole on rank 0. Collective.
    ///
    /// # Errors
    /// When a rank fails, or the ranks do not have the same state.
    pub fn gather(
        &self,
        frame: u64,
        world: &dyn World,
        simulation: &Simulation,
    ) -> Result<FrameRecord> {
        Ok(FrameRecord {
            frame,
            state_hash: format!("{:016x}", simulation.state_hash()?),
            steps: gather::steps(world, simulation.steps(), self)?,
            thefts: gather::thefts(world, &self.thefts)?,
            waiting: self.waiting.clone(),
            passed: self.passed.clone(),
        })
    }
}
