//! A synthetic workload for tests: trees whose shape follows from the names of their tests.

use bytemuck::{Pod, Zeroable};

use crate::stealing::workload::{Results, Workload};
use cloth_core::mix;

/// A test of a synthetic tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SyntheticTest {
    /// What its branches follow from.
    name: u64,
    /// Distance from the root.
    depth: u64,
}

/// The root of the tree of this name.
pub fn root(name: u64) -> SyntheticTest {
    SyntheticTest { name: mix(name), depth: 0 }
}

/// Up to three further tests.
pub fn unfold(node: &SyntheticTest) -> impl Iterator<Item = SyntheticTest> + use<> {
    let SyntheticTest { name, depth } = *node;
    let hash = mix(name);
    let children = if depth < 3 + hash % 9 { (hash >> 8) % 4 } else { 0 };
    (0..children).map(move |child| SyntheticTest { name: mix(hash + child), depth: depth + 1 })
}

/// Number and hash of the executed tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub tests: u64,
    pub hash: u64,
}

impl Count {
    pub fn add(&mut self, node: &SyntheticTest) {
        self.tests += 1;
        self.hash = self.hash.wrapping_add(mix(node.name ^ node.depth));
    }
}

impl Results for Count {
    fn tests(&self) -> u64 {
        self.tests
    }

    fn found(&self) -> u64 {
        0
    }

    fn take(&mut self, other: &mut Self) {
        let Self { tests, hash } = std::mem::take(other);
        self.tests += tests;
        self.hash = self.hash.wrapping_add(hash);
    }
}

/// Executes synthetic tests one by one.
pub struct Synthetic;

impl Workload for Synthetic {
    type Test = SyntheticTest;
    type Results = Count;

    fn run(&self, stack: &mut Vec<SyntheticTest>, results: &mut Count) {
        let Some(node) = stack.pop() else { return };
        results.add(&node);
        stack.extend(unfold(&node));
    }
}

/// The counts of a search on one stack.
pub fn expected<'a>(roots: impl IntoIterator<Item = &'a SyntheticTest>) -> Count {
    let mut count = Count::default();
    let mut stack = Vec::from_iter(roots.into_iter().copied());
    while !stack.is_empty() {
        Synthetic.run(&mut stack, &mut count);
    }
    count
}
