//! Tests: the unit of work of collision detection, and how they unfold.
//!
//! A test asks whether the bounds of two nodes overlap. If they do, it splits into two further
//! tests or, at a pair of leaves, ends in elementary tests. A node is also tested against itself:
//! this finds where an object folds upon itself. Such a test splits into three: each child
//! against itself, and one against the other.
//!
//! All tests that unfold from a root test are its *test tree* (Thomaszewski & Blochinger 2007,
//! section 4.2). The tree depends on the hierarchies and their bounds alone. These are the same
//! on all ranks, and so is the multiset of all tests.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use crate::collision::bvh::Node;
use crate::collision::dop::Dop18;
use crate::collision::flatness::Flatness;
use crate::collision::leaves::LeafId;
use crate::collision::surface::Surface;
use crate::collision::sweep::Sweep;
use cloth_core::threads::Results;

/// Branches that are executed between two looks at the stack. On the draped tablecloth a branch
/// takes about 0.1 us. So a stack that has grown is cut soon, and looking costs little.
pub const BRANCHES: usize = 8;

/// Two nodes to be tested against each other: nodes with no face in common, or the same node
/// twice. They have the same names on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Test {
    /// The first object: its place among the [`Surfaces`](super::Surfaces).
    pub obj1: u32,
    /// The node of the first object.
    pub dop1: u32,
    /// The second object.
    pub obj2: u32,
    /// The node of the second object.
    pub dop2: u32,
}

impl Test {
    /// True if a node is tested against itself.
    #[inline]
    pub fn is_of_one_node(&self) -> bool {
        self.dop1 == self.dop2 && self.obj1 == self.obj2
    }

    /// One multiplication, folded, as in wyhash: it runs once for every test.
    #[inline]
    fn hash(&self) -> u64 {
        let word = |object: u32, node: u32| u64::from(object) << 32 | u64::from(node);
        let first = word(self.obj1, self.dop1) ^ 0x9e37_79b9_7f4a_7c15;
        let second = word(self.obj2, self.dop2) ^ 0xd1b5_4a32_d192_ed03;
        let product = u128::from(first) * u128::from(second);
        product as u64 ^ (product >> 64) as u64
    }
}

/// What a test leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOutcome {
    /// The bounds are apart, or the node is flat.
    Apart,
    /// Primitives of two leaves (of the first and the second object) may be near each other. Both
    /// may be the same leaf.
    Leaves(LeafId, LeafId),
    /// Two further tests.
    Split(Test, Test),
    /// Three further tests, of a node against itself.
    SplitItself([Test; 3]),
}

/// Counts of executed tests; counters of different ranks and tasks add up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct TestCounters {
    /// Executed tests.
    pub tests: u64,
    /// Wrapping sum of a hash of each executed test: with `tests` it shows that
    /// each was executed exactly once.
    pub hash: u64,
    /// Candidates found.
    pub candidates: u64,
}

impl TestCounters {
    /// Adds the counts of others.
    pub fn add(&mut self, others: &Self) {
        self.tests += others.tests;
        self.hash = self.hash.wrapping_add(others.hash);
        self.candidates += others.candidates;
    }

    /// Counts an executed test.
    #[inline]
    pub fn count(&mut self, test: &Test) {
        self.tests += 1;
        self.hash = self.hash.wrapping_add(test.hash());
    }
}

impl Results for TestCounters {
    fn append(&mut self, next: Self) {
        self.add(&next);
    }
}

/// The refitted hierarchies that tests are executed on.
#[derive(Clone, Copy)]
pub struct TestTrees<'a> {
    /// All objects.
    pub surfaces: &'a [Surface],
    /// The bounds of each object's nodes.
    pub bounds: &'a [Vec<Dop18>],
    /// The motion by which flat regions are culled. `None`: they are not culled.
    pub sweep: Option<&'a Sweep<'a>>,
    /// By object and node: whether something below it has changed. If it is given, only nodes
    /// that have changed are tested, against themselves and against all others.
    pub changed: Option<&'a [Vec<bool>]>,
}

impl TestTrees<'_> {
    /// The bounds of a node.
    #[inline]
    pub fn bounds(&self, object: u32, node: u32) -> &Dop18 {
        &self.bounds[object as usize][node as usize]
    }

    fn tree(&self, object: u32) -> Tree<'_> {
        let surface = &self.surfaces[object as usize];
        let flatness = surface.flatness.as_ref().zip(self.sweep);
        let changed = self.changed.map(|changed| changed[object as usize].as_slice());
        let (nodes, bounds) = (surface.hierarchy.nodes(), &self.bounds[object as usize]);
        Tree { nodes, bounds, flatness, changed }
    }

    /// Whether anything below one of the nodes of a test has changed.
    pub fn has_changed(&self, test: &Test) -> bool {
        let changed = |object, node: u32| self.tree(object).has_changed(node as usize);
        changed(test.obj1, test.dop1) || changed(test.obj2, test.dop2)
    }

    /// Executes one test. If both nodes can be split, nodes above the parts are split first, and
    /// else the larger of the two.
    pub fn execute(&self, test: &Test) -> TestOutcome {
        execute(&self.tree(test.obj1), &self.tree(test.obj2), test)
    }

    /// True if a node of the test stands above the parts of its object.
    pub fn is_above_parts(&self, test: &Test) -> bool {
        let is_top =
            |object, node: u32| matches!(self.tree(object).nodes[node as usize], Node::Top(_));
        is_top(test.obj1, test.dop1) || is_top(test.obj2, test.dop2)
    }

    /// Executes all tests on the `stack` and all that unfold from them, depth first. Untried
    /// tests lie on the stack. `leaves` receives each pair of leaves whose primitives may be near.
    pub fn traverse(
        &self,
        stack: &mut Vec<Test>,
        counters: &mut TestCounters,
        mut leaves: impl FnMut(&Test, LeafId, LeafId),
    ) {
        while !stack.is_empty() {
            self.traverse_branches(stack, counters, &mut leaves);
        }
    }

    /// Executes the next [`BRANCHES`] branches of [`TestTrees::traverse`]. The caller may take
    /// tests from the stack before the next ones.
    ///
    /// It is never inlined: beside other code its loop runs out of registers, which costs 8 %.
    #[inline(never)]
    pub fn traverse_branches(
        &self,
        stack: &mut Vec<Test>,
        counters: &mut TestCounters,
        leaves: &mut impl FnMut(&Test, LeafId, LeafId),
    ) {
        let mut counted = TestCounters::default();
        for _ in 0..BRANCHES {
            let Some(mut test) = stack.pop() else { break };
            let (first, second) = (self.tree(test.obj1), self.tree(test.obj2));
            loop {
                counted.count(&test);
                match execute(&first, &second, &test) {
                    TestOutcome::Apart => break,
                    TestOutcome::Leaves(leaf1, leaf2) => {
                        leaves(&test, leaf1, leaf2);
                        break;
                    }
                    TestOutcome::Split(first, second) => {
                        stack.push(second);
                        test = first;
                    }
                    TestOutcome::SplitItself([first, rest @ ..]) => {
                        stack.extend(rest);
                        test = first;
                    }
                }
            }
        }
        counters.add(&counted);
    }
}

/// One object's hierarchy with its bounds.
struct Tree<'a> {
    nodes: &'a [Node],
    bounds: &'a [Dop18],
    flatness: Option<(&'a Flatness, &'a Sweep<'a>)>,
    changed: Option<&'a [bool]>,
}

impl Tree<'_> {
    fn has_changed(&self, node: usize) -> bool {
        self.changed.is_none_or(|changed| changed[node])
    }
}

#[inline(always)]
fn execute(first: &Tree, second: &Tree, test: &Test) -> TestOutcome {
    let (node1, node2) = (test.dop1 as usize, test.dop2 as usize);
    if !first.has_changed(node1) && !second.has_changed(node2) {
        return TestOutcome::Apart;
    }
    if test.is_of_one_node() {
        let is_flat = first.flatness.is_some_and(|(flat, sweep)| flat.rules_out(test.dop1, sweep));
        return if is_flat { TestOutcome::Apart } else { split_itself(first.nodes[node1], test) };
    }
    let (bounds1, bounds2) = (&first.bounds[node1], &second.bounds[node2]);
    if !bounds1.overlaps(bounds2) {
        return TestOutcome::Apart;
    }
    let split_first = |child| {
        TestOutcome::Split(Test { dop1: child, ..*test }, Test { dop1: child + 1, ..*test })
    };
    let split_second = |child| {
        TestOutcome::Split(Test { dop2: child, ..*test }, Test { dop2: child + 1, ..*test })
    };
    match (first.nodes[node1], second.nodes[node2]) {
        (Node::Leaf(leaf1), Node::Leaf(leaf2)) => TestOutcome::Leaves(leaf1, leaf2),
        (Node::Inner(child1), Node::Inner(child2)) | (Node::Top(child1), Node::Top(child2)) => {
            if bounds1.size() >= bounds2.size() {
                split_first(child1)
            } else {
                split_second(child2)
            }
        }
        (Node::Top(child), _) | (Node::Inner(child), Node::Leaf(_)) => split_first(child),
        (_, Node::Top(child)) | (Node::Leaf(_), Node::Inner(child)) => split_second(child),
    }
}

fn split_itself(node: Node, test: &Test) -> TestOutcome {
    match node {
        Node::Leaf(leaf) => TestOutcome::Leaves(leaf, leaf),
        Node::Inner(child) | Node::Top(child) => {
            let pair = |dop1, dop2| Test { dop1, dop2, ..*test };
            TestOutcome::SplitItself([
                pair(child, child),
                pair(child + 1, child + 1),
                pair(child, child + 1),
            ])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::bvh::LEAF_FACES;
    use crate::collision::surface::{Moves, Surface, Surfaces};
    use cloth_core::mesh::Topology;
    use cloth_core::{Threads, Vec3};

    /// Two parallel strips of four leaves, the second one `above` the first.
    fn strips(above: f64) -> (Surfaces, Vec<Vec<Dop18>>) {
        let squares = (0..2 * LEAF_FACES as u32).map(|i| 2 * i);
        let faces: Vec<[u32; 3]> =
            squares.flat_map(|v| [[v, v + 1, v + 2], [v + 2, v + 1, v + 3]]).collect();
        let count = faces.len() as u32 + 2;
        let place = |v: u32, z| Vec3::new((v / 2).into(), (v % 2).into(), z);
        let rest: Vec<Vec3> = (0..count).map(|v| place(v, 0.0)).collect();
        let topology = Topology::new(&faces).unwrap();
        let strip = |first, moves| Surface::new(first, &faces, &topology, &rest, None, moves);
        let surfaces =
            Surfaces::new(vec![strip(0, Moves::Deforms), strip(count, Moves::Prescribed)]);
        let height = |v| if v < count { 0.0 } else { above };
        let x: Vec<Vec3> = (0..2 * count).map(|v| place(v % count, height(v))).collect();
        let vertices: Vec<Dop18> = x.iter().map(|x| Dop18::swept(x, x, 0.0)).collect();
        let threads = Threads::new(1).unwrap();
        let bounds = surfaces.list.iter().map(|surface| {
            let mut bounds = vec![Dop18::EMPTY; surface.hierarchy.nodes().len()];
            surface.hierarchy.refit(&threads, &surface.leaves, &vertices, &mut bounds);
            bounds
        });
        let bounds = bounds.collect();
        (surfaces, bounds)
    }

    const ROOT: Test = Test { obj1: 0, dop1: 0, obj2: 1, dop2: 0 };

    #[test]
    fn what_is_apart_costs_one_test() {
        let (surfaces, bounds) = strips(0.1);
        let trees =
            TestTrees { surfaces: &surfaces.list, bounds: &bounds, sweep: None, changed: None };
        let mut counters = TestCounters::default();
        trees.traverse(&mut vec![ROOT], &mut counters, |_, _, _| panic!("they are apart"));
        assert_eq!(counters.tests, 1);
    }

    #[test]
    fn counters_are_those_of_plain_recursion() {
        let (surfaces, bounds) = strips(0.0);
        let trees =
            TestTrees { surfaces: &surfaces.list, bounds: &bounds, sweep: None, changed: None };
        fn recurse(
            trees: &TestTrees,
            test: Test,
            counters: &mut TestCounters,
            leaves: &mut Vec<[u32; 2]>,
        ) {
            counters.count(&test);
            match trees.execute(&test) {
                TestOutcome::Apart => {}
                TestOutcome::Leaves(a, b) => leaves.push([a, b]),
                TestOutcome::Split(first, second) => {
                    recurse(trees, second, counters, leaves);
                    recurse(trees, first, counters, leaves);
                }
                TestOutcome::SplitItself(tests) => {
                    tests.into_iter().for_each(|test| recurse(trees, test, counters, leaves));
                }
            }
        }
        let (mut expected, mut expected_leaves) = (TestCounters::default(), Vec::new());
        recurse(&trees, ROOT, &mut expected, &mut expected_leaves);
        let (mut counters, mut leaves) = (TestCounters::default(), Vec::new());
        trees.traverse(&mut vec![ROOT], &mut counters, |_, a, b| leaves.push([a, b]));
        assert_eq!(counters, expected);
        leaves.sort_unstable();
        expected_leaves.sort_unstable();
        assert_eq!(leaves, expected_leaves);
        // Each leaf touches the one above, and the neighbours of that one.
        assert_eq!(leaves.len(), 4 + 2 * 3);
    }
}
