//! Obstacles that cloth passed in a run, because prescribed surfaces overlapped.

use std::fmt;

use crate::program::output::cloth_record::{ClothFrameRecord, PassedRecord};
use crate::program::words::{grouped, plural_grouped, significant};

/// How many obstacles the summary names.
const NAMED: usize = 4;

/// The obstacles that cloth passed, in the order in which cloth first passed them.
pub struct Drops {
    obstacles: Vec<Passed>,
    /// Size of a whole step, s.
    step_s: f64,
}

/// An obstacle that cloth passed.
struct Passed {
    name: String,
    /// Number of whole steps at whose end vertices passed it.
    steps: u64,
    /// The largest number of vertices that passed it after a step, and the frame that followed.
    largest: (u64, u64),
    /// Number of vertices that pass it now.
    now: u64,
}

impl Drops {
    /// No obstacles yet, in a run with whole steps of `step_s` (s).
    pub fn new(step_s: f64) -> Self {
        Self { obstacles: Vec::new(), step_s }
    }

    /// Adds the steps of a frame. Returns a warning if cloth passes an obstacle in them for the
    /// first time in the run.
    pub fn add(&mut self, frame: &ClothFrameRecord) -> Option<String> {
        let is_first = self.obstacles.is_empty();
        self.obstacles.iter_mut().for_each(|passed| passed.now = 0);
        frame.part.passed.iter().for_each(|record| self.note(record, frame.frame));
        let first = frame.part.passed.first().filter(|_| is_first)?;
        Some(format!(
            "warning: before frame {}, cloth passes `{}`, because prescribed surfaces overlap \
             (contact.on_pinch: Drop); check counts these intersections apart",
            frame.frame, first.obstacle
        ))
    }

    fn note(&mut self, record: &PassedRecord, frame: u64) {
        let known = self.obstacles.iter().position(|passed| passed.name == record.obstacle);
        let place = known.unwrap_or(self.obstacles.len());
        if known.is_none() {
            let name = record.obstacle.clone();
            self.obstacles.push(Passed { name, steps: 0, largest: (0, frame), now: 0 });
        }
        let passed = &mut self.obstacles[place];
        passed.steps += record.steps;
        passed.now = record.vertices.len() as u64;
        if record.largest > passed.largest.0 {
            passed.largest = (record.largest, frame);
        }
    }
}

impl fmt::Display for Drops {
    /// A line for each of the first obstacles; nothing without any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, passed) in self.obstacles.iter().take(NAMED).enumerate() {
            let Passed { name, steps, largest: (vertices, frame), now } = passed;
            let title = if number == 0 { "passed" } else { "" };
            write!(
                f,
                "  {title:<8}  `{name}` {} s, at most {}, before frame {frame}",
                significant(*steps as f64 * self.step_s),
                plural_grouped(*vertices, "vertex"),
            )?;
            match *now {
                0 => writeln!(f)?,
                now => writeln!(f, ", at the end {}", grouped(now))?,
            }
        }
        match self.obstacles.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => writeln!(f, "            and {more} more (steps.jsonl)"),
        }
    }
}
