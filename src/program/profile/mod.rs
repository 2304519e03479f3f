//! The profile of a run: how each processor spent the test parts of its phases.
//!
//! A phase is one step's collision handling; a processor is a thread of a rank. The
//! test part of a phase is as long as that of its slowest rank: without stealing, a
//! rank that is done goes on and waits elsewhere. Averages over phases are over those in which any processor executed a test, as
//! the others say nothing about balance (Thomaszewski & Blochinger 2007, figure 8;
//! methods 9).

pub(super) mod canvas;
mod comparison;
mod csv;
mod heat_map;
pub(super) mod one_run;
pub(super) mod panel;
mod step_picture;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use cloth_sim::observe::ProcessorUse;
use cloth_sim::step::Phase;

use crate::program::output::names;
use crate::program::output::run_json::{RunHead, Status};
use crate::program::output::steps_jsonl::{self, FrameRecord, StepRecord};
use crate::program::output::timeline_json::TimeLine;

/// The profile of a run, frame by frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The scene's name, and what else there is to say of the run.
    pub scene: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// Phases of a frame.
    pub steps_per_frame: u64,
    /// Number of steps that were recorded, if frames stand for those alone: their seconds
    /// are means over them. Else seconds are sums over all steps of the frame.
    pub recorded: Option<usize>,
    /// The frames that were written, rising from 1; one without processors if no step of it
    /// was recorded.
    pub frames: Vec<FrameProfile>,
    /// Each processor over the whole run.
    pub processors: Vec<ProcessorProfile>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameProfile {
    /// Its number.
    pub frame: u64,
    /// Seconds of each phase of the steps, summed over them, averaged over ranks.
    pub seconds: [f64; Phase::ALL.len()],
    /// Each processor, by rank and thread.
    pub processors: Vec<ProcessorProfile>,
}

/// One processor in some phases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessorProfile {
    /// Its rank.
    pub rank: usize,
    /// Its number among the threads of the rank.
    pub thread: usize,
    /// Sums over the phases.
    pub usage: ProcessorUse,
    /// Length of the test parts, s: each as long as on its slowest rank.
    pub test_part_s: f64,
    /// Average over the phases with work; none if there was no such phase.
    pub utilization: Option<f64>,
}

impl ProcessorProfile {
    /// Rank and thread as `rank.thread`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.rank, self.thread)
    }

    /// The rest of the test parts, s: nothing to do, or not running.
    pub fn idle_s(&self) -> f64 {
        let ProcessorUse { busy_s, scheduling_s, waiting_s, .. } = self.usage;
        (self.test_part_s - busy_s - scheduling_s - waiting_s).max(0.0)
    }
}

impl FrameProfile {
    /// Collision handling, s: all that is not physical modelling.
    pub fn collision_s(&self) -> f64 {
        let phases = Phase::ALL.iter().filter(|phase| !phase.is_physical_modelling());
        phases.map(|&phase| self.seconds[phase as usize]).sum()
    }

    /// The test parts, s.
    pub fn tests_s(&self) -> f64 {
        self.processors.iter().map(|one| one.test_part_s).fold(0.0, f64::max)
    }

    /// Average over the processors; none in a frame without tests.
    pub fn utilization(&self) -> Option<f64> {
        let known = self.processors.iter().map(|one| one.utilization);
        let sum: f64 = known.sum::<Option<f64>>()?;
        (!self.processors.is_empty()).then(|| sum / self.processors.len() as f64)
    }

    /// The sum of a count over the processors.
    pub fn sum(&self, count: impl Fn(&ProcessorUse) -> u64) -> u64 {
        self.processors.iter().map(|one| count(&one.usage)).sum()
    }
}

impl Profile {
    /// Reads the profile of the run in `folder` from its `run.json` and `steps.jsonl`.
    ///
    /// # Errors
    /// A folder that is no run; a run without a profile.
    pub fn read(folder: &Path) -> Result<Self> {
        let head = RunHead::read(folder)?;
        let mut frames = FrameProfiles::new(head.ranks);
        for frame in steps_jsonl::read(folder)? {
            frames.add(&frame?);
        }
        let profile = frames.of_run(&head);
        if profile.frames.is_empty() {
            let remedy = "let it compute a frame, then repeat this";
            return Err(Error::file(folder.join(names::STEPS), "the run has no step", remedy));
        }
        Ok(profile)
    }

    /// "2 ranks x 1 thread, 40 phases a frame"; "2 ranks, 100 of 1000 steps" if only those
    /// were recorded, and modelled for ranks of one thread.
    fn describe(&self) -> String {
        let (ranks, per_frame) = (plural(self.ranks, "rank"), self.steps_per_frame as usize);
        match self.recorded {
            None => {
                let threads = plural(self.threads, "thread");
                format!("{ranks} x {threads}, {} a frame", plural(per_frame, "phase"))
            }
            Some(count) => {
                format!("{ranks}, {count} of {}", plural(self.frames.len() * per_frame, "step"))
            }
        }
    }

    /// What seconds of a frame belong to.
    fn times_are(&self) -> &'static str {
        if self.recorded.is_some() { "a step" } else { "a frame" }
    }
}

/// "1 rank", "2 ranks".
fn plural(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Draws the profile of the run in `run` into `out` (`profile.svg`, `profile.png`)
/// and writes `profile.csv` and `phases.csv` beside it; if the run has a time line, draws it too
/// (`timeline.svg`, `timeline.png`). Returns the files.
///
/// # Errors
/// As for [`Profile::read`]; when a file cannot be written.
pub fn draw(run: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    let profile = Profile::read(run)?;
    let tables = profile.write_tables(out)?;
    let mut files = canvas::write(&one_run::OneRun(&profile), out, "profile")?;
    files.extend(tables);
    if let Some(line) = TimeLine::read(run)? {
        files.extend(canvas::write(&step_picture::StepPicture::new(&line), out, "timeline")?);
    }
    Ok(files)
}

/// Draws two runs beside each other into `out` (`comparison.svg`, `comparison.png`).
/// Returns the files.
///
/// # Errors
/// As for [`Profile::read`]; runs with different numbers of frames; when a file
/// cannot be written.
pub fn compare(runs: [&Path; 2], out: &Path) -> Result<Vec<PathBuf>> {
    let [a, b] = [Profile::read(runs[0])?, Profile::read(runs[1])?];
    if a.frames.len() != b.frames.len() {
        let cause = format!(
            "{} frames have a profile here, {} in {}",
            b.frames.len(),
            a.frames.len(),
            runs[0].display()
        );
        let remedy = "compare runs of as many frames: repeat one of them with --frames";
        return Err(Error::file(runs[1], cause, remedy));
    }
    canvas::write(&comparison::Comparison::new([&a, &b], runs), out, "comparison")
}

/// Draws two profiles of as many frames beside each other, under these names, into `out`.
/// Returns the files.
///
/// # Errors
/// When a file cannot be written.
pub fn draw_profiles(
    profiles: [&Profile; 2],
    names: [String; 2],
    out: &Path,
    stem: &str,
) -> Result<Vec<PathBuf>> {
    canvas::write(&comparison::Comparison { profiles, names }, out, stem)
}

/// The profile of a run, frame by frame as it goes on.
pub struct FrameProfiles {
    ranks: usize,
    frames: Vec<FrameProfile>,
    of_run: Sums,
}

impl FrameProfiles {
    /// Of no frame yet.
    pub fn new(ranks: usize) -> Self {
        Self { ranks, frames: Vec::new(), of_run: Sums::default() }
    }

    /// Adds a frame; the first one has no step and no profile.
    pub fn add(&mut self, frame: &FrameRecord) {
        if frame.steps.is_empty() {
            return;
        }
        let with_tests = steps_with_tests(&frame.steps);
        let mut of_frame = Sums::default();
        for step in &frame.steps {
            for sums in [&mut of_frame, &mut self.of_run] {
                sums.add(step, with_tests.contains(&step.step));
            }
        }
        self.frames.push(FrameProfile {
            frame: frame.frame,
            seconds: seconds(&frame.steps, self.ranks),
            processors: of_frame.processors(),
        });
    }

    /// The profile of the run that `head` describes.
    pub fn of_run(self, head: &RunHead) -> Profile {
        Profile {
            scene: match head.status {
                Status::Complete => head.scene.clone(),
                Status::Running | Status::Failed => format!("{}, not complete", head.scene),
            },
            ranks: head.ranks,
            threads: head.threads,
            steps_per_frame: head.steps_per_frame,
            recorded: None,
            frames: self.frames,
            processors: self.of_run.processors(),
        }
    }
}

/// The steps in which any processor of any rank executed a test.
fn steps_with_tests(steps: &[StepRecord]) -> BTreeSet<u64> {
    let has_tests = |step: &&StepRecord| step.processors.iter().any(|usage| usage.tests > 0);
    steps.iter().filter(has_tests).map(|step| step.step).collect()
}

/// Seconds of each phase over `steps`, averaged over the ranks.
fn seconds(steps: &[StepRecord], ranks: usize) -> [f64; Phase::ALL.len()] {
    let mut seconds = [0.0; Phase::ALL.len()];
    for step in steps {
        seconds.iter_mut().zip(step.report.seconds).for_each(|(sum, part)| *sum += part);
    }
    seconds.map(|sum| sum / ranks.max(1) as f64)
}

/// Sums over phases, by rank and thread.
#[derive(Default)]
struct Sums(BTreeMap<(usize, usize), Sum>);

/// One processor's sums; that of the utilization is over phases with tests alone.
#[derive(Default)]
struct Sum {
    usage: ProcessorUse,
    test_part_s: f64,
    utilization: f64,
    phases: u32,
}

impl Sums {
    fn add(&mut self, step: &StepRecord, has_tests: bool) {
        for (thread, usage) in step.processors.iter().enumerate() {
            let sum = self.0.entry((step.rank, thread)).or_default();
            sum.usage.add(usage);
            sum.test_part_s += step.test_part_s;
            if has_tests && step.test_part_s > 0.0 {
                sum.utilization += usage.busy_s / step.test_part_s;
                sum.phases += 1;
            }
        }
    }

    fn processors(self) -> Vec<ProcessorProfile> {
        let profile = |((rank, thread), sum): (_, Sum)| ProcessorProfile {
            rank,
            thread,
            usage: sum.usage,
            test_part_s: sum.test_part_s,
            utilization: (sum.phases > 0).then(|| sum.utilization / f64::from(sum.phases)),
        };
        self.0.into_iter().map(profile).collect()
    }
}
