//! Runs a scenario and measures it.

use std::sync::Arc;
use std::time::Instant;

use cloth_core::threads::Threads;
use cloth_sim::error::Result;
use cloth_sim::ranks::in_process;
use cloth_sim::rigid::Phase;
use cloth_sim::rigid::Synchronisation;
use cloth_sim::rigid::constraint::joint::Joints;
use cloth_sim::rigid::horizon::Horizon;
use cloth_sim::rigid::narrow::detector::{Detector, Surroundings};
use cloth_sim::rigid::shape::Shape;
use cloth_sim::rigid::simulation::shared_out;
use cloth_sim::rigid::{RigidModel, RigidSimulation};
use nix::time::{ClockId, clock_gettime};

use crate::scenes::Scene;

/// How a scenario is run.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Subdomains along each axis.
    pub grid: [u32; 3],
    pub ranks: usize,
    pub threads: usize,
    pub synchronisation: Synchronisation,
    /// Steps before those that are measured.
    pub warm_up: u32,
    pub steps: u32,
}

/// What was measured. Sums over all ranks, unless something else is said.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measured {
    pub bodies: u64,
    pub steps: u32,
    pub cores: usize,
    /// Of all steps, by the clock, s.
    pub wall_s: f64,
    /// Of all steps and threads on processors, s.
    pub processor_s: f64,
    /// The mean of all ranks, s.
    pub phases_s: [f64; Phase::ALL.len()],
    /// Per step.
    pub contacts: f64,
    /// Per step and rank.
    pub messages: f64,
    pub bytes: f64,
    /// Copies at the end.
    pub copies: u64,
    pub migrated: u64,
    /// Deepest overlap of two bodies at the end, by the smallest radius. One rank only.
    pub overlap: f64,
    /// J.
    pub energy: [f64; 2],
}

impl Measured {
    /// Steps x bodies / (seconds x cores): by the clock, or by the time on processors if one thread
    /// ran, which does not count what other programs took.
    pub fn updates_per_s(&self) -> f64 {
        let work = f64::from(self.steps) * self.bodies as f64;
        match self.cores {
            1 => work / self.processor_s,
            cores => work / (self.wall_s * cores as f64),
        }
    }

    /// The share of a phase in a step.
    pub fn share(&self, phase: usize) -> f64 {
        self.phases_s[phase] / self.phases_s.iter().sum::<f64>()
    }
}

/// Time of this process on processors, s.
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock");
    time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9
}

/// Runs a scenario.
///
/// # Errors
/// Those of the simulation.
pub fn measure(scene: &Scene, run: &Run) -> Result<Measured> {
    let model = scene.model(run.grid, run.synchronisation);
    let parts = in_process::run(run.ranks, |world| {
        let rank_of = shared_out(model.subdomains.count(), run.ranks);
        let mut simulation =
            RigidSimulation::new(model.clone(), rank_of, scene.bodies(), world, run.threads)?;
        for _ in 0..run.warm_up {
            simulation.step()?;
        }
        let before = simulation.totals()?;
        let (start, processor) = (Instant::now(), processor_s());
        let mut part = Measured { steps: run.steps, ..Measured::default() };
        for _ in 0..run.steps {
            let report = simulation.step()?;
            let all = part.phases_s.iter_mut().zip(report.seconds);
            all.for_each(|(sum, seconds)| *sum += seconds);
            part.contacts += report.contacts as f64 / f64::from(run.steps);
            part.messages += report.traffic.messages as f64 / f64::from(run.steps);
            part.bytes += report.traffic.bytes as f64 / f64::from(run.steps);
            part.migrated += report.traffic.migrated;
            (part.bodies, part.copies) = (report.bodies, report.copies);
        }
        world.all_reduce_sum(&mut [0])?;
        part.wall_s = start.elapsed().as_secs_f64();
        part.processor_s = processor_s() - processor;
        let after = simulation.totals()?;
        part.energy = [before.energy_j(), after.energy_j()];
        if run.ranks == 1 {
            part.overlap = deepest(&model, &simulation);
        }
        Ok(part)
    })?;
    Ok(joined(&parts, run))
}

fn joined(parts: &[Measured], run: &Run) -> Measured {
    let mut all = parts[0];
    let ranks = parts.len() as f64;
    for part in &parts[1..] {
        all.bodies += part.bodies;
        all.copies += part.copies;
        all.migrated += part.migrated;
        all.contacts += part.contacts;
        all.messages += part.messages;
        all.bytes += part.bytes;
        (0..Phase::ALL.len()).for_each(|k| all.phases_s[k] += part.phases_s[k]);
    }
    all.cores = run.ranks * run.threads;
    all.phases_s = all.phases_s.map(|sum| sum / ranks);
    (all.messages, all.bytes) = (all.messages / ranks, all.bytes / ranks);
    all
}

/// The deepest overlap of two bodies by the radius of the smallest.
fn deepest(model: &Arc<RigidModel>, simulation: &RigidSimulation) -> f64 {
    let bodies = simulation.population().bodies();
    let (fixed, solids, horizon) = (&model.fixed, &model.solids, &Horizon::NOW);
    let world =
        Surroundings { bodies, fixed, solids, joints: &Joints::default(), horizon, treated: None };
    let mut contacts = Vec::new();
    Detector::default().contacts(&world, &Threads::INLINE, |_| true, &mut contacts);
    let gap = contacts.iter().map(|contact| contact.gap).fold(0.0, f64::min);
    let radius = |shape: &Shape| shape.half_width(|_| f64::INFINITY);
    let smallest = bodies.iter().map(|body| radius(&body.shape)).fold(f64::INFINITY, f64::min);
    // 0 if nothing overlaps, not -0.
    gap.abs() / smallest
}
