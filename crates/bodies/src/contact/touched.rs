//! Which surfaces of bodies meet in an impact: those that did not touch in the last step.

use crate::contact::friction::Friction;
use crate::contact::memory::ContactMemory;
use cloth_collision::collision::Pair;
use cloth_core::{Result, World, message};

/// The surfaces that touched in the last step.
#[derive(Debug, Clone)]
pub struct Touched<'a> {
    /// Pairs of their numbers, rising.
    pairs: Vec<[u32; 2]>,
    friction: &'a Friction,
}

impl<'a> Touched<'a> {
    /// Those of the contacts of bodies in the `memories` of all ranks. A rank has no memories of
    /// contacts that push none of its nodes. The surfaces are those of `friction`. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn new(
        world: &dyn World,
        memories: &[ContactMemory],
        friction: &'a Friction,
    ) -> Result<Self> {
        let of_bodies = memories.iter().filter(|memory| !friction.has_cloth(&memory.pair));
        let here = sorted(of_bodies.map(|memory| surfaces(&memory.pair, friction)).collect());
        Ok(Self { pairs: sorted(message::all_gather_v(world, &here)?), friction })
    }

    /// The share of its speed that an impact of `pair` gives back. `None` if it is no impact of
    /// bodies, because cloth takes part or its surfaces touched.
    pub fn restitution(&self, pair: &Pair) -> Option<f64> {
        let share = self.friction.restitution(pair)?;
        let touched = self.pairs.binary_search(&surfaces(pair, self.friction)).is_ok();
        (!touched).then_some(share)
    }
}

/// The surfaces of `pair`, rising.
fn surfaces(pair: &Pair, friction: &Friction) -> [u32; 2] {
    let [a, b] = friction.surfaces(pair).map(|surface| surface as u32);
    [a.min(b), a.max(b)]
}

fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
