//! Executes tests on refitted hierarchies, down to candidates.

use crate::collision::dop::Dop18;
use crate::collision::elementary::{FaceSide, elementary_pairs};
use crate::collision::pair::Pair;
use crate::collision::sweep::Sweep;
use crate::collision::test::{Test, TestCounters, TestTrees};
use crate::ids::FaceId;

/// Everything that a test is executed on.
pub struct Traversal<'a> {
    /// The refitted hierarchies.
    pub trees: TestTrees<'a>,
    /// The motion that they were refitted to.
    pub sweep: &'a Sweep<'a>,
    /// Bounds of all vertices.
    pub vertices: &'a [Dop18],
}

impl Traversal<'_> {
    /// Executes the next branches of the `stack` as [`TestTrees::traverse_branches`] does, and
    /// adds the elementary pairs that come near to `candidates`.
    #[inline]
    pub fn run(
        &self,
        stack: &mut Vec<Test>,
        counters: &mut TestCounters,
        candidates: &mut Vec<Pair>,
    ) {
        let mut faces = |test: &Test, face1, face2| {
            let [first, second] = self.sides(test, [face1, face2]);
            elementary_pairs(&first, &second, self.sweep, self.vertices, candidates);
        };
        self.trees.traverse_branches(stack, counters, &mut faces);
    }

    /// The sides of the pair of faces that a test ends at.
    #[inline]
    pub fn sides(&self, test: &Test, faces: [FaceId; 2]) -> [FaceSide<'_>; 2] {
        let side = |object: u32, node, face| {
            let surface = &self.trees.surfaces[object as usize];
            FaceSide::of(surface, face, self.trees.bounds(object, node))
        };
        [side(test.obj1, test.dop1, faces[0]), side(test.obj2, test.dop2, faces[1])]
    }
}
