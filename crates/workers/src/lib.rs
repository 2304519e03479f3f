//! Rigid bodies on several workers with overlapping sets (Kale & Kry 2024, *Distributed simulation
//! of large multi-body systems*).
//!
//! A *worker* answers the constraints of its *active* bodies, and of no others. Each body has a
//! *home*: the one worker that answers for it. A worker's active bodies are those of its home and
//! those near them in the *constraint graph*, whose edges are contacts and joints. A body that
//! several workers have active is *shared*; the workers must agree on it.
//!
//! | module | |
//! |---|---|
//! | [`simulation`] | one rank's [`WorkerSimulation`] |
//! | [`settings`] | [`WorkerSettings`] |
//! | [`homes`] | the homes at the start; how they move |
//! | `resize` | how many workers there are |
//! | [`published`] | active bodies by the procedures of the paper |
//! | [`sets`] | active bodies |
//! | [`engine`] | what advances the bodies of a worker |
//! | `rapier` | the engine `Rapier` |
//! | [`weights`] | the coupling of the paper: states are blended, with weights |
//! | `impulses` | the coupling in which workers agree on impulses |
//! | `audit` | the error of a step |
//! | [`report`] | what a worker did in a step |
//!
//! # The same frames on any number of ranks
//!
//! Frames depend on the scene and the number of workers, not on ranks, threads and transport. All
//! ranks have the states of all bodies, and decide alike on homes, sets, weights and, if the scene
//! leaves it open, the number of workers. They share the search for contacts. A worker is a
//! function of its active bodies; rank `w R / W` of `R` ranks has worker `w` of `W`.

mod audit;
pub mod engine;
pub mod homes;
mod impulses;
pub mod published;
#[cfg(feature = "rapier")]
mod rapier;
pub mod report;
mod resize;
mod saved;
pub mod sets;
pub mod settings;
pub mod simulation;
mod step;
#[cfg(test)]
mod tests;
pub mod weights;
mod worker;

pub use self::engine::EngineKind;
pub use self::saved::bodies_of;
pub use self::settings::{Coupling, Division, SetRule, WorkerCount, WorkerSettings};
pub use self::simulation::WorkerSimulation;
