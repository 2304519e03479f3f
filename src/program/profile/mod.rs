//! The profile of a run of cloth: how each processor spent the test parts of the steps. That of a
//! run of rigid bodies is in [`bodies`].
//!
//! A processor is a thread of a rank. The test part of a step is the time of its searches, each
//! until its slowest rank is done. Without stealing, a rank that is done goes on and waits
//! elsewhere. Averages are over the steps in which any processor executed a test, because other
//! steps say nothing about balance (Thomaszewski & Blochinger 2007, figure 8).

mod bodies;
pub(super) mod canvas;
pub(super) mod comparison_picture;
mod csv;
mod heat_map;
pub(super) mod panel;
pub(super) mod png;
pub(super) mod run_picture;
mod step_picture;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use cloth_sim::observe::ProcessorUse;
use cloth_sim::step::Phase;

use crate::program::output::cloth_record::{Cloth, ClothFrameRecord};
use crate::program::output::names;
use crate::program::output::record::StepRecord;
use crate::program::output::run_json::{RunHead, Status};
use crate::program::output::steps_jsonl;
use crate::program::output::timeline_json::TimeLine;
use crate::program::profile::comparison_picture::ComparisonPicture;
use crate::program::profile::heat_map::HeatMap;
use crate::program::profile::run_picture::RunPicture;
use crate::program::profile::step_picture::StepPicture;
use crate::program::words::plural;

/// The profile of a run, frame by frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The scene's name, and a remark about the run.
    pub scene: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of each rank.
    pub threads: usize,
    /// Number of steps of a frame.
    pub steps_per_frame: u64,
    /// Number of recorded steps, if the profile is of a recording. Then seconds are means over the
    /// recorded steps of a frame. Otherwise seconds are sums over all steps of a frame.
    pub recorded: Option<usize>,
    /// The frames that were written, from 1 on. A frame without a recorded step has no processors.
    pub frames: Vec<FrameProfile>,
    /// Each processor over the whole run.
    pub processors: Vec<ProcessorProfile>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameProfile {
    /// Its number.
    pub frame: u64,
    /// Seconds of each phase, averaged over the ranks.
    pub seconds: [f64; Phase::ALL.len()],
    /// Each processor, by rank and thread.
    pub processors: Vec<ProcessorProfile>,
}

/// One processor during some steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessorProfile {
    /// Its rank.
    pub rank: usize,
    /// Its number among the threads of the rank.
    pub thread: usize,
    /// Sums over the steps.
    pub usage: ProcessorUse,
    /// Length of the test parts, s.
    pub test_part_s: f64,
    /// Average over the steps with tests. `None` if there was no such step.
    pub utilization: Option<f64>,
}

impl ProcessorProfile {
    /// Its name in tables and pictures: `rank.thread`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.rank, self.thread)
    }

    /// The rest of the test parts, s: without work, or not running.
    pub fn idle_s(&self) -> f64 {
        let ProcessorUse { busy_s, scheduling_s, waiting_s, .. } = self.usage;
        (self.test_part_s - busy_s - scheduling_s - waiting_s).max(0.0)
    }
}

impl FrameProfile {
    /// Collision handling, s: all phases except physical modelling.
    pub fn collision_s(&self) -> f64 {
        let phases = Phase::ALL.iter().filter(|phase| !phase.is_physical_modelling());
        phases.map(|&phase| self.seconds[phase as usize]).sum()
    }

    /// The test parts, s.
    pub fn tests_s(&self) -> f64 {
        self.processors.iter().map(|one| one.test_part_s).fold(0.0, f64::max)
    }

    /// Average over the processors. `None` in a frame without tests.
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
    /// A folder that is no run, or a run without a step.
    pub fn read(folder: &Path) -> Result<Self> {
        let head = RunHead::read(folder)?;
        let mut frames = FrameProfiles::default();
        for frame in steps_jsonl::read::<ClothFrameRecord>(folder)? {
            frames.add(&frame?);
        }
        let profile = frames.of_run(&head);
        if profile.frames.is_empty() {
            return Err(no_step(folder));
        }
        Ok(profile)
    }

    /// "2 ranks x 1 thread, 40 steps a frame". For a recording "2 ranks, 100 of 1000 steps".
    fn describe(&self) -> String {
        let (ranks, per_frame) = (plural(self.ranks, "rank"), self.steps_per_frame as usize);
        match self.recorded {
            None => {
                let threads = plural(self.threads, "thread");
                format!("{ranks} x {threads}, {} a frame", plural(per_frame, "step"))
            }
            Some(count) => {
                format!("{ranks}, {count} of {}", plural(self.frames.len() * per_frame, "step"))
            }
        }
    }

    /// The utilization of each processor.
    fn heat_map(&self) -> HeatMap<'_> {
        let place = |one: &ProcessorProfile| (one.rank, one.thread);
        let of_frame = |frame: &FrameProfile, processor: &ProcessorProfile| {
            let same = frame.processors.iter().find(|one| place(one) == place(processor));
            same.and_then(|one| one.utilization)
        };
        let utilizations = |frame: &FrameProfile| {
            Vec::from_iter(self.processors.iter().map(|processor| of_frame(frame, processor)))
        };
        HeatMap {
            title: "Utilization of each processor (rank.thread) in the test parts, %",
            names: self.processors.iter().map(ProcessorProfile::name).collect(),
            multiple: self.threads,
            frames: self.frames.iter().map(utilizations).collect(),
            no_value: "no tests",
        }
    }

    /// What the seconds of a frame are counted for.
    fn times_are(&self) -> &'static str {
        if self.recorded.is_some() { "a step" } else { "a frame" }
    }
}

/// Draws the profile of the run in the folder `run` into the folder `out`, and writes its tables
/// there. If the run has a time line, draws it too. Returns the files.
///
/// # Errors
/// As for [`Profile::read`]. When a file cannot be written.
pub fn draw(run: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    if is_of_bodies(run)? {
        return bodies::draw(run, out);
    }
    let profile = Profile::read(run)?;
    let tables = profile.write_tables(out)?;
    let mut files = canvas::write(&RunPicture(&profile), out, names::RUN_PICTURE)?;
    files.extend(tables);
    if let Some(line) = TimeLine::read(run)? {
        files.extend(canvas::write(&StepPicture::new(&line), out, names::STEP_PICTURE)?);
    }
    Ok(files)
}

/// Draws two runs beside each other into the folder `out`. Returns the files.
///
/// # Errors
/// As for [`Profile::read`]. Runs with different numbers of frames. When a file cannot be written.
pub fn compare(runs: [&Path; 2], out: &Path) -> Result<Vec<PathBuf>> {
    match [is_of_bodies(runs[0])?, is_of_bodies(runs[1])?] {
        [true, true] => return bodies::compare(runs, out),
        [false, false] => {}
        _ => {
            let cause = "one run is of cloth and the other of rigid bodies";
            return Err(Error::file(runs[1], cause, "compare runs of the same kind"));
        }
    }
    let [a, b] = [Profile::read(runs[0])?, Profile::read(runs[1])?];
    expect_same_length(runs, [a.frames.len(), b.frames.len()])?;
    let picture = ComparisonPicture { profiles: [&a, &b], labels: labels(runs) };
    canvas::write(&picture, out, names::COMPARISON_PICTURE)
}

/// Whether a run is of rigid bodies.
fn is_of_bodies(run: &Path) -> Result<bool> {
    Ok(RunHead::read(run)?.bodies.is_some())
}

/// The scene's name, and a remark about the run.
fn title(head: &RunHead) -> String {
    match head.status {
        Status::Complete => head.scene.clone(),
        Status::Running | Status::Failed | Status::Interrupted => {
            format!("{}, not complete", head.scene)
        }
    }
}

fn no_step(run: &Path) -> Error {
    let remedy = "wait until the run has written a frame, then repeat this";
    Error::file(run.join(names::STEPS), "the run has no step", remedy)
}

/// Refuses two runs that have not as many frames as each other.
fn expect_same_length(runs: [&Path; 2], [a, b]: [usize; 2]) -> Result<()> {
    if a == b {
        return Ok(());
    }
    let cause = format!("this run has {b} frames, but {} has {a}", runs[0].display());
    let remedy = "compare runs of the same length; repeat one of them with --frames";
    Err(Error::file(runs[1], cause, remedy))
}

/// The names of two run folders, with their paths if the names are equal.
fn labels(folders: [&Path; 2]) -> [String; 2] {
    let short =
        folders.map(|folder| folder.file_name().map(|name| name.to_string_lossy().into_owned()));
    match short {
        [Some(a), Some(b)] if a != b => [a, b],
        _ => folders.map(|folder| folder.display().to_string()),
    }
}

/// Builds the profile of a run, frame by frame.
#[derive(Default)]
pub struct FrameProfiles {
    frames: Vec<FrameProfile>,
    of_run: Sums,
}

impl FrameProfiles {
    /// Adds a frame. Frame 0 has no step and is left out.
    pub fn add(&mut self, frame: &ClothFrameRecord) {
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
            seconds: seconds(&frame.steps),
            processors: of_frame.processors(),
        });
    }

    /// The profile of the run that `head` describes.
    pub fn of_run(self, head: &RunHead) -> Profile {
        Profile {
            scene: title(head),
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
fn steps_with_tests(steps: &[StepRecord<Cloth>]) -> BTreeSet<u64> {
    let has_tests =
        |step: &&StepRecord<Cloth>| step.part.processors.iter().any(|usage| usage.tests > 0);
    steps.iter().filter(has_tests).map(|step| step.step).collect()
}

/// Seconds of each phase over `steps`, averaged over the ranks. A run that went on may have another
/// number of ranks in some of them.
fn seconds(steps: &[StepRecord<Cloth>]) -> [f64; Phase::ALL.len()] {
    let count = steps.iter().map(|step| step.step).collect::<BTreeSet<_>>().len();
    let ranks = steps.len() as f64 / count.max(1) as f64;
    let mut seconds = [0.0; Phase::ALL.len()];
    for step in steps {
        seconds.iter_mut().zip(step.report.seconds).for_each(|(sum, part)| *sum += part);
    }
    seconds.map(|sum| sum / ranks.max(1.0))
}

/// Sums over steps, by rank and thread.
#[derive(Default)]
struct Sums(BTreeMap<(usize, usize), Sum>);

/// The sums of one processor. `utilization` is summed over the steps with tests only.
#[derive(Default)]
struct Sum {
    usage: ProcessorUse,
    test_part_s: f64,
    utilization: f64,
    steps_with_tests: u32,
}

impl Sums {
    fn add(&mut self, step: &StepRecord<Cloth>, has_tests: bool) {
        for (thread, usage) in step.part.processors.iter().enumerate() {
            let sum = self.0.entry((step.rank, thread)).or_default();
            sum.usage.add(usage);
            sum.test_part_s += step.part.test_part_s;
            if has_tests && step.part.test_part_s > 0.0 {
                sum.utilization += usage.busy_s / step.part.test_part_s;
                sum.steps_with_tests += 1;
            }
        }
    }

    fn processors(self) -> Vec<ProcessorProfile> {
        let profile = |((rank, thread), sum): (_, Sum)| ProcessorProfile {
            rank,
            thread,
            usage: sum.usage,
            test_part_s: sum.test_part_s,
            utilization: (sum.steps_with_tests > 0)
                .then(|| sum.utilization / f64::from(sum.steps_with_tests)),
        };
        self.0.into_iter().map(profile).collect()
    }
}
