//! The threads of one rank, and loops over its patches.
//!
//! | module | |
//! |---|---|
//! | `team` | threads that help the rank's thread with one job at a time |
//! | [`slices`] | data that can be cut between two patches |
//! | `shares` | what is left of each thread's part of a loop |
//! | [`wait`] | how a thread waits |
//! | [`clock`] | processor time of a thread |
//!
//! With one thread everything runs inline. One thread handles a whole patch: the result of a loop
//! does not depend on the thread that gets a patch.

pub mod clock;
mod shares;
pub mod slices;
mod team;
pub mod wait;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use self::shares::{Piece, Shares};
pub use self::slices::{Blocks, ByPatch, EachPatch, PatchSlices};
use self::team::Team;
use crate::{Error, Place, Result};

/// Number of pieces that a thread gets on average before their results are appended. Until then
/// the results are in memory twice.
const ROUND: usize = 32;

/// What a loop collects, in the order of its items.
pub trait Results: Default + Send {
    /// Appends the results of the next items.
    fn append(&mut self, next: Self);
}

impl<T: Send> Results for Vec<T> {
    fn append(&mut self, mut next: Self) {
        self.append(&mut next);
    }
}

impl<A: Results, B: Results> Results for (A, B) {
    fn append(&mut self, next: Self) {
        self.0.append(next.0);
        self.1.append(next.1);
    }
}

/// The threads of one rank.
pub struct Threads {
    team: Option<Team>,
}

impl Threads {
    /// The calling thread alone.
    pub const INLINE: Self = Self { team: None };

    /// The calling thread and `count - 1` others.
    ///
    /// # Errors
    /// When the operating system refuses the threads.
    pub fn new(count: usize) -> Result<Self> {
        if count <= 1 {
            return Ok(Self::INLINE);
        }
        let refused = |cause: std::io::Error| {
            Error::input(Place::Threads, cause.to_string(), "ask for fewer threads per rank")
        };
        Ok(Self { team: Some(Team::new(count).map_err(refused)?) })
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.team.as_ref().map_or(1, Team::count)
    }

    /// Calls `work(patch, piece)` for every patch of `slices`, in parallel. A thread takes adjacent
    /// patches, at most `grain` at a time.
    pub fn for_each_patch<S: PatchSlices>(
        &self,
        slices: S,
        grain: usize,
        work: impl Fn(usize, S) + Sync,
    ) {
        match &self.team {
            Some(team) if slices.patches() > 1 => {
                let shares = Shares::new(slices, team.count());
                let help = |thread: usize| {
                    while let Some(piece) = shares.take(thread, grain.max(1)) {
                        piece.one_by_one(&work);
                    }
                };
                team.run(&help, || help(0));
            }
            _ => Piece::all(slices).one_by_one(&work),
        }
    }

    /// Calls `work` on pieces of at most `chunk` of the `items`, in parallel. With one
    /// thread all items are one piece. Appends its results to `results` in the order of
    /// the items.
    pub fn collect<T: Sync, R: Results>(
        &self,
        items: &[T],
        chunk: usize,
        results: &mut R,
        work: impl Fn(&[T], &mut R) + Sync,
    ) {
        self.collect_ranges(items.len(), chunk, results, |range, results| {
            work(&items[range], results);
        });
    }

    /// [`Self::collect`] for the numbers of `count` items.
    pub fn collect_ranges<R: Results>(
        &self,
        count: usize,
        chunk: usize,
        results: &mut R,
        work: impl Fn(Range<usize>, &mut R) + Sync,
    ) {
        if self.count() == 1 || count <= chunk {
            return work(0..count, results);
        }
        for first in (0..count).step_by(chunk * ROUND * self.count()) {
            let last = count.min(first + chunk * ROUND * self.count());
            let mut parts: Vec<R> = Vec::new();
            parts.resize_with((last - first).div_ceil(chunk), R::default);
            self.for_each_patch(EachPatch(&mut parts), 1, |part, slot| {
                let start = first + part * chunk;
                work(start..last.min(start + chunk), &mut slot.0[0]);
            });
            parts.into_iter().for_each(|part| results.append(part));
        }
    }

    /// Copies `from` to `to`, in parallel. Both have the same length.
    pub fn copy<T: Copy + Send + Sync>(&self, from: &[T], to: &mut [T]) {
        debug_assert_eq!(from.len(), to.len());
        self.for_each_patch(Blocks::of_vertices(to), 1, |block, to| {
            to.items.copy_from_slice(&from[block * to.size..][..to.items.len()]);
        });
    }

    /// Calls `own` on the calling thread and, at the same time, `other` on a further thread for
    /// each of `others`. If `own` returns before a thread was free for one of them, the calling
    /// thread calls `other` for it then.
    pub fn beside<T: Send, R>(
        &self,
        others: &mut [T],
        other: impl Fn(&mut T) + Sync,
        own: impl FnOnce() -> R,
    ) -> R {
        let waiting = Mutex::new(others.iter_mut());
        let begin_next = || {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            next.map(&other).is_some()
        };
        let help = |_| {
            begin_next();
        };
        let result = match &self.team {
            Some(team) => team.run(&help, own),
            None => own(),
        };
        while begin_next() {}
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_their_items() {
        let items: Vec<u32> = (0..1000).collect();
        for count in [1, 3] {
            let mut odd = vec![7];
            Threads::new(count).unwrap().collect(&items, 64, &mut odd, |items, odd| {
                odd.extend(items.iter().filter(|&item| item % 2 == 1));
            });
            assert!(odd[1..].iter().copied().eq((0..500).map(|k| 2 * k + 1)));
        }
    }

    #[test]
    fn all_are_called_at_the_same_time() {
        let meeting = std::sync::Barrier::new(3);
        let mut others = [1, 2];
        let meet = |item: &mut i32| {
            meeting.wait();
            *item += 10;
        };
        Threads::new(3).unwrap().beside(&mut others, meet, || {
            meeting.wait();
        });
        assert_eq!(others, [11, 12]);
    }

    #[test]
    fn every_patch_is_visited_once_with_its_own_slice() {
        let offsets = [5, 7, 7, 12, 13];
        for count in [1, 2, 3] {
            let threads = Threads::new(count).unwrap();
            let mut values = vec![0; 8];
            let mut visits = vec![0; 4];
            let slices = (ByPatch::new(&mut values, &offsets), EachPatch(&mut visits));
            threads.for_each_patch(slices, 1, |patch, (values, visits)| {
                values.data.fill(patch + 1);
                visits.0[0] += 1;
            });
            assert_eq!(values, [1, 1, 3, 3, 3, 3, 3, 4]);
            assert_eq!(visits, [1; 4]);
        }
    }
}
