//! The trait of all engines, which compute a run step by step. It does not depend on what is
//! simulated.
//!
//! A program that holds any engine can step it, save it and restore it. The engine of cloth is
//! [`Simulation`], the engine of rigid bodies is [`RigidSimulation`].

use crate::error::Result;
use crate::rigid::{RigidReport, RigidSimulation};
use crate::step::{Simulation, StepReport};

/// Computes a run, step by step, on one rank. All functions but the first three are collective.
pub trait Engine {
    /// What one rank did in a step.
    type Report;

    /// What it simulates, as files name it.
    fn kind(&self) -> &'static str;

    /// Whole steps since the start.
    fn steps(&self) -> u64;

    /// Time since the start, s.
    fn time_s(&self) -> f64;

    /// Advances by one whole step.
    ///
    /// # Errors
    /// When the step fails, or another rank has failed.
    fn step(&mut self) -> Result<Self::Report>;

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
    ($($engine:ident: $kind:literal, $report:ident;)+) => {$(
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

            fn step(&mut self) -> Result<$report> {
                self.step()
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
    Simulation: "cloth", StepReport;
    RigidSimulation: "bodies", RigidReport;
}
