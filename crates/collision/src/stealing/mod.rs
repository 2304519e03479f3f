//! Shares tests of any kind among all processors of all ranks.
//!
//! A test unfolds into further tests, and nobody knows how many before they are executed. So
//! processors that run out of tests take some from others: work stealing after Thomaszewski &
//! Blochinger (2007), section 4.2. `docs/methods.md`, section 9, describes the whole protocol: how
//! threads of one rank take tasks from each other, how ranks ask each other, and how a search ends.
//!
//! | module | answers |
//! |---|---|
//! | [`workload`] | what is shared: a test, what one processor makes of it |
//! | [`policy`] | when is a stack cut, and which tasks does another rank get? |
//! | [`scheduler`] | whom does a rank ask for tasks, and when is a search over? |
//! | `pool`, `processor`, `link` | the tasks of a rank, a thread that executes them, messages |
//! | [`message`] | the bytes of a message |
//! | [`processors`] | all of it together: one search on one rank |
//! | [`usage`] | what did each processor do, and when? |
//!
//! Nothing here knows what a test is about. A caller implements [`Workload`].

mod link;
pub mod message;
pub mod policy;
mod pool;
mod processor;
pub mod processors;
pub mod scheduler;
pub mod settings;
#[cfg(test)]
mod synthetic;
pub mod usage;
pub mod workload;

pub use processor::RUNS_PER_LOOK;
pub use processors::{Processors, RankThreads, TopLevel};
pub use settings::{Share, StealingSettings, VictimOrder};
pub use usage::{Origin, ProcessorUse, SearchSpan, TaskSpan, Theft};
pub use workload::{Results, Task, Workload};
