//! Pairs of bodies near each other, kept from step to step.
//!
//! This is the neighbour list of molecular dynamics (Verlet 1967), but for each body on its own. A
//! body is looked up with an enlarged ball. As long as the body's own ball, grown by its travel, is
//! inside of the enlarged ball, the pairs that were found contain all bodies that it can touch. A
//! body that is new or has left its enlarged ball is looked up alone, and its old pairs are dead.
//! When many slots are dead, all bodies are looked up anew.
//!
//! The kept pairs depend on the history, but the resulting pairs do not: they are the pairs whose
//! balls, grown by their travel, overlap now.
//!
//! | word | |
//! |---|---|
//! | entry | a number of [`Now`]: bodies, then images, then fixed bodies |
//! | slot | an entry as it was looked up; an entry that is looked up again gets a new slot |

use crate::BodyState;
use crate::broad::{Ball, Bound, Broad, NONE, level_of};
use cloth_core::{Threads, Vec3};

/// The ball of a body is enlarged by this fraction of its radius, once or several times. The gas of
/// `benches/rigid` costs a tenth less than with 0.15.
const SLACK: f64 = 0.25;

/// Number of slots or pairs that a thread takes at once.
const GRAIN: usize = 4096;

/// Looking up one body alone costs about as much as looking up this many bodies in a rebuild,
/// which visits cells in their order. When single look-ups have cost as much as a rebuild, all
/// bodies are looked up.
const LOOK_UP_COST: usize = 10;

/// The centre of an enlarged ball is ahead of its body by this fraction of the room in the ball.
const AHEAD: f64 = 0.75;

/// The centre of an enlarged ball is ahead by at most the travel of this many steps, so that the
/// ball of a body that only quivers stays where it is.
const STEPS_AHEAD: f64 = 32.0;

/// If one body would visit more cells of a level than this, all bodies are looked up instead.
const MOST_CELLS: i64 = 1000;

/// An image of a body: its place, and the periods by which it is shifted.
pub type ImageKey = (u32, [i8; 3]);

/// All bounds of a step.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// Bounds of bodies, by place.
    pub bodies: &'a [Bound],
    /// States of bodies, by place.
    pub states: &'a [BodyState],
    /// Bounds of images of bodies, and then of fixed bodies.
    pub others: &'a [Bound],
    /// The images, in rising order.
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

    /// The enlarged ball of an entry. It has room for the travel of at least one more step. Its
    /// radius is that of the body times a power of `1 + SLACK`, so that a body that becomes faster
    /// and faster seldom gets a new largest ball. Its centre is ahead of the body, so that a body
    /// that flies freely crosses the whole ball.
    fn enlarged(&self, entry: u32) -> Ball {
        let bound = self.bound(entry);
        let least = bound.radius + 2.0 * bound.travel;
        let mut radius = bound.radius * (1.0 + SLACK);
        while radius < least {
            radius *= 1.0 + SLACK;
        }
        let room = radius - bound.radius - bound.travel;
        let ahead = (AHEAD * room).min(STEPS_AHEAD * bound.travel);
        let direction = self.velocity(entry).try_normalize(0.0).unwrap_or_default();
        Ball { centre: bound.centre + direction * ahead, radius }
    }

    /// The velocity of an entry, m/s; 0 for fixed bodies.
    fn velocity(&self, entry: u32) -> Vec3 {
        let place = match (entry as usize).checked_sub(self.bodies.len()) {
            None => Some(entry as usize),
            Some(other) => self.images.get(other).map(|&(place, _)| place as usize),
        };
        place.map_or(Vec3::zeros(), |place| self.states[place].twist.linear)
    }

    /// Number of entries.
    fn len(&self) -> u32 {
        (self.bodies.len() + self.others.len()) as u32
    }

    /// Number of entries that are not fixed.
    fn movable(&self) -> usize {
        self.bodies.len() + self.images.len()
    }
}

/// The kept pairs. Their memory is reused from step to step.
#[derive(Debug, Default)]
pub struct Candidates {
    grid: Broad,
    /// Pairs of slots.
    pairs: Vec<[u32; 2]>,
    /// The entry of each slot; `NONE` if the slot is dead. The list is small, so it stays in the
    /// cache while the pairs are read.
    entries: Vec<u32>,
    /// The enlarged ball with which the entry of each slot was looked up.
    balls: Vec<Ball>,
    /// The slots of bodies, by place. `of_others` has those of images and fixed bodies.
    of_bodies: Vec<u32>,
    of_others: Vec<u32>,
    images: Vec<ImageKey>,
    /// Entries that have left their enlarged balls.
    gone: Vec<u32>,
    /// Entries to be looked up.
    moved: Vec<u32>,
    rebuilds: u64,
}

/// True if `ball` is not clearly inside of `other`.
fn has_left(ball: &Ball, other: &Ball) -> bool {
    let room = other.radius - ball.radius;
    let moved = (ball.centre - other.centre).norm_squared();
    room <= 1e-9 * other.radius || moved >= 0.99 * room * room
}

/// True if two balls overlap.
fn meet([first, second]: &[Ball; 2]) -> bool {
    let reach = first.radius + second.radius;
    (second.centre - first.centre).norm_squared() <= reach * reach
}

impl Candidates {
    /// Writes to `pairs` all pairs of entries whose bounds, grown by their travel, overlap. No two
    /// fixed bodies make a pair. The set of pairs is a function of `now`, but their order is not.
    pub fn pairs(&mut self, now: &Now, threads: &Threads, pairs: &mut Vec<[u32; 2]>) {
        if !self.follow(now, threads) {
            self.rebuild(now, threads);
        }
        pairs.clear();
        let entry = |slot: u32| self.entries[slot as usize];
        threads.collect(&self.pairs, GRAIN, pairs, |candidates, pairs| {
            for pair in candidates.iter().map(|slots| slots.map(entry)) {
                if !pair.contains(&NONE) && meet(&pair.map(|entry| now.bound(entry).swept())) {
                    pairs.push(pair);
                }
            }
        });
    }

    /// Number of times that all bodies were looked up.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// The entries of the last rebuild, level by level in the order of the cells: bodies of a level
    /// that are near each other in space are near each other here.
    pub fn spatial_order(&self) -> impl Iterator<Item = u32> {
        self.grid.spatial_order()
    }

    /// Makes the next call of [`Self::pairs`] look up all bodies.
    pub fn forget(&mut self) {
        self.entries.clear();
    }

    fn rebuild(&mut self, now: &Now, threads: &Threads) {
        self.rebuilds += 1;
        self.balls.clear();
        self.balls.extend((0..now.len()).map(|entry| now.enlarged(entry)));
        self.grid.pairs(&self.balls, now.movable(), threads, &mut self.pairs);
        self.entries.clear();
        self.entries.extend(0..now.len());
        let bodies = now.bodies.len() as u32;
        self.of_bodies.clear();
        self.of_bodies.extend(0..bodies);
        self.of_others.clear();
        self.of_others.extend(bodies..now.len());
        self.images.clear();
        self.images.extend_from_slice(now.images);
    }

    /// Brings the pairs up to date. False if it is better to look up all bodies.
    fn follow(&mut self, now: &Now, threads: &Threads) -> bool {
        let fixed = now.others.len() - now.images.len();
        if self.entries.is_empty() || self.of_others.len() - self.images.len() != fixed {
            return false;
        }
        self.rename(now);
        self.find_moved(now, threads);
        let alive = now.bodies.len() + now.others.len();
        let dead = self.entries.len() + self.moved.len() - alive;
        if self.moved.len() > alive / 8 + 8 || dead > alive / LOOK_UP_COST + 64 {
            return false;
        }
        let moved = std::mem::take(&mut self.moved);
        let all = moved.iter().all(|&entry| self.look_up(entry, now));
        self.moved = moved;
        all
    }

    /// Gives the slots their entries of this step. Slots of entries that no longer exist die.
    /// Entries without a slot are added to `moved`.
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
                slot => self.entries[slot as usize] = entry,
            }
        }
        self.of_others = slots;
        self.images.clear();
        self.images.extend_from_slice(now.images);
    }

    fn kill(&mut self, slot: u32) {
        self.entries[slot as usize] = NONE;
    }

    /// Finds the entries that have left their enlarged balls. Their slots die.
    fn find_moved(&mut self, now: &Now, threads: &Threads) {
        let mut gone = std::mem::take(&mut self.gone);
        gone.clear();
        threads.collect_ranges(self.entries.len(), GRAIN, &mut gone, |slots, gone| {
            for (&entry, ball) in self.entries[slots.clone()].iter().zip(&self.balls[slots]) {
                if entry != NONE && has_left(&now.bound(entry).swept(), ball) {
                    gone.push(entry);
                }
            }
        });
        for &entry in &gone {
            self.kill(match (entry as usize).checked_sub(now.bodies.len()) {
                None => self.of_bodies[entry as usize],
                Some(other) => self.of_others[other],
            });
        }
        self.moved.extend(&gone);
        self.gone = gone;
    }

    /// Finds the pairs of one entry and gives it a slot. False if no level of the grid has balls of
    /// its size, or if it would visit too many cells.
    fn look_up(&mut self, entry: u32, now: &Now) -> bool {
        let ball = now.enlarged(entry);
        let level = level_of(self.grid.largest / ball.radius);
        if ball.radius > self.grid.largest || level >= self.grid.levels.len() {
            return false;
        }
        let slot = self.entries.len() as u32;
        let is_fixed = |entry: u32| entry as usize >= now.movable();
        for level in &self.grid.levels {
            let block = level.block(&ball);
            if block.iter().map(|(_, count)| count).product::<i64>() > MOST_CELLS {
                return false;
            }
            level.visit(block, |other| {
                let partner = self.entries[other.place as usize];
                let counts = partner != NONE && !(is_fixed(entry) && is_fixed(partner));
                if counts && meet(&[ball, other.ball]) {
                    self.pairs.push([slot, other.place]);
                }
            });
        }
        self.grid.levels[level].add(ball, slot);
        self.entries.push(entry);
        self.balls.push(ball);
        match (entry as usize).checked_sub(now.bodies.len()) {
            None => self.of_bodies[entry as usize] = slot,
            Some(other) => self.of_others[other] = slot,
        }
        true
    }
}
