//! The trait of all engines, which compute a run step by step. It does not depend on what is
//! simulated.
//!
//! A program that holds any engine can step it, save it and restore it. The engine of cloth is
//! [`Simulation`], the engine of rigid bodies is [`RigidSimulation`].

mod frame;

use crate::contact::candidates::SearchObserver;
use crate::error::Result;
use crate::report::Report;
use crate::rigid::{RigidReport, RigidSimulation};
use crate::step::{Simulation, StepReport};

pub use frame::{Field, FieldKind, Frame};

/// What the engine of cloth simulates, as files name it.
pub const CLOTH: &str = "cloth";
/// What the engine of rigid bodies simulates, as files name it.
pub const BODIES: &str = "bodies";

/// Computes a run, step by step, on one rank. All functions but the first three are collective.
pub trait Engine {
    /// What one rank did in a step.
    type Report: Report;

    /// What it simulates, as files name it.
    fn kind(&self) -> &'static str;

    /// Whole steps since the start.
    fn steps(&self) -> u64;

    /// Time since the start, s.
    fn time_s(&self) -> f64;

    /// What it shows now, on rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// When another rank has failed.
    fn frame(&self) -> Result<Frame>;

    /// Advances by one whole step. The `observer` sees its searches, if the engine shares them among
    /// its processors; the results do not depend on it. Without an observer give `&mut ()`.
    ///
    /// # Errors
    /// When the step fails, or another rank has failed. The errors of the observer.
    fn step(&mut self, observer: &mut dyn SearchObserver) -> Result<Self::Report>;

    /// The whole state of all ranks between two steps, as bytes on rank 0; none elsewhere. Except
    /// for the owners, the bytes do not depend on the number of ranks.
    ///
    /// # Errors
    /// When another rank has failed.
    fn save(&self) -> Result<Vec<u8>>;

    /// Goes on from the state that [`Engine::save`] returned for the same scene, on any number of
    /// ranks. All ranks get the same bytes. Further steps have the same bits as those after the
    /// save.
    ///
    /// # Errors
    /// When the bytes are damaged or belong to another scene; then nothing changes. When another
    /// rank has failed.
    fn restore(&mut self, saved: &[u8]) -> Result<()>;

    /// The hash of the state between two steps. It is the same for any number of ranks. Engines of
    /// one scene with equal hashes go on alike.
    ///
    /// # Errors
    /// When another rank has failed.
    fn hash(&self) -> Result<u64>;
}

/// Makes engines of types whose own functions have the names and meanings of [`Engine`].
macro_rules! engines {
    ($($engine:ident: $kind:expr, $report:ident, $step:expr, $frame:path;)+) => {$(
        impl Engine for $engine<'_> {
            type Report = $report;

            fn kind(&self) -> &'static str {
                $kind
            }

            fn steps(&self) -> u64 {
                self.steps()
            }

            fn time_s(&self) -> f64 {
                self.time_s()
            }

            fn frame(&self) -> Result<Frame> {
                $frame(self)
            }

            fn step(&mut self, observer: &mut dyn SearchObserver) -> Result<$report> {
                let step: fn(&mut Self, &mut dyn SearchObserver) -> Result<$report> = $step;
                step(self, observer)
            }

            fn save(&self) -> Result<Vec<u8>> {
                self.save()
            }

            fn restore(&mut self, saved: &[u8]) -> Result<()> {
                self.restore(saved)
            }

            fn hash(&self) -> Result<u64> {
                self.hash()
            }
        }
    )+};
}

engines! {
    Simulation: CLOTH, StepReport, |it, observer| it.step_observed(observer), frame::of_cloth;
    RigidSimulation: BODIES, RigidReport, |it, _| it.step(), frame::of_bodies;
}
