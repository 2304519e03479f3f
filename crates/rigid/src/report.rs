//! What one rank did in a step.

use bytemuck::{Pod, Zeroable};

use crate::Traffic;
use cloth_core::report::{Cell, Entry, Join, Part, PhaseRow, Report, named};

named! {
    /// The phases of a step, in order.
    Phase {
        /// Forces on shadow copies go to their owners (communication 1).
        Forces = "forces",
        /// Half steps of positions; changes of velocity by forces.
        Motion = "motion",
        /// Synchronisation of owners and shadow copies (communications 2 and 4).
        Synchronisation = "synchronisation",
        /// Broad and narrow phase.
        Contacts = "contacts",
        /// Changes of velocity by contacts (communication 3).
        Response = "response",
    }
}

/// What one rank did in a step.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct RigidReport {
    /// Time in each phase, s.
    pub seconds: [f64; Phase::ALL.len()],
    /// The part of `seconds` in which this rank waited for messages, s.
    pub waited_s: [f64; Phase::ALL.len()],
    /// Own bodies after the step.
    pub bodies: u64,
    /// Shadow copies after the step.
    pub copies: u64,
    /// Contacts that this rank treated. The sum over ranks does not depend on the number of ranks.
    pub contacts: u64,
    /// Joints that this rank treated. The sum over ranks does not depend on the number of ranks.
    pub joints: u64,
    /// The largest distance by which one of these joints was open in the middle of the step, m.
    pub joint_gap_m: f64,
    /// With workers that are audited: the largest distance of a body from where one worker that has
    /// everything would have it after the step, m.
    pub defect_m: f64,
    /// The largest error of velocity that the response has left at one of the constraints of this
    /// rank, m/s. The largest of all ranks does not depend on their number.
    pub residual_m_s: f64,
    /// Sweeps over all constraints. It is the same on all ranks, and 0 if the response has none.
    pub sweeps: u64,
    /// Constraints on own bodies. The sum over ranks does not depend on the number of ranks.
    pub constraints: u64,
    /// Own bodies that stopped because their constraints contradict each other; with workers, the
    /// active bodies of each. The sum over ranks does not depend on the number of ranks.
    pub stopped: u64,
    /// Counts of the communication.
    pub traffic: Traffic,
}

impl Default for RigidReport {
    /// Nothing was done.
    fn default() -> Self {
        let unknown = Join::Most.unknown();
        let (joint_gap_m, defect_m, residual_m_s) = (unknown, unknown, unknown);
        Self { joint_gap_m, defect_m, residual_m_s, ..Self::zeroed() }
    }
}

impl Report for RigidReport {
    const PART: Part = Part::Waited;

    fn phases() -> impl ExactSizeIterator<Item = PhaseRow> {
        Phase::ALL.iter().map(|&phase| PhaseRow {
            name: phase.name(),
            handles_collisions: matches!(phase, Phase::Contacts | Phase::Response),
        })
    }

    fn times(&self) -> [&[f64]; 2] {
        [&self.seconds, &self.waited_s]
    }

    fn times_mut(&mut self) -> [&mut [f64]; 2] {
        [&mut self.seconds, &mut self.waited_s]
    }

    fn entries(&mut self) -> impl Iterator<Item = Entry<'_>> {
        // A field without an entry does not compile.
        let Self {
            seconds: _,
            waited_s: _,
            bodies,
            copies,
            contacts,
            joints,
            joint_gap_m,
            defect_m,
            residual_m_s,
            sweeps,
            constraints,
            stopped,
            traffic,
        } = self;
        let Traffic { messages, bytes, created, removed, twice, migrated, crossed, left } = traffic;
        let shown = |name, count| Entry::new(name, Cell::Count(count)).shown(name);
        [
            shown("bodies", bodies).joined(Join::Last),
            shown("copies", copies).joined(Join::Last),
            shown("contacts", contacts),
            shown("joints", joints),
            Entry::new("joint_gap_m", Cell::Measure(joint_gap_m)).joined(Join::Most),
            Entry::new("defect_m", Cell::Measure(defect_m)).joined(Join::Most),
            Entry::new("residual_m_s", Cell::Measure(residual_m_s)).joined(Join::Most),
            shown("sweeps", sweeps),
            shown("constraints", constraints),
            shown("stopped", stopped),
            shown("messages", messages),
            shown("bytes", bytes),
            shown("created", created).shown("copies_created"),
            shown("removed", removed).shown("copies_removed"),
            Entry::new("twice", Cell::Count(twice)),
            shown("migrated", migrated),
            Entry::new("crossed", Cell::Unwritten(crossed)),
            Entry::new("left", Cell::Unwritten(left)),
        ]
        .into_iter()
    }
}
