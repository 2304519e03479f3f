//! What one rank measures in the steps that lead to a frame.

use std::iter::repeat_n;

use crate::observe::{ProcessorUse, Theft, note_theft};
use cloth_core::error::Result;
use cloth_core::ranks::{World, message};
use cloth_step::{Simulation, StepReport, WaitingBody, YieldingObstacle};

use crate::program::output::cloth_record::{
    Cloth, ClothFrameRecord, ClothPart, Searches, TheftRecord, WaitingRecord, YieldRecord,
};
use crate::program::output::record::StepRecord;
use crate::program::run::cloth::crush::crushed;
use crate::program::run::cloth::peaks::extremes;
use crate::program::run::cloth::step_watch::StepWatch;
use crate::program::run::gather;

/// The bodies that are behind and the obstacles that give way, after a step.
pub struct AfterStep {
    /// How many whole steps are over.
    pub number: u64,
    /// The size of the step, in whole steps.
    pub size: u64,
    /// Prescribed bodies that are behind their motion.
    pub waiting: Vec<WaitingBody>,
    /// Obstacles whose skin gives way.
    pub yielding: Vec<YieldingObstacle>,
}

/// Measurements of one rank, step by step.
#[derive(Default)]
pub struct FrameSteps {
    /// The number of each step: how many whole steps are over after it.
    numbers: Vec<u64>,
    /// The report of each step.
    pub reports: Vec<StepReport>,
    /// How each processor of the rank spent the searches of a step: all processors in the first
    /// step, then all in the second, and so on.
    pub uses: Vec<ProcessorUse>,
    /// Length of each search of each step, s.
    pub searches_s: Vec<Vec<f64>>,
    thefts: Vec<Theft>,
    waiting: Vec<WaitingRecord>,
    yielded: Vec<YieldRecord>,
}

impl FrameSteps {
    /// Adds a step, and the state of waiting bodies and yielding obstacles after it.
    pub fn add(&mut self, report: &StepReport, watch: StepWatch, after: AfterStep) {
        let AfterStep { number, size, waiting, yielding } = after;
        self.yielded.iter_mut().for_each(|it| (it.offset_m, it.vertices) = (0.0, 0));
        yielding.into_iter().for_each(|obstacle| self.note_yielding(obstacle, size));
        self.waiting.iter_mut().for_each(|record| record.behind_m = 0.0);
        waiting.iter().for_each(|body| self.note(body, size));
        self.numbers.push(number);
        self.reports.push(*report);
        self.uses.extend(watch.uses);
        self.searches_s.push(watch.lengths_s);
        watch.thefts.iter().for_each(|theft| note_theft(&mut self.thefts, *theft));
    }

    fn note_yielding(&mut self, it: YieldingObstacle, size: u64) {
        let record = YieldRecord {
            obstacle: it.name,
            steps: size,
            largest_offset_m: it.largest_offset_m,
            offset_m: it.largest_offset_m,
            largest: it.vertices as u64,
            vertices: it.vertices as u64,
        };
        match self.yielded.iter_mut().find(|known| known.obstacle == record.obstacle) {
            Some(known) => known.add(&record),
            None => self.yielded.push(record),
        }
    }

    fn note(&mut self, body: &WaitingBody, size: u64) {
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
        record.steps += size;
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
    ) -> Result<ClothFrameRecord> {
        Ok(ClothFrameRecord {
            frame,
            state_hash: format!("{:016x}", simulation.hash()?),
            steps: gather_steps(world, self)?,
            part: ClothPart {
                thefts: gather_thefts(world, &self.thefts)?,
                waiting: self.waiting.clone(),
                yielded: self.yielded.clone(),
                strain: match world.rank() {
                    0 => extremes(simulation.model(), simulation.positions()),
                    _ => None,
                },
                crushed: match world.rank() {
                    0 => crushed(simulation.model(), simulation.positions()),
                    _ => None,
                },
            },
        })
    }
}

/// Every rank's measurements of the steps, on rank 0. Collective.
fn gather_steps(world: &dyn World, frame: &FrameSteps) -> Result<Vec<StepRecord<Cloth>>> {
    let test_parts = test_parts(world, &frame.searches_s)?;
    let steps = frame.reports.len().max(1);
    let threads = message::all_counts(world, frame.uses.len() / steps)?;
    let mut uses = message::gather_v(world, 0, &frame.uses)?.into_iter();
    gather::steps(world, &frame.numbers, &frame.reports, |rank, index| Searches {
        test_part_s: test_parts[index],
        processors: uses.by_ref().take(threads[rank]).collect(),
    })
}

/// Length of the test part of each step, s, on rank 0. It is the sum over the step's searches.
/// All ranks have the same searches, and each counts as long as on its slowest rank.
fn test_parts(world: &dyn World, searches_s: &[Vec<f64>]) -> Result<Vec<f64>> {
    let own = searches_s.concat();
    let mut longest = vec![0.0_f64; own.len()];
    for rank in message::gather_v(world, 0, &own)?.chunks(own.len().max(1)) {
        longest.iter_mut().zip(rank).for_each(|(longest, &length)| *longest = longest.max(length));
    }
    let mut longest = longest.into_iter();
    Ok(searches_s.iter().map(|step| longest.by_ref().take(step.len()).sum()).collect())
}

/// Every rank's thefts, on rank 0. Collective.
fn gather_thefts(world: &dyn World, thefts: &[Theft]) -> Result<Vec<TheftRecord>> {
    let counts = message::all_counts(world, thefts.len())?;
    let ranks = counts.iter().enumerate().flat_map(|(rank, &count)| repeat_n(rank, count));
    let all = message::gather_v(world, 0, thefts)?;
    Ok(ranks.zip(all).map(|(rank, theft)| TheftRecord { rank, theft }).collect())
}
