//! The progress of a run: a bar on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::program::print;
use crate::program::run::Show;

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
