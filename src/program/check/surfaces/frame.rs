//! The check of one frame.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::engine::Field;
use crate::verify::{Intersection, Surface, Surfaces, Threads, intersections};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;

use crate::program::check::surfaces::drawn::{Folded, folded, with_other_cuts};
use crate::program::check::surfaces::folder::CheckedRun;
use crate::program::check::surfaces::sewn::{SeamState, welds, with_welds};

/// The findings of one frame.
#[derive(Debug, Clone, Default)]
pub struct FrameCheck {
    /// Its number.
    pub frame: u64,
    /// Why it could not be checked: missing, torn, or not finite.
    pub fault: Option<String>,
    /// Whether its surfaces could be judged.
    pub is_read: bool,
    /// Edges of an absurd length: the first one, and how many there are.
    pub absurd: Option<(Edge, usize)>,
    /// The strain of its edges. `None` if it could not be checked or there is no cloth.
    pub strain: Option<Strain>,
    /// Its seams. None if the scene has none.
    pub seams: Option<SeamState>,
    /// Number of intersections between two objects, or of one with itself, as a viewer draws them.
    /// The key holds their places among the objects.
    pub counts: BTreeMap<[u32; 2], usize>,
    /// The first few intersections.
    pub first: Vec<Intersection>,
    /// Number of intersections of the triangles of the simulation.
    pub simulated: usize,
    /// The quadrilateral that is folded most, by more than 90 degrees, and how many are.
    pub folded: Option<(Folded, usize)>,
}

/// Strain of the edges of all cloths: length over rest length, minus 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strain {
    /// The largest strain.
    pub stretch: f64,
    /// The smallest strain, usually negative.
    pub compression: f64,
    /// 95 % of the edges have a smaller absolute strain.
    pub percentile_95: f64,
}

impl Strain {
    /// The largest absolute strain.
    pub fn largest(&self) -> f64 {
        self.stretch.max(-self.compression)
    }
}

/// An edge of a cloth in one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Its place among the objects.
    pub object: usize,
    /// Its vertices, numbered in the object.
    pub vertices: [u32; 2],
    /// Its length, m.
    pub length: f64,
    /// Its rest length, m.
    pub rest: f64,
}

/// Lengths over rest lengths that a cloth may have. Beyond them an edge is torn or collapsed.
const POSSIBLE: RangeInclusive<f64> = 1e-3..=10.0;

/// A frame is damaged if more than one edge in this many is torn or collapsed. Most of its faces may
/// intersect each other, so intersections are not sought.
const DAMAGED: usize = 10;

/// How many intersections of a frame are listed.
const FIRST: usize = 5;

/// Larger coordinates (m) count as not finite. With them the bounds would overflow.
const FAR: f64 = 1e30;

impl FrameCheck {
    /// Reads and checks frame `number`.
    pub fn new(run: &CheckedRun, number: u64, threads: &Threads) -> Self {
        let mut check = Self { frame: number, ..Self::default() };
        match positions(run, number) {
            Ok(x) => check.judge(run, threads, &x),
            Err(fault) => check.fault = Some(fault),
        }
        check
    }

    /// Number of all intersections.
    pub fn intersections(&self) -> usize {
        self.counts.values().sum()
    }

    fn judge(&mut self, run: &CheckedRun, threads: &Threads, x: &[Vec3]) {
        self.is_read = true;
        let edges = Vec::from_iter(edges(run, x));
        self.seams = SeamState::new(run, self.frame as f64 * run.record.frame_s(), x);
        self.strain = strain(edges.iter().map(|edge| edge.length / edge.rest - 1.0).collect());
        // The quotient may be NaN, which is in no range.
        let is_absurd = |edge: &&Edge| !POSSIBLE.contains(&(edge.length / edge.rest));
        let mut absurd = edges.iter().filter(is_absurd);
        self.absurd = absurd.next().map(|&first| (first, 1 + absurd.count()));
        if self.absurd.is_some_and(|(_, count)| count > edges.len() / DAMAGED) {
            return;
        }
        let find = |surfaces: &Surfaces| intersections(threads, surfaces, x);
        let welds = welds(run, x);
        let mut found = match &welds {
            Some(welds) => find(&with_welds(&run.surfaces, welds, x)),
            None => find(&run.surfaces),
        };
        self.simulated = found.len();
        let folded = folded(run.objects.iter().map(|it| it.quads.as_slice()), &run.surfaces, x);
        if !folded.is_empty() {
            let drawn = with_other_cuts(&run.surfaces, &folded, x);
            found = match &welds {
                Some(welds) => find(&with_welds(&drawn, welds, x)),
                None => find(&drawn),
            };
        }
        let most = folded.iter().max_by(|a, b| a.angle_deg.total_cmp(&b.angle_deg));
        self.folded = most.map(|&most| (most, folded.len()));
        for intersection in &found {
            let mut objects = intersection.objects;
            objects.sort_unstable();
            *self.counts.entry(objects).or_default() += 1;
        }
        self.first = found.into_iter().take(FIRST).collect();
    }
}

/// Positions of all objects in frame `number`, m, or its fault.
pub fn positions(run: &CheckedRun, number: u64) -> Result<Vec<Vec3>, String> {
    let frame = run.frame(number)?;
    check_time(frame.time_s, number as f64 * run.record.frame_s())?;
    for Field { name, values, .. } in &frame.fields {
        if values.iter().any(|value| !value.is_finite()) {
            return Err(format!("not finite: {name}"));
        }
    }
    let mut x = frame.surfaces.concat();
    let is_place = |x: &Vec3| x.iter().all(|c| c.abs() < FAR);
    let mut bad = (0..).zip(&x).filter(|(_, x)| !is_place(x));
    if let Some((vertex, place)) = bad.next() {
        let more = match bad.count() {
            0 => String::new(),
            count => format!(", and {count} more"),
        };
        let (vertex, object) = run.local(vertex);
        return Err(format!(
            "not finite: vertex {vertex} of {object} is at ({}, {}, {}){more}",
            place.x, place.y, place.z
        ));
    }
    x.extend_from_slice(&run.fixed);
    Ok(x)
}

/// Refuses a frame whose time is not `expected` (s), but for rounding.
fn check_time(time_s: f64, expected: f64) -> Result<(), String> {
    match (time_s - expected).abs() <= 1e-9 * expected.max(1.0) {
        true => Ok(()),
        false => Err(format!("its time is {time_s} s, but it belongs to {expected} s")),
    }
}

/// The edges of all cloths at the positions `x` (m).
fn edges(run: &CheckedRun, x: &[Vec3]) -> impl Iterator<Item = Edge> {
    let objects = run.objects.iter().zip(&run.surfaces.list).enumerate();
    objects.flat_map(|(number, (object, surface))| {
        let x = &x[surface.vertices()];
        object.edges.iter().zip(&object.rest_lengths).map(move |(&vertices, &rest)| {
            let [a, b] = vertices.map(|vertex| x[vertex as usize]);
            Edge { object: number, vertices, length: (a - b).norm(), rest }
        })
    })
}

/// The summary of `strains`, one of each edge. `None` if there is no cloth.
fn strain(mut strains: Vec<f64>) -> Option<Strain> {
    let stretch = strains.iter().copied().reduce(f64::max)?;
    let compression = strains.iter().copied().reduce(f64::min)?;
    strains.iter_mut().for_each(|strain| *strain = strain.abs());
    let rank = (strains.len() * 95).div_ceil(100).saturating_sub(1);
    let (_, &mut percentile_95, _) = strains.select_nth_unstable_by(rank, f64::total_cmp);
    Some(Strain { stretch, compression, percentile_95 })
}

impl CheckedRun {
    /// The number of a vertex in its own object, and the name of that object.
    pub(super) fn local(&self, vertex: VertexId) -> (u32, &str) {
        let contains = |surface: &Surface| surface.vertices().contains(&(vertex as usize));
        match self.surfaces.list.iter().position(contains) {
            Some(object) => {
                let first = self.surfaces.list[object].first_vertex;
                (vertex - first, &self.objects[object].name)
            }
            None => (vertex, "no object"),
        }
    }
}
