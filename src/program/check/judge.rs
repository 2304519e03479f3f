//! The walk over the frames of a run, and the judges that it asks.
//!
//! A frame is measured once: what is known of it then, each judge reads. Frames may be measured at
//! the same time; judges see them in their order.

use cloth_core::error::{Error, Result};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::program::check::{Findings, Record, Verdict};

/// Answers one question about the frames of a run.
pub trait Judge<R: Measure> {
    /// The headings of its columns. Each is as wide as its column.
    fn columns(&self, _run: &R) -> &'static [&'static str] {
        &[]
    }

    /// Adds what it finds in the next frame. Nothing is known of a frame that could not be read.
    fn frame(&mut self, _run: &R, _known: Option<&R::Known>, _found: &mut Verdict) {}

    /// Adds what it found in all frames together.
    fn end(&self, _run: &R, _findings: &mut Findings) {}
}

/// The judges of a run, in the order of their columns and lines.
pub type Judges<R> = Vec<Box<dyn Judge<R>>>;

/// A frame that was measured.
pub struct Measured<K> {
    /// What is known of it. None if it could not be read.
    pub known: Option<K>,
    /// Why it could not be read, or not be measured as a whole.
    pub fault: Option<String>,
}

/// A run whose frames are measured.
pub trait Measure: Sync {
    /// What is known of a frame.
    type Known: Send;

    /// The most frames that are measured before they are judged.
    const AT_ONCE: usize;

    /// What the run says about itself.
    fn record(&self) -> &Record;

    /// What is checked, in a line.
    fn title(&self) -> String;

    /// Reads and measures a frame.
    fn measure(&self, number: u64) -> Measured<Self::Known>;
}

/// Checks all frames of `run`: as many at a time as there are `threads`. Calls `done` after each.
///
/// # Errors
/// When the system refuses the threads.
pub fn walk<R: Measure>(
    run: &R,
    mut judges: Judges<R>,
    threads: usize,
    done: impl Fn() + Sync,
) -> Result<Findings> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|cause| Error::input("--threads", cause.to_string(), "ask for fewer threads"))?;
    let measure = |&number: &u64| {
        let measured = run.measure(number);
        done();
        (number, measured)
    };
    let (record, mut frames) = (run.record(), Vec::new());
    for numbers in Vec::from_iter(record.frames.clone()).chunks(R::AT_ONCE) {
        let all: Vec<_> = pool.install(|| numbers.par_iter().map(measure).collect());
        for (number, Measured { known, fault }) in all {
            let mut found = Verdict::new(number, record.format.frame_name(number));
            fault.iter().for_each(|fault| found.fault(fault));
            judges.iter_mut().for_each(|judge| judge.frame(run, known.as_ref(), &mut found));
            frames.push(found);
        }
    }
    let columns = judges.iter().flat_map(|judge| judge.columns(run)).copied().collect();
    let mut findings = Findings::new(record, run.title(), columns, frames);
    judges.iter().for_each(|judge| judge.end(run, &mut findings));
    Ok(findings)
}
