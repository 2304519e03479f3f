//! The profile as tables. `profile.csv` has a row for each frame and processor, `phases.csv` a row
//! for each frame.

use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use cloth_sim::step::Phase;

use crate::program::output::{names, write_whole};
use crate::program::profile::{FrameProfile, ProcessorProfile, Profile};

const HEADER: &str = "frame,rank,thread,test_part_s,length_s,busy_s,scheduling_s,waiting_s,idle_s,utilization,\
                      tests,candidates,top_level_tasks,tasks_created,tasks_executed,tasks_stolen,\
                      requests,rejections\n";

impl Profile {
    /// Writes `profile.csv` and `phases.csv` into `folder` and returns their paths. Numbers are
    /// exact. The utilization of a frame without tests is empty.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write_tables(&self, folder: &Path) -> Result<[PathBuf; 2]> {
        let processors = write(&folder.join(names::PROFILE), &self.of_processors())?;
        Ok([processors, write(&folder.join(names::PHASES), &self.of_phases())?])
    }

    /// Seconds of each phase, averaged over the ranks.
    fn of_phases(&self) -> String {
        let names = Phase::ALL.iter().map(|phase| format!(",{}_s", phase.name()));
        let row = |frame: &FrameProfile| {
            let seconds = frame.seconds.map(|seconds| format!(",{seconds}"));
            format!("\n{}{}", frame.frame, seconds.concat())
        };
        let rows = self.frames.iter().map(row);
        std::iter::once("frame".to_owned())
            .chain(names)
            .chain(rows)
            .chain(["\n".to_owned()])
            .collect()
    }

    fn of_processors(&self) -> String {
        let rows = self
            .frames
            .iter()
            .flat_map(|frame| frame.processors.iter().map(|processor| row(frame.frame, processor)));
        std::iter::once(HEADER.to_owned()).chain(rows).collect()
    }
}

/// Writes a table and returns its path.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, text: &str) -> Result<PathBuf> {
    let remedy = "free some space or choose another folder (--out)";
    write_whole(path, |out| out.write_all(text.as_bytes()))
        .map_err(|cause| Error::file(path, cause, remedy))?;
    Ok(path.to_owned())
}

fn row(frame: u64, processor: &ProcessorProfile) -> String {
    let ProcessorProfile { rank, thread, usage, test_part_s, utilization } = processor;
    let seconds = [
        *test_part_s,
        usage.length_s,
        usage.busy_s,
        usage.scheduling_s,
        usage.waiting_s,
        processor.idle_s(),
    ];
    let counts = [
        usage.tests,
        usage.found,
        usage.top_level_tasks,
        usage.tasks_created,
        usage.tasks_executed,
        usage.tasks_stolen,
        usage.requests,
        usage.rejections,
    ];
    let seconds = seconds.map(|value| value.to_string()).join(",");
    let counts = counts.map(|value| value.to_string()).join(",");
    let utilization = utilization.map(|value| value.to_string()).unwrap_or_default();
    format!("{frame},{rank},{thread},{seconds},{utilization},{counts}\n")
}
