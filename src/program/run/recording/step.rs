//! Records a step during a run. Each rank adds its part to a [`RecordedStep`].
//!
//! Test trees are recorded without their geometry: the kind of each test, and the tests that it led
//! to.
//!
//! A test is one number, its *kind*. A tree is the kinds of its tests in preorder. A task is a
//! list of tests, and each test stands for the tree below it. So the kinds are enough to execute
//! the tests again on any number of modelled processors.

use cloth_collision::candidates::{SearchObserver, SearchOver};
use cloth_collision::collision::elementary::NearPrimitives;
use cloth_collision::collision::leaves::LeafId;
use cloth_collision::collision::screen::may_come_near;
use cloth_collision::collision::search::traversal::Traversal;
use cloth_collision::collision::test::TestOutcome;
use cloth_collision::collision::{Test, TestCounters};
use cloth_core::error::{Error, Result};
use cloth_core::ids::PatchId;
use cloth_core::ranks::{World, message};
use cloth_step::{Counter, StepReport};
use serde::{Deserialize, Serialize};

use crate::program::run::recording::{RecordedSearch, RecordedStep};

/// Records the searches of one step. All ranks must record the same steps.
#[derive(Debug, Default)]
pub struct StepRecorder {
    searches: Vec<RecordedSearch>,
}

impl SearchObserver for StepRecorder {
    /// Rank 0 walks the trees of all ranks once more, so that recording does not slow down the
    /// measured search. Collective.
    ///
    /// # Errors
    /// When a rank fails, or the walk finds other tests than the search executed.
    fn searched(&mut self, search: &SearchOver) -> Result<()> {
        let world = search.world;
        let uses = Vec::from_iter(search.processors.usage().copied());
        let uses = message::gather_v(world, 0, &uses)?;
        let counts = message::gather_v(world, 0, &[search.executed])?;
        if world.rank() == 0 {
            let (surfaces, sweep) = (search.surfaces, &search.sweep);
            let (roots, above) = search.finder.all_root_tests(surfaces, sweep);
            let walked = search.finder.traversal(surfaces, sweep);
            let trees = RecordedTrees::record(&walked, &roots, above);
            let mut sum = TestCounters::default();
            counts.iter().for_each(|counts| sum.add(counts));
            if (sum.tests, sum.hash) != (trees.executed.tests, trees.executed.hash) {
                let message = format!(
                    "{} tests were executed, but the trees have {}",
                    sum.tests, trees.executed.tests
                );
                return Err(Error::Rank { rank: 0, message });
            }
            self.searches.push(RecordedSearch { trees, uses });
        }
        // The other ranks wait for rank 0 here, and not in the next measured phase.
        world.all_reduce_sum(&mut [0])
    }
}

impl StepRecorder {
    /// The recorded step, on rank 0. `report` is the report of the step. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn finish(
        self,
        world: &dyn World,
        step: u64,
        report: &StepReport,
    ) -> Result<Option<RecordedStep>> {
        let reports = message::gather_v(world, 0, std::slice::from_ref(report))?;
        let Some(first) = reports.first() else { return Ok(None) };
        Ok(Some(RecordedStep {
            step,
            searches: self.searches,
            seconds: reports.iter().map(|report| report.seconds.to_vec()).collect(),
            solves: first.get(Counter::Solves),
            impulse_rounds: first.get(Counter::ImpulseRounds),
            collisions: reports.iter().map(|report| report.get(Counter::Collisions)).sum(),
            fail_safe_passes: first.get(Counter::FailSafePasses),
        }))
    }
}

/// The kind of a test, with the counts of a pair of leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Nothing below the two nodes has changed.
    Unchanged,
    /// The bounds are apart.
    Apart,
    /// A node against itself. It is flat.
    Flat,
    /// Two further tests.
    Split,
    /// Three further tests, of a node against itself.
    SplitItself,
    /// A pair of leaves, or a leaf against itself. So many of its elementary pairs have bounds that
    /// overlap, and are `screened`. Those of them that are near are `found`.
    Leaves {
        /// Number of elementary pairs whose bounds overlap.
        screened: u16,
        /// Number of candidates.
        found: u16,
    },
}

/// The test trees of one search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTrees {
    /// All tests below the roots, tree after tree, each in preorder.
    pub kinds: Vec<Kind>,
    /// For each root test: the patch whose owner executes it, and the place of its tree.
    pub roots: Vec<(PatchId, u32)>,
    /// Counts of all tests, including those above the roots.
    pub executed: TestCounters,
}

impl RecordedTrees {
    /// Records the trees below all `roots`. `above` are the counts of the tests above them.
    pub fn record(traversal: &Traversal, roots: &[(PatchId, Test)], above: TestCounters) -> Self {
        let mut trees = Self { executed: above, ..Self::default() };
        let (mut stack, mut near) = (Vec::new(), NearPrimitives::default());
        for &(patch, root) in roots {
            trees.roots.push((patch, trees.kinds.len() as u32));
            stack.push(root);
            while let Some(test) = stack.pop() {
                trees.executed.count(&test);
                let outcome = traversal.trees.execute(&test);
                trees.kinds.push(match outcome {
                    // The order is that of the checks in `execute`.
                    TestOutcome::Apart if !traversal.trees.has_changed(&test) => Kind::Unchanged,
                    TestOutcome::Apart if test.is_of_one_node() => Kind::Flat,
                    TestOutcome::Apart => Kind::Apart,
                    TestOutcome::Leaves(leaf1, leaf2) => {
                        pair_of_leaves(traversal, &test, [leaf1, leaf2], &mut near)
                    }
                    TestOutcome::Split(..) => Kind::Split,
                    TestOutcome::SplitItself(_) => Kind::SplitItself,
                });
                match outcome {
                    TestOutcome::Split(first, second) => stack.extend([second, first]),
                    TestOutcome::SplitItself([first, second, third]) => {
                        stack.extend([third, second, first]);
                    }
                    TestOutcome::Apart | TestOutcome::Leaves(..) => {}
                }
            }
        }
        trees
    }
}

fn pair_of_leaves(
    traversal: &Traversal,
    test: &Test,
    leaves: [LeafId; 2],
    near: &mut NearPrimitives,
) -> Kind {
    let (mut screened, mut found) = (0, 0);
    traversal.overlapping_pairs(test, leaves, near, |pair| {
        screened += 1;
        found += u16::from(may_come_near(&pair, traversal.sweep, traversal.pace));
    });
    Kind::Leaves { screened, found }
}

#[cfg(test)]
mod tests {
    use cloth_collision::collision::dop::Dop18;
    use cloth_collision::collision::screen::Pace;
    use cloth_collision::collision::test::TestTrees;
    use cloth_collision::collision::{Moves, Surface, Sweep};
    use cloth_core::math::Vec3;
    use cloth_core::mesh::Topology;

    use super::*;

    #[test]
    fn a_test_gets_the_kind_of_its_cost() {
        let faces = [[0, 1, 2], [2, 1, 3]];
        let x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let topology = Topology::new(&faces).unwrap();
        let surfaces = [Surface::new(0, &faces, &topology, &x, None, Moves::Deforms)];
        let nodes = surfaces[0].hierarchy.nodes().len();
        let sweep = Sweep { x0: &x, x1: &x, radius: 0.1, radii: Default::default() };
        let bounds = [vec![Dop18::swept(&x[0], &x[3], 0.1); nodes]];
        let vertices = x.map(|x| Dop18::swept(&x, &x, 1.0));
        let itself = Test { obj1: 0, dop1: 0, obj2: 0, dop2: 0 };
        let kinds = |changed: &[Vec<bool>]| {
            let trees = TestTrees {
                surfaces: &surfaces,
                bounds: &bounds,
                sweep: None,
                changed: Some(changed),
            };
            let traversal = Traversal {
                trees,
                sweep: &sweep,
                pace: Pace::Common,
                vertices: &vertices,
                sought: None,
            };
            RecordedTrees::record(&traversal, &[(0, itself)], TestCounters::default()).kinds
        };
        assert_eq!(kinds(&[vec![false; nodes]]), [Kind::Unchanged]);
        // One leaf: vertices 0 and 3 against the other face, and two pairs of opposite edges.
        let itself = Kind::Leaves { screened: 4, found: 0 };
        assert_eq!(kinds(&[vec![true; nodes]]), [itself]);
    }
}
