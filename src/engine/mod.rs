//! The trait of all engines. An engine computes a run step by step. The trait does not depend on
//! what is simulated.
//!
//! A program can step, save and restore any engine through this trait. The engine of cloth is
//! [`Simulation`], the engine of rigid bodies is [`RigidSimulation`].

mod bodies;
mod frame;

use cloth_collision::candidates::SearchObserver;
use cloth_core::error::Result;
use cloth_core::report::Report;
use cloth_rigid::{RigidReport, RigidSimulation};
use cloth_step::{Simulation, StepReport};
use cloth_workers::WorkerSimulation;

pub use bodies::BodyEngine;
pub use frame::{Field, FieldKind, Frame};

/// The kind of the engine of cloth, as files name it.
pub const CLOTH: &str = "cloth";
/// The kind of the engine of rigid bodies, as files name it.
pub const BODIES: &str = "bodies";

/// One rank's part of a run that is computed step by step. All functions except [`Self::kind`],
/// [`Self::steps`] and [`Self::time_s`] are collective.
pub trait Engine {
    /// What one rank did in a step.
    type Report: Report;

    /// The kind of the engine, as files name it.
    fn kind(&self) -> &'static str;

    /// Number of whole steps since the start.
    fn steps(&self) -> u64;

    /// Time since the start, s.
    fn time_s(&self) -> f64;

    /// The frame of the present time on rank 0. Other ranks get no surfaces, bodies and fields.
    ///
    /// # Errors
    /// When another rank has failed.
    fn frame(&self) -> Result<Frame>;

    /// Advances by one whole step. If the engine shares searches among its processors, the
    /// `observer` sees them; results do not depend on it. Pass `&mut ()` for no observer.
    ///
    /// # Errors
    /// When the step, the observer or another rank fails.
    fn step(&mut self, observer: &mut dyn SearchObserver) -> Result<Self::Report>;

    /// The state of all ranks between two steps, as bytes on rank 0. Other ranks get no bytes. Only
    /// the stored owners depend on the number of ranks.
    ///
    /// # Errors
    /// When another rank has failed.
    fn save(&self) -> Result<Vec<u8>>;

    /// Replaces the state by one that [`Engine::save`] returned for the same scene, on any number
    /// of ranks. All ranks pass the same bytes. Further steps have the same bits as after the save.
    ///
    /// # Errors
    /// When the bytes are damaged or belong to another scene; then nothing changes. When another
    /// rank has failed.
    fn restore(&mut self, saved: &[u8]) -> Result<()>;

    /// The hash of the state between two steps. It does not depend on the number of ranks. If two
    /// engines of one scene have equal hashes, their further steps are equal.
    ///
    /// # Errors
    /// When another rank has failed.
    fn hash(&self) -> Result<u64>;
}

/// Implements [`Engine`] for types whose own functions have the same names and meanings.
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
    WorkerSimulation: BODIES, RigidReport, |it, _| it.step(), frame::of_workers;
}
