//! The order of a rank's bodies in memory.
//!
//! Bodies that are near each other in space should be near each other in memory. The order changes
//! no result.

use crate::simulation::RigidSimulation;

/// Number of rebuilds of the broad phase from one sorting to the next. Between two rebuilds a body
/// moves by a small part of its radius.
const REBUILDS: u64 = 32;

impl RigidSimulation<'_> {
    /// Sorts own bodies by the cells of the broad phase, once in [`REBUILDS`] rebuilds. Places
    /// change, so no place may be in use.
    pub(super) fn sort_in_space(&mut self) {
        let rebuilds = self.detector.broad.rebuilds();
        if rebuilds < self.next_sort {
            return;
        }
        self.next_sort = rebuilds + REBUILDS;
        let own = self.state.population.own_count() as u32;
        // The order lacks own bodies that came after the last rebuild. It is then used another
        // time.
        let order: Vec<u32> =
            self.detector.broad.spatial_order().filter(|&entry| entry < own).collect();
        if order.len() as u32 == own {
            self.synchroniser.reorder(&mut self.state.population, &order);
            self.detector.broad.forget();
        }
    }
}
