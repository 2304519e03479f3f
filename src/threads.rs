//! The threads of one rank, and loops over its patches.
//!
//! Each rank owns its pool. Its main thread is the pool's first worker, so entering a
//! parallel loop neither switches threads nor allocates. With one thread everything
//! runs inline. One thread handles a whole patch: the result of a loop does not depend
//! on the thread that gets a patch.

use rayon::ThreadPool;

use crate::error::{Error, Result};

/// The worker threads of one rank.
pub struct Threads {
    pool: Option<ThreadPool>,
    count: usize,
}

impl Threads {
    /// The calling thread alone.
    pub const INLINE: Self = Self { pool: None, count: 1 };

    /// A pool of `count` threads; the calling thread is the first of them.
    ///
    /// # Errors
    /// When the operating system refuses the threads.
    pub fn new(count: usize) -> Result<Self> {
        if count <= 1 {
            return Ok(Self { pool: None, count: 1 });
        }
        let builder = || rayon::ThreadPoolBuilder::new().num_threads(count);
        // A thread can be a worker of one pool only. A second pool made on the same
        // thread does not contain it.
        let pool = builder().use_current_thread().build().or_else(|_| builder().build());
        let pool = pool.map_err(|cause| {
            Error::input("threads of a rank", cause.to_string(), "ask for fewer threads per rank")
        })?;
        Ok(Self { pool: Some(pool), count })
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `work(patch, piece)` for every patch of `slices`, in parallel. A thread
    /// takes adjacent patches, at most `grain` at a time.
    pub fn for_each_patch<S: PatchSlices>(
        &self,
        slices: S,
        grain: usize,
        work: impl Fn(usize, S) + Sync,
    ) {
        let count = slices.patches();
        match &self.pool {
            None => halve(0, count, slices, usize::MAX, &work),
            Some(pool) => pool.install(|| halve(0, count, slices, grain.max(1), &work)),
        }
    }

    /// Calls `work` on pieces of at most `chunk` of the `items`, in parallel. With one
    /// thread all items are one piece. Appends its results to `results` in the order of
    /// the items.
    pub fn collect<T: Sync, R: Send>(
        &self,
        items: &[T],
        chunk: usize,
        results: &mut Vec<R>,
        work: impl Fn(&[T], &mut Vec<R>) + Sync,
    ) {
        if self.count == 1 || items.len() <= chunk {
            return work(items, results);
        }
        let mut parts: Vec<Vec<R>> = (0..items.len().div_ceil(chunk)).map(|_| Vec::new()).collect();
        self.for_each_patch(EachPatch(&mut parts), 1, |part, slot| {
            let start = part * chunk;
            work(&items[start..items.len().min(start + chunk)], &mut slot.0[0]);
        });
        parts.iter_mut().for_each(|part| results.append(part));
    }

    /// Calls `own` on the calling thread and, at the same time, `other` on a further
    /// thread for each of `others`. Before: there are fewer `others` than threads.
    pub fn beside<T: Send, R>(
        &self,
        others: &mut [T],
        other: impl Fn(&mut T) + Sync,
        own: impl FnOnce() -> R,
    ) -> R {
        debug_assert!(others.len() < self.count);
        let other = &other;
        match &self.pool {
            None => own(),
            Some(pool) => pool.in_place_scope(|scope| {
                others.iter_mut().for_each(|item| scope.spawn(move |_| other(item)));
                own()
            }),
        }
    }
}

/// Calls `work` for `count` patches from `first` on; halves them among threads down to
/// `grain` patches.
fn halve<S: PatchSlices>(
    first: usize,
    count: usize,
    slices: S,
    grain: usize,
    work: &(impl Fn(usize, S) + Sync),
) {
    if count == 0 {
        return;
    }
    if count == 1 {
        return work(first, slices);
    }
    if count <= grain {
        let (one, rest) = slices.split(1);
        work(first, one);
        return halve(first + 1, count - 1, rest, grain, work);
    }
    let half = count / 2;
    let (low, high) = slices.split(half);
    rayon::join(
        || halve(first, half, low, grain, work),
        || halve(first + half, count - half, high, grain, work),
    );
}

/// Mutable data in the order of the patches, which can be cut between two of them.
pub trait PatchSlices: Send + Sized {
    /// Number of patches in this piece.
    fn patches(&self) -> usize;
    /// Cuts after the first `patches` patches.
    fn split(self, patches: usize) -> (Self, Self);
}

/// One array cut at `offsets`: patch `p` has `offsets[p]..offsets[p + 1]`, counted
/// from `offsets[0]`.
pub struct ByPatch<'a, T> {
    /// The values of this piece, patch after patch.
    pub data: &'a mut [T],
    offsets: &'a [u32],
}

impl<'a, T> ByPatch<'a, T> {
    /// `data` with the patch boundaries `offsets` (one more than patches).
    pub fn new(data: &'a mut [T], offsets: &'a [u32]) -> Self {
        debug_assert!(!offsets.is_empty());
        debug_assert_eq!((offsets[offsets.len() - 1] - offsets[0]) as usize, data.len());
        Self { data, offsets }
    }
}

impl<T: Send> PatchSlices for ByPatch<'_, T> {
    fn patches(&self) -> usize {
        self.offsets.len() - 1
    }

    fn split(self, patches: usize) -> (Self, Self) {
        let at = (self.offsets[patches] - self.offsets[0]) as usize;
        let (low, high) = self.data.split_at_mut(at);
        (
            Self { data: low, offsets: &self.offsets[..=patches] },
            Self { data: high, offsets: &self.offsets[patches..] },
        )
    }
}

/// One item per patch.
pub struct EachPatch<'a, T>(pub &'a mut [T]);

impl<T: Send> PatchSlices for EachPatch<'_, T> {
    fn patches(&self) -> usize {
        self.0.len()
    }

    fn split(self, patches: usize) -> (Self, Self) {
        let (low, high) = self.0.split_at_mut(patches);
        (Self(low), Self(high))
    }
}

macro_rules! tuple_slices {
    ($($name:ident),+) => {
        impl<Head: PatchSlices, $($name: PatchSlices),+> PatchSlices for (Head, $($name),+) {
            fn patches(&self) -> usize {
                self.0.patches()
            }

            #[allow(non_snake_case)] // bindings have the names of the types
            fn split(self, patches: usize) -> (Self, Self) {
                let (head, $($name),+) = self;
                let head = head.split(patches);
                $(let $name = $name.split(patches);)+
                ((head.0, $($name.0),+), (head.1, $($name.1),+))
            }
        }
    };
}
tuple_slices!(B);
tuple_slices!(B, C);
tuple_slices!(B, C, D, E);
tuple_slices!(B, C, D, E, F);

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
