//! Obstacles whose skin gave way in a run.

use std::fmt;

use crate::program::output::cloth_record::{ClothFrameRecord, YieldRecord};
use crate::program::words::{plural_grouped, significant};

/// How many obstacles the summary names.
const NAMED: usize = 4;

/// The obstacles whose skin gave way, in the order in which they first did.
pub struct Yields {
    obstacles: Vec<Yield>,
    /// Size of a whole step, s.
    step_s: f64,
}

/// An obstacle whose skin gave way.
struct Yield {
    /// The sum of its records.
    sum: YieldRecord,
    /// The frame that followed its largest offset.
    frame: u64,
}

impl Yields {
    /// No obstacles yet, in a run with whole steps of `step_s` (s).
    pub fn new(step_s: f64) -> Self {
        Self { obstacles: Vec::new(), step_s }
    }

    /// Adds the steps of a frame.
    pub fn add(&mut self, frame: &ClothFrameRecord) {
        self.obstacles.iter_mut().for_each(|it| it.sum.offset_m = 0.0);
        for record in &frame.part.yielded {
            let frame = frame.frame;
            match self.obstacles.iter_mut().find(|it| it.sum.obstacle == record.obstacle) {
                None => self.obstacles.push(Yield { sum: record.clone(), frame }),
                Some(known) => {
                    if record.largest_offset_m > known.sum.largest_offset_m {
                        known.frame = frame;
                    }
                    known.sum.add(record);
                }
            }
        }
    }
}

impl fmt::Display for Yields {
    /// A line for each of the first obstacles; nothing without any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, Yield { sum, frame }) in self.obstacles.iter().take(NAMED).enumerate() {
            let title = if number == 0 { "gave way" } else { "" };
            write!(
                f,
                "  {title:<8}  `{}` {} s, at most {} mm, before frame {frame}, and {}",
                sum.obstacle,
                significant(sum.steps as f64 * self.step_s),
                significant(1e3 * sum.largest_offset_m),
                plural_grouped(sum.largest, "vertex"),
            )?;
            match sum.offset_m {
                0.0 => writeln!(f)?,
                offset_m => writeln!(f, ", at the end {} mm", significant(1e3 * offset_m))?,
            }
        }
        match self.obstacles.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => writeln!(f, "            and {more} more (steps.jsonl)"),
        }
    }
}
