//! Subdomains in a grid of boxes.

use crate::domain::{Division, Domain, SubdomainId};
use cloth_core::{Error, Result, Vec3};

/// The largest number of boxes. All ranks store the borders of each box.
const MOST: u64 = 1 << 20;

/// Fraction of the period by which a ball is grown to list the boxes around it. It covers rounding.
const SLACK: f64 = 1e-9;

/// Boxes of equal size. A box is half-open: its lower borders belong to it, and its upper borders
/// to the next box. Boxes at an open border of the domain extend beyond it to infinity.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    domain: Domain,
    /// Number of boxes along each axis.
    counts: [u32; 3],
    /// Borders along each axis, m. Box `k` extends from `edges[k]` to `edges[k + 1]`.
    edges: [Vec<f64>; 3],
    /// Boxes per metre along each axis.
    density: Vec3,
    smallest_edge: f64,
    /// Lower and upper borders of each box, m. They are infinite at an open border.
    boxes: Vec<[Vec3; 2]>,
}

impl Grid {
    /// A grid with `counts[axis]` boxes along each axis.
    ///
    /// # Errors
    /// If a count is zero, if there are more than 2^20 boxes, or if a box has no extent.
    pub fn new(domain: Domain, counts: [u32; 3]) -> Result<Self> {
        let total = counts.iter().fold(1u64, |total, &count| total.saturating_mul(count.into()));
        if total == 0 {
            let cause = format!("{counts:?} is no grid of subdomains");
            return Err(Error::input("domain.method", cause, "write three counts of at least 1"));
        }
        if total > MOST {
            let cause = format!("{counts:?} are {total} subdomains, more than {MOST}");
            return Err(Error::input("domain.method", cause, "divide it into fewer"));
        }
        let edges = [0, 1, 2].map(|axis| edges(&domain, axis, counts[axis]));
        let density = Vec3::from_fn(|axis, _| f64::from(counts[axis]) / domain.period()[axis]);
        if edges.iter().any(|edges| edges.windows(2).any(|two| two[0] >= two[1])) {
            let cause = format!("{counts:?} subdomains do not fit the domain");
            return Err(Error::input("domain.method", cause, "divide it into fewer"));
        }
        let lengths = edges.iter().flat_map(|edges| edges.windows(2)).map(|two| two[1] - two[0]);
        let smallest_edge = lengths.fold(f64::INFINITY, f64::min);
        let mut grid = Self { domain, counts, edges, density, smallest_edge, boxes: Vec::new() };
        grid.boxes = (0..grid.count() as u32).map(|subdomain| grid.borders(subdomain)).collect();
        Ok(grid)
    }

    /// The boxes that a ball (m) may reach into, rising.
    pub(super) fn around(&self, centre: &Vec3, radius: f64) -> impl Iterator<Item = SubdomainId> {
        // Rounding may list further boxes. `overlaps` decides.
        let ranges = [0, 1, 2].map(|axis| {
            let reach = radius + SLACK * self.domain.period()[axis];
            self.interval(axis, centre[axis] - reach)..=self.interval(axis, centre[axis] + reach)
        });
        let [x, y, z] = ranges;
        z.flat_map(move |z| y.clone().map(move |y| [y, z]))
            .flat_map(move |[y, z]| x.clone().map(move |x| self.number([x, y, z])))
    }

    /// The interval that contains the coordinate `x` (m). The product is a first guess, and the
    /// borders decide.
    fn interval(&self, axis: usize, x: f64) -> u32 {
        let edges = &self.edges[axis];
        let last = self.counts[axis] - 1;
        let guess = (x - self.domain.low()[axis]) * self.density[axis];
        let mut k = (guess.max(0.0) as u32).min(last);
        while k > 0 && x < edges[k as usize] {
            k -= 1;
        }
        while k < last && x >= edges[k as usize + 1] {
            k += 1;
        }
        k
    }

    /// The lower and upper borders of a box, m. They are infinite at an open border.
    fn borders(&self, subdomain: SubdomainId) -> [Vec3; 2] {
        let place = self.place(subdomain);
        let border = |axis: usize, upper: bool| {
            let k = place[axis] + u32::from(upper);
            let is_open = !self.domain.periodic()[axis] && (k == 0 || k == self.counts[axis]);
            match (is_open, upper) {
                (false, _) => self.edges[axis][k as usize],
                (true, false) => f64::NEG_INFINITY,
                (true, true) => f64::INFINITY,
            }
        };
        [false, true].map(|upper| Vec3::from_fn(|axis, _| border(axis, upper)))
    }

    /// The interval that is `step` further, also across a periodic border. None beyond an open
    /// border.
    fn beside(&self, axis: usize, k: u32, step: i64) -> Option<u32> {
        let count = i64::from(self.counts[axis]);
        let next = i64::from(k) + step;
        match self.domain.periodic()[axis] {
            true => Some(next.rem_euclid(count) as u32),
            false => (0..count).contains(&next).then_some(next as u32),
        }
    }

    fn number(&self, [x, y, z]: [u32; 3]) -> SubdomainId {
        x + self.counts[0] * (y + self.counts[1] * z)
    }

    fn place(&self, subdomain: SubdomainId) -> [u32; 3] {
        let [x, y, _] = self.counts;
        [subdomain % x, subdomain / x % y, subdomain / (x * y)]
    }
}

impl Division for Grid {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).product()
    }

    fn owner(&self, point: &Vec3) -> SubdomainId {
        self.number([0, 1, 2].map(|axis| self.interval(axis, point[axis])))
    }

    fn overlaps(&self, subdomain: SubdomainId, centre: &Vec3, radius: f64) -> bool {
        let [low, high] = &self.boxes[subdomain as usize];
        let mut squares = 0.0;
        for axis in 0..3 {
            let distance = (low[axis] - centre[axis]).max(centre[axis] - high[axis]).max(0.0);
            squares += distance * distance;
        }
        squares <= radius * radius
    }

    fn depth(&self, subdomain: SubdomainId, x: &Vec3) -> f64 {
        let [low, high] = &self.boxes[subdomain as usize];
        (x - low).inf(&(high - x)).min()
    }

    fn neighbours(&self, subdomain: SubdomainId, reach: f64) -> Result<Vec<u32>> {
        if reach > self.smallest_edge {
            let cause =
                format!("a reach of {reach} m passes a whole edge of {} m", self.smallest_edge);
            return Err(Error::input("domain.method", cause, "divide it into fewer subdomains"));
        }
        let place = self.place(subdomain);
        let mut neighbours = Vec::with_capacity(27);
        for step in 0..27i64 {
            let steps = [step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1];
            let beside = |axis: usize| self.beside(axis, place[axis], steps[axis]);
            if let (Some(x), Some(y), Some(z)) = (beside(0), beside(1), beside(2)) {
                neighbours.push(self.number([x, y, z]));
            }
        }
        neighbours.sort_unstable();
        neighbours.dedup();
        neighbours.retain(|&other| other != subdomain);
        Ok(neighbours)
    }

    fn bounds(&self, subdomain: SubdomainId) -> [Vec3; 2] {
        self.boxes[subdomain as usize]
    }

    fn smallest_edge(&self) -> f64 {
        self.smallest_edge
    }
}

/// The borders of `count` equal intervals, m. The first and the last are borders of the domain.
fn edges(domain: &Domain, axis: usize, count: u32) -> Vec<f64> {
    let edge = |k: u32| match k {
        k if k == count => domain.high()[axis],
        k => domain.low()[axis] + domain.period()[axis] * f64::from(k) / f64::from(count),
    };
    (0..=count).map(edge).collect()
}
