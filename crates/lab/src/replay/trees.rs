//! Test trees with unit costs, in the form in which they are executed.

use cloth_core::ids::PatchId;
use cloth_sim::program::run::recording::{Kind, RecordedTrees};

/// Number of candidates that a test of this kind finds.
pub fn candidates(kind: Kind) -> u64 {
    if let Kind::Leaves { found, .. } = kind { found.into() } else { 0 }
}

/// Number of further tests that a test of this kind leads to.
#[inline(always)]
pub fn branches(kind: Kind) -> usize {
    match kind {
        Kind::Split => 2,
        Kind::SplitItself => 3,
        _ => 0,
    }
}

/// The amounts in a test of this kind.
pub fn amounts(kind: Kind) -> Amounts {
    let mut amounts = Amounts::default();
    let mut add = |item: Item, amount: f64| amounts[item as usize] += amount;
    add(if kind == Kind::Unchanged { Item::Unchanged } else { Item::Test }, 1.0);
    if let Kind::Leaves { screened, .. } = kind {
        add(Item::Leaves, 1.0);
        add(Item::Screened, screened.into());
    }
    amounts
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

/// The amounts of all tests together.
pub fn all_amounts(trees: &RecordedTrees) -> Amounts {
    let mut sum = Amounts::default();
    for kind in &trees.kinds {
        sum.iter_mut().zip(amounts(*kind)).for_each(|(sum, amount)| *sum += amount);
    }
    sum
}

/// The trees in the form in which they are executed. `None` if the kinds are no trees.
pub fn unfold(trees: &RecordedTrees) -> Option<Unfolded<'_>> {
    let count = trees.kinds.len();
    let mut ends = vec![0_u32; count];
    for (at, &kind) in trees.kinds.iter().enumerate().rev() {
        let mut end = at + 1;
        for _ in 0..branches(kind) {
            end = *ends.get(end)? as usize;
        }
        ends[at] = end as u32;
    }
    // The trees must follow each other without a gap, up to the end.
    let mut end = 0;
    for &(_, start) in &trees.roots {
        if start != end {
            return None;
        }
        end = *ends.get(start as usize)?;
    }
    (end as usize == count).then(|| Unfolded { kinds: &trees.kinds, ends, roots: &trees.roots })
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
            for _ in 0..branches(self.kinds[at]) {
                longest = longest.max(chains[child]);
                child = self.ends[child] as usize;
            }
            chains[at] = cost(self.kinds[at]) + longest;
        }
        self.roots.iter().map(|&(_, root)| chains[root as usize]).max().unwrap_or(0)
    }
}

#[cfg(test)]
pub mod samples {
    use cloth_core::math::mix;

    use super::*;

    /// Random trees. Patch `i` has a tree of about `sizes[i]` tests.
    pub fn random(seed: u64, sizes: &[usize]) -> RecordedTrees {
        let mut trees = RecordedTrees::default();
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
                open += branches(kind);
                open -= 1;
                trees.kinds.push(kind);
            }
        }
        trees
    }

    /// One tree in which all tests split in two, down to `depth`.
    pub fn complete(depth: u32) -> RecordedTrees {
        let mut kinds = vec![Kind::Apart];
        for _ in 0..depth {
            kinds = [&[Kind::Split][..], &kinds, &kinds].concat();
        }
        RecordedTrees { kinds, roots: vec![(0, 0)], ..RecordedTrees::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_found_again_and_other_kinds_are_refused() {
        // A tree whose root splits, and whose first branch splits again. Then a tree of one test.
        use Kind::{Apart, Flat, Split, SplitItself};
        let kinds = vec![Split, SplitItself, Flat, Apart, Flat, Apart, Apart];
        let trees =
            RecordedTrees { kinds, roots: vec![(0, 0), (3, 6)], ..RecordedTrees::default() };
        let unfolded = unfold(&trees).unwrap();
        assert_eq!(unfolded.ends, [6, 5, 3, 4, 5, 6, 7]);
        assert_eq!(unfolded.longest_chain(|_| 1), 3);
        let cut = RecordedTrees { kinds: trees.kinds[..5].to_vec(), ..trees.clone() };
        assert!(unfold(&cut).is_none());
        let more = RecordedTrees { roots: vec![(0, 0), (3, 5)], ..trees.clone() };
        assert!(unfold(&more).is_none());
        assert!(unfold(&samples::random(1, &[100, 1, 50])).is_some());
    }
}
