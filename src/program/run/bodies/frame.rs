//! Gathers from all ranks: the head of a run, the bodies of a frame, and its steps.

pub use crate::program::output::body_record::BodyFrameRecord as Record;

use cloth_core::error::Result;
use cloth_core::ranks::{World, message};
use cloth_core::report::Report;
use cloth_rigid::{RigidReport, Traffic};
use cloth_scene::bodies::{Movement, RigidSetup};
use cloth_workers::WorkerSimulation;
use cloth_workers::report::WorkerReport;
use cloth_workers::settings::workers_of;

use crate::engine::BodyEngine;
use crate::program::output::{Bodies, BodiesHead, BodiesPart, GroupHead, RunHead, WorkersPart};
use crate::program::run::{Job, frames, head};

/// The head of `run.json`. On rank 0 it has the places of all ranks. Collective.
///
/// # Errors
/// When a rank fails.
pub fn head(
    job: &Job,
    world: &dyn World,
    setup: &RigidSetup,
    engine: &dyn BodyEngine<Report = RigidReport>,
) -> Result<RunHead> {
    let population = engine.bodies().population();
    let (own, copies) = match engine.workers() {
        None => (population.own_count(), population.copies().len()),
        Some(workers) => (workers.home_count(), 0),
    };
    let places = head::places(world, own, copies)?;
    let groups = setup.groups.iter().map(|group| GroupHead {
        name: group.name.clone(),
        first_id: group.first_id,
        count: group.count,
        is_free: group.movement == Movement::Free,
    });
    let bodies = BodiesHead {
        count: setup.body_count(),
        subdomains: engine.bodies().region().subdomains().count(),
        groups: groups.collect(),
    };
    Ok(RunHead { bodies: Some(bodies), places, ..RunHead::begun(job, world.size()) })
}

/// What one rank measures in the steps that lead to a frame.
#[derive(Default)]
pub struct FrameSteps {
    reports: Vec<RigidReport>,
    /// The reports of its workers, step by step.
    workers: Vec<WorkerReport>,
    /// The number of workers of all ranks in each step.
    counts: Vec<usize>,
}

impl FrameSteps {
    /// Adds a step, the last one of `engine`.
    pub fn add(&mut self, report: &RigidReport, engine: &dyn BodyEngine<Report = RigidReport>) {
        self.reports.push(*report);
        self.counts.push(engine.workers().map_or(0, WorkerSimulation::worker_count));
        self.workers.extend(engine.workers().iter().flat_map(|it| it.worker_reports()));
    }

    /// Whether there was no step.
    pub fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }

    /// Time in which this rank worked, s.
    pub fn work_s(&self) -> f64 {
        self.reports.iter().map(Report::work_s).sum()
    }

    /// The record of `frame`, whose last step is over. It is whole on rank 0. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn gather(
        &self,
        frame: u64,
        world: &dyn World,
        engine: &dyn BodyEngine<Report = RigidReport>,
    ) -> Result<Record> {
        let bodies = engine.bodies();
        let census = bodies.census()?;
        let mut workers = message::gather_v(world, 0, &self.workers)?.into_iter();
        let part = |rank, step: usize| {
            let count = workers_of(rank, world.size(), self.counts[step]).len();
            WorkersPart { workers: workers.by_ref().take(count).collect() }
        };
        let end = engine.steps() + 1;
        let numbers = Vec::from_iter(end - self.reports.len() as u64..end);
        let mut steps = frames::gather_steps::<Bodies>(world, &numbers, &self.reports, part)?;
        steps.sort_by_key(|step| (step.step, step.rank));
        let sum = |count: fn(&Traffic) -> u64| {
            steps.iter().map(|step| count(&step.report.traffic)).sum::<u64>()
        };
        Ok(Record {
            frame,
            state_hash: format!("{:016x}", engine.hash()?),
            part: BodiesPart {
                time_s: engine.time_s(),
                bodies: census.bodies,
                ids_hash: format!("{:016x}", census.ids),
                bodies_hash: format!("{:016x}", census.states),
                left: sum(|it| it.left),
                crossed: sum(|it| it.crossed),
                totals: bodies.totals()?.into(),
                deepest: bodies.deepest_overlap()?.map(Into::into),
                repartition_s: None,
            },
            steps,
        })
    }
}
