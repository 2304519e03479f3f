//! The memories of contacts from one step to the next.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use crate::contact::stiffness::Load;
use cloth_collision::collision::Pair;
use cloth_core::{NodeId, Vec3};

/// The memory of a contact from the last step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct ContactMemory {
    /// The elementary pair.
    pub pair: Pair,
    /// The lowest node that the contact pushes. The rank that owns this node counts the contact
    /// in the hash of the state.
    pub owner: NodeId,
    /// Force of its friction spring, N. It is a force, not a stretch, so that a sticking contact
    /// carries the same force when its stiffness changes.
    pub friction_force: [f64; 3],
    /// Normal force of the last solve, N. Negative if the spring pulled.
    pub normal_force: f64,
    /// The normal force that it had in each of the last two steps, at least, N.
    pub lasting_force: f64,
    /// Its stiffness, N/m.
    pub stiffness: f64,
    /// Its least stiffness then, N/m.
    pub least_stiffness: f64,
}

impl ContactMemory {
    /// That of a contact of this `stiffness` (N/m) that carries nothing.
    pub fn without_load(pair: Pair, owner: NodeId, stiffness: f64) -> Self {
        let (normal_force, lasting_force, friction_force) = (0.0, 0.0, [0.0; 3]);
        let least_stiffness = stiffness;
        Self {
            pair,
            owner,
            friction_force,
            normal_force,
            lasting_force,
            stiffness,
            least_stiffness,
        }
    }

    /// The force (N) on its first side that lasted, if the contact has the `normal` now. Friction
    /// is a part of it in the same proportion as the normal force.
    pub fn lasting(&self, normal: Vec3) -> Vec3 {
        if self.lasting_force <= 0.0 {
            return Vec3::zeros();
        }
        let friction = Vec3::from(self.friction_force);
        let friction = friction - normal * normal.dot(&friction);
        normal * self.lasting_force - friction * (self.lasting_force / self.normal_force)
    }

    /// The load that it carried.
    pub fn load(&self) -> Load {
        let Self { normal_force, stiffness, least_stiffness, .. } = *self;
        Load { force: normal_force.max(0.0), stiffness, least: least_stiffness }
    }
}

/// The memory of `pair`, if it was an active contact in the last step. `memories` are by rising
/// pair.
pub fn memory_of<'a>(memories: &'a [ContactMemory], pair: &Pair) -> Option<&'a ContactMemory> {
    let place = memories.binary_search_by(|memory| memory.pair.cmp(pair)).ok()?;
    memories.get(place)
}
