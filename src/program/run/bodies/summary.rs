//! The closing summary of a run of rigid bodies.

use std::fmt;

use cloth_core::report::Report;
use cloth_rigid::{Phase, RigidReport, Traffic};
use cloth_scene::bodies::RigidSetup;

use crate::program::output::{BodyFrameRecord, OverlapRecord};
use crate::program::run::{Contacts, RunFacts, Totals};
use crate::program::words::{grouped, plural, significant};

/// Extremes and sums of a run.
#[derive(Default)]
pub struct Peaks {
    bodies: u64,
    left: u64,
    /// The contacts of its steps.
    pub contacts: Contacts,
    /// The deepest overlap, and its frame.
    deepest: Option<(OverlapRecord, u64)>,
    /// Energy of the first and of the last frame, J.
    energy_j: Option<[f64; 2]>,
    totals: Totals<RigidReport>,
}

impl Peaks {
    /// Adds a frame.
    pub fn add(&mut self, frame: &BodyFrameRecord) {
        self.bodies = frame.part.bodies;
        self.left += frame.part.left;
        let energy = frame.part.totals.energy_j();
        self.energy_j = Some([self.energy_j.map_or(energy, |[first, _]| first), energy]);
        self.contacts.add(frame.frame, &frame.per_step(|report| report.contacts));
        self.totals.add(frame);
        let deepest = frame.part.deepest.map(|overlap| (overlap, frame.frame));
        let known = self.deepest.map_or(0.0, |(overlap, _)| overlap.share);
        if deepest.is_some_and(|(overlap, _)| overlap.share > known) {
            self.deepest = deepest;
        }
    }
}

/// The closing summary: the bodies, their extremes, the frames and what to do with them.
pub struct Summary<'a> {
    /// The run.
    pub run: RunFacts<'a>,
    /// Its bodies.
    pub setup: &'a RigidSetup,
    /// Its extremes.
    pub peaks: &'a Peaks,
    /// Whether times and messages are printed too.
    pub details: bool,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.write_times(f)?;
        self.write_bodies(f)?;
        if self.details {
            self.write_details(f)?;
        }
        self.run.write_files(f)
    }
}

impl Summary<'_> {
    fn write_bodies(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Peaks { bodies, left, contacts, deepest, energy_j, totals, .. } = self.peaks;
        let gone =
            if *left > 0 { format!(", {} left the domain", grouped(*left)) } else { String::new() };
        writeln!(f, "  bodies    {}{gone}", grouped(*bodies))?;
        let updates = self.run.head.bodies.as_ref().map_or(0, |it| it.count) * totals.steps as u64;
        let seconds = (self.run.wall_s - self.run.set_up_s).max(1e-9);
        writeln!(
            f,
            "  speed     {} body updates a second",
            grouped((updates as f64 / seconds) as u64)
        )?;
        write!(f, "{contacts}")?;
        // An overlap by rounding alone does not count.
        if let Some((overlap, frame)) = deepest.filter(|(overlap, _)| overlap.share > 1e-9) {
            let [first, second] = overlap.bodies.map(|id| self.setup.name_of(id));
            writeln!(
                f,
                "  overlap   deepest {} mm, {} % of half a width: {first} and {second}, frame {frame}",
                significant(1e3 * overlap.depth_m),
                significant(100.0 * overlap.share),
            )?;
        }
        let Some([first, last]) = energy_j else { return Ok(()) };
        let has_springs = self.setup.joints.all().iter().any(|it| it.settings.is_compliant());
        writeln!(
            f,
            "  energy    {} J at the start, {} J at the end{}",
            significant(*first),
            significant(*last),
            if has_springs { ", without springs" } else { "" }
        )
    }

    fn write_details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sums = self.peaks.totals.of_all();
        let Traffic { messages, bytes, migrated, .. } = sums.traffic;
        let all = sums.total_s().max(1e-12);
        for &phase in Phase::ALL {
            let (time, waited) = (sums.seconds[phase as usize], sums.waited_s[phase as usize]);
            writeln!(
                f,
                "  {:<16} {:>5.1} % of the steps, {:.1} % waiting for messages",
                phase.name(),
                100.0 * time / all,
                100.0 * waited / all
            )?;
        }
        let repartitions = self.run.head.repartitions;
        writeln!(
            f,
            "  messages  {} with {} bytes; {} went to another rank; {} in {:.2} s",
            grouped(messages),
            grouped(bytes),
            plural(migrated as usize, "body"),
            plural(repartitions.count as usize, "new division"),
            repartitions.seconds
        )
    }
}
