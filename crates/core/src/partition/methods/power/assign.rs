//! The part of each point, from a diagram.
//!
//! Points that are adjacent in the order are near each other. Only few sites can have points of a
//! bounding sphere around 4,096 points, and fewer those of a sphere around 64 of them. Most small
//! spheres have a single site.

use crate::partition::methods::power::diagram::Diagram;
use crate::partition::methods::power::order::Sorted;
use crate::{EachPatch, Threads, Vec3};

/// Number of points in a small sphere.
const SMALL: usize = 64;
/// Number of points in a large sphere. A thread takes one large sphere at a time.
const LARGE: usize = 4096;

/// The spheres around points that do not move.
pub(super) struct Cover<'a> {
    sorted: &'a Sorted,
    threads: &'a Threads,
    groups: Vec<Group>,
}

/// The spheres of `LARGE` points.
#[derive(Debug, Clone, Default)]
struct Group {
    all: Sphere,
    small: Vec<Sphere>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sphere {
    centre: Vec3,
    radius: f64,
}

/// The parts of all points.
#[derive(Debug, Default)]
pub(super) struct Assignment {
    /// The part of each point, in the order of the points.
    pub part_of: Vec<u32>,
    /// The work of each part.
    pub loads: Vec<f64>,
}

/// A piece of the points: its parts, and the work that each of its sites gets.
struct Piece<'a> {
    parts: &'a mut [u32],
    loads: Vec<(u32, f64)>,
}

impl<'a> Cover<'a> {
    pub fn new(sorted: &'a Sorted, threads: &'a Threads) -> Self {
        let mut groups = vec![Group::default(); sorted.points.len().div_ceil(LARGE)];
        threads.for_each_patch(EachPatch(&mut groups), 1, |number, group| {
            let first = number * LARGE;
            let points = &sorted.points[first..sorted.points.len().min(first + LARGE)];
            let small = points.chunks(SMALL).map(Sphere::around).collect();
            group.0[0] = Group { all: Sphere::around(points), small };
        });
        Self { sorted, threads, groups }
    }

    /// Divides the points by the cells of `diagram`.
    pub fn assign(&self, diagram: &Diagram) -> Assignment {
        let mut part_of = vec![0; self.sorted.points.len()];
        let chunks = part_of.chunks_mut(LARGE);
        let mut pieces: Vec<Piece> =
            chunks.map(|parts| Piece { parts, loads: Vec::new() }).collect();
        self.threads.for_each_patch(EachPatch(&mut pieces), 1, |number, piece| {
            self.assign_group(number, diagram, &mut piece.0[0]);
        });
        // Summed in the order of the pieces, for any number of threads.
        let mut loads = vec![0.0; diagram.sites.len()];
        for (site, load) in pieces.iter().flat_map(|piece| &piece.loads) {
            loads[*site as usize] += load;
        }
        drop(pieces);
        Assignment { part_of, loads }
    }

    fn assign_group(&self, number: usize, diagram: &Diagram, piece: &mut Piece) {
        let group = &self.groups[number];
        let range = number * LARGE..number * LARGE + piece.parts.len();
        let (points, work) = (&self.sorted.points[range.clone()], &self.sorted.work[range]);
        let (mut near, mut nearest) = (Vec::new(), Vec::new());
        let all = 0..diagram.sites.len() as u32;
        diagram.within(all, &group.all.centre, group.all.radius, 0.0, &mut near);
        piece.loads.extend(near.iter().map(|&site| (site, 0.0)));
        let place = |site: u32| near.partition_point(|&other| other < site);
        let batches = points.chunks(SMALL).zip(work.chunks(SMALL));
        let outputs = piece.parts.chunks_mut(SMALL).zip(&group.small);
        for ((points, work), (parts, sphere)) in batches.zip(outputs) {
            let few = near.iter().copied();
            diagram.within(few, &sphere.centre, sphere.radius, 0.0, &mut nearest);
            if let [only] = nearest[..] {
                parts.fill(only);
                piece.loads[place(only)].1 += work.iter().sum::<f64>();
                continue;
            }
            for ((x, work), part) in points.iter().zip(work).zip(parts) {
                *part = diagram.nearest(nearest.iter().copied(), x);
                piece.loads[place(*part)].1 += work;
            }
        }
    }
}

impl Sphere {
    fn around(points: &[Vec3]) -> Self {
        let low = points.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = points.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        Self { centre: (low + high) * 0.5, radius: (high - low).norm() * 0.5 }
    }
}
