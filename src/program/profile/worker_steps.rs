//! What the workers of a run did, frame by frame.

use std::collections::BTreeMap;
use std::path::Path;

use cloth_core::error::Result;
use cloth_core::report::{Join, Report};
use cloth_workers::report::WorkerReport;
use cloth_workers::settings::Coupling;

use crate::program::output::{Bodies, BodyFrameRecord, RunHead, StepRecord, names, steps_jsonl};
use crate::program::profile::worker_model as model;
use crate::program::profile::worker_model::NETWORKS;
use crate::program::words::plural;

/// What the workers of a run did.
#[derive(Debug)]
pub struct RunOfWorkers {
    /// The scene's name.
    pub scene: String,
    /// How they agree.
    pub coupling: Coupling,
    /// Whether one worker ran after the other, on one core. Only then a step can be modelled.
    pub is_serial: bool,
    /// The frames with steps.
    pub frames: Vec<StepsOfWorkers>,
    /// All of them together.
    pub whole: StepsOfWorkers,
    /// The contacts and active bodies of each worker in each step.
    pub each_step: BTreeMap<u64, [Vec<u64>; 2]>,
}

/// A value of a worker, and its name.
pub type WorkerColumn = (&'static str, fn(&WorkerReport) -> f64);

/// What workers share out.
pub const LOADS: [WorkerColumn; 3] = [
    ("contacts", |it| it.contacts as f64),
    ("active bodies", |it| it.active as f64),
    ("time", |it| it.seconds),
];

/// Sums over some steps.
#[derive(Debug, Default)]
pub struct StepsOfWorkers {
    /// The frame that they lead to.
    pub frame: u64,
    /// Their number.
    pub steps: u64,
    /// Their time, each until its slowest rank was done, s.
    pub step_s: f64,
    /// Time of the slowest worker of each, s.
    pub longest_s: f64,
    /// Their modelled time with a rank for each worker, in each of [`NETWORKS`], s.
    pub modelled_s: [f64; NETWORKS.len()],
    /// Rounds, or the most sweeps of a worker.
    pub sweeps: u64,
    /// The widest open joint in any of them, m.
    pub joint_gap_m: f64,
    /// The largest residual in any of them, m/s, if one was measured.
    pub residual_m_s: Option<f64>,
    /// The number of workers in each.
    pub counts: Vec<usize>,
    /// Of each of [`LOADS`] the largest of a worker, and the mean of the workers.
    pub loads: [[f64; 2]; LOADS.len()],
    /// Each worker.
    pub workers: BTreeMap<u64, SumOfWorker>,
}

/// Sums over the steps in which a worker was there.
#[derive(Debug, Default)]
pub struct SumOfWorker {
    /// Their number.
    pub steps: u64,
    /// Time of the slowest worker of each, s.
    pub longest_s: f64,
    /// What it did. Its number is not a sum.
    pub sum: WorkerReport,
}

impl SumOfWorker {
    /// The mean of a value over these steps.
    pub fn mean(&self, value: impl Fn(&WorkerReport) -> f64) -> f64 {
        value(&self.sum) / self.steps.max(1) as f64
    }
}

impl RunOfWorkers {
    /// The run that `head` describes, without a frame.
    pub fn new(head: &RunHead, coupling: Coupling) -> Self {
        Self {
            scene: head.scene.clone(),
            coupling,
            is_serial: head.ranks == 1 && head.threads == 1,
            frames: Vec::new(),
            whole: StepsOfWorkers::default(),
            each_step: BTreeMap::new(),
        }
    }

    /// Adds a frame that has steps.
    pub fn add(&mut self, record: &BodyFrameRecord) {
        let mut steps = Vec::from_iter(&record.steps);
        steps.sort_by_key(|it| (it.step, it.rank));
        let mut frame = StepsOfWorkers { frame: record.frame, ..StepsOfWorkers::default() };
        for ranks in steps.chunk_by(|a, b| a.step == b.step) {
            // A run may have gone on with more ranks, or fewer.
            self.is_serial &= ranks.len() == 1;
            [&mut frame, &mut self.whole].into_iter().for_each(|it| it.add(ranks, self.coupling));
            for worker in ranks.iter().flat_map(|it| &it.part.workers) {
                let [contacts, active] = self.each_step.entry(worker.worker).or_default();
                contacts.push(worker.contacts);
                active.push(worker.active);
            }
        }
        self.frames.push(frame);
    }

    /// True if the number of workers changed.
    pub fn is_resized(&self) -> bool {
        self.whole.counts.iter().any(|count| Some(count) != self.whole.counts.first())
    }

    /// The number of workers in words.
    pub fn count(&self) -> String {
        let counts = &self.whole.counts;
        let [least, most] =
            [counts.iter().min(), counts.iter().max()].map(|it| it.map_or(0, |&n| n));
        let most_in_words = plural(most, "worker");
        if self.is_resized() { format!("{least} to {most_in_words}") } else { most_in_words }
    }
}

impl StepsOfWorkers {
    /// Adds a step, of all ranks.
    fn add(&mut self, ranks: &[&StepRecord<Bodies>], coupling: Coupling) {
        let most = |value: fn(&StepRecord<Bodies>) -> f64| {
            ranks.iter().map(|it| value(it)).fold(0.0, f64::max)
        };
        self.steps += 1;
        self.step_s += most(|it| it.report.total_s());
        self.joint_gap_m = self.joint_gap_m.max(most(|it| it.report.joint_gap_m));
        let residuals = ranks.iter().map(|it| it.report.residual_m_s);
        let known = residuals.filter(|&it| Join::Most.knows(it)).chain(self.residual_m_s);
        self.residual_m_s = known.reduce(f64::max);
        self.sweeps += ranks.iter().map(|it| it.report.sweeps).max().unwrap_or(0);
        let workers = || ranks.iter().flat_map(|it| &it.part.workers);
        let longest_s = workers().map(|worker| worker.seconds).fold(0.0, f64::max);
        self.longest_s += longest_s;
        self.counts.push(workers().count());
        for ((_, value), [most, mean]) in LOADS.iter().zip(&mut self.loads) {
            *most += workers().map(value).fold(0.0, f64::max);
            *mean += workers().map(value).sum::<f64>() / workers().count().max(1) as f64;
        }
        if let [alone] = ranks {
            let modelled = model::modelled_s(&alone.report, &alone.part.workers, coupling);
            self.modelled_s.iter_mut().zip(modelled).for_each(|(sum, more)| *sum += more);
        }
        for worker in workers() {
            let of_worker = self.workers.entry(worker.worker).or_default();
            of_worker.steps += 1;
            of_worker.longest_s += longest_s;
            add(&mut of_worker.sum, worker);
        }
    }

    /// The mean of a sum over the steps.
    pub fn a_step(&self, sum: f64) -> f64 {
        sum / self.steps.max(1) as f64
    }
}

/// Adds what a worker did in a step.
fn add(sum: &mut WorkerReport, step: &WorkerReport) {
    let WorkerReport {
        worker,
        home,
        active,
        shared,
        contacts,
        joints,
        constraints,
        sweeps,
        seconds,
    } = *step;
    sum.worker = worker;
    sum.home += home;
    sum.active += active;
    sum.shared += shared;
    sum.contacts += contacts;
    sum.joints += joints;
    sum.constraints += constraints;
    sum.sweeps += sweeps;
    sum.seconds += seconds;
}

/// The least value, the quartiles and the largest value, all 0 without values.
pub fn quartiles(values: &[u64]) -> [f64; 5] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| {
        let at = share * sorted.len().saturating_sub(1) as f64;
        let [below, above] = [at.floor(), at.ceil()]
            .map(|at| sorted.get(at as usize).map_or(0.0, |&value| value as f64));
        below + (above - below) * at.fract()
    })
}

/// Reads what the workers of the run in `folder` did. None in a run without workers.
///
/// # Errors
/// A folder that is no run, or a run whose scene cannot be read.
pub fn read(folder: &Path) -> Result<Option<RunOfWorkers>> {
    let head = RunHead::read(folder)?;
    if head.bodies.is_none() {
        return Ok(None);
    }
    let mut run = None;
    for frame in steps_jsonl::read::<BodyFrameRecord>(folder)? {
        let frame = frame?;
        let Some(step) = frame.steps.first() else { continue };
        if step.part.workers.is_empty() {
            return Ok(None);
        }
        if run.is_none() {
            let scene = cloth_scene::load(&folder.join(names::SCENE))?;
            let coupling = scene.parallel.settings().map(|settings| settings.coupling);
            run = Some(RunOfWorkers::new(&head, coupling.unwrap_or_default()));
        }
        run.iter_mut().for_each(|run| run.add(&frame));
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_few_values() {
        assert_eq!(quartiles(&[]), [0.0; 5]);
        assert_eq!(quartiles(&[7]), [7.0; 5]);
        assert_eq!(quartiles(&[4, 1, 2, 3]), [1.0, 1.75, 2.5, 3.25, 4.0]);
    }
}
