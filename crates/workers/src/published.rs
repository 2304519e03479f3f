//! The active bodies of all workers, by the procedures of the paper (algorithms 2, 3, 6 and 7).
//!
//! They change the sets of the step before, so sets are part of the state. A load is a number of
//! active bodies.
//!
//! - Joint of two bodies without a common worker: both get both homes, and so do all bodies within
//!   `growth` edges of either.
//! - i, ii. Contact of two bodies without a common worker: the one whose workers have the larger
//!   mean load gets the workers of both, and so do all bodies within `growth` edges of it.
//! - iii, iv. New contact of a body of several workers with one of one worker: the first leaves the
//!   others, unless its neighbours have several workers (it is a bridge).
//! - v. New contact of two bodies with the same several workers: both leave all but the one with the
//!   least load.
//!
//! As printed, constraints are lost. Mended:
//!
//! - Joints count for any number of workers of their bodies, not only for one each, and in each
//!   step. Growth does not skip shared bodies. i and ii see old contacts too.
//! - v has no test for bridges, and with that of iii and iv it would never act. Here a body leaves
//!   only if each neighbour has a worker that the body keeps.
//! - A body never leaves its home, and one without neighbours has its home alone.
//! - Joints come by number, contacts by ids. Of equal loads that of the lower worker is the least.
//!
//! So each edge has a worker with both bodies, and nothing is left to repair: the first rules give it
//! one, and no other takes the last one away.

use std::collections::BTreeSet;

use cloth_core::partition::Graph;
use cloth_rigid::BodyId;

/// The sets, from step to step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedSets {
    /// The workers of each movable body as bits, by its id. Other ids have 0.
    workers: Vec<u64>,
    /// The pairs of ids in contact in the last step, rising.
    touching: Vec<[BodyId; 2]>,
}

/// The constraint graph of a step. A body is its place.
pub struct Constrained<'a> {
    /// The ids of the bodies.
    pub ids: &'a [BodyId],
    /// Their homes.
    pub homes: &'a [u8],
    /// All edges.
    pub graph: &'a Graph,
    /// Those of joints, by their number.
    pub joints: &'a [[u32; 2]],
    /// Those of contacts, in any order.
    pub contacts: &'a [[u32; 2]],
}

impl PublishedSets {
    /// Each of the bodies `ids` has its home alone. `homes` has the home of each id.
    pub fn new(ids: impl Iterator<Item = BodyId>, homes: &[u8]) -> Self {
        let mut workers = vec![0; homes.len()];
        ids.for_each(|id| workers[id as usize] = 1 << homes[id as usize]);
        Self { workers, touching: Vec::new() }
    }

    /// The sets of the same bodies with other homes.
    pub fn anew(&self, homes: &[u8]) -> Self {
        let ids = (0..).zip(&self.workers).filter(|(_, workers)| **workers != 0);
        Self::new(ids.map(|(id, _)| id), homes)
    }

    /// Follows the constraints of a step. Returns the workers of each place.
    pub fn follow(&mut self, step: &Constrained, count: usize, growth: u32) -> Vec<u64> {
        let id = |place: u32| step.ids[place as usize];
        let before = |(place, &home): (u32, &u8)| match step.graph.neighbours(place) {
            [] => 1 << home,
            _ => self.workers[id(place) as usize],
        };
        let before = (0..).zip(step.homes).map(before).collect();
        let mut sets = Changing::new(step, before, count, growth);
        step.joints.iter().for_each(|&joint| sets.hold(joint));
        let rising = |&[a, b]: &[u32; 2]| if id(a) < id(b) { [a, b] } else { [b, a] };
        let mut contacts: Vec<[u32; 2]> = step.contacts.iter().map(rising).collect();
        contacts.sort_unstable_by_key(|pair| pair.map(id));
        contacts.dedup();
        let is_new = |pair: &[u32; 2]| self.touching.binary_search(&pair.map(id)).is_err();
        contacts.iter().for_each(|pair| sets.meet(*pair, is_new(pair)));
        self.touching = contacts.iter().map(|pair| pair.map(id)).collect();
        for (&id, &workers) in step.ids.iter().zip(&sets.workers) {
            self.workers[id as usize] = workers;
        }
        sets.workers
    }

    /// The worker whose impulse of a constraint is kept: the home of the first body, or else the
    /// lowest worker that has both.
    pub fn owner(&self, home: usize, [first, second]: [BodyId; 2]) -> usize {
        let of = |id: BodyId| match self.workers.get(id as usize) {
            None | Some(0) => u64::MAX,
            Some(&workers) => workers,
        };
        let both = of(first) & of(second);
        if both >> home & 1 == 1 { home } else { both.trailing_zeros() as usize }
    }

    /// The sets as words.
    pub fn words(&self) -> Vec<u64> {
        self.workers.iter().chain(self.touching.as_flattened()).copied().collect()
    }

    /// The sets of the same bodies that had these `words`. None if they are unsound. All `homes` are
    /// below `count`.
    pub fn of_words(&self, words: &[u64], homes: &[u8], count: u64) -> Option<Self> {
        let (workers, touching) = words.split_at_checked(self.workers.len())?;
        let is_sound = |((&now, &then), &home): ((&u64, &u64), &u8)| match now {
            0 => then == 0,
            _ => then >> home & 1 == 1 && then.checked_shr(count as u32).unwrap_or(0) == 0,
        };
        let (touching, rest) = touching.as_chunks();
        let mut all = self.workers.iter().zip(workers).zip(homes);
        (all.all(is_sound) && rest.is_empty())
            .then(|| Self { workers: workers.to_vec(), touching: touching.to_vec() })
    }
}

/// The sets while a step changes them.
struct Changing<'a> {
    homes: &'a [u8],
    graph: &'a Graph,
    growth: u32,
    /// The workers of each place.
    workers: Vec<u64>,
    /// The number of active bodies of each worker.
    loads: Vec<u64>,
}

impl<'a> Changing<'a> {
    fn new(step: &Constrained<'a>, workers: Vec<u64>, count: usize, growth: u32) -> Self {
        let load = |worker| workers.iter().filter(|&&of| of >> worker & 1 == 1).count() as u64;
        let loads = (0..count).map(load).collect();
        Self { homes: step.homes, graph: step.graph, growth, workers, loads }
    }

    /// The joint of two bodies (algorithm 2).
    fn hold(&mut self, [a, b]: [u32; 2]) {
        if self.of(a) & self.of(b) == 0 {
            let homes = self.home(a) | self.home(b);
            self.grow(a, homes);
            self.grow(b, homes);
        }
    }

    /// The contact of two bodies (algorithm 6).
    fn meet(&mut self, [a, b]: [u32; 2], is_new: bool) {
        let (of_a, of_b) = (self.of(a), self.of(b));
        let is_shared = |workers: u64| !workers.is_power_of_two();
        if of_a & of_b == 0 {
            return self.grow(if self.is_emptier(of_a, of_b) { b } else { a }, of_a | of_b);
        }
        if is_new && is_shared(of_a) && !is_shared(of_b) && !self.is_bridge(a) {
            self.set(a, of_b | self.home(a));
        } else if is_new && is_shared(of_b) && !is_shared(of_a) && !self.is_bridge(b) {
            self.set(b, of_a | self.home(b));
        } else if is_new && is_shared(of_a) && of_a == of_b {
            let least = each(of_a).min_by_key(|&worker| (self.loads[worker], worker));
            for body in [a, b] {
                let kept = self.home(body) | least.map_or(0, |worker| 1 << worker);
                if self.graph.neighbours(body).iter().all(|&it| self.of(it) & kept != 0) {
                    self.set(body, kept);
                }
            }
        }
    }

    /// Adds `workers` to `root` and all bodies within the growth (algorithm 3).
    fn grow(&mut self, root: u32, workers: u64) {
        let mut reached = BTreeSet::from([root]);
        let mut front = vec![root];
        for _ in 0..self.growth {
            let near = front.iter().flat_map(|&body| self.graph.neighbours(body));
            front = near.copied().filter(|&body| reached.insert(body)).collect();
        }
        reached.into_iter().for_each(|body| self.set(body, self.of(body) | workers));
    }

    /// True if the neighbours of `body` have several workers (algorithm 7).
    fn is_bridge(&self, body: u32) -> bool {
        let all = self.graph.neighbours(body).iter().fold(0, |all, &other| all | self.of(other));
        all.count_ones() > 1
    }

    /// True if the mean load of the workers `a` is below that of `b`.
    fn is_emptier(&self, a: u64, b: u64) -> bool {
        let sum = |workers: u64| each(workers).map(|worker| self.loads[worker]).sum::<u64>();
        let scaled = |of: u64, other: u64| sum(of) * u64::from(other.count_ones());
        (scaled(a, b), a.trailing_zeros()) < (scaled(b, a), b.trailing_zeros())
    }

    fn of(&self, body: u32) -> u64 {
        self.workers[body as usize]
    }

    fn home(&self, body: u32) -> u64 {
        1 << self.homes[body as usize]
    }

    fn set(&mut self, body: u32, workers: u64) {
        let before = std::mem::replace(&mut self.workers[body as usize], workers);
        each(before & !workers).for_each(|worker| self.loads[worker] -= 1);
        each(workers & !before).for_each(|worker| self.loads[worker] += 1);
    }
}

/// The workers in a set, rising.
fn each(workers: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |worker| workers >> worker & 1 == 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::any_graph;

    const WORKERS: usize = 5;

    /// The next sets by these joints and contacts. `ids` has the id of each place.
    fn follow(
        sets: &mut PublishedSets,
        (ids, homes): (&[BodyId], &[u8]),
        [joints, contacts]: [&[[u32; 2]]; 2],
        growth: u32,
    ) -> Vec<u64> {
        let all = joints.iter().chain(contacts).map(|edge| &edge[..]);
        let graph = &Graph::from_cliques(homes.len(), all);
        sets.follow(&Constrained { ids, homes, graph, joints, contacts }, WORKERS, growth)
    }

    proptest! {
        /// Contacts come and go. Their order, places of bodies and restarts do not count.
        #[test]
        fn each_edge_has_a_worker_in_any_order(
            (edges, homes) in any_graph(),
            joints in 0usize..10,
            steps in prop::collection::vec(any::<u64>(), 1..8),
            growth in 0u32..4,
        ) {
            let (joints, contacts) = edges.split_at(joints.min(edges.len()));
            let last = homes.len() as u32 - 1;
            let ids: Vec<BodyId> = (0..homes.len() as BodyId).collect();
            let turned_ids = Vec::from_iter(ids.iter().rev().copied());
            let turned_homes = Vec::from_iter(homes.iter().rev().copied());
            let turned = |edges: &[[u32; 2]]| -> Vec<[u32; 2]> {
                edges.iter().map(|[a, b]| [last - b, last - a]).collect()
            };
            let mut sets = PublishedSets::new(ids.iter().copied(), &homes);
            let mut other = sets.clone();
            for step in steps {
                let mut there = (0..).map(|at| step >> at & 1 == 1);
                let now: Vec<[u32; 2]> =
                    contacts.iter().copied().filter(|_| there.next() == Some(true)).collect();
                let workers = follow(&mut sets, (&ids, &homes), [joints, &now], growth);
                for &[a, b] in joints.iter().chain(&now) {
                    let both = workers[a as usize] & workers[b as usize];
                    let owner = sets.owner(homes[a as usize].into(), [a, b].map(BodyId::from));
                    prop_assert!(both >> owner & 1 == 1);
                }
                for (body, (&of, &home)) in (0..).zip(workers.iter().zip(&homes)) {
                    let is_free = !joints.iter().chain(&now).flatten().any(|&it| it == body);
                    prop_assert!(of >> home & 1 == 1 && of >> WORKERS == 0);
                    prop_assert!(!is_free || of == 1 << home);
                }
                let edges = [turned(joints), turned(&now).into_iter().rev().collect()];
                let edges = edges.each_ref().map(|edges| &edges[..]);
                let there = follow(&mut other, (&turned_ids, &turned_homes), edges, growth);
                prop_assert!(workers.iter().eq(there.iter().rev()));
                prop_assert_eq!(&sets, &other);
                let again = other.of_words(&sets.words(), &homes, WORKERS as u64);
                prop_assert_eq!(again.as_ref(), Some(&sets));
            }
        }
    }

    #[test]
    fn cases_are_those_of_the_paper() {
        let (ids, homes) = ([0, 1, 2, 3, 4], [0, 0, 1, 1, 1]);
        let mut sets = PublishedSets::new(ids.into_iter(), &homes);
        let mut step =
            |contacts: &[[u32; 2]]| follow(&mut sets, (&ids, &homes), [&[], contacts], 0);
        // 3 is both workers.
        assert_eq!(step(&[[1, 2]]), [1, 1, 3, 2, 2], "i: 2 and 3 bodies");
        assert_eq!(step(&[[1, 2], [2, 3]]), [1, 1, 3, 2, 2], "iv");
        assert_eq!(step(&[[2, 3]]), [1, 1, 3, 2, 2], "no new contact");
        assert_eq!(step(&[[2, 3], [2, 4]]), [1, 1, 2, 2, 2], "iii");
        let held = [[0, 2], [1, 3]];
        assert_eq!(step(&held), [1, 1, 3, 3, 2], "i, the second time with equal loads");
        assert_eq!(step(&[held[0], held[1], [2, 3]]), [1, 1, 3, 3, 2], "v would lose contacts");
        step(&held);
        assert_eq!(step(&[[2, 3]]), [1, 1, 2, 2, 2], "v: 4 and 3 bodies");
    }
}
