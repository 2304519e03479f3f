//! Test trees without their geometry: the kind of each test, and the tests that it led to.
//!
//! A test is one number, its *kind*. A tree is the kinds of its tests in preorder. A task is a
//! list of tests, and each test stands for the tree below it. So the kinds are enough to execute
//! the tests again on any number of modelled processors.

use cloth_collision::collision::elementary::NearPrimitives;
use cloth_collision::collision::leaves::LeafId;
use cloth_collision::collision::screen::may_come_near;
use cloth_collision::collision::search::traversal::Traversal;
use cloth_collision::collision::test::TestOutcome;
use cloth_collision::collision::{Test, TestCounters};
use cloth_core::ids::PatchId;
use serde::{Deserialize, Serialize};

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

impl Kind {
    /// Number of candidates that a test of this kind finds.
    pub fn candidates(self) -> u64 {
        if let Self::Leaves { found, .. } = self { found.into() } else { 0 }
    }

    /// Number of further tests that a test of this kind leads to.
    #[inline(always)]
    pub fn branches(self) -> usize {
        match self {
            Self::Split => 2,
            Self::SplitItself => 3,
            _ => 0,
        }
    }

    /// The amounts in a test of this kind.
    pub fn amounts(self) -> Amounts {
        let mut amounts = Amounts::default();
        let mut add = |item: Item, amount: f64| amounts[item as usize] += amount;
        add(if self == Self::Unchanged { Item::Unchanged } else { Item::Test }, 1.0);
        if let Self::Leaves { screened, .. } = self {
            add(Item::Leaves, 1.0);
            add(Item::Screened, screened.into());
        }
        amounts
    }
}

/// The things that have a unit cost. They are few, so that a fit can separate them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A test of two nodes below which nothing has changed.
    Unchanged,
    /// Any other test of two nodes, or of a node against itself.
    Test,
    /// The cost of a pair of leaves without its test.
    Leaves,
    /// An elementary pair that is screened.
    Screened,
    /// A task that is cut off, taken and begun.
    Task,
}

impl Item {
    /// All items.
    pub const ALL: [Self; 5] =
        [Self::Unchanged, Self::Test, Self::Leaves, Self::Screened, Self::Task];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "test of unchanged nodes",
            Self::Test => "other test",
            Self::Leaves => "pair of leaves",
            Self::Screened => "elementary pair",
            Self::Task => "task",
        }
    }
}

/// Amounts of each [`Item`].
pub type Amounts = [f64; Item::ALL.len()];

/// The test trees of one search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTrees {
    /// All tests below the roots, tree after tree, each in preorder.
    kinds: Vec<Kind>,
    /// For each root test: the patch whose owner executes it, and the place of its tree.
    roots: Vec<(PatchId, u32)>,
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

    /// True if there is no root test.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// True if all patches of the roots have numbers below `patches`.
    pub fn owners_below(&self, patches: usize) -> bool {
        self.roots.iter().all(|&(patch, _)| (patch as usize) < patches)
    }

    /// The amounts of all tests together.
    pub fn amounts(&self) -> Amounts {
        let mut sum = Amounts::default();
        for kind in &self.kinds {
            sum.iter_mut().zip(kind.amounts()).for_each(|(sum, amount)| *sum += amount);
        }
        sum
    }

    /// The trees in the form in which they are executed. `None` if the kinds are no trees.
    pub fn unfold(&self) -> Option<Unfolded<'_>> {
        let count = self.kinds.len();
        let mut ends = vec![0_u32; count];
        for (at, &kind) in self.kinds.iter().enumerate().rev() {
            let mut end = at + 1;
            for _ in 0..kind.branches() {
                end = *ends.get(end)? as usize;
            }
            ends[at] = end as u32;
        }
        // The trees must follow each other without a gap, up to the end.
        let mut end = 0;
        for &(_, start) in &self.roots {
            if start != end {
                return None;
            }
            end = *ends.get(start as usize)?;
        }
        (end as usize == count).then(|| Unfolded { kinds: &self.kinds, ends, roots: &self.roots })
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

/// Test trees with the places of all branches. The name of a test is its place in preorder.
#[derive(Debug, Clone)]
pub struct Unfolded<'a> {
    /// The kind of each test.
    pub kinds: &'a [Kind],
    /// For each test: the end of the tree below it, which is the place of its next sibling.
    pub ends: Vec<u32>,
    /// For each root test: the patch whose owner executes it, and the test.
    pub roots: &'a [(PatchId, u32)],
}

impl Unfolded<'_> {
    /// Cost of all tests, given the cost of each kind.
    pub fn total(&self, cost: impl Fn(Kind) -> u64) -> u64 {
        self.kinds.iter().map(|&kind| cost(kind)).sum()
    }

    /// Time of the longest chain of tests, given the cost of each kind. Each test of a chain waits
    /// for the previous one, so no number of processors is faster.
    pub fn longest_chain(&self, cost: impl Fn(Kind) -> u64) -> u64 {
        let mut chains = vec![0_u64; self.kinds.len()];
        for at in (0..self.kinds.len()).rev() {
            let (mut child, mut longest) = (at + 1, 0);
            for _ in 0..self.kinds[at].branches() {
                longest = longest.max(chains[child]);
                child = self.ends[child] as usize;
            }
            chains[at] = cost(self.kinds[at]) + longest;
        }
        self.roots.iter().map(|&(_, root)| chains[root as usize]).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use cloth_collision::collision::Sweep;
    use cloth_collision::collision::dop::Dop18;
    use cloth_collision::collision::screen::Pace;
    use cloth_collision::collision::test::TestTrees;
    use cloth_collision::collision::{Moves, Surface};
    use cloth_core::math::Vec3;
    use cloth_core::math::mix;
    use cloth_core::mesh::Topology;

    use super::*;

    impl RecordedTrees {
        /// Random trees. Patch `i` has a tree of about `sizes[i]` tests.
        pub fn random(seed: u64, sizes: &[usize]) -> Self {
            let mut trees = Self::default();
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                mix(state)
            };
            for (patch, &size) in sizes.iter().enumerate() {
                trees.roots.push((patch as PatchId, trees.kinds.len() as u32));
                let mut open = 1;
                let mut left = size;
                while open > 0 {
                    left = left.saturating_sub(1);
                    let kind = match next() % 16 {
                        // The last open branch does not end early.
                        0..4 if left > 0 => Kind::SplitItself,
                        kind if left > 0 && (kind < 9 || open == 1) => Kind::Split,
                        9..12 => Kind::Flat,
                        12 => Kind::Leaves { screened: 3, found: 1 },
                        _ => Kind::Apart,
                    };
                    open += kind.branches();
                    open -= 1;
                    trees.kinds.push(kind);
                }
            }
            trees
        }
    }

    impl RecordedTrees {
        /// One tree in which all tests split in two, down to `depth`.
        pub fn complete(depth: u32) -> Self {
            let mut kinds = vec![Kind::Apart];
            for _ in 0..depth {
                kinds = [&[Kind::Split][..], &kinds, &kinds].concat();
            }
            Self { kinds, roots: vec![(0, 0)], ..Self::default() }
        }
    }

    #[test]
    fn branches_are_found_again_and_other_kinds_are_refused() {
        // A tree whose root splits, and whose first branch splits again. Then a tree of one test.
        use Kind::{Apart, Flat, Split, SplitItself};
        let kinds = vec![Split, SplitItself, Flat, Apart, Flat, Apart, Apart];
        let trees =
            RecordedTrees { kinds, roots: vec![(0, 0), (3, 6)], ..RecordedTrees::default() };
        let unfolded = trees.unfold().unwrap();
        assert_eq!(unfolded.ends, [6, 5, 3, 4, 5, 6, 7]);
        assert_eq!(unfolded.longest_chain(|_| 1), 3);
        let cut = RecordedTrees { kinds: trees.kinds[..5].to_vec(), ..trees.clone() };
        assert!(cut.unfold().is_none());
        let more = RecordedTrees { roots: vec![(0, 0), (3, 5)], ..trees.clone() };
        assert!(more.unfold().is_none());
        assert!(RecordedTrees::random(1, &[100, 1, 50]).unfold().is_some());
    }

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
