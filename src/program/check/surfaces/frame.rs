//! What is known of one frame of surfaces.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;

use crate::engine::Field;
use crate::program::check::surfaces::drawn::{folded, welds, with_other_cuts, with_welds};
use crate::program::check::surfaces::recorded::Recorded;
use crate::program::check::surfaces::{CheckedRun, Folded};
use crate::program::check::{Measure, Measured, Record};
use crate::program::words::plural;
use crate::verify::{Intersection, Moves, Surface, Surfaces, Threads, intersections};

/// What is known of a frame.
#[derive(Debug, Default)]
pub struct SurfaceFacts {
    /// Edges of an absurd length: the first one, and how many there are.
    pub absurd: Option<(Edge, usize)>,
    /// The strain of its edges. None without cloth.
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

/// The seams of a frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeamState {
    /// Number of seams with an open stitch.
    pub open_seams: usize,
    /// Number of open stitches.
    pub open: usize,
    /// Number of open stitches whose seams have had their time to close.
    pub late: usize,
    /// Number of threads that should be welds, because their seams have had their time.
    pub unwelded: usize,
    /// The largest distance of the vertices of a stitch beyond the length of its thread, m.
    pub stretch_m: f64,
}

/// Lengths over rest lengths that a cloth may have. Beyond them an edge is torn or collapsed.
const POSSIBLE: RangeInclusive<f64> = 1e-3..=10.0;

/// A frame is damaged if more than one edge in this many is torn or collapsed. Most of its faces
/// may intersect each other, so intersections are not sought.
const DAMAGED: usize = 10;

/// How many intersections of a frame are listed.
const FIRST: usize = 5;

/// Larger coordinates (m) count as not finite. With them the bounds would overflow.
const FAR: f64 = 1e30;

/// A run of surfaces whose frames are measured.
pub struct SurfaceCheck {
    /// The run.
    pub run: CheckedRun,
    /// What it has recorded.
    pub recorded: Recorded,
}

impl Measure for SurfaceCheck {
    type Known = SurfaceFacts;
    const AT_ONCE: usize = usize::MAX;

    fn record(&self) -> &Record {
        &self.run.record
    }

    fn title(&self) -> String {
        let CheckedRun { record, surfaces, rest, .. } = &self.run;
        let frames = plural(record.frames.clone().count(), "frame");
        let objects = plural(surfaces.list.len(), "object");
        let name = &record.scene.name;
        if !self.run.has_cloth() {
            return format!("{name}: {frames}, {objects}, no cloth");
        }
        let cloths = surfaces.list.iter().filter(|surface| surface.moves == Moves::Deforms);
        let vertices = cloths.map(|cloth| cloth.vertex_count).sum::<usize>();
        format!("{name}: {frames}, {vertices} cloth vertices, {objects}; strain against {rest}")
    }

    fn measure(&self, number: u64) -> Measured<SurfaceFacts> {
        match positions(&self.run, number) {
            Ok(x) => Measured { known: Some(self.facts(number, &x)), fault: None },
            Err(fault) => Measured { known: None, fault: Some(fault) },
        }
    }
}

impl SurfaceCheck {
    /// What is known of frame `number` with vertices at `x` (m).
    fn facts(&self, number: u64, x: &[Vec3]) -> SurfaceFacts {
        let run = &self.run;
        let edges = Vec::from_iter(edges(run, x));
        // The quotient may be NaN, which is in no range.
        let is_absurd = |edge: &&Edge| !POSSIBLE.contains(&(edge.length / edge.rest));
        let mut absurd = edges.iter().filter(is_absurd);
        let mut facts = SurfaceFacts {
            seams: SeamState::new(run, number as f64 * run.record.frame_s(), x),
            strain: strain(edges.iter().map(|edge| edge.length / edge.rest - 1.0).collect()),
            absurd: absurd.next().map(|&first| (first, 1 + absurd.count())),
            ..SurfaceFacts::default()
        };
        if facts.absurd.is_some_and(|(_, count)| count > edges.len() / DAMAGED) {
            return facts;
        }
        let welds = welds(run, x);
        let find = |surfaces: &Surfaces| match &welds {
            Some(welds) => intersections(&Threads::INLINE, &with_welds(surfaces, welds, x), x),
            None => intersections(&Threads::INLINE, surfaces, x),
        };
        let mut found = find(&run.surfaces);
        let (simulated, folded) = (found.len(), folded(run, x));
        if !folded.is_empty() {
            found = find(&with_other_cuts(&run.surfaces, &folded, x));
        }
        facts.simulated = simulated;
        let most = folded.iter().max_by(|a, b| a.angle_deg.total_cmp(&b.angle_deg));
        facts.folded = most.map(|&most| (most, folded.len()));
        for intersection in &found {
            let mut objects = intersection.objects;
            objects.sort_unstable();
            *facts.counts.entry(objects).or_default() += 1;
        }
        facts.first = found.into_iter().take(FIRST).collect();
        facts
    }
}

impl SurfaceFacts {
    /// Number of all intersections.
    pub fn intersections(&self) -> usize {
        self.counts.values().sum()
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

impl SeamState {
    /// The seams at `time_s` (s) with cloth at `x` (m). None without seams.
    fn new(run: &CheckedRun, time_s: f64, x: &[Vec3]) -> Option<Self> {
        let mut all = Self::default();
        for seam in &run.seams {
            let (before, is_over) = (all.open, time_s >= seam.close_s);
            for stitch in &seam.stitches {
                let [a, b] = stitch.vertices.map(|vertex| x[vertex as usize]);
                let stretch_m = (a - b).norm() - seam.length_m(stitch, time_s);
                all.open += usize::from(stretch_m > seam.elastic_m());
                all.unwelded += usize::from(is_over && seam.welds && a != b);
                all.stretch_m = all.stretch_m.max(stretch_m);
            }
            all.open_seams += usize::from(all.open > before);
            all.late += if is_over { all.open - before } else { 0 };
        }
        (!run.seams.is_empty()).then_some(all)
    }
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

    /// The name of an object.
    pub(super) fn name(&self, object: u32) -> &str {
        &self.objects[object as usize].name
    }

    /// Whether it has cloth.
    pub(super) fn has_cloth(&self) -> bool {
        self.surfaces.list.iter().any(|surface| surface.moves == Moves::Deforms)
    }
}
