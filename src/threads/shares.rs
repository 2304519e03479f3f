//! What is left of each thread's part of a loop over patches.

use std::sync::{Mutex, PoisonError};

use smallvec::SmallVec;

use crate::threads::slices::PatchSlices;

/// Threads for which nothing is allocated.
const INLINE: usize = 8;

/// Each thread begins with patches of its own, the same in every loop, so that their data stay in
/// its cache. A thread that has none left takes half of what another has left.
pub(super) struct Shares<S> {
    /// For each thread the first patch and the slices of what is left.
    left: SmallVec<[Mutex<Option<(usize, S)>>; INLINE]>,
}

impl<S: PatchSlices> Shares<S> {
    /// Cuts `slices` into as many parts as there are threads.
    pub fn new(slices: S, threads: usize) -> Self {
        let (mut first, mut rest) = (0, slices);
        let mut left = SmallVec::new();
        for others in (0..threads).rev() {
            let count = rest.patches() / (others + 1);
            let (own, later) = rest.split(count);
            left.push(Mutex::new(Some((first, own))));
            (first, rest) = (first + count, later);
        }
        Self { left }
    }

    /// The next patches for this thread, at most `grain`, and the number of the first; `None` if
    /// no thread has any left.
    pub fn take(&self, thread: usize, grain: usize) -> Option<(usize, S)> {
        loop {
            if let Some(own) = self.change(thread, |patches| patches.min(grain)) {
                return Some(own);
            }
            let (first, stolen) = self.steal(thread)?;
            self.put(thread, first, stolen);
        }
    }

    /// The later half of what the next other thread has left.
    fn steal(&self, thief: usize) -> Option<(usize, S)> {
        let count = self.left.len();
        (1..count).find_map(|step| self.take_back((thief + step) % count))
    }

    /// Takes the first `count(patches)` patches of a thread.
    fn change(&self, thread: usize, count: impl Fn(usize) -> usize) -> Option<(usize, S)> {
        let mut left = self.left[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let (first, slices) = left.take().filter(|(_, slices)| slices.patches() > 0)?;
        let count = count(slices.patches());
        let (front, back) = slices.split(count);
        *left = Some((first + count, back));
        Some((first, front))
    }

    fn take_back(&self, victim: usize) -> Option<(usize, S)> {
        let mut left = self.left[victim].lock().unwrap_or_else(PoisonError::into_inner);
        let (first, slices) = left.take().filter(|(_, slices)| slices.patches() > 0)?;
        let kept = slices.patches() / 2;
        let (front, back) = slices.split(kept);
        *left = Some((first, front));
        Some((first + kept, back))
    }

    fn put(&self, thread: usize, first: usize, slices: S) {
        let mut left = self.left[thread].lock().unwrap_or_else(PoisonError::into_inner);
        *left = Some((first, slices));
    }
}

/// Calls `work` for each patch of `slices`; `first` is the number of the first.
pub(super) fn one_by_one<S: PatchSlices>(first: usize, slices: S, work: &impl Fn(usize, S)) {
    let mut rest = slices;
    for patch in first..first + rest.patches() {
        let (one, later) = rest.split(1);
        work(patch, one);
        rest = later;
    }
}
