//! Settings of the workers.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::engine::EngineKind;
use cloth_core::error::{Error, Result};

/// The largest number of workers: a set of workers is the bits of a word.
pub const MOST_WORKERS: u32 = 64;

/// The largest growth. Sets that grow further hold all bodies of most scenes.
const MOST_GROWTH: u32 = 1000;

/// Settings of the workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerSettings {
    /// How many there are.
    pub count: WorkerCount,
    /// How far the active bodies of a worker reach beyond those that touch its home, in edges of
    /// the constraint graph.
    pub growth: u32,
    /// How their sets are found.
    pub sets: SetRule,
    /// How workers agree on shared bodies.
    pub coupling: Coupling,
    /// Pairs of sweeps that a worker makes alone in a round, with [`Coupling::Impulses`]. With 0,
    /// and in scenes without joints, a round is a sweep of the domain run.
    pub local_sweeps: u32,
    /// Whether homes move by counted work. Those of [`SetRule::Published`] stay.
    pub homes_move: bool,
    /// Whether each step is compared with that of one worker that has everything.
    pub audit: bool,
    /// The engine of each worker, or one for all. Without any it is [`EngineKind::Own`].
    pub engines: Vec<EngineKind>,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            count: WorkerCount::Fixed(1),
            growth: 2,
            sets: SetRule::default(),
            coupling: Coupling::default(),
            local_sweeps: 2,
            homes_move: true,
            audit: false,
            engines: Vec::new(),
        }
    }
}

/// How many workers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "`count` is a whole number of workers from 1 to 64, or `Auto(1500)`: the work of \
                 each, a whole number from 1 to 4294967295"
)]
pub enum WorkerCount {
    /// This many, 1 to [`MOST_WORKERS`].
    Fixed(u32),
    /// As many as their work asks for.
    ByWork(WorkOfWorker),
}

/// The work that a worker should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkOfWorker {
    /// The number of its active bodies and of their constraints.
    Auto(u32),
}

impl WorkerCount {
    /// The work that a worker should have, if the number of workers changes.
    pub fn target(self) -> Option<f64> {
        match self {
            Self::Fixed(_) => None,
            Self::ByWork(WorkOfWorker::Auto(target)) => Some(f64::from(target)),
        }
    }

    /// The number of workers at the start, for this many `bodies` and `joints`.
    pub fn at_start(self, bodies: usize, joints: usize) -> u32 {
        match self {
            Self::Fixed(count) => count,
            Self::ByWork(WorkOfWorker::Auto(target)) => {
                let wanted = ((bodies + joints) as f64 / f64::from(target)).round() as u32;
                wanted.min(bodies as u32).clamp(1, MOST_WORKERS)
            }
        }
    }
}

/// The workers of rank `rank` of `ranks`, of `count` workers: rank `w R / W` has worker `w`.
pub fn workers_of(rank: usize, ranks: usize, count: usize) -> Range<usize> {
    let first = |rank: usize| (rank * count).div_ceil(ranks);
    first(rank)..first(rank + 1)
}

/// How the active bodies of workers are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SetRule {
    /// By distance from the home bodies, anew in each step.
    #[default]
    Definition,
    /// By the procedures of the paper, from those of the step before.
    Published,
}

/// How workers agree on the bodies that they share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coupling {
    /// Each worker advances its bodies alone; then states are blended (algorithm 4).
    #[default]
    States,
    /// Workers agree on impulses in rounds.
    Impulses,
}

/// The homes at the start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Division {
    /// `Metis` with joints, else `Power`.
    #[default]
    Auto,
    /// Parts of equal size that cut few joints.
    Metis,
    /// Power cells with equal numbers of bodies.
    Power,
    /// Parts of equal size with consecutive ids, as in the paper.
    Equal,
    /// The bodies with these names for each worker. All free bodies must be named.
    Groups(Vec<Vec<String>>),
}

impl WorkerSettings {
    /// Fails if a setting is out of its bounds. `at` names the settings, and `bodies` is the number
    /// of free bodies.
    ///
    /// # Errors
    /// The first setting that is out of bounds.
    pub fn check(&self, at: &str, bodies: u64) -> Result<()> {
        let Self { count, growth, .. } = *self;
        let fails = |field: &str, cause: String, remedy: &str| {
            Err(Error::input(format!("{at}.{field}"), cause, remedy))
        };
        let least = match count {
            WorkerCount::Fixed(count) => count,
            WorkerCount::ByWork(WorkOfWorker::Auto(0)) => {
                let remedy = "write a number from 1; some hundreds to some thousands are usual";
                return fails("count", "a worker should have a work of 0".into(), remedy);
            }
            WorkerCount::ByWork(_) => 1,
        };
        if !(1..=MOST_WORKERS).contains(&least) {
            let cause = format!("{least} workers");
            return fails("count", cause, &format!("write a number from 1 to {MOST_WORKERS}"));
        }
        if u64::from(least) > bodies {
            let cause = format!("{least} workers, but the scene has {bodies} free bodies");
            return fails("count", cause, "give each worker at least one body");
        }
        if growth > MOST_GROWTH {
            let cause = format!("sets would grow by {growth} edges");
            return fails(
                "growth",
                cause,
                &format!("write a number up to {MOST_GROWTH}; 0 to 6 are usual"),
            );
        }
        if self.sets == SetRule::Published && self.coupling == Coupling::Impulses {
            let cause = "`Impulses` needs each constraint in the sets of both homes, and \
                         `Published` has it in one of them";
            let remedy = "use `coupling: States`, or `sets: Definition`";
            return fails("sets", cause.into(), remedy);
        }
        if count.target().is_some() && self.sets == SetRule::Published {
            let cause = "with `count: Auto` homes change, and `Published` keeps them";
            return fails("sets", cause.into(), "use `sets: Definition`, or a number of workers");
        }
        self.check_engines(at)
    }

    /// True if homes move.
    pub fn moves_homes(&self) -> bool {
        let may_move = self.homes_move && self.sets == SetRule::Definition;
        may_move && self.count != WorkerCount::Fixed(1)
    }

    /// The engine of a worker.
    pub fn engine_of(&self, worker: usize) -> EngineKind {
        let given = self.engines.get(worker).or(self.engines.first());
        given.copied().unwrap_or_default()
    }

    /// True if some worker has the engine `Rapier`.
    pub fn has_rapier(&self) -> bool {
        self.engines.contains(&EngineKind::Rapier)
    }

    /// Fails if the engines do not fit to the workers or to this program. `at` names the settings.
    fn check_engines(&self, at: &str) -> Result<()> {
        let given = self.engines.len();
        let fails =
            |cause: &str, remedy: &str| Err(Error::input(format!("{at}.engines"), cause, remedy));
        match self.count {
            WorkerCount::Fixed(count) if given > 1 && given != count as usize => {
                let cause = format!("{given} engines for {count} workers");
                return fails(&cause, "write one for each worker, or one for all");
            }
            WorkerCount::ByWork(_) if given > 1 || self.has_rapier() => {
                let cause = "with `count: Auto` workers come and go, and change their ranks";
                return fails(cause, "write `engines: [Own]`, or a number of workers");
            }
            _ => {}
        }
        if self.has_rapier() && self.coupling == Coupling::Impulses {
            let cause = "`Rapier` gives states alone, and no impulses to agree on";
            return fails(cause, "use `coupling: States`, or `engines: [Own]`");
        }
        if self.has_rapier() && !cfg!(feature = "rapier") {
            let cause = "this program is built without the feature `rapier`";
            let remedy = "build it with `cargo build --release --features rapier`, or write \
                          `engines: [Own]`";
            return fails(cause, remedy);
        }
        Ok(())
    }
}
