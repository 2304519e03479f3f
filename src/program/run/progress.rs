//! What the user sees while a run is set up and goes on: lines that move on a terminal, plain lines
//! elsewhere.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::program::print;

/// Shows the progress of a run on standard error.
pub struct RunProgress {
    bar: Option<ProgressBar>,
    show: Show,
    frames: u64,
}

impl RunProgress {
    /// Starts at frame 0 of `frames`. A frame has `steps_per_frame` steps.
    pub fn new(frames: u64, steps_per_frame: u64, show: Show) -> Self {
        let bar = show.moves().then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(frames * steps_per_frame),
                ProgressDrawTarget::stderr_with_hz(8),
            );
            let template = "frame {prefix} {wide_bar} {percent} %  {elapsed}, {eta} to go {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_prefix(format!("0/{frames}"));
            bar
        });
        Self { bar, show, frames }
    }

    /// Shows that `step` is done. It took `seconds` on rank 0. `counts` are printed if each step
    /// has a line.
    pub fn step(&self, step: u64, seconds: f64, counts: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(step);
        }
        if self.show.steps {
            print::message(format_args!("step {step}: {}, {:.1} ms", counts(), 1e3 * seconds));
        }
    }

    /// Shows that `frame` is done. Its steps took `seconds` on rank 0. `details` are printed with
    /// -v.
    pub fn frame(&self, frame: u64, seconds: f64, details: &str) {
        match &self.bar {
            Some(bar) => bar.set_prefix(format!("{frame}/{}", self.frames)),
            None if !self.show.quiet && frame > 0 => {
                let details = match self.show.details {
                    true => format!(", {details}"),
                    false => String::new(),
                };
                let frames = self.frames;
                print::message(format_args!(
                    "frame {frame}/{frames}: {:.2} s{details}",
                    seconds.abs()
                ));
            }
            None => {}
        }
    }

    /// Prints a message above the bar.
    pub fn say(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print::message(message)),
            None => print::message(message),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A stage that takes longer is announced.
const LONG: Duration = Duration::from_secs(2);

/// How much of a run the user wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Show {
    /// Only errors.
    pub quiet: bool,
    /// The result for other programs.
    pub json: bool,
    /// Also the time of each stage of the set-up, and the details for profiling.
    pub details: bool,
    /// Also a line for each step.
    pub steps: bool,
}

impl Show {
    /// Only errors: for all ranks but rank 0.
    #[cfg(feature = "mpi")]
    pub const ERRORS: Self = Self { quiet: true, json: false, details: false, steps: false };

    /// Whether the result is printed in words.
    pub fn words(self) -> bool {
        !self.quiet && !self.json
    }

    /// Whether there is a line that moves: on a terminal, unless there are log lines.
    pub fn moves(self) -> bool {
        !self.quiet && !self.details && std::io::stderr().is_terminal()
    }
}

/// A stage of the set-up. It ends when it is dropped.
pub struct Stage {
    name: &'static str,
    start: Instant,
    line: Option<ProgressBar>,
    log: bool,
    /// Dropping it at the end of the stage prevents the announcement.
    _ended: Option<Sender<()>>,
}

impl Stage {
    /// Begins the stage `name`.
    pub fn begin(show: Show, name: &'static str) -> Self {
        let line = show.moves().then(|| {
            let line = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                line.set_style(style);
            }
            line.set_message(name);
            line.enable_steady_tick(Duration::from_millis(125));
            line
        });
        let ended = (line.is_none() && !show.quiet).then(|| announce_if_long(name));
        let log = show.details && !show.quiet;
        Self { name, start: Instant::now(), line, log, _ended: ended }
    }
}

/// Prints the `name` of the stage if it takes long. Without a moving line, the program would
/// otherwise seem to hang. Nothing is printed if the returned value is dropped before.
fn announce_if_long(name: &'static str) -> Sender<()> {
    let (ended, end) = mpsc::channel();
    let wait = move || {
        if end.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
            print::message(format_args!("setting up: {name} ..."));
        }
    };
    // If the thread cannot be started, the run goes on without the announcement.
    thread::Builder::new().spawn(wait).ok();
    ended
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
        if self.log {
            let seconds = self.start.elapsed().as_secs_f64();
            print::message(format_args!("set-up: {seconds:.2} s {}", self.name));
        }
    }
}
