//! The fail-safe: shortens motions until no pair comes nearer than the clearance `delta`.
//!
//! Contacts and impulses come before it and make motion look right. The fail-safe alone keeps
//! the promise that no two elements ever meet. It rests on one fact: along a *fixed* direction
//! the gap between the two sides of a pair is a minimum of functions that are linear in time,
//! so it is concave. If the gap is at least `delta` at both ends of a linear motion, the
//! distance is at least `delta` all the way.
//!
//! 1. A pair is *safe* if one of a few directions separates it at both ends, or if the continuous
//!    test says so (`separation`). Otherwise it is *open*.
//! 2. An open pair gets a plane (`plane`): in the middle between its sides, at the start and at the
//!    end, or `delta / 2` from the end of a prescribed side. Its free vertices must end on their
//!    side, `delta / 2` away from the plane, and those of a round side by its radius more. Pairs
//!    whose closest points lie inside both sides come first. The others get planes only if they are
//!    still open after that.
//! 3. A vertex that would end on the wrong side slides along its planes. Then it keeps the
//!    fraction of its motion that all planes allow (`shorten`). A body does so as a whole (`body`).
//! 4. Planes stay. A candidate without a plane is checked again if one of its vertices has
//!    changed, until no candidate is open.
//! 5. Planes that move with their pairs may leave a vertex no room, or need too many passes. Then
//!    all is done again with planes that stay where they start. After `MAX_PASSES` passes every
//!    candidate gets such a plane, which ends the loop.
//!
//! A plane depends on its pair and on where the pair ends before the pass. The end of a vertex
//! depends on its intended motion and its planes. So ranks exchange only the open pairs.
//! Everything else is then the same on any number of ranks.
//!
//! Source: docs/methods.md, section 8 (ours). Planar truncation is that of Chen et al. 2025,
//! Offset Geometric Contact; safety by one direction that of Tang, Kim, Manocha 2009.

mod body;
mod paths;
mod plane;
mod report;
mod separation;
mod shorten;
#[cfg(test)]
mod tests;

use std::iter::zip;

use self::body::{Placed, shorten_body};
pub use self::paths::{BodyMotion, Paths, WholeBody};
use self::plane::{Bound, SeparatingPlane};
pub use self::report::{BodyEnd, Conflict, FailSafeReport, Stop, TooNear, Truncation};
use self::separation::{gap, is_open, meets_inside};
use self::shorten::shorten;
pub use self::shorten::stopped_velocity;
use cloth_collision::collision::ccd::FALSE_REPORTS;
use cloth_collision::collision::screen::{Pace, screen};
use cloth_collision::collision::{Pair, Sweep};
use cloth_core::{Result, Threads, Vec3, VertexId, World, message};

/// Number of passes before every candidate gets a plane. Usually 2 to 4 suffice.
const MAX_PASSES: usize = 20;

/// Fraction of `delta` that is reserved for rounding. A vertex that slides ends further away than
/// it must by this much. A pair may be nearer by this much when its end is verified. In metres the
/// fraction must exceed the rounding error of positions (5e-12 at a `delta` of 1e-5, which is
/// enough for scenes of a kilometre).
const GRAIN: f64 = 5e-7;

/// Candidates that a thread takes at a time: about 100 us of work.
const PAIRS_PER_CHUNK: usize = 1024;

/// The working memory of the fail-safe, kept from step to step.
#[derive(Default)]
pub struct FailSafe {
    /// Intended end of each vertex (m).
    targets: Vec<Vec3>,
    /// Whether each vertex changed since the candidates were checked.
    changed: Vec<bool>,
    /// This rank's newly found open pairs.
    open: Vec<Pair>,
    /// Planes of all ranks, by rising pair.
    planes: Vec<SeparatingPlane>,
    /// The planes' bounds on free vertices, by rising vertex, then pair.
    bounds: Vec<Bound>,
    /// Whether planes between free vertices move with their pairs.
    planes_move: bool,
    /// Multipliers of one vertex's bounds while it slides.
    multipliers: Vec<f64>,
}

impl FailSafe {
    /// Shortens motions from `paths.x0` to `x1` (m, all vertices) in place until no
    /// pair of the `candidates` of any rank comes nearer than `paths.delta_m` on the
    /// way. Collective; before and after, `x1` is finite and the same on all ranks.
    ///
    /// A vertex may leave the straight path to its intended end only if `stays(vertex, x1)` is true
    /// there. `stays` is true for the start and the intended end, and for all places between two
    /// for which it is true. The caller sees to it that candidates cover the ends, if need be in
    /// another run.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn run(
        &mut self,
        world: &dyn World,
        threads: &Threads,
        candidates: &[Pair],
        paths: &Paths,
        stays: &(dyn Fn(usize, &Vec3) -> bool + Sync),
        x1: &mut [Vec3],
    ) -> Result<FailSafeReport> {
        self.targets.clear();
        self.targets.extend_from_slice(x1);
        self.planes_move = true;
        if let Some(report) = self.keep_apart(world, threads, candidates, paths, stays, x1)? {
            return Ok(report);
        }
        x1.copy_from_slice(&self.targets);
        self.planes_move = false;
        let report = self.keep_apart(world, threads, candidates, paths, stays, x1)?;
        Ok(report.unwrap_or_default())
    }

    /// The intended ends (m) of the last run, by vertex.
    pub fn targets(&self) -> &[Vec3] {
        &self.targets
    }

    /// One try, with planes that move or stay. None if planes that move leave no room, or do not
    /// end the passes.
    fn keep_apart(
        &mut self,
        world: &dyn World,
        threads: &Threads,
        candidates: &[Pair],
        paths: &Paths,
        stays: &(dyn Fn(usize, &Vec3) -> bool + Sync),
        x1: &mut [Vec3],
    ) -> Result<Option<FailSafeReport>> {
        self.begin(x1.len());
        let mut report = FailSafeReport::default();
        for pass in 0..=MAX_PASSES {
            if pass < MAX_PASSES {
                self.find_open(threads, candidates, paths, x1);
            } else if self.planes_move {
                return Ok(None);
            } else {
                self.take_all(candidates, paths);
            }
            let mut open = message::all_gather_v(world, &self.open)?;
            if open.is_empty() {
                break;
            }
            let shadows = if pass < MAX_PASSES { shadows(&mut open, paths) } else { Vec::new() };
            let conflict = match self.add_planes(&open, paths, x1) {
                None => self.shorten(paths, stays, x1, &mut report),
                conflict => conflict,
            };
            report.planes = self.planes.len() as u64;
            report.per_pass.push(report.truncated.len() as u64);
            if conflict.is_some() {
                report.conflict = conflict.map(Conflict::sorted);
                return Ok(if self.planes_move { None } else { Some(report) });
            }
            for vertex in shadows.iter().flat_map(|pair| pair.vertices) {
                self.changed[vertex as usize] = true;
            }
        }
        report.too_near = self.verify(paths, x1);
        Ok(Some(report))
    }

    fn begin(&mut self, vertices: usize) {
        self.changed.clear();
        self.changed.resize(vertices, true);
        self.planes.clear();
        self.bounds.clear();
    }

    /// Collects the open pairs among this rank's candidates that have a changed vertex
    /// and no plane.
    fn find_open(&mut self, threads: &Threads, candidates: &[Pair], paths: &Paths, x1: &[Vec3]) {
        let (changed, planes) = (&self.changed, &self.planes);
        let radii = paths.radii;
        let sweep = Sweep { x0: paths.x0, x1, radius: FALSE_REPORTS * paths.delta_m, radii };
        self.open.clear();
        threads.collect(candidates, PAIRS_PER_CHUNK, &mut self.open, |candidates, open| {
            let candidates = candidates.iter().filter(|pair| pair.has_any(changed)).copied();
            screen(&Vec::from_iter(candidates), &sweep, Pace::Common, |pair| {
                let (x0, x1) = (pair.gather(paths.x0), pair.gather(x1));
                let apart_m = [paths.radii.of_pair(&pair), paths.delta_m];
                if is_open(pair.kind(), &x0, &x1, apart_m)
                    && planes.binary_search_by_key(&pair, |plane| plane.pair).is_err()
                {
                    open.push(pair);
                }
            });
        });
    }

    /// Treats all candidates with a vertex that can be stopped as open.
    fn take_all(&mut self, candidates: &[Pair], paths: &Paths) {
        let free = |pair: &&Pair| pair.vertices.iter().any(|&vertex| !paths.is_prescribed(vertex));
        self.open.clear();
        self.open.extend(candidates.iter().filter(free));
    }

    /// Adds planes for the `open` pairs. Pairs whose prescribed vertices leave no room for a plane
    /// are a conflict.
    fn add_planes(&mut self, open: &[Pair], paths: &Paths, x1: &[Vec3]) -> Option<Conflict> {
        let known = self.planes.len();
        let mut conflict = None;
        let mut pairs = vec![0; paths.bodies.len()];
        open.iter().flat_map(|it| paths.bodies_of(it)).flatten().for_each(|it| pairs[it] += 1);
        let pairs = self.planes_move.then_some(&*pairs);
        for pair in open {
            if self.planes[..known].binary_search_by_key(pair, |plane| plane.pair).is_ok() {
                continue;
            }
            match SeparatingPlane::new(*pair, paths, x1, pairs) {
                Some(plane) => self.planes.push(plane),
                None => {
                    let mut here = Conflict::of_pair(*pair);
                    here.involve(pair, true, paths);
                    conflict = Conflict::merge(conflict, here);
                }
            }
        }
        self.planes[known..].iter().for_each(|plane| self.bounds.extend(plane.bounds(paths)));
        self.planes.sort_unstable_by_key(|plane| plane.pair);
        self.bounds.sort_unstable_by_key(|bound| (bound.vertex, bound.pair));
        conflict
    }

    /// Reduces the intended motion to the part that all present planes allow. Writes the ends to
    /// `x1` and notes the changed vertices.
    fn shorten(
        &mut self,
        paths: &Paths,
        stays: &(dyn Fn(usize, &Vec3) -> bool + Sync),
        x1: &mut [Vec3],
        report: &mut FailSafeReport,
    ) -> Option<Conflict> {
        self.changed.fill(false);
        report.truncated.clear();
        report.stops.clear();
        report.bodies.clear();
        let mut conflict: Option<Conflict> = None;
        let grain = GRAIN * paths.delta_m;
        for bounds in self.bounds.chunk_by(|a, b| a.vertex == b.vertex) {
            let vertex = bounds[0].vertex as usize;
            if paths.body_of(bounds[0].vertex).is_some() {
                continue;
            }
            let (start, target) = (paths.x0[vertex], self.targets[vertex]);
            let allowed = |displacement: &Vec3| stays(vertex, &(start + displacement));
            let (multipliers, stops) = (&mut self.multipliers, &mut report.stops);
            let end = match shorten(bounds, target - start, grain, allowed, multipliers, stops) {
                Ok(None) => target,
                Ok(Some(displacement)) => start + displacement,
                Err(pair) => {
                    let mut here = Conflict::of_vertex(pair, bounds[0].vertex);
                    for (bound, multiplier) in bounds.iter().zip(&self.multipliers) {
                        if bound.pair == pair || *multiplier > 0.0 {
                            here.involve(&bound.pair, bound.advance_m > 0.0, paths);
                        }
                    }
                    conflict = Conflict::merge(conflict, here);
                    continue;
                }
            };
            if end != target {
                let lost_m = (target - end).norm();
                report.truncated.push(Truncation { vertex: bounds[0].vertex, lost_m });
            }
            self.changed[vertex] = end != x1[vertex];
            x1[vertex] = end;
        }
        for body in 0..paths.bodies.len() {
            if let Err(pair) = self.shorten_body(body, paths, stays, x1, report) {
                let mut here = Conflict::of_pair(pair);
                here.involve(&pair, true, paths);
                conflict = Conflict::merge(conflict, here);
            }
        }
        conflict
    }

    /// Reduces the intended motion of a body.
    ///
    /// # Errors
    /// A pair whose plane pushes the body and does not hold.
    fn shorten_body(
        &mut self,
        body: usize,
        paths: &Paths,
        stays: &(dyn Fn(usize, &Vec3) -> bool + Sync),
        x1: &mut [Vec3],
        report: &mut FailSafeReport,
    ) -> std::result::Result<(), Pair> {
        let vertices = paths.bodies[body].vertices.clone();
        let from = self.bounds.partition_point(|bound| (bound.vertex as usize) < vertices.start);
        let to = self.bounds.partition_point(|bound| (bound.vertex as usize) < vertices.end);
        let (bounds, targets) = (&self.bounds[from..to], &self.targets[vertices.clone()]);
        let grain = GRAIN * paths.delta_m;
        let placed = shorten_body(&paths.bodies[body], bounds, paths, targets, grain, stays)?;
        let ends = placed.as_ref().map_or(targets, |(placed, _)| &placed.ends);
        for (vertex, end) in zip(vertices, ends) {
            let lost_m = (self.targets[vertex] - end).norm();
            if lost_m > 0.0 {
                report.truncated.push(Truncation { vertex: vertex as VertexId, lost_m });
            }
            self.changed[vertex] = *end != x1[vertex];
            x1[vertex] = *end;
        }
        report.bodies.extend(placed.map(|(Placed { way, .. }, u)| BodyEnd { body, way, u }));
        Ok(())
    }

    /// The pair that ends furthest below the gap that it must keep. The gap along a plane's
    /// normal is a lower bound of the distance, at the end and on the way there.
    fn verify(&self, paths: &Paths, x1: &[Vec3]) -> Option<TooNear> {
        let mut worst = None;
        let mut most = GRAIN * paths.delta_m;
        for plane in &self.planes {
            let of_vertices = gap(&plane.normal, &plane.pair.gather(x1), plane.pair.first_side());
            let gap_m = of_vertices - paths.radii.of_pair(&plane.pair);
            let missing = plane.keep_m - gap_m;
            if missing > most || missing.is_nan() {
                most = missing;
                worst = Some(TooNear { pair: plane.pair, gap_m });
            }
        }
        worst
    }
}

/// Removes from `open` the pairs that meet at the border of a side, if there are other pairs, and
/// returns them. Usually another pair lies between their sides, and its plane makes them safe.
/// Their own planes would be oblique and would hold back surfaces that slide on each other.
fn shadows(open: &mut Vec<Pair>, paths: &Paths) -> Vec<Pair> {
    let inside = |pair: &Pair| {
        meets_inside(pair.kind(), &pair.gather(paths.x0))
            || pair.vertices.iter().all(|&vertex| paths.is_prescribed(vertex))
    };
    let (first, later): (Vec<_>, Vec<_>) = open.iter().partition(|pair| inside(pair));
    if first.is_empty() {
        return first;
    }
    *open = first;
    later
}
