//! The work that is shared: tests that unfold into further tests.

use bytemuck::Pod;

/// Tests that one processor executes one after the other.
pub type Task<T> = Vec<T>;

/// A way to execute tests, the same for all processors of a rank.
///
/// It is chosen at compile time: a processor calls [`Workload::run`] about every microsecond.
pub trait Workload: Sync {
    /// A test. It means the same on every rank, and its bytes travel between them.
    type Test: Pod + Send + Sync;
    /// The results of one processor.
    type Results: Results;

    /// Takes a few tests from the top of the `stack`, executes them, and puts the tests that
    /// they unfold into back on it. It takes about a microsecond and returns often: between two
    /// calls a processor looks at its stack, its pool and the messages of other ranks.
    fn run(&self, stack: &mut Vec<Self::Test>, results: &mut Self::Results);
}

/// The counts and items of one processor. Results of several processors can be joined in any
/// order.
pub trait Results: Default + Send {
    /// Executed tests.
    fn tests(&self) -> u64;
    /// Items found.
    fn found(&self) -> u64;
    /// Takes all of `other` and leaves it empty. Its memory may be kept for the next search.
    fn take(&mut self, other: &mut Self);
}
