//! Finds the candidates of all ranks together: the tests of [`collision`](crate::collision), which
//! [`stealing`](crate::stealing) shares among ranks.
//!
//! Neither of the two knows the other. An observer sees each search when it is over.

mod shares;
#[cfg(test)]
mod tests;

use crate::collision::search::patch_of;
use crate::collision::search::traversal::{Found, Traversal};
use crate::collision::{CandidateFinder, Surfaces, Sweep, Test, TestCounters};
use crate::stealing::{Processors, RankThreads, Results, Task, TopLevel, Workload};
use cloth_core::{Result, World};
pub use shares::{PatchShares, TestsOfPatches};

/// The counts and candidates of one processor in a search.
#[derive(Default)]
pub struct Findings {
    counters: TestCounters,
    found: Found,
    tests: TestsOfPatches,
}

impl Results for Findings {
    fn tests(&self) -> u64 {
        self.counters.tests
    }

    fn found(&self) -> u64 {
        self.found.candidates.len() as u64
    }

    fn take(&mut self, other: &mut Self) {
        other.tests.begin(0, other.counters.tests);
        self.tests.add(&std::mem::take(&mut other.tests));
        self.counters.add(&std::mem::take(&mut other.counters));
        let (candidates, others) = (&mut self.found.candidates, &mut other.found.candidates);
        if candidates.is_empty() {
            std::mem::swap(candidates, others);
        } else {
            candidates.append(others);
        }
    }
}

impl Workload for Traversal<'_> {
    type Test = Test;
    type Results = Findings;

    fn begin(&self, task: &[Test], results: &mut Findings) {
        let patch = task.first().and_then(|test| patch_of(self.trees.surfaces, test));
        results.tests.begin(patch.unwrap_or(0), results.counters.tests);
    }

    #[inline]
    fn run(&self, stack: &mut Vec<Test>, results: &mut Findings) {
        Traversal::run(self, stack, &mut results.counters, &mut results.found);
    }
}

/// The processors of a rank that search for candidates.
pub type SearchProcessors = Processors<Test, Findings>;

/// Surfaces and the motion to which their hierarchies were refitted.
#[derive(Clone, Copy)]
pub struct SweptSurfaces<'a> {
    /// All surfaces.
    pub surfaces: &'a Surfaces,
    /// Their motion.
    pub sweep: &'a Sweep<'a>,
}

/// Collects the candidates below the root tests of all ranks. A rank may find pairs below the
/// roots of another rank. All ranks together find what [`CandidateFinder::collect`] finds on one
/// rank with all roots.
///
/// `roots` are this rank's root tests, from the last [`CandidateFinder::root_tests`]. The root
/// tests of each patch are one top-level task. A single rank with one thread makes one task of
/// all, and does not tell its patches apart. Returns counts of the tests and candidates of this
/// rank.
///
/// Collective, unless there are no roots on any rank.
///
/// # Errors
/// If a rank fails.
pub fn collect_shared(
    here: RankThreads,
    processors: &mut SearchProcessors,
    finder: &mut CandidateFinder,
    over: SweptSurfaces,
    roots: &mut [Test],
) -> Result<(TestCounters, TestsOfPatches)> {
    let SweptSurfaces { surfaces, sweep } = over;
    let alone = here.world.size() == 1 && here.threads.count() == 1;
    let tasks = if alone { in_one(roots) } else { of_each_patch(surfaces, roots) };
    let any = finder.any_roots();
    let mut tests = TestsOfPatches::default();
    let counters = finder.collect_with(surfaces, sweep, |traversal, candidates| {
        let mut findings = Findings::default();
        std::mem::swap(&mut findings.found.candidates, candidates);
        processors.run(here, traversal, TopLevel { tasks, any }, &mut findings)?;
        (*candidates, tests) = (findings.found.candidates, findings.tests);
        Ok(findings.counters)
    })?;
    Ok((counters, tests))
}

/// Root tests as one task, if there are any.
fn in_one(roots: &[Test]) -> Vec<Task<Test>> {
    Vec::from_iter((!roots.is_empty()).then(|| roots.to_vec()))
}

/// Root tests as one task for each patch, in the order of the patches.
fn of_each_patch(surfaces: &Surfaces, roots: &mut [Test]) -> Vec<Task<Test>> {
    roots.sort_unstable_by_key(|test| patch_of(&surfaces.list, test));
    let of_one_patch =
        |a: &Test, b: &Test| patch_of(&surfaces.list, a) == patch_of(&surfaces.list, b);
    Vec::from_iter(roots.chunk_by(of_one_patch).map(<[Test]>::to_vec))
}

/// Watches the searches of a step. By default it does nothing.
///
/// Its time is part of no phase. It cannot change what a step computes.
pub trait SearchObserver {
    /// Whether each task of the next search is traced.
    fn traces_tasks(&self) -> bool {
        false
    }

    /// A search is over on this rank. An observer may communicate here if the observers of all
    /// ranks do so.
    ///
    /// # Errors
    /// If the observer cannot go on. The step fails with the same error.
    fn searched(&mut self, search: &SearchOver) -> Result<()> {
        let _ = search;
        Ok(())
    }
}

/// Nobody watches.
impl SearchObserver for () {}

/// A search that is over on this rank.
pub struct SearchOver<'a> {
    /// All ranks.
    pub world: &'a dyn World,
    /// The processors, with the profile of the search.
    pub processors: &'a SearchProcessors,
    /// Counts of the tests that this rank executed, including those above the roots.
    pub executed: TestCounters,
    /// The hierarchies, as they were refitted.
    pub finder: &'a CandidateFinder,
    /// All surfaces.
    pub surfaces: &'a Surfaces,
    /// The motion that was searched.
    pub sweep: Sweep<'a>,
}
