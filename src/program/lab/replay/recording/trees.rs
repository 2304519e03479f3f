//! Test trees without their geometry: the kind of each test, and the tests that it led to.
//!
//! A test is one byte, its *kind*. A tree is the bytes of its tests in preorder. A task is a list
//! of tests, and each test stands for the tree below it. So the bytes are enough to execute the
//! tests again on any number of modelled processors.

use cloth_sim::collision::elementary::overlapping_pairs;
use cloth_sim::collision::screen::may_come_near;
use cloth_sim::collision::search::traversal::Traversal;
use cloth_sim::collision::test::TestOutcome;
use cloth_sim::collision::{Test, TestCounters};
use cloth_sim::ids::{FaceId, PatchId};
use serde::{Deserialize, Serialize};

/// Nothing below the two nodes has changed.
const UNCHANGED: u8 = 0;
/// The bounds are apart.
const APART: u8 = 1;
/// A node against itself. It is flat, or it is one face.
const WHOLE: u8 = 2;
/// Two further tests.
const SPLIT: u8 = 3;
/// Three further tests, of a node against itself.
const SPLIT_ITSELF: u8 = 4;
/// The first kind of a pair of faces. `s` of its elementary pairs have bounds that overlap, and are
/// screened. `f` of these are near, and are found. Its kind is `FACES + s (s + 1) / 2 + f`.
const FACES: u8 = 5;
/// The largest number of elementary pairs of two faces.
const MOST_PAIRS: u8 = 15;
/// Number of kinds.
pub const KINDS: usize = FACES as usize + (MOST_PAIRS as usize + 1) * (MOST_PAIRS as usize + 2) / 2;

fn faces(screened: u8, found: u8) -> u8 {
    FACES + screened * (screened + 1) / 2 + found
}

/// The numbers of screened and found elementary pairs. `None` if the kind is no pair of faces.
fn pairs(kind: u8) -> Option<(u8, u8)> {
    let number = kind.checked_sub(FACES)?;
    let screened = (0..=MOST_PAIRS).rev().find(|s| s * (s + 1) / 2 <= number)?;
    Some((screened, number - screened * (screened + 1) / 2))
}

/// Number of candidates that a test of this kind finds.
pub fn candidates(kind: u8) -> u64 {
    pairs(kind).map_or(0, |(_, found)| found.into())
}

/// Number of further tests that a test of this kind leads to.
#[inline(always)]
pub fn branches(kind: u8) -> usize {
    match kind {
        SPLIT => 2,
        SPLIT_ITSELF => 3,
        _ => 0,
    }
}

/// The things that have a unit cost. They are few, so that a fit can separate them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A test of two nodes below which nothing has changed.
    Unchanged,
    /// Any other test of two nodes, or of a node against itself.
    Test,
    /// The cost of a pair of faces without its test.
    Faces,
    /// An elementary pair that is screened.
    Screened,
    /// A task that is cut off, taken and begun.
    Task,
}

impl Item {
    /// All items.
    pub const ALL: [Self; 5] =
        [Self::Unchanged, Self::Test, Self::Faces, Self::Screened, Self::Task];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "test of unchanged nodes",
            Self::Test => "other test",
            Self::Faces => "pair of faces",
            Self::Screened => "elementary pair",
            Self::Task => "task",
        }
    }
}

/// Amounts of each [`Item`].
pub type Amounts = [f64; Item::ALL.len()];

/// The amounts in a test of this kind.
pub fn amounts(kind: u8) -> Amounts {
    let mut amounts = Amounts::default();
    let mut add = |item: Item, amount: f64| amounts[item as usize] += amount;
    add(if kind == UNCHANGED { Item::Unchanged } else { Item::Test }, 1.0);
    if let Some((screened, _)) = pairs(kind) {
        add(Item::Faces, 1.0);
        add(Item::Screened, screened.into());
    }
    amounts
}

/// The test trees of one search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTrees {
    /// All tests below the roots, tree after tree, each in preorder.
    kinds: Vec<u8>,
    /// For each root test: the patch whose owner executes it, and the place of its tree.
    roots: Vec<(PatchId, u32)>,
    /// Counts of all tests, including those above the roots.
    pub executed: TestCounters,
}

impl RecordedTrees {
    /// Records the trees below all `roots`. `above` are the counts of the tests above them.
    pub fn record(traversal: &Traversal, roots: &[(PatchId, Test)], above: TestCounters) -> Self {
        let mut trees = Self { executed: above, ..Self::default() };
        let mut stack = Vec::new();
        for &(patch, root) in roots {
            trees.roots.push((patch, trees.kinds.len() as u32));
            stack.push(root);
            while let Some(test) = stack.pop() {
                trees.executed.count(&test);
                let outcome = traversal.trees.execute(&test);
                trees.kinds.push(match outcome {
                    // The order is that of the checks in `execute`.
                    TestOutcome::Apart if !traversal.trees.has_changed(&test) => UNCHANGED,
                    TestOutcome::Apart if test.is_of_one_node() => WHOLE,
                    TestOutcome::Apart => APART,
                    TestOutcome::Faces(face1, face2) => {
                        pair_of_faces(traversal, &test, [face1, face2])
                    }
                    TestOutcome::Split(..) => SPLIT,
                    TestOutcome::SplitItself(_) => SPLIT_ITSELF,
                });
                match outcome {
                    TestOutcome::Split(first, second) => stack.extend([second, first]),
                    TestOutcome::SplitItself([first, second, third]) => {
                        stack.extend([third, second, first]);
                    }
                    TestOutcome::Apart | TestOutcome::Faces(..) => {}
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
        let mut counts = [0_u64; 256];
        self.kinds.iter().for_each(|&kind| counts[kind as usize] += 1);
        let mut sum = Amounts::default();
        for (kind, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let amounts = amounts(kind as u8);
            sum.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount * count as f64);
        }
        sum
    }

    /// The trees in the form in which they are executed. `None` if the bytes are no trees.
    pub fn unfold(&self) -> Option<Unfolded<'_>> {
        let count = self.kinds.len();
        let mut ends = vec![0_u32; count];
        for (at, &kind) in self.kinds.iter().enumerate().rev() {
            let mut end = at + 1;
            for _ in 0..branches(kind) {
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
        let known = self.kinds.iter().all(|&kind| (kind as usize) < KINDS);
        if end as usize != count || !known {
            return None;
        }
        Some(Unfolded { kinds: &self.kinds, ends, roots: &self.roots })
    }
}

fn pair_of_faces(traversal: &Traversal, test: &Test, pair: [FaceId; 2]) -> u8 {
    let [first, second] = traversal.sides(test, pair);
    let (mut screened, mut found) = (0, 0);
    overlapping_pairs(&first, &second, traversal.vertices, |pair| {
        screened += 1;
        found += u8::from(may_come_near(&pair, traversal.sweep));
    });
    faces(screened, found)
}

/// Test trees with the places of all branches. The name of a test is its place in preorder.
#[derive(Debug, Clone)]
pub struct Unfolded<'a> {
    /// The kind of each test.
    pub kinds: &'a [u8],
    /// For each test: the end of the tree below it, which is the place of its next sibling.
    pub ends: Vec<u32>,
    /// For each root test: the patch whose owner executes it, and the test.
    pub roots: &'a [(PatchId, u32)],
}

impl Unfolded<'_> {
    /// Cost of all tests, given the cost of each kind.
    pub fn total(&self, costs: &[u64; 256]) -> u64 {
        self.kinds.iter().map(|&kind| costs[kind as usize]).sum()
    }

    /// Time of the longest chain of tests, given the cost of each kind. Each test of a chain waits
    /// for the previous one, so no number of processors is faster.
    pub fn longest_chain(&self, costs: &[u64; 256]) -> u64 {
        let mut chains = vec![0_u64; self.kinds.len()];
        for at in (0..self.kinds.len()).rev() {
            let (mut child, mut longest) = (at + 1, 0);
            for _ in 0..branches(self.kinds[at]) {
                longest = longest.max(chains[child]);
                child = self.ends[child] as usize;
            }
            chains[at] = costs[self.kinds[at] as usize] + longest;
        }
        self.roots.iter().map(|&(_, root)| chains[root as usize]).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use cloth_sim::collision::Sweep;
    use cloth_sim::collision::dop::Dop18;
    use cloth_sim::collision::test::TestTrees;
    use cloth_sim::collision::{Moves, Surface};
    use cloth_sim::math::Vec3;
    use cloth_sim::math::mix;
    use cloth_sim::mesh::Topology;

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
                        0..4 if left > 0 => SPLIT_ITSELF,
                        kind if left > 0 && (kind < 9 || open == 1) => SPLIT,
                        9..12 => WHOLE,
                        12 => faces(3, 1),
                        _ => APART,
                    };
                    open += branches(kind);
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
            let mut kinds = vec![APART];
            for _ in 0..depth {
                kinds = [&[SPLIT][..], &kinds, &kinds].concat();
            }
            Self { kinds, roots: vec![(0, 0)], ..Self::default() }
        }
    }

    #[test]
    fn each_pair_of_faces_has_its_own_kind() {
        let mut seen = std::collections::BTreeSet::new();
        for screened in 0..=MOST_PAIRS {
            for found in 0..=screened {
                let kind = faces(screened, found);
                assert_eq!(pairs(kind), Some((screened, found)));
                assert!((kind as usize) < KINDS && seen.insert(kind));
            }
        }
        assert_eq!(pairs(SPLIT_ITSELF), None);
    }

    #[test]
    fn branches_are_found_again_and_other_bytes_are_refused() {
        // A tree whose root splits, and whose first branch splits again. Then a tree of one test.
        let kinds = vec![SPLIT, SPLIT_ITSELF, WHOLE, APART, WHOLE, APART, APART];
        let trees =
            RecordedTrees { kinds, roots: vec![(0, 0), (3, 6)], ..RecordedTrees::default() };
        let unfolded = trees.unfold().unwrap();
        assert_eq!(unfolded.ends, [6, 5, 3, 4, 5, 6, 7]);
        assert_eq!(unfolded.longest_chain(&[1; 256]), 3);
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
        let sweep = Sweep { x0: &x, x1: &x, radius: 0.1 };
        let bounds = [vec![Dop18::swept(&x[0], &x[3], 0.1); nodes]];
        let vertices = x.map(|x| Dop18::swept(&x, &x, 0.1));
        let itself = Test { obj1: 0, dop1: 0, obj2: 0, dop2: 0 };
        let kinds = |changed: &[Vec<bool>]| {
            let trees = TestTrees {
                surfaces: &surfaces,
                bounds: &bounds,
                sweep: None,
                changed: Some(changed),
            };
            let traversal = Traversal { trees, sweep: &sweep, vertices: &vertices };
            RecordedTrees::record(&traversal, &[(0, itself)], TestCounters::default()).kinds
        };
        assert_eq!(kinds(&[vec![false; nodes]]), [UNCHANGED]);
        assert_eq!(kinds(&[vec![true; nodes]])[..3], [SPLIT_ITSELF, WHOLE, WHOLE]);
    }
}
