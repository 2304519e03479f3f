//! The trait of all engines of rigid bodies.

use crate::engine::Engine;
use crate::error::Result;
use crate::rigid::balance::Balancer;
use crate::rigid::overlap::Overlap;
use crate::rigid::{RigidReport, RigidSimulation};
use crate::workers::WorkerSimulation;

/// An engine of rigid bodies.
pub trait BodyEngine: Engine<Report = RigidReport> {
    /// The simulation that has the bodies: itself, or the one of the workers.
    fn bodies(&self) -> &RigidSimulation<'_>;

    /// Its workers, if it has any.
    fn workers(&self) -> Option<&WorkerSimulation<'_>>;

    /// The deepest overlap at the start. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    fn deepest_overlap_now(&mut self) -> Result<Option<Overlap>>;

    /// See [`RigidSimulation::rebalance`]. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    fn rebalance(&mut self, balancer: &mut Balancer, work_s: f64) -> Result<bool>;
}

impl BodyEngine for RigidSimulation<'_> {
    fn bodies(&self) -> &RigidSimulation<'_> {
        self
    }

    fn workers(&self) -> Option<&WorkerSimulation<'_>> {
        None
    }

    fn deepest_overlap_now(&mut self) -> Result<Option<Overlap>> {
        self.deepest_overlap_now()
    }

    fn rebalance(&mut self, balancer: &mut Balancer, work_s: f64) -> Result<bool> {
        self.rebalance(balancer, work_s)
    }
}

impl BodyEngine for WorkerSimulation<'_> {
    fn bodies(&self) -> &RigidSimulation<'_> {
        self.whole()
    }

    fn workers(&self) -> Option<&WorkerSimulation<'_>> {
        Some(self)
    }

    fn deepest_overlap_now(&mut self) -> Result<Option<Overlap>> {
        self.whole_mut().deepest_overlap_now()
    }

    fn rebalance(&mut self, _: &mut Balancer, _: f64) -> Result<bool> {
        Ok(false)
    }
}
