//! The profile as tables. `profile.csv` has a row for each frame and rank, `phases.csv` a row for
//! each frame.

use std::path::{Path, PathBuf};

use cloth_sim::error::Result;
use cloth_sim::report::Report;
use cloth_sim::rigid::report::{Phase, RigidReport};

use crate::program::output::names;
use crate::program::profile::bodies::{BodyFrameProfile, BodyProfile};
use crate::program::profile::csv;

/// A column: its name and value.
type Count = (&'static str, fn(&RigidReport) -> u64);

const COUNTS: [Count; 10] = [
    ("bodies", |it| it.bodies),
    ("copies", |it| it.copies),
    ("contacts", |it| it.contacts),
    ("constraints", |it| it.constraints),
    ("stopped", |it| it.stopped),
    ("messages", |it| it.traffic.messages),
    ("bytes", |it| it.traffic.bytes),
    ("copies_created", |it| it.traffic.created),
    ("copies_removed", |it| it.traffic.removed),
    ("migrated", |it| it.traffic.migrated),
];

impl BodyProfile {
    /// Writes `profile.csv` and `phases.csv` into `folder` and returns their paths. Numbers are
    /// exact.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write_tables(&self, folder: &Path) -> Result<[PathBuf; 2]> {
        let ranks = csv::write(&folder.join(names::PROFILE), &self.of_ranks())?;
        Ok([ranks, csv::write(&folder.join(names::PHASES), &self.of_phases())?])
    }

    fn of_ranks(&self) -> String {
        let fixed = ["frame", "rank", "length_s", "work_s", "busy"].map(str::to_owned);
        let phases = Phase::ALL.iter().map(|it| it.name());
        let phases = phases.flat_map(|it| [format!("{it}_s"), format!("{it}_waited_s")]);
        let counts = COUNTS.iter().map(|(name, _)| (*name).to_owned());
        let header = Vec::from_iter(fixed.into_iter().chain(phases).chain(counts));
        let rows = self.frames.iter().flat_map(rows);
        table(std::iter::once(header).chain(rows))
    }

    /// Seconds of each phase, averaged over the ranks.
    fn of_phases(&self) -> String {
        let phases = Phase::ALL.iter().map(|it| format!("{}_s", it.name()));
        let fixed = ["frame", "length_s"].map(str::to_owned);
        let header = Vec::from_iter(fixed.into_iter().chain(phases));
        let rows = self.frames.iter().map(|frame| {
            let mean = |phase: Phase| frame.mean(|it| it.seconds[phase as usize]).to_string();
            let fixed = [frame.frame.to_string(), frame.length_s.to_string()];
            Vec::from_iter(fixed.into_iter().chain(Phase::ALL.iter().map(|&it| mean(it))))
        });
        table(std::iter::once(header).chain(rows))
    }
}

fn table(rows: impl Iterator<Item = Vec<String>>) -> String {
    rows.map(|row| row.join(",") + "\n").collect()
}

/// A row for each rank of a frame.
fn rows(frame: &BodyFrameProfile) -> impl Iterator<Item = Vec<String>> {
    frame.ranks.iter().enumerate().map(move |(number, rank)| {
        let report = &rank.report;
        let mut row = vec![frame.frame.to_string(), number.to_string()];
        row.extend([frame.length_s, report.work_s(), frame.busy(rank)].map(|it| it.to_string()));
        for phase in 0..Phase::ALL.len() {
            row.push(report.seconds[phase].to_string());
            row.push(report.waited_s[phase].to_string());
        }
        row.extend(COUNTS.iter().map(|(_, count)| count(report).to_string()));
        row
    })
}
