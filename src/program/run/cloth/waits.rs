//! Prescribed bodies that waited in a run because they had no room.

use std::fmt;

use cloth_step::WaitingBody;

use crate::program::output::cloth_record::ClothFrameRecord;
use crate::program::words::significant;

/// The largest number of bodies that a warning or the summary names.
const NAMED: usize = 4;

/// The bodies that waited, in the order in which they first waited.
pub struct Waits {
    bodies: Vec<Wait>,
    /// Size of a whole step, s.
    step_s: f64,
    warned: bool,
}

/// A body that waited.
struct Wait {
    name: String,
    /// Number of whole steps at whose end it was behind.
    steps: u64,
    /// The largest distance that it was behind after a step, m, and the frame that followed.
    largest: (f64, u64),
    /// How far it is behind now, m.
    now_m: f64,
}

impl Waits {
    /// No bodies yet, in a run with whole steps of `step_s` (s).
    pub fn new(step_s: f64) -> Self {
        Self { bodies: Vec::new(), step_s, warned: false }
    }

    /// The warning when bodies wait for the first time in the run, in a step that leads to `frame`.
    pub fn warning(&mut self, frame: u64, waiting: &[WaitingBody]) -> Option<String> {
        let first = waiting.first().filter(|_| !self.warned)?;
        self.warned = true;
        let names: Vec<&str> = waiting.iter().map(|body| body.name.as_str()).collect();
        let (waits, [x, y, z]) =
            (if names.len() == 1 { "waits" } else { "wait" }, first.place.into());
        Some(format!(
            "warning: before frame {frame}, {} {waits}: no room at ({x:.4}, {y:.4}, {z:.4}) m; \
             the summary says how far behind bodies get (contact.on_pinch: Stop ends such a run)",
            listed(&names)
        ))
    }

    /// Adds the steps of a frame.
    pub fn add(&mut self, frame: &ClothFrameRecord) {
        self.bodies.iter_mut().for_each(|wait| wait.now_m = 0.0);
        for record in &frame.part.waiting {
            let known = self.bodies.iter().position(|wait| wait.name == record.body);
            let place = known.unwrap_or(self.bodies.len());
            if known.is_none() {
                let (name, largest) = (record.body.clone(), (0.0, frame.frame));
                self.bodies.push(Wait { name, steps: 0, largest, now_m: 0.0 });
            }
            let wait = &mut self.bodies[place];
            wait.steps += record.steps;
            wait.now_m = record.behind_m;
            if record.largest_behind_m > wait.largest.0 {
                wait.largest = (record.largest_behind_m, frame.frame);
            }
        }
    }
}

impl fmt::Display for Waits {
    /// A line for each of the first bodies; nothing without any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, wait) in self.bodies.iter().take(NAMED).enumerate() {
            let Wait { name, steps, largest: (behind_m, frame), now_m } = wait;
            let title = if number == 0 { "waited" } else { "" };
            write!(
                f,
                "  {title:<8}  {name} {} s, at most {} mm behind, before frame {frame}",
                significant(*steps as f64 * self.step_s),
                significant(1e3 * behind_m),
            )?;
            match *now_m {
                0.0 => writeln!(f)?,
                now_m => writeln!(f, ", at the end {} mm", significant(1e3 * now_m))?,
            }
        }
        match self.bodies.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => writeln!(f, "            and {more} more (steps.jsonl)"),
        }
    }
}

fn listed(names: &[&str]) -> String {
    let mut text = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        text += &format!(" and {} more", names.len() - NAMED);
    }
    text
}
