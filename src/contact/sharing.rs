//! How many contacts share the mass of a body.
//!
//! A contact stops what it touches within a step, so its stiffness follows the effective mass
//! ([`super::law`]). A plate has hundreds of contacts. If each of them had the stiffness that stops
//! all of the plate, they would throw it about together: five plates of 480 triangles crept at
//! 85 mm/s. So each of `n` contacts gets the `n`th part of the body.
//!
//! Source: ours.

use crate::error::Result;
use crate::ranks::World;

/// The numbers of contacts of each body of few nodes. The same on every rank.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sharing {
    /// For each body the active contacts of the last step, then all contacts of this one.
    counts: Vec<i64>,
}

impl Sharing {
    /// No contacts of `bodies` bodies yet.
    pub fn new(bodies: usize) -> Self {
        Self { counts: vec![0; 2 * bodies] }
    }

    /// Counts a contact of this rank that touches `body`: an active one of the last step, or one
    /// of this step.
    pub fn count(&mut self, body: usize, is_of_last: bool) {
        self.counts[2 * body + usize::from(!is_of_last)] += 1;
    }

    /// Adds the counts of all ranks. Collective, if there are bodies.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn add_ranks(&mut self, world: &dyn World) -> Result<()> {
        if self.counts.is_empty() { Ok(()) } else { world.all_reduce_sum(&mut self.counts) }
    }

    /// Whether some contact of this step touches `body`.
    pub fn has_contacts(&self, body: usize) -> bool {
        self.counts.get(2 * body + 1).is_some_and(|&count| count > 0)
    }

    /// The number of contacts that share the mass of `body` with a contact. Contacts that acted
    /// before share it with those of the last step, new ones with all of this step.
    pub fn sharers(&self, body: usize, has_acted: bool) -> f64 {
        let count = self.counts.get(2 * body + usize::from(!has_acted));
        count.map_or(1.0, |&count| count.max(1) as f64)
    }
}
