//! Pairs of bodies near each other, kept from step to step.
//!
//! The neighbour list of molecular dynamics (Verlet 1967), body by body. A body is looked up with a
//! larger ball. As long as its own ball, with its travel, is inside of that, the pairs that were found
//! hold all that it can touch. A body that left it, or is new, is looked up alone, and its old
//! pairs are dead. Once many are, all bodies are looked up anew.
//!
//! What is kept depends on the history; the pairs that come out do not: they are those whose balls,
//! with their travel, overlap now.
//!
//! | word | |
//! |---|---|
//! | entry | a number of [`Now`]: bodies, then images, then fixed bodies |
//! | slot | an entry as it was looked up; an entry that is looked up again gets a new slot |

use crate::math::Vec3;
use crate::rigid::broad::{Ball, Bound, Broad, NONE, level_of};
use crate::threads::{Blocks, Threads};

/// Share of its radius by which a body is looked up larger. The gas of `benches/rigid` costs a tenth
/// less than with 0.15.
const SLACK: f64 = 0.25;

/// Slots or pairs that a thread takes at once.
const GRAIN: usize = 4096;

/// Looking up one body alone costs about as much as so many in a rebuild, which visits cells in their
/// order. Once single look-ups have cost a rebuild, it is time for one.
const LOOK_UP_COST: usize = 10;

/// More cells are not visited for one body: all bodies are looked up instead.
const MOST_CELLS: i64 = 1000;

/// An image of a body: its place, and the periods by which it is shifted.
pub type ImageKey = (u32, [i8; 3]);

/// All bounds of a step.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// Of bodies, by place.
    pub bodies: &'a [Bound],
    /// Of images of bodies, and then of fixed bodies.
    pub others: &'a [Bound],
    /// The images, rising.
    pub images: &'a [ImageKey],
}

impl Now<'_> {
    /// The bound of an entry.
    pub fn bound(&self, entry: u32) -> &Bound {
        let entry = entry as usize;
        match entry.checked_sub(self.bodies.len()) {
            None => &self.bodies[entry],
            Some(other) => &self.others[other],
        }
    }

    /// Number of entries that are not fixed.
    fn movable(&self) -> usize {
        self.bodies.len() + self.images.len()
    }
}

/// The pairs. They keep their memory from step to step.
#[derive(Debug, Default)]
pub struct Candidates {
    grid: Broad,
    /// Pairs of slots.
    pairs: Vec<[u32; 2]>,
    slots: Vec<Slot>,
    /// The ball of each slot now. The radius of a dead one is not a number, so that it touches nothing.
    current: Vec<Ball>,
    /// The slots of bodies by place, and those of images and fixed bodies.
    of_bodies: Vec<u32>,
    of_others: Vec<u32>,
    images: Vec<ImageKey>,
    /// Slots whose entry has moved too far, for each block of slots.
    gone: Vec<Vec<u32>>,
    /// Entries to be looked up.
    moved: Vec<u32>,
    rebuilds: u64,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Centre of the ball with which the entry was looked up, m.
    centre: Vec3,
    /// Its radius or a little less, m: in few bytes.
    radius: f32,
    /// `NONE` if the slot is dead.
    entry: u32,
}

impl Slot {
    fn new(ball: &Ball, entry: u32) -> Self {
        Self { centre: ball.centre, radius: (ball.radius * (1.0 - 1e-6)) as f32, entry }
    }
}

/// The ball with which a body is looked up. It has room for another step at least. Its size goes by
/// steps, so that a body that becomes faster and faster seldom gets the largest.
fn enlarged(bound: &Bound) -> Ball {
    let least = bound.radius + 2.0 * bound.travel;
    let mut radius = bound.radius * (1.0 + SLACK);
    while radius < least {
        radius *= 1.0 + SLACK;
    }
    Ball { centre: bound.centre, radius }
}

impl Candidates {
    /// Writes to `pairs` all pairs of entries whose bounds, with their travel, overlap; no two fixed bodies make a pair.
    /// The set of pairs is a function of `now`, their order is not.
    pub fn pairs(&mut self, now: &Now, threads: &Threads, pairs: &mut Vec<[u32; 2]>) {
        if !self.follow(now, threads) {
            self.rebuild(now, threads);
        }
        pairs.clear();
        let Self { slots, current, .. } = self;
        threads.collect(&self.pairs, GRAIN, pairs, |candidates, pairs| {
            for &[a, b] in candidates {
                let (first, second) = (&current[a as usize], &current[b as usize]);
                let reach = first.radius + second.radius;
                if (second.centre - first.centre).norm_squared() <= reach * reach {
                    pairs.push([slots[a as usize].entry, slots[b as usize].entry]);
                }
            }
        });
    }

    /// How often all bodies were looked up.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// The entries of the last rebuild in the order of the cells: bodies near each other in space are
    /// near each other here.
    pub fn spatial_order(&self) -> impl Iterator<Item = u32> {
        self.grid.spatial_order()
    }

    /// The next call looks up all bodies.
    pub fn forget(&mut self) {
        self.slots.clear();
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let words = self.of_bodies.capacity() + self.of_others.capacity() + self.moved.capacity();
        self.grid.bytes()
            + 8 * self.pairs.capacity()
            + size_of::<Slot>() * self.slots.capacity()
            + size_of::<Ball>() * self.current.capacity()
            + 4 * words
    }

    fn rebuild(&mut self, now: &Now, threads: &Threads) {
        self.rebuilds += 1;
        self.current.clear();
        self.current.extend(now.bodies.iter().chain(now.others).map(enlarged));
        self.grid.pairs(&self.current, now.movable(), threads, &mut self.pairs);
        let slot = |(ball, entry): (&Ball, u32)| Slot::new(ball, entry);
        self.slots.clear();
        self.slots.extend(self.current.iter().zip(0..).map(slot));
        self.current.clear();
        self.current.extend(now.bodies.iter().chain(now.others).map(Bound::swept));
        let bodies = now.bodies.len() as u32;
        self.of_bodies.clear();
        self.of_bodies.extend(0..bodies);
        self.of_others.clear();
        self.of_others.extend(bodies..self.slots.len() as u32);
        self.images.clear();
        self.images.extend_from_slice(now.images);
    }

    /// Brings the pairs up to date. False if it is better to look up all bodies.
    fn follow(&mut self, now: &Now, threads: &Threads) -> bool {
        let fixed = now.others.len() - now.images.len();
        if self.slots.is_empty() || self.of_others.len() - self.images.len() != fixed {
            return false;
        }
        self.rename(now);
        self.find_moved(now, threads);
        let alive = now.bodies.len() + now.others.len();
        let dead = self.slots.len() + self.moved.len() - alive;
        if self.moved.len() > alive / 8 + 8 || dead > alive / LOOK_UP_COST + 64 {
            return false;
        }
        let moved = std::mem::take(&mut self.moved);
        let all = moved.iter().all(|&entry| self.look_up(entry, now));
        self.moved = moved;
        all
    }

    /// Gives the slots their entries of this step. Slots of what is gone die; entries without a slot
    /// are noted as moved.
    fn rename(&mut self, now: &Now) {
        self.moved.clear();
        let bodies = now.bodies.len();
        for place in bodies..self.of_bodies.len() {
            self.kill(self.of_bodies[place]);
        }
        self.moved.extend(self.of_bodies.len() as u32..bodies as u32);
        self.of_bodies.resize(bodies, NONE);

        let old = std::mem::take(&mut self.of_others);
        let (old_images, fixed) = old.split_at(self.images.len());
        let mut old = self.images.iter().zip(old_images).peekable();
        let mut slots = Vec::with_capacity(now.others.len());
        let mut gone = Vec::new();
        for key in now.images {
            while let Some((_, &slot)) = old.next_if(|(other, _)| *other < key) {
                gone.push(slot);
            }
            slots.push(old.next_if(|(other, _)| *other == key).map_or(NONE, |(_, &slot)| slot));
        }
        gone.extend(old.map(|(_, &slot)| slot));
        gone.into_iter().for_each(|slot| self.kill(slot));
        slots.extend_from_slice(fixed);
        for (&slot, entry) in slots.iter().zip(bodies as u32..) {
            match slot {
                NONE => self.moved.push(entry),
                slot => self.slots[slot as usize].entry = entry,
            }
        }
        self.of_others = slots;
        self.images.clear();
        self.images.extend_from_slice(now.images);
    }

    fn kill(&mut self, slot: u32) {
        self.slots[slot as usize].entry = NONE;
        self.current[slot as usize].radius = f64::NAN;
    }

    /// Takes over the bounds; slots whose entry has left its ball die.
    fn find_moved(&mut self, now: &Now, threads: &Threads) {
        self.gone.clear();
        self.gone.resize(self.slots.len().div_ceil(GRAIN), Vec::new());
        let slices = (
            Blocks { items: &mut self.current, size: GRAIN },
            Blocks { items: &mut self.gone, size: 1 },
        );
        let slots = &self.slots;
        threads.for_each_patch(slices, 1, |block, (current, gone)| {
            let first = block * GRAIN;
            let slots = slots[first..].iter().zip(current.items).zip(first as u32..);
            for ((slot, current), number) in slots.filter(|((slot, _), _)| slot.entry != NONE) {
                *current = now.bound(slot.entry).swept();
                let room = f64::from(slot.radius) - current.radius;
                let moved = (current.centre - slot.centre).norm_squared();
                if room < 0.0 || moved >= 0.99 * room * room {
                    gone.items[0].push(number);
                }
            }
        });
        for gone in std::mem::take(&mut self.gone) {
            for slot in gone {
                self.moved.push(self.slots[slot as usize].entry);
                self.kill(slot);
            }
        }
    }

    /// Finds the pairs of one entry and gives it a slot. False if that is too much work.
    fn look_up(&mut self, entry: u32, now: &Now) -> bool {
        let bound = now.bound(entry);
        let ball = enlarged(bound);
        let level = level_of(self.grid.largest / ball.radius);
        if ball.radius > self.grid.largest || level >= self.grid.levels.len() {
            return false;
        }
        let slot = self.slots.len() as u32;
        let is_fixed = |entry: u32| entry as usize >= now.movable();
        for level in &self.grid.levels {
            let block = level.block(&ball);
            if block.iter().map(|(_, count)| count).product::<i64>() > MOST_CELLS {
                return false;
            }
            level.visit(block, |other| {
                let reach = ball.radius + other.ball.radius;
                let apart = other.ball.centre - ball.centre;
                let partner = self.slots[other.place as usize].entry;
                let counts = partner != NONE && !(is_fixed(entry) && is_fixed(partner));
                if apart.norm_squared() <= reach * reach && counts {
                    self.pairs.push([slot, other.place]);
                }
            });
        }
        self.grid.levels[level].add(ball, slot);
        self.slots.push(Slot::new(&ball, entry));
        self.current.push(bound.swept());
        match (entry as usize).checked_sub(now.bodies.len()) {
            None => self.of_bodies[entry as usize] = slot,
            Some(other) => self.of_others[other] = slot,
        }
        true
    }
}
