//! Points in batches of a fixed length, which fit vector registers and caches.

use crate::{EachPatch, Threads, Vec3};

/// Number of points in a batch. Loops over a batch have this constant length.
pub(super) const LANES: usize = 64;
/// One number for each point of a batch.
pub(super) type Lanes = [f64; LANES];
/// Number of batches that a thread takes at a time.
const GRAIN: usize = 4;

/// Adjacent points, their bounding sphere, and room for a method's own data.
#[derive(Debug, Clone)]
pub(super) struct Batch<T> {
    /// x, y and z of the points, m. A batch that is not full repeats its last point.
    pub position: [Lanes; 3],
    /// The work of each point; 0 where the batch is not full.
    pub work: Lanes,
    /// Centre of a sphere that contains all points of the batch, m.
    pub centre: Vec3,
    /// Its radius, m.
    pub radius: f64,
    /// Data that a method keeps for the batch.
    pub own: T,
}

/// All points, in batches.
#[derive(Debug, Clone)]
pub(super) struct Batches<T> {
    /// The batches, in the order of the points.
    pub batches: Vec<Batch<T>>,
    /// Number of points.
    pub len: usize,
}

impl<T: Default + Send> Batches<T> {
    /// Batches of points with their work. Adjacent points should be near each other.
    pub fn new(points: &[Vec3], work: &[f64]) -> Self {
        let batches = points.chunks(LANES).zip(work.chunks(LANES));
        Self { batches: batches.map(|(x, w)| Batch::new(x, w)).collect(), len: points.len() }
    }

    /// Calls `work` with every batch and its number, in parallel.
    pub fn for_each(&mut self, threads: &Threads, work: impl Fn(usize, &mut Batch<T>) + Sync) {
        let slices = EachPatch(&mut self.batches);
        threads.for_each_patch(slices, GRAIN, |number, batch| work(number, &mut batch.0[0]));
    }
}

impl<T: Default> Batch<T> {
    fn new(points: &[Vec3], work: &[f64]) -> Self {
        let last = points[points.len() - 1];
        let at = |lane: usize| points.get(lane).copied().unwrap_or(last);
        let low = points.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or(last);
        let high = points.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or(last);
        let centre = (low + high) * 0.5;
        let radius = points.iter().map(|x| (x - centre).norm()).fold(0.0, f64::max);
        Self {
            position: std::array::from_fn(|axis| std::array::from_fn(|lane| at(lane)[axis])),
            work: std::array::from_fn(|lane| work.get(lane).copied().unwrap_or(0.0)),
            centre,
            // Rounding must not make the sphere too small.
            radius: radius * (1.0 + 1e-12),
            own: T::default(),
        }
    }
}

impl<T> Batch<T> {
    /// The squared distance of each point from `site`, m^2: the cost `C`.
    #[inline(always)]
    pub fn costs(&self, site: &Vec3) -> Lanes {
        let [x, y, z] = &self.position;
        std::array::from_fn(|lane| {
            let (dx, dy, dz) = (x[lane] - site.x, y[lane] - site.y, z[lane] - site.z);
            dx * dx + dy * dy + dz * dz
        })
    }
}

/// The sum of the products of two batches of numbers. Its order suits vector instructions, and is
/// the same on every machine.
#[inline(always)]
pub(super) fn dot(a: &Lanes, b: &Lanes) -> f64 {
    const WIDTH: usize = 8;
    let mut sums = [0.0; WIDTH];
    for (a, b) in a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH)) {
        for lane in 0..WIDTH {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let halves: [f64; 4] = std::array::from_fn(|lane| sums[lane] + sums[lane + 4]);
    (halves[0] + halves[2]) + (halves[1] + halves[3])
}
