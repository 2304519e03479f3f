//! The contacts of each cloth vertex.

use crate::simulation::Simulation;
use cloth_core::error::Result;
use cloth_core::ranks::message;

impl Simulation<'_> {
    /// Number of active contacts of each cloth vertex in the last step, on rank 0. Other ranks get
    /// an empty list. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn contact_counts(&self) -> Result<Vec<u32>> {
        let mut counts = vec![0_u32; self.model.numbering.cloth()];
        for vertex in self.state.contacts.iter().flat_map(|contact| contact.pair.vertices) {
            if let Some(count) = counts.get_mut(vertex as usize) {
                *count += 1;
            }
        }
        // A rank has all contacts of its own vertices, and only some of those of others.
        let known = |&vertex: &u32| Some([vertex, *counts.get(vertex as usize)?]);
        let own = Vec::from_iter(self.rank.layout.own.iter().filter_map(known));
        let all = message::gather_v(&*self.rank.world, 0, &own)?;
        if self.rank() != 0 {
            return Ok(Vec::new());
        }
        let mut counts = vec![0; counts.len()];
        all.into_iter().for_each(|[vertex, count]| counts[vertex as usize] = count);
        Ok(counts)
    }
}
