//! Executes tests on refitted hierarchies, down to candidates.

use crate::collision::dop::Dop18;
use crate::collision::elementary::{LeafSide, NearPrimitives};
use crate::collision::leaves::LeafId;
use crate::collision::pair::Pair;
use crate::collision::screen::{Pace, screen};
use crate::collision::sweep::Sweep;
use crate::collision::test::{Test, TestCounters, TestTrees};

/// Everything that a test is executed on.
pub struct Traversal<'a> {
    /// The refitted hierarchies.
    pub trees: TestTrees<'a>,
    /// The motion that they were refitted to.
    pub sweep: &'a Sweep<'a>,
    /// How the vertices move along it.
    pub pace: Pace,
    /// Bounds of all vertices.
    pub vertices: &'a [Dop18],
    /// By vertex, after a partial refit: whether its pairs are sought. Else all pairs are.
    pub sought: Option<&'a [bool]>,
}

/// What one thread finds.
#[derive(Default)]
pub struct Found {
    /// Pairs that come near.
    pub candidates: Vec<Pair>,
    near: NearPrimitives,
    /// Pairs whose bounds overlap.
    overlapping: Vec<Pair>,
}

impl Traversal<'_> {
    /// Executes the next branches of the `stack` as [`TestTrees::traverse_branches`] does, and
    /// adds the elementary pairs that come near to those that are `found`.
    #[inline]
    pub fn run(&self, stack: &mut Vec<Test>, counters: &mut TestCounters, found: &mut Found) {
        let Found { candidates, near, overlapping } = found;
        let mut leaves = |test: &Test, leaf1, leaf2| {
            self.overlapping_pairs(test, [leaf1, leaf2], near, |pair| overlapping.push(pair));
        };
        self.trees.traverse_branches(stack, counters, &mut leaves);
        screen(overlapping, self.sweep, self.pace, |pair| candidates.push(pair));
        overlapping.clear();
    }

    /// Calls `add` with each elementary pair that is sought at the `leaves` that a test ends at, if
    /// its bounds overlap.
    #[inline]
    pub fn overlapping_pairs(
        &self,
        test: &Test,
        leaves: [LeafId; 2],
        near: &mut NearPrimitives,
        mut add: impl FnMut(Pair),
    ) {
        let side = |object: u32, node, leaf| {
            let leaves = &self.trees.surfaces[object as usize].leaves;
            LeafSide::new(leaves, leaf, self.trees.bounds(object, node))
        };
        let first = side(test.obj1, test.dop1, leaves[0]);
        let second = side(test.obj2, test.dop2, leaves[1]);
        near.overlapping_pairs(&first, &second, self.vertices, |pair| {
            if self.sought.is_none_or(|sought| pair.has_any(sought)) {
                add(pair);
            }
        });
    }
}
