//! `profile.csv`: one row for each frame and processor.

use std::path::{Path, PathBuf};

use super::{ProcessorProfile, Profile};
use crate::error::{Error, Result};

const HEADER: &str = "frame,rank,thread,test_part_s,length_s,busy_s,scheduling_s,waiting_s,idle_s,utilization,\
                      tests,candidates,top_level_tasks,tasks_created,tasks_executed,tasks_stolen,\
                      requests,rejections\n";

impl Profile {
    /// Writes `profile.csv` into `folder` and returns its path. Numbers are exact;
    /// the utilization of a frame without tests is empty.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write_csv(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join("profile.csv");
        std::fs::write(&path, self.csv()).map_err(|cause| {
            Error::file(&path, cause, "free some space or choose another folder (--out)")
        })?;
        Ok(path)
    }

    fn csv(&self) -> String {
        let rows = self
            .frames
            .iter()
            .flat_map(|frame| frame.processors.iter().map(|processor| row(frame.frame, processor)));
        std::iter::once(HEADER.to_owned()).chain(rows).collect()
    }
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
        usage.candidates,
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
