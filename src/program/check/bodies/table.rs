//! The report of a check of bodies as text: a table and a list of faults.

use std::fmt;

use cloth_sim::rigid::overlap::Overlap;

use crate::program::check::bodies::BodyReport;
use crate::program::check::bodies::energy::Rise;
use crate::program::check::bodies::folder::Expected;
use crate::program::check::bodies::frame::{BodyCheck, Found};
use crate::program::check::verdict;
use crate::program::output::bodies::vtp;
use crate::program::output::names;
use crate::program::words::plural;

impl fmt::Display for BodyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (run, setup) = (&self.run, &self.run.setup);
        writeln!(
            f,
            "{}: {}, {}, {} fixed; overlap against half of the smaller body's width",
            run.record.scene.name,
            plural(self.frames.len(), "frame"),
            plural(setup.body_count() as usize, "body"),
            setup.fixed.bodies().len(),
        )?;
        writeln!(f, "  frame    bodies     deepest m  overlap %      energy J")?;
        self.frames.iter().try_for_each(|frame| write_row(f, frame))?;
        if let Some((frame, overlap)) = self.deepest() {
            writeln!(f, "deepest overlap: frame {}: {}", frame.frame, self.describe(overlap))?;
        } else {
            writeln!(f, "no two bodies overlap")?;
        }
        if let Some(unfinished) = &run.record.unfinished {
            writeln!(f, "run.json: {unfinished}")?;
        }
        self.frames.iter().try_for_each(|frame| self.write_faults(f, frame))?;
        f.write_str(&verdict(self.faulty_frames(), self.frames.len()))
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, frame: &BodyCheck) -> fmt::Result {
    let number = frame.frame;
    let Some(energy) = frame.energy else { return writeln!(f, "  {number:>5}  {:>8}", "-") };
    let (depth, share) = frame.overlap.map_or((0.0, 0.0), |it| (it.depth, it.share));
    let (bodies, share, energy_j) = (frame.bodies, 100.0 * share, energy.sum());
    writeln!(f, "  {number:>5}  {bodies:>8}  {depth:>12.3e}  {share:>9.3}  {energy_j:>12.5e}")
}

impl BodyReport {
    fn describe(&self, overlap: &Overlap) -> String {
        let Overlap { bodies, depth, share, point } = overlap;
        let [first, second] = bodies.map(|id| self.run.setup.name_of(id));
        format!(
            "{first} and {second} overlap by {depth:.3e} m ({:.3} %) at ({:.6}, {:.6}, {:.6}) m",
            100.0 * share,
            point.x,
            point.y,
            point.z
        )
    }

    fn write_faults(&self, f: &mut fmt::Formatter<'_>, frame: &BodyCheck) -> fmt::Result {
        let file = names::frame(frame.frame, vtp::NAME);
        if let Some(fault) = &frame.fault {
            writeln!(f, "{file}: {fault}")?;
        }
        for (found, what) in [
            (&frame.damaged, "numbers that no body has"),
            (&frame.changed, "another shape, size, material or group than in the scene"),
            (&frame.misplaced, "not where keyframes put them"),
            (&frame.doubled, "there more than once"),
            (&frame.unknown, "not in frames of this scene"),
            (&frame.outside, "outside the domain"),
            (&frame.back, "back after they were gone"),
        ] {
            if found.count > 0 {
                writeln!(f, "{file}: {what}: {}", self.describe_found(found))?;
            }
        }
        if self.has_lost(frame) {
            let (gone, left) = (self.describe_found(&frame.gone), self.left(frame));
            writeln!(f, "{file}: gone: {gone}; steps.jsonl says that {left} left the domain")?;
        }
        if self.is_changed(frame) {
            writeln!(
                f,
                "{file}: its bodies are not bit by bit those that steps.jsonl has recorded"
            )?;
        }
        if let Some(overlap) = frame.overlap.as_ref().filter(|_| self.is_too_deep(frame)) {
            let limit = 100.0 * self.max_overlap;
            writeln!(f, "{file}: {}, more than {limit} %", self.describe(overlap))?;
        }
        let rises = self.rises.iter().filter(|rise| rise.frame == frame.frame);
        rises.into_iter().try_for_each(|&Rise { since, rise_j, limit_j, .. }| {
            writeln!(
                f,
                "{file}: energy is {rise_j:.3e} J above that of frame {since}, more than {limit_j:.3e} J"
            )
        })
    }

    /// "2 bodies (balls[3], rods[0])". Bodies are named like in a scene.
    fn describe_found(&self, found: &Found) -> String {
        let name = |&id: &u64| match self.run.expected(id) {
            Expected::Absent => format!("body {id}"),
            Expected::Free | Expected::Keyframed => self.run.setup.name_of(id),
        };
        let mut names = Vec::from_iter(found.first.iter().map(name));
        if found.count > names.len() as u64 {
            names.push("...".to_owned());
        }
        match names.is_empty() {
            true => "none".to_owned(),
            false => format!("{} ({})", plural(found.count as usize, "body"), names.join(", ")),
        }
    }
}
