//! A power diagram, which tells which site has a point, and the parts of many points.
//!
//! Points that are adjacent in the order are near each other. Only few sites can have points of a
//! bounding sphere around 4,096 points, and fewer those of a sphere around 64 of them. Most small
//! spheres have a single site.

use crate::partition::methods::power::order::Sorted;
use crate::{EachPatch, Threads, Vec3};

/// Sites with their potentials. A point `x` belongs to the site `r` with the least
/// `|x - x_r|^2 - p_r`, its power distance; of equal sites, to the first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagram {
    /// Positions of the sites, m.
    pub sites: Vec<Vec3>,
    /// Their potentials `p_r`, m^2. A larger potential gives a larger cell.
    pub potentials: Vec<f64>,
}

impl Diagram {
    /// The power distance of `point` from `site`, m^2.
    #[inline(always)]
    pub fn power_distance(&self, site: usize, point: &Vec3) -> f64 {
        (point - self.sites[site]).norm_squared() - self.potentials[site]
    }

    /// The site that has `point`.
    pub fn site_of(&self, point: &Vec3) -> u32 {
        self.nearest(0..self.sites.len() as u32, point)
    }

    /// The site that has a point, if only the `sites` can have the point.
    pub fn nearest(&self, sites: impl IntoIterator<Item = u32>, point: &Vec3) -> u32 {
        let mut best = (f64::INFINITY, 0);
        for site in sites {
            let distance = self.power_distance(site as usize, point);
            if distance < best.0 {
                best = (distance, site);
            }
        }
        best.1
    }

    /// Stores in `sites` all of the `candidates` whose power distance is at most `slack` (m^2)
    /// above the least one at some point of the sphere. Both lists are rising.
    ///
    /// The difference of two power distances is linear in the point. With the nearest site `s` of
    /// the centre `c`, site `r` is left out if
    /// `h_r(c) - h_s(c) > slack + 2 radius |x_r - x_s|`.
    pub fn within(
        &self,
        candidates: impl Iterator<Item = u32> + Clone,
        centre: &Vec3,
        radius: f64,
        slack: f64,
        sites: &mut Vec<u32>,
    ) {
        let nearest = self.nearest(candidates.clone(), centre) as usize;
        let least = self.power_distance(nearest, centre);
        sites.clear();
        for r in candidates {
            let excess = self.power_distance(r as usize, centre) - least;
            let apart = (self.sites[r as usize] - self.sites[nearest]).norm_squared();
            // excess <= slack + 2 radius sqrt(apart), without the root. The rounding of both sides
            // is far below the allowance.
            let beyond = excess - slack - 1e-9 * excess.abs();
            if beyond <= 0.0 || beyond * beyond <= 4.000_001 * radius * radius * apart {
                sites.push(r);
            }
        }
    }
}

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
