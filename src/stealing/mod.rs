//! The test part of the collision phase on all processors of all ranks, and on modelled
//! ones (Thomaszewski & Blochinger 2007, section 4.2; methods 9).
//!
//! [`processors`] runs it. A processor executes tasks and cuts its own into smaller ones; the
//! pool holds those of a rank; [`scheduler`] says whom to ask for tasks, and when a search is
//! over, which `link` carries out over the ranks. [`usage`] and [`trace`] tell what each
//! processor did, and [`replay`] what others would have done.

mod link;
mod pool;
mod processor;
pub mod processors;
pub mod replay;
pub mod scheduler;
pub mod settings;
pub mod trace;
pub mod usage;

pub(crate) use processor::Search;
pub use processors::Processors;
pub use settings::{Settings, Share, VictimOrder};
pub use trace::{Origin, SearchSpan, TaskSpan};
pub use usage::{ProcessorUse, Theft};
