//! Points in Morton order.
//!
//! The sort is parallel: each thread sorts chunks of points by the first bits of their keys, then
//! ranges of keys by the others. Both fit in a cache. Positions are moved together with the keys,
//! because fetching them later from all over the memory would take longest. Points with equal keys
//! stay in their order, so the result is the same for any number of threads.

use crate::partition::methods::WeightedPoints;
use crate::{EachPatch, Threads, Vec3};

/// Points without a spacing are ordered on a grid of this many cells along the longest side.
const CELLS: f64 = 65_536.0;
/// Bits of a cell number along one axis.
pub(super) const BITS: u32 = 21;
/// Number of points that a thread takes at a time.
pub(super) const CHUNK: usize = 16_384;
/// Number of bits of a key that give its range.
const RANGE_BITS: u32 = 8;
/// Number of bits that a pass of the radix sort uses.
const DIGIT: u32 = 10;

/// All points in Morton order.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// The number of each point in the problem.
    pub order: Vec<u32>,
    /// Positions of the points with their random offsets, m.
    pub points: Vec<Vec3>,
    /// The work of the points.
    pub work: Vec<f64>,
    /// The Morton keys, rising.
    pub keys: Vec<u64>,
    /// The width of a cell, m. Points in one cell have equal keys.
    pub cell_m: f64,
}

/// A point while it is sorted.
#[derive(Debug, Clone, Copy, Default)]
struct Item {
    key: u64,
    x: Vec3,
    work: f64,
    point: u32,
}

/// Adjacent points of the problem, sorted by the range of their keys.
#[derive(Debug, Clone, Default)]
struct Chunk {
    items: Vec<Item>,
    /// Start of each range; one more than ranges.
    starts: Vec<u32>,
}

/// A key, and the item that has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    key: u64,
    item: u32,
}

/// A range of keys, and the slices into which its points are written.
struct Range<'a> {
    number: usize,
    order: &'a mut [u32],
    points: &'a mut [Vec3],
    work: &'a mut [f64],
    keys: &'a mut [u64],
}

impl Sorted {
    /// Sorts the points of `problem`. Each is moved by up to half of `offset` spacings along each
    /// axis: a random offset that depends on the point's position and on `seed` alone.
    pub fn new(problem: &WeightedPoints, offset: f64, seed: u64, threads: &Threads) -> Self {
        let count = problem.len();
        let (low, cell, bits) = grid(problem, threads);
        let shift = (3 * bits).saturating_sub(RANGE_BITS);
        let width = offset * problem.spacing_m;
        let item = |point: usize| {
            let mut x = problem.points[point];
            let key = key(&((x - low) / cell));
            if width > 0.0 {
                x += random_offset(&x, seed) * width;
            }
            Item { key, x, work: problem.weights[point], point: point as u32 }
        };
        let mut chunks = vec![Chunk::default(); count.div_ceil(CHUNK)];
        threads.for_each_patch(EachPatch(&mut chunks), 1, |number, chunk| {
            let points = number * CHUNK..count.min((number + 1) * CHUNK);
            chunk.0[0] = Chunk::new(points.map(item), shift);
        });
        let mut sorted = Self {
            order: vec![0; count],
            points: vec![Vec3::zeros(); count],
            work: vec![0.0; count],
            keys: vec![0; count],
            cell_m: cell,
        };
        let mut ranges = sorted.ranges(&chunks);
        threads.for_each_patch(EachPatch(&mut ranges), 1, |_, range| {
            range.0[0].fill(&chunks, shift);
        });
        sorted
    }

    /// The ranges that have points.
    fn ranges(&mut self, chunks: &[Chunk]) -> Vec<Range<'_>> {
        let (mut order, mut points) = (&mut self.order[..], &mut self.points[..]);
        let (mut work, mut keys) = (&mut self.work[..], &mut self.keys[..]);
        let mut ranges = Vec::new();
        for number in 0..1 << RANGE_BITS {
            let len: usize = chunks.iter().map(|chunk| chunk.range(number).len()).sum();
            if len > 0 {
                ranges.push(Range {
                    number,
                    order: order.split_off_mut(..len).unwrap_or_default(),
                    points: points.split_off_mut(..len).unwrap_or_default(),
                    work: work.split_off_mut(..len).unwrap_or_default(),
                    keys: keys.split_off_mut(..len).unwrap_or_default(),
                });
            }
        }
        ranges
    }

    /// Puts values that are in Morton order into the order of the problem.
    pub fn unsorted(&self, values: &[u32]) -> Vec<u32> {
        let mut unsorted = vec![0; values.len()];
        for (&i, &value) in self.order.iter().zip(values) {
            unsorted[i as usize] = value;
        }
        unsorted
    }
}

impl Chunk {
    fn new(items: impl Iterator<Item = Item>, shift: u32) -> Self {
        let found: Vec<Item> = items.collect();
        let range = |item: &Item| (item.key >> shift) as usize;
        let mut starts = vec![0; (1 << RANGE_BITS) + 1];
        found.iter().for_each(|item| starts[range(item) + 1] += 1);
        for number in 0..1 << RANGE_BITS {
            starts[number + 1] += starts[number];
        }
        let mut next = starts.clone();
        let mut items = vec![Item::default(); found.len()];
        for item in &found {
            let at = &mut next[range(item)];
            items[*at as usize] = *item;
            *at += 1;
        }
        Self { items, starts }
    }

    fn range(&self, number: usize) -> &[Item] {
        &self.items[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

impl Range<'_> {
    /// Writes the items of the range in all chunks by key, then by point. `bits` is the number of
    /// key bits that the range does not give.
    fn fill(&mut self, chunks: &[Chunk], bits: u32) {
        let mut items = Vec::with_capacity(self.order.len());
        chunks.iter().for_each(|chunk| items.extend_from_slice(chunk.range(self.number)));
        let slots = (0..).zip(&items).map(|(item, Item { key, .. })| Slot { key: *key, item });
        for (at, slot) in sorted(slots.collect(), bits).into_iter().enumerate() {
            let item = &items[slot.item as usize];
            self.order[at] = item.point;
            self.points[at] = item.x;
            self.work[at] = item.work;
            self.keys[at] = item.key;
        }
    }
}

/// Sorts slots by the lower `bits` of their keys: a stable radix sort that begins with the lowest
/// bits.
fn sorted(mut slots: Vec<Slot>, bits: u32) -> Vec<Slot> {
    if slots.len() < 1 << DIGIT {
        slots.sort_unstable();
        return slots;
    }
    let mut other = vec![Slot::default(); slots.len()];
    for shift in (0..bits).step_by(DIGIT as usize) {
        let digit = |slot: &Slot| (slot.key >> shift) as usize & ((1 << DIGIT) - 1);
        let mut next = [0u32; 1 << DIGIT];
        slots.iter().for_each(|slot| next[digit(slot)] += 1);
        let mut total = 0;
        for count in &mut next {
            total += std::mem::replace(count, total);
        }
        for slot in &slots {
            let at = &mut next[digit(slot)];
            other[*at as usize] = *slot;
            *at += 1;
        }
        std::mem::swap(&mut slots, &mut other);
    }
    slots
}

/// The lowest corner and the cell width of the grid of the order, and the bits of its cell
/// numbers. Cells are as wide as the spacing. Cubes begin at multiples of their width, so that
/// they stay in place when points come and go.
fn grid(problem: &WeightedPoints, threads: &Threads) -> (Vec3, f64, u32) {
    let mut boxes = Vec::new();
    threads.collect(problem.points, CHUNK, &mut boxes, |points, boxes| {
        let low = points.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = points.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        boxes.push([low, high]);
    });
    let joined = boxes.into_iter().reduce(|a, b| [a[0].inf(&b[0]), a[1].sup(&b[1])]);
    let [low, high] = joined.unwrap_or_default();
    let width = (high - low).max();
    let cell = problem.spacing_m.max(width / CELLS);
    if cell <= 0.0 {
        return (low, 1.0, 1);
    }
    let coarsest = cell * 64.0;
    let corner = (low / coarsest).map(f64::floor) * coarsest;
    let last = ((high - corner) / cell).max() as u64 + 1;
    (corner, cell, BITS.min(u64::BITS - last.leading_zeros()))
}

/// The Morton key of a position counted in cells.
fn key(cell: &Vec3) -> u64 {
    let most = f64::from((1u32 << BITS) - 1);
    let [x, y, z] = [cell.x, cell.y, cell.z].map(|c| spread(c.clamp(0.0, most) as u64));
    x << 2 | y << 1 | z
}

/// The cell of a Morton key.
pub(super) fn unkey(key: u64) -> [i32; 3] {
    [2, 1, 0]
        .map(|axis| (0..BITS).map(|bit| (key >> (3 * bit + axis) & 1) << bit).sum::<u64>() as i32)
}

/// Puts two zeros between the bits of `cell`.
fn spread(mut cell: u64) -> u64 {
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        cell = (cell | cell << shift) & mask;
    }
    cell
}

/// A vector in `[-1/2, 1/2)^3` that depends on the bits of `x` and on `seed`.
fn random_offset(x: &Vec3, seed: u64) -> Vec3 {
    /// The golden ratio in 64 bits, which is odd.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    /// Bits of a component.
    const FINE: u32 = 21;
    // + 0.0 makes -0.0 and 0.0 the same.
    let add =
        |hash: u64, c: &f64| (hash ^ (c + 0.0).to_bits()).wrapping_mul(FACTOR).rotate_left(29);
    let hash = mix(x.iter().fold(seed, add));
    let component =
        |k: u32| (hash >> (FINE * k) & ((1 << FINE) - 1)) as f64 / f64::from(1u32 << FINE) - 0.5;
    Vec3::new(component(0), component(1), component(2))
}

/// SplitMix64 (Steele, Lea & Flood 2014): a number whose bits all depend on all of `z`.
pub(super) fn mix(z: u64) -> u64 {
    crate::math::mix(z.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_rise_and_each_point_is_there_once_for_any_number_of_threads() {
        let points: Vec<Vec3> = (0..60_000u64)
            .map(|i| {
                let cell = |k| (mix(i * 3 + k) % 40) as f64 - 20.0;
                // Every tenth point is far away.
                Vec3::new(cell(0), cell(1), cell(2)) * if i % 10 == 0 { 50.0 } else { 0.5 }
            })
            .collect();
        let weights: Vec<f64> = (0..points.len()).map(|i| i as f64).collect();
        for spacing_m in [0.0, 0.5] {
            let problem = WeightedPoints { spacing_m, ..WeightedPoints::new(&points, &weights) };
            let sorted = Sorted::new(&problem, 0.0, 1, &Threads::INLINE);
            let pairs: Vec<_> = sorted.keys.iter().zip(&sorted.order).collect();
            assert!(pairs.is_sorted());
            for (at, &i) in sorted.order.iter().enumerate() {
                assert_eq!(
                    (sorted.points[at], sorted.work[at]),
                    (points[i as usize], f64::from(i))
                );
            }
            let mut order = sorted.order.clone();
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..points.len() as u32));
            let other = Sorted::new(&problem, 0.0, 1, &Threads::new(3).unwrap());
            assert_eq!((other.order, other.keys), (sorted.order, sorted.keys));
        }
    }
}
