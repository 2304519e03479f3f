//! The largest strain, the most contacts and the smallest distance of a run.

use cloth_core::math::Vec3;
use cloth_step::{Counter, Model, StepReport};

use crate::program::output::{ClothFrameRecord, StrainRecord};
use crate::program::run::Contacts;

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
    /// The edge of the largest strain (length over rest length, minus 1) in any frame.
    pub stretch: Option<Strain>,
    /// The edge of the smallest strain.
    pub compression: Option<Strain>,
}

/// The strain of an edge of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strain {
    /// Length over rest length, minus 1.
    pub strain: f64,
    /// The frame.
    pub frame: u64,
    /// The middle of the edge, m.
    pub at: Vec3,
}

impl Peaks {
    /// Adds a frame.
    pub fn add(&mut self, frame: &ClothFrameRecord) {
        self.add_steps(frame);
        let Some([most, least]) = frame.part.strain else { return };
        let at_frame = |StrainRecord { strain, at_m }| {
            Some(Strain { strain, frame: frame.frame, at: at_m.into() })
        };
        if self.stretch.is_none_or(|known| most.strain > known.strain) {
            self.stretch = at_frame(most);
        }
        if self.compression.is_none_or(|known| least.strain < known.strain) {
            self.compression = at_frame(least);
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
