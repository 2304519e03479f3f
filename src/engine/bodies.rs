//! The trait of all engines of rigid bodies.

use crate::engine::Engine;
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_rigid::balance::Balancer;
use cloth_rigid::simulation::overlap::Overlap;
use cloth_rigid::{BodyId, RigidReport, RigidSimulation};
use cloth_workers::WorkerSimulation;

/// An engine of rigid bodies.
pub trait BodyEngine: Engine<Report = RigidReport> {
    /// The simulation that has the bodies: itself, or the one of the workers.
    fn bodies(&self) -> &RigidSimulation<'_>;

    /// Its workers, if it has any.
    fn workers(&self) -> Option<&WorkerSimulation<'_>>;

    /// Adds a force (N, through the centre of mass) and a torque (N m) on a free body for the next
    /// step. All ranks call it. A body that is not there gets none.
    fn push(&mut self, id: BodyId, force: Vec3, torque: Vec3);

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

    fn push(&mut self, id: BodyId, force: Vec3, torque: Vec3) {
        // Its owner alone adds the force.
        let place = self.population().place(id);
        if place.is_some_and(|place| place < self.population().own_count()) {
            self.push(id, force, torque);
        }
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

    fn push(&mut self, id: BodyId, force: Vec3, torque: Vec3) {
        // All ranks have all bodies.
        self.whole_mut().push(id, force, torque);
    }

    fn deepest_overlap_now(&mut self) -> Result<Option<Overlap>> {
        self.whole_mut().deepest_overlap_now()
    }

    fn rebalance(&mut self, _: &mut Balancer, _: f64) -> Result<bool> {
        Ok(false)
    }
}
