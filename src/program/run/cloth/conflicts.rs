//! Objects for which prescribed motion left no room in a run: they waited, or their skin gave way.

use std::fmt;

use cloth_step::WaitingBody;

use crate::program::output::cloth_record::track;
use crate::program::output::{ClothFrameRecord, Tracked, WaitingRecord, YieldRecord};
use crate::program::words::{plural_grouped, significant};

/// The largest number of objects of a kind that a warning or the summary names.
const NAMED: usize = 4;

/// The objects, in the order in which they first had no room.
pub struct Conflicts {
    /// Size of a whole step, s.
    step_s: f64,
    waited: Vec<OverRun<WaitingRecord>>,
    yielded: Vec<OverRun<YieldRecord>>,
    has_warned: bool,
}

/// The sum of the records of an object over a run.
struct OverRun<T> {
    sum: T,
    /// The frame that followed its largest extent.
    frame: u64,
}

impl<T: Tracked> Tracked for OverRun<T> {
    fn name(&self) -> &str {
        self.sum.name()
    }

    fn largest(&self) -> f64 {
        self.sum.largest()
    }

    fn add(&mut self, next: Self) {
        if next.largest() > self.largest() {
            self.frame = next.frame;
        }
        self.sum.add(next.sum);
    }

    fn end(&mut self) {
        self.sum.end();
    }
}

/// Adds the `records` of `frame`.
fn add<T: Tracked + Clone>(all: &mut Vec<OverRun<T>>, frame: u64, records: &[T]) {
    let next = records.iter().map(|record| OverRun { sum: record.clone(), frame });
    *all = track(std::mem::take(all), next);
}

impl Conflicts {
    /// None yet, in a run with whole steps of `step_s` (s).
    pub fn new(step_s: f64) -> Self {
        Self { step_s, waited: Vec::new(), yielded: Vec::new(), has_warned: false }
    }

    /// The warning when bodies wait for the first time in the run, in a step that leads to `frame`.
    pub fn warning(&mut self, frame: u64, waiting: &[WaitingBody]) -> Option<String> {
        let first = waiting.first().filter(|_| !self.has_warned)?;
        self.has_warned = true;
        let names = waiting.iter().take(NAMED).map(|body| body.name.as_str());
        let names = Vec::from_iter(names).join(", ");
        let more = match waiting.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        let [x, y, z] = first.place.into();
        Some(format!(
            "warning: before frame {frame}, {names}{more} {verb}: no room at ({x:.4}, {y:.4}, {z:.4}) m; \
             the summary says how far behind bodies get (contact.on_pinch: Stop ends such a run)"
        ))
    }

    /// Adds the steps of a frame.
    pub fn add(&mut self, ClothFrameRecord { frame, part, .. }: &ClothFrameRecord) {
        add(&mut self.waited, *frame, &part.waiting);
        add(&mut self.yielded, *frame, &part.yielded);
    }

    fn write<T>(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        all: &[OverRun<T>],
        line: impl Fn(&T, u64) -> (String, u64, String, Option<String>),
    ) -> fmt::Result {
        for (number, OverRun { sum, frame }) in all.iter().take(NAMED).enumerate() {
            let title = if number == 0 { title } else { "" };
            let (name, steps, most, now) = line(sum, *frame);
            let time = significant(steps as f64 * self.step_s);
            write!(f, "  {title:<8}  {name} {time} s, at most {most}")?;
            match now {
                None => writeln!(f)?,
                Some(now) => writeln!(f, ", at the end {now}")?,
            }
        }
        match all.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => writeln!(f, "            and {more} more (steps.jsonl)"),
        }
    }
}

impl fmt::Display for Conflicts {
    /// A line for each of the first objects; nothing without any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mm = |length_m: f64| format!("{} mm", significant(1e3 * length_m));
        let known_mm = |length_m: f64| (length_m != 0.0).then(|| mm(length_m));
        self.write(f, "waited", &self.waited, |it, frame| {
            let most = format!("{} behind, before frame {frame}", mm(it.largest_behind_m));
            (it.body.clone(), it.steps, most, known_mm(it.behind_m))
        })?;
        self.write(f, "gave way", &self.yielded, |it, frame| {
            let vertices = plural_grouped(it.largest, "vertex");
            let most = format!("{}, before frame {frame}, and {vertices}", mm(it.largest_offset_m));
            (format!("`{}`", it.obstacle), it.steps, most, known_mm(it.offset_m))
        })
    }
}
