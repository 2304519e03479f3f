//! Broad phase: pairs of bodies whose bounding spheres overlap.
//!
//! The grid is hierarchical. Bodies of sizes within a factor of two share a level, whose cells are
//! at least as wide as each of these bodies. So two bodies of a level can only meet if they are in
//! the same cell or in neighbouring cells. A body of a finer level looks up the 27 cells of each
//! coarser level around it. Bodies of one size have one level, as in the method of linked cells.
//! The cost of a body depends neither on the number of bodies nor on the size of the largest.
//!
//! Space need not be bounded: cell `(i, j, k)` is stored at its coordinates modulo powers of two,
//! so that there are about as many cells as bodies. Cells far apart may be stored at the same
//! place; the test of the spheres rejects their pairs. The bodies of a level are sorted by this
//! place. The cells of a row along x are adjacent in memory.
//!
//! [`Candidates`] keeps the pairs of somewhat larger spheres from step to step.

mod candidates;
#[cfg(test)]
mod tests;

pub use self::candidates::{Candidates, ImageKey, Now};
use cloth_core::{Threads, Vec3};

/// The bounding ball of a body about its centre. It holds the body at any rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Its centre, m.
    pub centre: Vec3,
    /// Its radius, m: positive and finite.
    pub radius: f64,
    /// How far ahead of the body contacts are looked for, m: about as far as it moves in a step.
    pub travel: f64,
}

impl Bound {
    /// The ball with its travel.
    pub fn swept(&self) -> Ball {
        Ball { centre: self.centre, radius: self.radius + self.travel }
    }
}

/// A ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Its centre, m.
    pub centre: Vec3,
    /// Its radius, m: positive and finite.
    pub radius: f64,
}

/// The grid. It keeps its memory from step to step.
#[derive(Debug, Default)]
pub struct Broad {
    /// The levels, from coarse to fine.
    levels: Vec<Level>,
    /// Places of the balls of each level, not sorted by cell.
    lists: Vec<Vec<u32>>,
    tasks: Vec<Task>,
    movable: u32,
    /// The largest radius, m.
    largest: f64,
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
    /// Bodies added after the sorting. Each has the place in `later` of the body that was added
    /// before it to the same cell, or `NONE`.
    later: Vec<(Proxy, u32)>,
    /// The last body of `later` in each cell, or `NONE`. Empty if `later` is empty.
    last: Vec<u32>,
}

/// A body in a level.
#[derive(Debug, Clone, Copy)]
struct Proxy {
    ball: Ball,
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

/// Largest number of bodies of a task.
const TASK: u32 = 4096;

/// Logarithm (base 2) of the fewest cells along an axis. The neighbours on both sides must be
/// different cells.
const LEAST_BITS: u32 = 2;

/// Largest number of levels. All smaller bodies share the finest level.
const LEVELS: usize = 32;

/// Cells are wider than needed by this fraction, so that rounding loses no neighbour.
const SLACK: f64 = 1e-6;

/// No body.
const NONE: u32 = u32::MAX;

impl Broad {
    /// Writes to `pairs` all pairs of overlapping balls. Balls from number `movable` on belong to
    /// fixed bodies; no two of these make a pair. The set of pairs is a function of the balls,
    /// their order is not.
    pub fn pairs(
        &mut self,
        balls: &[Ball],
        movable: usize,
        threads: &Threads,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        pairs.clear();
        self.movable = movable as u32;
        self.sort(balls);
        let (levels, tasks) = (&self.levels, &self.tasks);
        threads.collect(tasks, 1, pairs, |tasks, pairs| {
            for task in tasks {
                search(levels, task, self.movable, pairs);
            }
        });
    }

    /// The places of all balls, level by level in the order of the cells: bodies of a level that
    /// are near each other in space are near each other here. Valid after [`Broad::pairs`].
    pub fn spatial_order(&self) -> impl Iterator<Item = u32> {
        self.levels.iter().flat_map(|level| level.sorted.iter().map(|proxy| proxy.place))
    }

    fn sort(&mut self, balls: &[Ball]) {
        let largest = balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
        self.largest = largest;
        self.lists.iter_mut().for_each(Vec::clear);
        for (ball, place) in balls.iter().zip(0..) {
            let level = level_of(largest / ball.radius);
            if self.lists.len() <= level {
                self.lists.resize_with(level + 1, Vec::new);
            }
            self.lists[level].push(place);
        }
        self.levels.resize_with(self.lists.len(), Level::default);
        self.tasks.clear();
        let mut width = 2.0 * largest * (1.0 + SLACK);
        for ((level, list), number) in self.levels.iter_mut().zip(&self.lists).zip(0..) {
            level.sort(balls, list, width);
            width *= 0.5;
            let count = list.len() as u32;
            let starts = (0..count).step_by(TASK as usize);
            let task = |start| Task { level: number, start, end: count.min(start + TASK) };
            self.tasks.extend(starts.map(task));
        }
    }
}

/// The integer part of the logarithm (base 2) of a ratio of at least 1, but at most that of the
/// finest level.
fn level_of(ratio: f64) -> usize {
    let exponent = (ratio.to_bits() >> 52) as usize & 0x7ff;
    exponent.saturating_sub(1023).min(LEVELS - 1)
}

/// The largest integer that is not above `x`.
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(x < whole as f64)
}

impl Level {
    fn sort(&mut self, balls: &[Ball], list: &[u32], width: f64) {
        self.later.clear();
        self.last.clear();
        self.inverse_width = 1.0 / width;
        self.bits = self.choose_bits(balls, list);
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.extend(list.iter().map(|&place| {
            let [i, j, k] = self.coordinates(&balls[place as usize].centre);
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
        let none = Ball { centre: Vec3::zeros(), radius: 0.0 };
        self.sorted.resize(list.len(), Proxy { ball: none, place: 0, cell: 0 });
        for (&place, &cell) in list.iter().zip(&self.cells).rev() {
            let start = &mut self.starts[cell as usize];
            *start -= 1;
            self.sorted[*start as usize] = Proxy { ball: balls[place as usize], place, cell };
        }
    }

    /// Chooses about as many cells as bodies, divided among the axes in proportion to the space
    /// that the bodies fill.
    fn choose_bits(&self, balls: &[Ball], list: &[u32]) -> [u32; 3] {
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for &place in list {
            low = low.inf(&balls[place as usize].centre);
            high = high.sup(&balls[place as usize].centre);
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

    /// Coordinates of the cell of the point `x`, modulo the numbers of cells.
    fn coordinates(&self, x: &Vec3) -> [u32; 3] {
        std::array::from_fn(|axis| {
            floor(x[axis] * self.inverse_width) as u32 & ((1 << self.bits[axis]) - 1)
        })
    }

    /// The number of a cell from its coordinates, taken modulo the numbers of cells.
    fn cell(&self, i: u32, j: u32, k: u32) -> u32 {
        let [x, y, z] = self.bits;
        (k & ((1 << z) - 1)) << (x + y) | (j & ((1 << y) - 1)) << x | i & ((1 << x) - 1)
    }

    /// Adds a body after the sorting.
    fn add(&mut self, ball: Ball, place: u32) {
        let [i, j, k] = self.coordinates(&ball.centre);
        let cell = self.cell(i, j, k);
        if self.last.is_empty() {
            self.last.resize(1 << self.bits.iter().sum::<u32>(), NONE);
        }
        let before = std::mem::replace(&mut self.last[cell as usize], self.later.len() as u32);
        self.later.push((Proxy { ball, place, cell }, before));
    }

    /// The block of cells that may hold centres of bodies of this level that touch a ball. For each
    /// axis: the first cell, and the number of cells.
    fn block(&self, ball: &Ball) -> [(i64, i64); 3] {
        let reach = ball.radius + 0.5 / self.inverse_width;
        [0, 1, 2].map(|axis| {
            let first = floor((ball.centre[axis] - reach) * self.inverse_width);
            let last = floor((ball.centre[axis] + reach) * self.inverse_width);
            // With more cells than this, some would be visited twice.
            (first, (last - first + 1).min(1 << self.bits[axis]))
        })
    }

    /// Calls `visit` for each body in a block of cells.
    fn visit(&self, [x, y, z]: [(i64, i64); 3], mut visit: impl FnMut(&Proxy)) {
        for k in z.0..z.0 + z.1 {
            for j in y.0..y.0 + y.1 {
                for i in x.0..x.0 + x.1 {
                    let cell = self.cell(i as u32, j as u32, k as u32);
                    self.bodies(cell, cell).iter().for_each(&mut visit);
                    let mut next = self.last.get(cell as usize).copied().unwrap_or(NONE);
                    while next != NONE {
                        let (proxy, before) = &self.later[next as usize];
                        visit(proxy);
                        next = *before;
                    }
                }
            }
        }
    }

    fn split(&self, cell: u32) -> [u32; 3] {
        let [x, y, _] = self.bits;
        [cell & ((1 << x) - 1), cell >> x & ((1 << y) - 1), cell >> (x + y)]
    }

    fn bodies(&self, first: u32, last: u32) -> &[Proxy] {
        &self.sorted[self.starts[first as usize] as usize..self.starts[last as usize + 1] as usize]
    }

    /// Calls `visit` with the bodies of cell `i` of row `(j, k)` and of its two neighbours in the
    /// row.
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
                let reach = proxy.ball.radius + other.ball.radius;
                let apart = other.ball.centre - proxy.ball.centre;
                if apart.norm_squared() <= reach * reach
                    && (proxy.place < movable || other.place < movable)
                {
                    pairs.push([proxy.place, other.place]);
                }
            }
        };
        // Each pair of neighbouring cells is searched once, because a cell searches only the half
        // of its neighbours that follows it.
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
            let [i, j, k] = coarse.coordinates(&proxy.ball.centre);
            for k in [k.wrapping_sub(1), k, k + 1] {
                for j in [j.wrapping_sub(1), j, j + 1] {
                    coarse.row(i, j, k, &mut test);
                }
            }
        }
    }
}
