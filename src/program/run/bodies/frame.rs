//! Gathers from all ranks: the head of a run, the bodies of a frame, and its steps.

use cloth_sim::error::Result;
use cloth_sim::ranks::World;
use cloth_sim::report::Report;
use cloth_sim::rigid::{RigidReport, RigidSimulation};
use cloth_sim::scene::bodies::{Movement, RigidSetup};

pub use crate::program::output::bodies::record::BodyFrameRecord as Record;
use crate::program::output::bodies::record::{Bodies, BodiesPart};
use crate::program::output::record::StepRecord;
use crate::program::output::run_json::{BodiesHead, GroupHead, RunHead};
use crate::program::run::job::Job;
use crate::program::run::{gather, head};

/// The head of `run.json`. On rank 0 it has the places of all ranks. Collective.
///
/// # Errors
/// When a rank fails.
pub fn head(
    job: &Job,
    world: &dyn World,
    setup: &RigidSetup,
    simulation: &RigidSimulation,
) -> Result<RunHead> {
    let population = simulation.population();
    let places = head::places(world, population.own_count(), population.copies().len())?;
    let groups = setup.groups.iter().map(|group| GroupHead {
        name: group.name.clone(),
        first_id: group.first_id,
        count: group.count,
        is_free: group.movement == Movement::Free,
    });
    let bodies = BodiesHead {
        count: setup.body_count(),
        subdomains: simulation.region().subdomains().count(),
        groups: groups.collect(),
    };
    Ok(RunHead { bodies: Some(bodies), places, ..RunHead::begun(job, world.size()) })
}

/// What one rank measures in the steps that lead to a frame.
#[derive(Default)]
pub struct FrameSteps {
    steps: Vec<StepRecord<Bodies>>,
    work_s: f64,
    /// Number of bodies that went into another subdomain, and number that left the domain.
    crossed_and_left: [i64; 2],
}

impl FrameSteps {
    /// Adds a step.
    pub fn add(&mut self, step: u64, rank: usize, report: &RigidReport) {
        self.steps.push(StepRecord { step, rank, part: (), report: *report });
        self.work_s += report.work_s();
        self.crossed_and_left[0] += report.traffic.crossed as i64;
        self.crossed_and_left[1] += report.traffic.left as i64;
    }

    /// Whether there was no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Time in which this rank worked, s.
    pub fn work_s(&self) -> f64 {
        self.work_s
    }

    /// The record of `frame`, whose last step is over. It is whole on rank 0. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn gather(
        &self,
        frame: u64,
        world: &dyn World,
        simulation: &RigidSimulation,
    ) -> Result<Record> {
        let census = simulation.census()?;
        let mut counts = self.crossed_and_left;
        world.all_reduce_sum(&mut counts)?;
        let [crossed, left] = counts.map(|count| count as u64);
        let mut steps = gather::items(world, &self.steps)?.concat();
        steps.sort_by_key(|step| (step.step, step.rank));
        Ok(Record {
            frame,
            state_hash: format!("{:016x}", simulation.hash()?),
            part: BodiesPart {
                time_s: simulation.time_s(),
                bodies: census.bodies,
                ids_hash: format!("{:016x}", census.ids),
                bodies_hash: format!("{:016x}", census.states),
                left,
                crossed,
                totals: simulation.totals()?.into(),
                deepest: simulation.deepest_overlap()?.map(Into::into),
                repartition_s: None,
            },
            steps,
        })
    }
}
