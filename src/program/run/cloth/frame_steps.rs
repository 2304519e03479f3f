//! What one rank measures: the head of the run before its first step, then the steps that lead to a
//! frame.

use std::iter::repeat_n;

use cloth_core::error::Result;
use cloth_core::ranks::{World, message};
use cloth_scene::Scene;
use cloth_step::{Model, Simulation, StepReport, WaitingBody, YieldingObstacle, lift_j};

use crate::observe::{ProcessorUse, SearchObserver, SearchOver, Theft, note_theft};
use crate::program::output::cloth_record::track;
use crate::program::output::{
    Cloth, ClothFrameRecord, ClothPart, EnergyBalance, RunHead, Searches, StepRecord, TheftRecord,
    WaitingRecord, YieldRecord,
};
use crate::program::run::cloth::peaks::{crushed, extremes};
use crate::program::run::recording::{RecordedStep, StepRecorder};
use crate::program::run::{ClothContent, Job, frames};

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
    /// Objects for which there was no room.
    part: ClothPart,
}

impl FrameSteps {
    /// Adds the last step of `simulation`, which has the size of so many whole `steps`.
    pub fn add(
        &mut self,
        report: &StepReport,
        watch: StepWatch,
        simulation: &Simulation,
        steps: u64,
    ) {
        let part = &mut self.part;
        let waiting =
            simulation.waiting().into_iter().map(|WaitingBody { name: body, behind_m, .. }| {
                WaitingRecord { body, steps, largest_behind_m: behind_m, behind_m }
            });
        part.waiting = track(std::mem::take(&mut part.waiting), waiting);
        let yielding = simulation.yielding().into_iter().map(|it: YieldingObstacle| YieldRecord {
            obstacle: it.name,
            steps,
            largest_offset_m: it.largest_offset_m,
            offset_m: it.largest_offset_m,
            largest: it.vertices as u64,
            vertices: it.vertices as u64,
        });
        part.yielded = track(std::mem::take(&mut part.yielded), yielding);
        self.numbers.push(simulation.steps());
        self.reports.push(*report);
        self.uses.extend(watch.uses);
        self.searches_s.push(watch.lengths_s);
        watch.thefts.iter().for_each(|theft| note_theft(&mut self.thefts, *theft));
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
        let (model, x) = (simulation.model(), simulation.positions());
        let is_first = world.rank() == 0;
        Ok(ClothFrameRecord {
            frame,
            state_hash: format!("{:016x}", simulation.hash()?),
            steps: gather_steps(world, self)?,
            part: ClothPart {
                thefts: gather_thefts(world, &self.thefts)?,
                strain: is_first.then(|| extremes(model, x)).flatten(),
                crushed: is_first.then(|| crushed(model, x)).flatten(),
                ..self.part.clone()
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
    frames::gather_steps(world, &frame.numbers, &frame.reports, |rank, index| Searches {
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

/// The head of `run.json`. On rank 0 it has the places of all ranks. Collective.
///
/// # Errors
/// When a rank fails.
pub fn head(
    job: &Job,
    world: &dyn World,
    model: &Model,
    simulation: &Simulation,
) -> Result<RunHead> {
    let layout = simulation.layout();
    let places = crate::program::run::head::places(world, layout.own.len(), layout.ghosts.len())?;
    Ok(RunHead {
        patches: model.partition.patches.len(),
        load_index: model.partition.load_index(&model.partition.patches.work()),
        surface_index: model.partition.surface_index(&model.graph),
        bending: bending(model.cloth.elements.bending.implicit()),
        places,
        energy: EnergyBalance::new(lift_j(model)),
        ..RunHead::begun(job, world.size())
    })
}

/// How bending enters the linear system, in words.
fn bending([implicit, all]: [usize; 2]) -> String {
    match implicit {
        0 => "explicit".into(),
        _ if implicit == all => "implicit".into(),
        _ => format!("implicit at {:.1} % of hinges", 100.0 * implicit as f64 / all as f64),
    }
}

/// The observer of one step on one rank.
#[derive(Default)]
pub struct StepWatch {
    /// How each of this rank's processors spent all searches.
    pub uses: Vec<ProcessorUse>,
    /// Which processor took tasks from which.
    pub thefts: Vec<Theft>,
    /// Length of each search, s.
    pub lengths_s: Vec<f64>,
    /// Records test trees, if this step is recorded.
    recorder: Option<StepRecorder>,
}

impl StepWatch {
    /// Watches `step` for everything that a run of `cloth` is asked for.
    pub fn new(cloth: &ClothContent, scene: &Scene, step: u64) -> Self {
        Self {
            recorder: cloth.recording.records(step, scene).then(StepRecorder::default),
            ..Self::default()
        }
    }

    /// The test trees of the step, on rank 0, if it is recorded. `report` is the step's.
    /// Collective.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn take_trees(
        &mut self,
        world: &dyn World,
        step: u64,
        report: &StepReport,
    ) -> Result<Option<RecordedStep>> {
        match self.recorder.take() {
            Some(recorder) => recorder.finish(world, step, report),
            None => Ok(None),
        }
    }
}

impl SearchObserver for StepWatch {
    fn searched(&mut self, search: &SearchOver) -> Result<()> {
        let processors = search.processors;
        self.uses.resize(processors.usage().count(), ProcessorUse::default());
        self.uses.iter_mut().zip(processors.usage()).for_each(|(sum, usage)| sum.add(usage));
        processors.thefts().for_each(|theft| note_theft(&mut self.thefts, *theft));
        self.lengths_s.push(processors.length_s());
        match &mut self.recorder {
            Some(recorder) => recorder.searched(search),
            None => Ok(()),
        }
    }
}
