//! The largest strain, the most contacts and the smallest distance of a run, the sizes of its
//! steps, and cloth that is crushed in its plane instead of folded.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::zip;

use cloth_core::math::Vec3;
use cloth_step::{Counter, Model, StepReport};

use crate::program::output::{ClothFrameRecord, CrushRecord, StrainRecord};
use crate::program::run::Contacts;
use crate::program::words::{grouped, significant};

/// Extremes over the frames and steps of a run.
#[derive(Debug, Default)]
pub struct Peaks {
    /// The contacts of its steps.
    pub contacts: Contacts,
    /// The smallest distance of two surfaces in contact at the start of a step, m, and its frame.
    pub distance_m: Option<(f64, u64)>,
    /// The widest gap of a joint at the end of a step, m, and its frame.
    pub joint_gap_m: Option<(f64, u64)>,
    /// How much longer than its thread the widest stitch is at the end of the last step, m.
    pub seam_stretch_m: Option<f64>,
    /// Number of stitches that were welded.
    pub welds: u64,
    /// The edge of the largest strain in any frame, and this frame.
    pub stretch: Option<(StrainRecord, u64)>,
    /// The edge of the smallest strain, and its frame.
    pub compression: Option<(StrainRecord, u64)>,
}

impl Peaks {
    /// Adds a frame.
    pub fn add(&mut self, frame: &ClothFrameRecord) {
        self.add_steps(frame);
        let Some([most, least]) = frame.part.strain else { return };
        if self.stretch.is_none_or(|(known, _)| most.strain > known.strain) {
            self.stretch = Some((most, frame.frame));
        }
        if self.compression.is_none_or(|(known, _)| least.strain < known.strain) {
            self.compression = Some((least, frame.frame));
        }
    }

    fn add_steps(&mut self, frame: &ClothFrameRecord) {
        self.contacts.add(frame.frame, &frame.per_step(contacts_of));
        for step in &frame.steps {
            let gap = step.report.smallest_gap_m;
            if gap < self.distance_m.map_or(f64::INFINITY, |(least, _)| least) {
                self.distance_m = Some((gap, frame.frame));
            }
            let gap = step.report.joint_gap_m;
            if gap > self.joint_gap_m.map_or(f64::NEG_INFINITY, |(most, _)| most) {
                self.joint_gap_m = Some((gap, frame.frame));
            }
            self.welds += step.report.get(Counter::Welds);
            let stretch_m = step.report.seam_stretch_m;
            self.seam_stretch_m = stretch_m.is_finite().then_some(stretch_m);
        }
    }
}

/// The largest and the smallest strain of an edge, if cloth vertices are at `x` (m). Of equal
/// strains the first edge is taken.
pub fn extremes(model: &Model, x: &[Vec3]) -> Option<[StrainRecord; 2]> {
    let mut extremes: Option<[(f64, [u32; 2]); 2]> = None;
    for (&edge, rest) in model.edges.iter().zip(&model.rest_lengths) {
        let strain = (x[edge[0] as usize] - x[edge[1] as usize]).norm() / rest - 1.0;
        let [most, least] = extremes.get_or_insert([(strain, edge); 2]);
        if strain > most.0 {
            *most = (strain, edge);
        }
        if strain < least.0 {
            *least = (strain, edge);
        }
    }
    let middle = |edge: [u32; 2]| (x[edge[0] as usize] + x[edge[1] as usize]) / 2.0;
    let record = |(strain, edge)| StrainRecord { strain, at_m: middle(edge).into() };
    extremes.map(|both| both.map(record))
}

/// Number of contacts that a step found.
pub fn contacts_of(report: &StepReport) -> u64 {
    report.get(Counter::ProximityPairs) + report.get(Counter::PredictedImpacts)
}

/// How many steps had which size.
pub struct StepSizes {
    /// Size of a whole step, s. Step numbers count these.
    step_s: f64,
    /// The number of the last step.
    last: u64,
    /// Numbers of steps, by size in whole steps.
    counts: BTreeMap<u64, u64>,
}

impl StepSizes {
    /// None so far. Whole steps have a size of `step_s` (s).
    pub fn new(step_s: f64) -> Self {
        Self { step_s, last: 0, counts: BTreeMap::new() }
    }

    /// Adds the steps of a frame. A frame begins at the end of step `first`.
    pub fn add(&mut self, first: u64, record: &ClothFrameRecord) {
        self.last = self.last.max(first);
        for (step, _) in record.reports_of(0) {
            *self.counts.entry(step - self.last).or_default() += 1;
            self.last = step;
        }
    }
}

impl fmt::Display for StepSizes {
    /// A line; nothing if all steps are whole steps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.counts.keys().all(|&size| size == 1) {
            return Ok(());
        }
        let of_size = |(&size, &count): (&u64, &u64)| {
            let size_ms = 1e3 * self.step_s * size as f64;
            format!("{} of {} ms", grouped(count), significant(size_ms))
        };
        let parts = Vec::from_iter(self.counts.iter().map(of_size));
        writeln!(f, "  steps     {}", parts.join(", "))
    }
}

/// Strain from which on an edge is crushed. Cloth folds far below it.
const STRAIN: f64 = -0.2;
/// The largest angle of the hinges around an edge that is flat, rad. Folds grow out of it within a
/// few steps, unless nothing pushes cloth out of its plane.
const FLAT: f64 = 1e-6;

/// Warns of the first crushed edge of a run.
#[derive(Debug, Default)]
pub struct Crush {
    warned: bool,
}

impl Crush {
    /// Adds a frame. Returns a warning if cloth is crushed in it for the first time in the run.
    pub fn add(&mut self, frame: &ClothFrameRecord) -> Option<String> {
        let CrushRecord { cloth, edge } = frame.part.crushed.as_ref().filter(|_| !self.warned)?;
        self.warned = true;
        let ([x, y, z], percent) = (edge.at_m, significant(-100.0 * edge.strain));
        Some(format!(
            "warning: frame {}: `{cloth}` is crushed in its plane by {percent} % at ({x:.4}, {y:.4}, {z:.4}) \
             m instead of folded; give it an imperfection of the start (imperfection_m), smaller \
             triangles, or more time",
            frame.frame
        ))
    }
}

/// The edge of the smallest strain of those that are crushed in the plane of their cloth, if cloth
/// vertices are at `x` (m).
pub fn crushed(model: &Model, x: &[Vec3]) -> Option<CrushRecord> {
    let sheet = &model.cloth.elements.bending.sheet;
    let strain =
        |&([a, b], rest): &([u32; 2], f64)| (x[a as usize] - x[b as usize]).norm() / rest - 1.0;
    let edges = zip(model.edges.iter().copied(), model.rest_lengths.iter().copied());
    if edges.clone().all(|edge| strain(&edge) > STRAIN) {
        return None;
    }
    let angles = sheet.angles(x);
    let mut hinges = sheet.hinges.iter().peekable();
    let mut worst: Option<(f64, [u32; 2])> = None;
    for edge in edges {
        // Edges without a hinge are those of the boundary.
        let own =
            hinges.next_if(|it| edge.0.iter().all(|vertex| it.vertices[..2].contains(vertex)));
        let Some(hinge) = own else { continue };
        let mut around = hinge.faces.iter().flat_map(|&face| sheet.face_hinges[face as usize]);
        let is_flat = around.all(|it| angles.get(it as usize).is_none_or(|it| it.abs() < FLAT));
        let least = worst.map_or(STRAIN, |(least, _)| least);
        if is_flat && strain(&edge) < least {
            worst = Some((strain(&edge), edge.0));
        }
    }
    let (strain, [a, b]) = worst?;
    let cloth = model.cloth_ends.partition_point(|&end| end <= a);
    let at_m = ((x[a as usize] + x[b as usize]) / 2.0).into();
    Some(CrushRecord { cloth: model.names[cloth].clone(), edge: StrainRecord { strain, at_m } })
}
