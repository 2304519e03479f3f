//! Settings of the task pool and of stealing. Runs have the defaults; a replay tries others.

use serde::{Deserialize, Serialize};

/// How tests are shared among ranks and threads (`docs/methods.md`, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Collision", default, deny_unknown_fields)]
pub struct StealingSettings {
    /// Whether large tasks are cut into smaller ones.
    pub decomposition: bool,
    /// Whether a processor with nothing to do takes tasks from others.
    pub stealing: bool,
    /// A processor's stack is cut when it has more tests than `a` times the number of tasks in its
    /// part of the pool, plus `b`.
    pub a: u32,
    /// The size of a stack that is never cut, tests; see `a`.
    pub b: u32,
    /// Longest work between two looks at the messages of other ranks, us.
    pub polling_interval_us: f64,
    /// The order in which other ranks are asked for tasks.
    pub victim_order: VictimOrder,
    /// How many tasks another rank is handed.
    pub share: Share,
}

impl Default for StealingSettings {
    fn default() -> Self {
        Self {
            decomposition: true,
            stealing: true,
            a: 2,
            b: 8,
            polling_interval_us: 10.0,
            victim_order: VictimOrder::RoundRobin,
            share: Share::One,
        }
    }
}

/// The order in which other ranks are asked for tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VictimOrder {
    /// By rising rank, over and over.
    #[default]
    RoundRobin,
    /// At random, from this seed and the asking rank.
    Random(u64),
}

/// How many tasks another rank is handed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Share {
    /// One.
    #[default]
    One,
    /// Half of the waiting tasks, rounded up.
    Half,
}
