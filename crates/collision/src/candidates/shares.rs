//! Decides which rank begins the tests of each patch.
//!
//! All ranks hold all hierarchies, so any rank can begin with the tests of any patch. The work of
//! the last step is used to give all ranks equal shares at the beginning, so that they steal less.
//! In the first step there is no such work, and the owners begin.
//!
//! Which rank begins changes only times. Source: ours.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::stealing::TopLevelShare;
use cloth_core::{PatchId, Result, World};

/// Number of executed tests of each patch.
#[derive(Debug, Default)]
pub struct TestsOfPatches {
    /// Counts of all patches, up to the last one with a test.
    counts: Vec<u64>,
    /// The patch of all tests after the first `before` ones.
    patch: PatchId,
    /// The number of all tests when the task of this patch began.
    before: u64,
}

impl TestsOfPatches {
    /// The next tests belong to `patch`. So far `tests` tests were executed in all.
    pub fn begin(&mut self, patch: PatchId, tests: u64) {
        if tests > self.before {
            let at = self.patch as usize;
            self.counts.resize(self.counts.len().max(at + 1), 0);
            self.counts[at] += tests - self.before;
        }
        (self.patch, self.before) = (patch, tests);
    }

    /// The number of tests of each patch, up to the last patch with a test.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Adds the counts of `others`.
    pub fn add(&mut self, others: &Self) {
        self.counts.resize(self.counts.len().max(others.counts.len()), 0);
        self.counts.iter_mut().zip(&others.counts).for_each(|(sum, count)| *sum += count);
    }
}

/// One rank's share of the patches.
pub struct PatchShares {
    by: TopLevelShare,
    /// The patches whose tests this rank begins, rising.
    own: Vec<PatchId>,
    /// The number of tests of each patch that this rank has executed in this step.
    executed: TestsOfPatches,
    /// The number of tests of each patch in the last step, over all ranks. Empty if they are not
    /// counted.
    last: Vec<i64>,
}

impl PatchShares {
    /// Shares without known work.
    pub fn new(by: TopLevelShare) -> Self {
        Self { by, own: Vec::new(), executed: TestsOfPatches::default(), last: Vec::new() }
    }

    /// The patches whose tests this rank begins, rising.
    pub fn own(&self) -> &[PatchId] {
        &self.own
    }

    /// Adds the tests that this rank has executed in a search.
    pub fn add(&mut self, executed: &TestsOfPatches) {
        self.executed.add(executed);
    }

    /// A step begins, with these owners of the patches. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn begin(&mut self, world: &dyn World, owners: &[u32]) -> Result<()> {
        if self.by == TopLevelShare::LastStep {
            self.last.clear();
            let executed = self.executed.counts().iter().map(|&tests| tests as i64);
            self.last.extend(executed.chain(std::iter::repeat(0)).take(owners.len()));
            world.all_reduce_sum(&mut self.last)?;
        }
        self.executed = TestsOfPatches::default();
        let begins = shared_out(owners, &self.last, world.size());
        let numbered = (0..).zip(begins);
        self.own.clear();
        self.own.extend(numbered.filter(|it| it.1 == world.rank() as u32).map(|it| it.0));
        Ok(())
    }
}

/// The rank that begins the tests of each patch; `tests` is the number of tests of each patch. A
/// patch leaves its owner only if the owner has more than an equal share. The largest patches
/// leave first. Each goes to the rank with the fewest tests, if that rank then still has fewer
/// than the owner had.
fn shared_out(owners: &[u32], tests: &[i64], ranks: usize) -> Vec<u32> {
    let mut begins = owners.to_vec();
    let mut load = vec![0; ranks];
    for (&owner, &tests) in owners.iter().zip(tests) {
        load[owner as usize] += tests;
    }
    let equal = tests.iter().sum::<i64>() / ranks as i64;
    let mut order = Vec::from_iter(0..tests.len());
    order.sort_by_key(|&patch| (Reverse(tests[patch]), patch));
    let mut least = BinaryHeap::from_iter(load.iter().copied().zip(0..ranks).map(Reverse));
    for patch in order {
        let from = owners[patch] as usize;
        if load[from] <= equal {
            continue;
        }
        let Some(Reverse((of_least, to))) = least.pop() else { break };
        // The noted load of a rank that gave patches away is too high. That does no harm: it had
        // too much, so it is not the rank with the fewest tests.
        if of_least + tests[patch] < load[from] {
            load[from] -= tests[patch];
            load[to] += tests[patch];
            begins[patch] = to as u32;
        }
        least.push(Reverse((load[to], to)));
    }
    begins
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_work_stays_with_its_owners() {
        let owners = [2, 0, 1, 1, 0, 2];
        assert_eq!(shared_out(&owners, &[7; 6], 3), owners);
        assert_eq!(shared_out(&owners, &[], 3), owners);
    }

    #[test]
    fn a_rank_with_all_work_keeps_its_share() {
        let begins = shared_out(&[0, 0, 0, 0, 1, 2, 3], &[5, 5, 5, 5, 0, 0, 0], 4);
        let mut of_work = begins[..4].to_vec();
        of_work.sort_unstable();
        assert_eq!(of_work, [0, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn no_rank_has_much_more_than_an_equal_share(
            patches in prop::collection::vec((0..5_u32, 0..1000_i64), 1..60),
        ) {
            let (owners, tests): (Vec<u32>, Vec<i64>) = patches.into_iter().unzip();
            let load = |of: &[u32]| {
                let mut load = [0; 5];
                of.iter().zip(&tests).for_each(|(&rank, &tests)| load[rank as usize] += tests);
                load.into_iter().max().unwrap()
            };
            let most = load(&shared_out(&owners, &tests, 5));
            let largest = tests.iter().copied().max().unwrap();
            prop_assert!(most <= load(&owners));
            prop_assert!(most <= tests.iter().sum::<i64>() / 5 + largest + 1);
        }
    }
}
