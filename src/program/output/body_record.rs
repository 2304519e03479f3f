//! What the line of a frame of rigid bodies in `steps.jsonl` has of its kind.

use cloth_rigid::RigidReport;
use cloth_rigid::simulation::overlap::Overlap;
use cloth_rigid::totals::Totals;
use cloth_workers::report::WorkerReport;
use serde::{Deserialize, Serialize};

use crate::program::output::{FramePart, FrameRecord, Kind};

/// Runs of rigid bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bodies;

impl Kind for Bodies {
    type Report = RigidReport;
    type FramePart = BodiesPart;
    type StepPart = WorkersPart;
}

/// What the workers of a rank did in a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkersPart {
    /// By rising worker; absent in a run without workers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerReport>,
}

/// The line of a frame of rigid bodies.
pub type BodyFrameRecord = FrameRecord<Bodies>;

/// Counts, sums and hashes of all bodies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BodiesPart {
    /// Time since the start, s.
    pub time_s: f64,
    /// Movable bodies.
    pub bodies: u64,
    /// Hash of their ids: differs if a body is lost and another doubled.
    pub ids_hash: String,
    /// Hash of the bits of all ids, positions, rotations and velocities: of what the frame shows.
    pub bodies_hash: String,
    /// Bodies that left the domain since the previous frame, and were removed.
    pub left: u64,
    /// Bodies that went to another subdomain since the previous frame.
    pub crossed: u64,
    /// Energies and momenta.
    #[serde(flatten)]
    pub totals: TotalsRecord,
    /// The deepest overlap that the last step found; absent if no bodies touch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deepest: Option<OverlapRecord>,
    /// Time in which space was divided anew after this frame, s; absent if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repartition_s: Option<f64>,
}

impl FramePart for BodiesPart {
    fn followed_by(self, rest: Self) -> Self {
        Self { left: self.left + rest.left, crossed: self.crossed + rest.crossed, ..rest }
    }
}

/// Energies and momenta of all bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TotalsRecord {
    /// Kinetic energy of the centres of mass, J.
    pub translation_j: f64,
    /// Kinetic energy of rotation, J.
    pub rotation_j: f64,
    /// Potential energy, J; 0 at the origin.
    pub potential_j: f64,
    /// kg m/s.
    pub momentum: [f64; 3],
    /// About the origin, kg m^2/s.
    pub angular_momentum: [f64; 3],
}

/// Two bodies that overlap.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OverlapRecord {
    /// Their ids.
    pub bodies: [u64; 2],
    /// How deep, m.
    pub depth_m: f64,
    /// The depth as a share of half the smallest width of the smaller body.
    pub share: f64,
    /// Where, m.
    pub at_m: [f64; 3],
}

impl From<Totals> for TotalsRecord {
    fn from(totals: Totals) -> Self {
        let Totals { translation_j, rotation_j, potential_j, momentum, angular_momentum } = totals;
        let (momentum, angular_momentum) = (momentum.into(), angular_momentum.into());
        Self { translation_j, rotation_j, potential_j, momentum, angular_momentum }
    }
}

impl TotalsRecord {
    /// Kinetic and potential energy, J.
    pub fn energy_j(&self) -> f64 {
        self.translation_j + self.rotation_j + self.potential_j
    }
}

impl From<Overlap> for OverlapRecord {
    fn from(Overlap { bodies, depth, share, point }: Overlap) -> Self {
        Self { bodies, depth_m: depth, share, at_m: point.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::output::record::StepRecord;

    #[test]
    fn a_record_is_read_back_as_it_was_written() {
        let report = RigidReport {
            seconds: [1.0, 2.0, 3.0, 4.0, 5.0],
            waited_s: [0.1, 0.0, 0.3, 0.0, 0.5],
            bodies: 7,
            ..RigidReport::default()
        };
        let worker =
            WorkerReport { worker: 5, sweeps: 9, seconds: 0.25, ..WorkerReport::default() };
        let part = WorkersPart { workers: vec![worker] };
        let with_workers = StepRecord { step: 3, rank: 1, part, report };
        let step = StepRecord { step: 4, part: WorkersPart::default(), ..with_workers.clone() };
        let deepest =
            Some(OverlapRecord { bodies: [1, 2], depth_m: 0.1, share: 0.5, at_m: [0.1, 0.2, 0.3] });
        let part = BodiesPart { deepest, ..BodiesPart::default() };
        let steps = vec![with_workers, step];
        let record = FrameRecord { part, steps, ..BodyFrameRecord::default() };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(text.matches("\"workers\":[{\"worker\":5,").count(), 1, "{text}");
        assert!(text.contains("\"contacts_s\":4.0") && text.contains("\"response_waited_s\":0.5"));
        assert_eq!(serde_json::from_str::<BodyFrameRecord>(&text).unwrap(), record);
    }
}
