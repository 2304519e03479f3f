//! The line of a frame of rigid bodies in `steps.jsonl`.

use std::collections::BTreeMap;

use cloth_sim::rigid::Traffic;
use cloth_sim::rigid::overlap::Overlap;
use cloth_sim::rigid::totals::Totals;
use cloth_sim::rigid::{Phase, RigidReport};
use serde::{Deserialize, Serialize};

/// One frame: counts, sums and hashes of all bodies, and the steps that lead to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyFrameRecord {
    /// Frame number. 0 is the start.
    pub frame: u64,
    /// Time since the start, s.
    pub time_s: f64,
    /// Movable bodies.
    pub bodies: u64,
    /// Hash of their ids: differs if a body is lost and another doubled.
    pub ids_hash: String,
    /// Hash of the bits of all ids, positions, rotations and velocities: of what the frame shows.
    pub bodies_hash: String,
    /// Hash of the whole state: that, and all else that the next steps depend on.
    pub state_hash: String,
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
    /// Every step of every rank since the previous frame.
    pub steps: Vec<BodyStepRecord>,
}

impl BodyFrameRecord {
    /// The record of the frame `rest`, whose first steps are in this record.
    pub fn followed_by(self, mut rest: Self) -> Self {
        rest.steps.splice(..0, self.steps);
        rest.left += self.left;
        rest.crossed += self.crossed;
        rest
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
    /// As a share of half the smaller one's smallest width.
    pub share: f64,
    /// Where, m.
    pub at_m: [f64; 3],
}

/// One rank's measurements of one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyStepRecord {
    /// Step number, from 1.
    pub step: u64,
    /// The rank that measured.
    pub rank: usize,
    /// Own bodies.
    pub bodies: u64,
    /// Shadow copies.
    pub copies: u64,
    /// Contacts that this rank treated.
    pub contacts: u64,
    /// Constraints on own bodies.
    pub constraints: u64,
    /// Own bodies that stopped because their constraints contradict each other.
    pub stopped: u64,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Shadow copies that this rank had others create.
    pub created: u64,
    /// Copies that this rank dropped or had others drop.
    pub removed: u64,
    /// Copies that came although they were there.
    pub twice: u64,
    /// Bodies given to another rank.
    pub migrated: u64,
    /// `<phase>_s` and, of it, `<phase>_waited_s` for messages, s.
    #[serde(flatten)]
    pub times: BTreeMap<String, f64>,
}

impl BodyStepRecord {
    /// Of step `step` on `rank`.
    pub fn new(step: u64, rank: usize, report: &RigidReport) -> Self {
        let RigidReport { bodies, copies, contacts, constraints, stopped, traffic, .. } = *report;
        let Traffic { messages, bytes, created, removed, twice, migrated, .. } = traffic;
        let times = Phase::ALL.iter().flat_map(|&phase| {
            let (seconds, waited) =
                (report.seconds[phase as usize], report.waited_s[phase as usize]);
            [(format!("{}_s", phase.name()), seconds), (waited_name(phase), waited)]
        });
        let times = times.collect();
        Self {
            step,
            rank,
            bodies,
            copies,
            contacts,
            constraints,
            stopped,
            messages,
            bytes,
            created,
            removed,
            twice,
            migrated,
            times,
        }
    }

    /// The report. How many bodies changed their subdomain or left is not in it.
    pub fn report(&self) -> RigidReport {
        let &Self { bodies, copies, contacts, constraints, stopped, messages, bytes, .. } = self;
        let &Self { created, removed, twice, migrated, .. } = self;
        let traffic =
            Traffic { messages, bytes, created, removed, twice, migrated, ..Traffic::default() };
        RigidReport {
            seconds: Phase::ALL.map(|phase| self.seconds(phase)),
            waited_s: Phase::ALL.map(|phase| self.waited_s(phase)),
            bodies,
            copies,
            contacts,
            constraints,
            stopped,
            traffic,
        }
    }

    /// Time in a phase, s.
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.times.get(&format!("{}_s", phase.name())).copied().unwrap_or_default()
    }

    /// The part of it in which the rank waited for messages, s.
    pub fn waited_s(&self, phase: Phase) -> f64 {
        self.times.get(&waited_name(phase)).copied().unwrap_or_default()
    }
}

fn waited_name(phase: Phase) -> String {
    format!("{}_waited_s", phase.name())
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

    #[test]
    fn a_record_is_read_back_as_it_was_written() {
        let report = RigidReport {
            seconds: [1.0, 2.0, 3.0, 4.0, 5.0],
            waited_s: [0.1, 0.0, 0.3, 0.0, 0.5],
            bodies: 7,
            ..RigidReport::default()
        };
        let step = BodyStepRecord::new(3, 1, &report);
        assert_eq!((step.seconds(Phase::Contacts), step.waited_s(Phase::Response)), (4.0, 0.5));
        assert_eq!(step.report(), report);
        let deepest =
            Some(OverlapRecord { bodies: [1, 2], depth_m: 0.1, share: 0.5, at_m: [0.1, 0.2, 0.3] });
        let record = BodyFrameRecord { deepest, steps: vec![step], ..BodyFrameRecord::default() };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<BodyFrameRecord>(&text).unwrap(), record);
    }
}
