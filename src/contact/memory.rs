//! What contacts remember from one step to the next.

use bytemuck::{Pod, Zeroable};

use crate::collision::Pair;
use crate::ids::NodeId;

/// What a contact remembers from the last step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactMemory {
    /// The elementary pair.
    pub pair: Pair,
    /// The lowest node that the contact pushes. The rank that owns this node counts the contact
    /// in the hash of the state.
    pub owner: NodeId,
    /// Stretch of its friction spring: tangential slip since its anchor, m.
    pub stretch: [f64; 3],
    /// Normal force of the last solve, N.
    pub normal_force: f64,
}

/// What `pair` remembers, if it was an active contact in the last step. `memories` are by rising
/// pair.
pub fn memory_of<'a>(memories: &'a [ContactMemory], pair: &Pair) -> Option<&'a ContactMemory> {
    let place = memories.binary_search_by(|memory| memory.pair.cmp(pair)).ok()?;
    memories.get(place)
}
