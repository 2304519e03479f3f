//! Broad phase: pairs of bodies whose bounding spheres overlap.
//!
//! A hierarchical grid. Bodies of sizes within a factor of two share a level, whose cells are as
//! wide as the largest of them; so two bodies of a level can only meet if their cells are
//! neighbours. A body of a finer level looks up the 27 cells of each coarser level around it. Bodies of
//! one size have one level: linked cells. The cost of a body depends neither on the number of
//! bodies nor on the size of the largest.
//!
//! Space need not be bounded: cell `(i, j, k)` is stored at its coordinates modulo powers of two, so
//! that there are about as many cells as bodies. Cells far apart may share a place, and the test of
//! the spheres tells them apart. A level is sorted by place; rows along x are adjacent in memory.

use crate::math::Vec3;
use crate::threads::Threads;

/// A bounding sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Its centre, m.
    pub centre: Vec3,
    /// Its radius, m: positive and finite.
    pub radius: f64,
}

/// The grid. It keeps its memory from step to step.
#[derive(Debug, Default)]
pub struct Broad {
    /// From coarse to fine.
    levels: Vec<Level>,
    /// Bounds of each level, before they are sorted.
    lists: Vec<Vec<u32>>,
    tasks: Vec<Task>,
    movable: u32,
}

/// The bodies of a level, sorted by cell.
#[derive(Debug, Default)]
struct Level {
    /// 1 / width of a cell, 1/m.
    inverse_width: f64,
    /// Logarithms (base 2) of the numbers of cells along each axis.
    bits: [u32; 3],
    /// Bodies of cell `c`: `sorted[starts[c]..starts[c + 1]]`.
    starts: Vec<u32>,
    sorted: Vec<Proxy>,
    cells: Vec<u32>,
}

/// A body in a level.
#[derive(Debug, Clone, Copy)]
struct Proxy {
    bound: Bound,
    place: u32,
    cell: u32,
}

/// Adjacent bodies of a level, for one thread.
#[derive(Debug, Clone, Copy)]
struct Task {
    level: u32,
    start: u32,
    end: u32,
}

/// Bodies of a task.
const TASK: u32 = 4096;

/// Fewest cells along an axis (logarithm): neighbours on both sides must be different cells.
const LEAST_BITS: u32 = 2;

/// Sizes below `2^-LEVELS` of the largest share the finest level.
const LEVELS: usize = 32;

/// Cells are wider than needed by this share, so that rounding loses no neighbour.
const SLACK: f64 = 1e-6;

impl Broad {
    /// Writes to `pairs` all pairs of overlapping bounds. Those from `movable` on belong to fixed
    /// bodies, of which no two make a pair. The set of pairs is a function of the bounds; its order is not that of
    /// the bodies.
    pub fn pairs(
        &mut self,
        bounds: &[Bound],
        movable: usize,
        threads: &Threads,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        pairs.clear();
        self.movable = movable as u32;
        self.sort(bounds);
        let (levels, tasks) = (&self.levels, &self.tasks);
        threads.collect(tasks, 1, pairs, |tasks, pairs| {
            for task in tasks {
                search(levels, task, self.movable, pairs);
            }
        });
    }

    /// The places of all bounds in the order of the cells: bodies near each other in space are near
    /// each other here. Valid after [`Broad::pairs`].
    pub fn spatial_order(&self) -> impl Iterator<Item = u32> {
        self.levels.iter().flat_map(|level| level.sorted.iter().map(|proxy| proxy.place))
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let level = |level: &Level| {
            4 * (level.starts.capacity() + level.cells.capacity())
                + size_of::<Proxy>() * level.sorted.capacity()
        };
        self.levels.iter().map(level).sum::<usize>()
            + self.lists.iter().map(|list| 4 * list.capacity()).sum::<usize>()
    }

    fn sort(&mut self, bounds: &[Bound]) {
        let largest = bounds.iter().map(|bound| bound.radius).fold(0.0, f64::max);
        self.lists.iter_mut().for_each(Vec::clear);
        for (bound, place) in bounds.iter().zip(0..) {
            let level = level_of(largest / bound.radius);
            if self.lists.len() <= level {
                self.lists.resize_with(level + 1, Vec::new);
            }
            self.lists[level].push(place);
        }
        self.levels.resize_with(self.lists.len(), Level::default);
        self.tasks.clear();
        let mut width = 2.0 * largest * (1.0 + SLACK);
        for ((level, list), number) in self.levels.iter_mut().zip(&self.lists).zip(0..) {
            level.sort(bounds, list, width);
            width *= 0.5;
            let count = list.len() as u32;
            let starts = (0..count).step_by(TASK as usize);
            let task = |start| Task { level: number, start, end: count.min(start + TASK) };
            self.tasks.extend(starts.map(task));
        }
    }
}

/// The whole logarithm (base 2) of a ratio of at least 1.
fn level_of(ratio: f64) -> usize {
    let exponent = (ratio.to_bits() >> 52) as usize & 0x7ff;
    exponent.saturating_sub(1023).min(LEVELS - 1)
}

/// The whole number below or at `x`.
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(x < whole as f64)
}

impl Level {
    fn sort(&mut self, bounds: &[Bound], list: &[u32], width: f64) {
        self.inverse_width = 1.0 / width;
        self.bits = self.choose_bits(bounds, list);
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.extend(list.iter().map(|&place| {
            let [i, j, k] = self.coordinates(&bounds[place as usize].centre);
            self.cell(i, j, k)
        }));
        self.cells = cells;
        self.starts.clear();
        self.starts.resize((1 << self.bits.iter().sum::<u32>()) + 1, 0);
        for &cell in &self.cells {
            self.starts[cell as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        let none = Bound { centre: Vec3::zeros(), radius: 0.0 };
        self.sorted.resize(list.len(), Proxy { bound: none, place: 0, cell: 0 });
        for (&place, &cell) in list.iter().zip(&self.cells).rev() {
            let start = &mut self.starts[cell as usize];
            *start -= 1;
            self.sorted[*start as usize] = Proxy { bound: bounds[place as usize], place, cell };
        }
    }

    /// About as many cells as bodies, shared out among the axes as the space that they fill.
    fn choose_bits(&self, bounds: &[Bound], list: &[u32]) -> [u32; 3] {
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for &place in list {
            low = low.inf(&bounds[place as usize].centre);
            high = high.sup(&bounds[place as usize].centre);
        }
        let mut bits = [LEAST_BITS; 3];
        let total = usize::BITS - list.len().leading_zeros();
        let mut cells = (high - low) * self.inverse_width / f64::from(1 << LEAST_BITS);
        while bits.iter().sum::<u32>() < total {
            let axis = cells.imax();
            if cells[axis] <= 1.0 || cells[axis].is_nan() {
                break;
            }
            cells[axis] *= 0.5;
            bits[axis] += 1;
        }
        bits
    }

    /// Coordinates of the place of the cell at `x`.
    fn coordinates(&self, x: &Vec3) -> [u32; 3] {
        std::array::from_fn(|axis| {
            floor(x[axis] * self.inverse_width) as u32 & ((1 << self.bits[axis]) - 1)
        })
    }

    /// A cell by its coordinates, which may leave the grid by one.
    fn cell(&self, i: u32, j: u32, k: u32) -> u32 {
        let [x, y, z] = self.bits;
        (k & ((1 << z) - 1)) << (x + y) | (j & ((1 << y) - 1)) << x | i & ((1 << x) - 1)
    }

    fn split(&self, cell: u32) -> [u32; 3] {
        let [x, y, _] = self.bits;
        [cell & ((1 << x) - 1), cell >> x & ((1 << y) - 1), cell >> (x + y)]
    }

    fn bodies(&self, first: u32, last: u32) -> &[Proxy] {
        &self.sorted[self.starts[first as usize] as usize..self.starts[last as usize + 1] as usize]
    }

    /// Calls `visit` with the bodies of the three cells around `i` in row `(j, k)`.
    fn row<'a>(&'a self, i: u32, j: u32, k: u32, mut visit: impl FnMut(&'a [Proxy])) {
        let last = (1 << self.bits[0]) - 1;
        let row = self.cell(0, j, k);
        if 0 < i && i < last {
            visit(self.bodies(row + i - 1, row + i + 1));
        } else if i == 0 {
            visit(self.bodies(row, row + 1));
            visit(self.bodies(row + last, row + last));
        } else {
            visit(self.bodies(row + last - 1, row + last));
            visit(self.bodies(row, row));
        }
    }
}

fn search(levels: &[Level], task: &Task, movable: u32, pairs: &mut Vec<[u32; 2]>) {
    let own = &levels[task.level as usize];
    for p in task.start..task.end {
        let proxy = &own.sorted[p as usize];
        let mut test = |others: &[Proxy]| {
            for other in others {
                let reach = proxy.bound.radius + other.bound.radius;
                let apart = other.bound.centre - proxy.bound.centre;
                if apart.norm_squared() <= reach * reach
                    && (proxy.place < movable || other.place < movable)
                {
                    pairs.push([proxy.place, other.place]);
                }
            }
        };
        // Each pair of neighbouring cells once: half of the neighbours, those above.
        let [i, j, k] = own.split(proxy.cell);
        let end = own.starts[proxy.cell as usize + 1] as usize;
        test(&own.sorted[p as usize + 1..end]);
        let right = own.cell(i + 1, j, k);
        test(own.bodies(right, right));
        let (up, down, back) = (j + 1, j.wrapping_sub(1), k + 1);
        for [j, k] in [[up, k], [down, back], [j, back], [up, back]] {
            own.row(i, j, k, &mut test);
        }
        for coarse in &levels[..task.level as usize] {
            if coarse.sorted.is_empty() {
                continue;
            }
            let [i, j, k] = coarse.coordinates(&proxy.bound.centre);
            for k in [k.wrapping_sub(1), k, k + 1] {
                for j in [j.wrapping_sub(1), j, j + 1] {
                    coarse.row(i, j, k, &mut test);
                }
            }
        }
    }
}

/// All pairs of overlapping bounds, by comparing each with each: the oracle.
pub fn brute_force(bounds: &[Bound], movable: usize) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (i, a) in bounds.iter().enumerate().take(movable) {
        for (j, b) in bounds.iter().enumerate().skip(i + 1) {
            let reach = a.radius + b.radius;
            if (b.centre - a.centre).norm_squared() <= reach * reach {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::mix;

    fn random(k: u64) -> f64 {
        (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn cloud(count: u64, extent: Vec3, radius: impl Fn(u64) -> f64) -> Vec<Bound> {
        let point = |k: u64| Vec3::new(random(3 * k), random(3 * k + 1), random(3 * k + 2));
        let centre = |k| (point(k) - Vec3::repeat(0.5)).component_mul(&extent);
        (0..count).map(|k| Bound { centre: centre(k), radius: radius(k) }).collect()
    }

    fn agrees(broad: &mut Broad, bounds: &[Bound], movable: usize) -> usize {
        let mut expected = brute_force(bounds, movable);
        expected.sort_unstable();
        for threads in [1, 3] {
            let mut pairs = Vec::new();
            broad.pairs(bounds, movable, &Threads::new(threads).unwrap(), &mut pairs);
            pairs.iter_mut().for_each(|pair| pair.sort_unstable());
            pairs.sort_unstable();
            assert_eq!(pairs, expected);
        }
        expected.len()
    }

    #[test]
    fn pairs_are_those_of_brute_force_for_all_sizes_and_spaces() {
        let mut broad = Broad::default();
        let size = |k: u64| 0.02 * libm::exp2(6.0 * random(k + 1_000_000));
        let clouds = [
            cloud(2000, Vec3::repeat(1.0), |_| 0.03),
            cloud(2000, Vec3::repeat(1.0), size),
            cloud(1500, Vec3::new(30.0, 0.5, 1.0), |_| 0.1),
            cloud(1500, Vec3::repeat(1e6), |_| 1.0),
            cloud(300, Vec3::repeat(0.1), |_| 0.05),
            cloud(1, Vec3::repeat(1.0), |_| 0.05),
            Vec::new(),
        ];
        let mut found = 0;
        for bounds in clouds {
            found += agrees(&mut broad, &bounds, bounds.len());
            found += agrees(&mut broad, &bounds, bounds.len() / 2);
        }
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn one_body_far_away_and_one_very_large_body_lose_no_pair() {
        let mut bounds = cloud(1000, Vec3::repeat(1.0), |_| 0.03);
        bounds.push(Bound { centre: Vec3::repeat(1e9), radius: 0.03 });
        bounds.push(Bound { centre: Vec3::new(0.0, -50.0, 0.0), radius: 50.0 });
        bounds.push(Bound { centre: Vec3::zeros(), radius: 1e-12 });
        assert!(agrees(&mut Broad::default(), &bounds, bounds.len()) > 500);
    }

    #[test]
    fn touching_bodies_on_the_borders_of_cells_are_a_pair() {
        let row = (0..64).map(|k| Bound { centre: Vec3::x() * f64::from(k), radius: 0.5 });
        let bounds: Vec<_> = row.collect();
        assert_eq!(agrees(&mut Broad::default(), &bounds, bounds.len()), 63);
    }
}
