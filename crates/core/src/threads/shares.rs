//! What is left of each thread's part of a loop over patches.

use std::sync::{Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use crate::threads::slices::PatchSlices;

/// Up to this number of threads nothing is allocated.
const INLINE: usize = 8;

/// Adjacent patches and their data.
pub(super) struct Piece<S> {
    /// The number of the first patch.
    first: usize,
    slices: S,
}

/// Each thread begins with patches of its own, the same in every loop, so that their data stay in
/// its cache. A thread that has none left takes half of what another has left.
pub(super) struct Shares<S> {
    /// What each thread has left.
    left: SmallVec<[Mutex<Option<Piece<S>>>; INLINE]>,
}

impl<S: PatchSlices> Piece<S> {
    /// All patches of `slices`.
    pub fn all(slices: S) -> Self {
        Self { first: 0, slices }
    }

    /// Calls `work` for each patch.
    pub fn one_by_one(self, work: &impl Fn(usize, S)) {
        let Self { first, slices: mut rest } = self;
        for patch in first..first + rest.patches() {
            let (one, later) = rest.split(1);
            work(patch, one);
            rest = later;
        }
    }

    /// Cuts after the first `patches` patches.
    fn split(self, patches: usize) -> (Self, Self) {
        let (front, back) = self.slices.split(patches);
        let second = Self { first: self.first + patches, slices: back };
        (Self { first: self.first, slices: front }, second)
    }
}

impl<S: PatchSlices> Shares<S> {
    /// Cuts `slices` into as many parts as there are threads.
    pub fn new(slices: S, threads: usize) -> Self {
        let mut rest = Piece::all(slices);
        let mut left = SmallVec::new();
        for others in (0..threads).rev() {
            let count = rest.slices.patches() / (others + 1);
            let (own, later) = rest.split(count);
            left.push(Mutex::new(Some(own)));
            rest = later;
        }
        Self { left }
    }

    /// The next patches for this thread, at most `grain`; `None` if no thread has any left.
    pub fn take(&self, thread: usize, grain: usize) -> Option<Piece<S>> {
        loop {
            if let Some(own) = self.take_front(thread, grain) {
                return Some(own);
            }
            let stolen = self.steal(thread)?;
            *self.lock(thread) = Some(stolen);
        }
    }

    /// At most the first `grain` patches that a thread has left.
    fn take_front(&self, thread: usize, grain: usize) -> Option<Piece<S>> {
        let mut left = self.lock(thread);
        let piece = left.take().filter(|piece| piece.slices.patches() > 0)?;
        let count = piece.slices.patches().min(grain);
        let (front, back) = piece.split(count);
        *left = Some(back);
        Some(front)
    }

    /// The later half of what the next other thread has left.
    fn steal(&self, thief: usize) -> Option<Piece<S>> {
        let count = self.left.len();
        (1..count).find_map(|step| self.take_back((thief + step) % count))
    }

    fn take_back(&self, victim: usize) -> Option<Piece<S>> {
        let mut left = self.lock(victim);
        let piece = left.take().filter(|piece| piece.slices.patches() > 0)?;
        let kept = piece.slices.patches() / 2;
        let (front, back) = piece.split(kept);
        *left = Some(front);
        Some(back)
    }

    /// Nothing panics while it holds this lock.
    fn lock(&self, thread: usize) -> MutexGuard<'_, Option<Piece<S>>> {
        self.left[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
