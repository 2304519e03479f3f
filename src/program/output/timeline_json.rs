//! `timeline.json`: which processor executed which task in one step.

use std::collections::BTreeMap;
use std::path::Path;

use crate::observe::{Origin, SearchSpan};
use cloth_core::error::Result;
use serde::{Deserialize, Serialize};

use crate::program::output::{names, write_json};

/// The version of its format.
pub const FORMAT: u32 = 1;

/// What one rank did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankSpans {
    /// The name of its machine. Ranks of one machine have the same clock.
    pub host: String,
    /// The searches of the step. All ranks have the same number.
    pub searches: Vec<SearchSpan>,
}

/// The time line of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeLine {
    /// See [`FORMAT`].
    pub format: u32,
    /// The scene's name.
    pub scene: String,
    /// The step, from 1.
    pub step: u64,
    /// The frame after it.
    pub frame: u64,
    /// Threads of each rank.
    pub threads: usize,
    /// By rank.
    pub ranks: Vec<RankSpans>,
}

impl TimeLine {
    /// Shifts all times. Before, the times of a machine count from any moment. After, they count
    /// from the moment when the first rank of that machine began the step's first search.
    pub fn count_from_start(&mut self) {
        let mut starts = BTreeMap::<String, f64>::new();
        for rank in &self.ranks {
            let begin_s = rank.searches.first().map_or(f64::INFINITY, |search| search.begin_s);
            let start = starts.entry(rank.host.clone()).or_insert(begin_s);
            *start = start.min(begin_s);
        }
        for rank in &mut self.ranks {
            let start_s = starts.get(&rank.host).copied().unwrap_or_default();
            for search in &mut rank.searches {
                search.begin_s -= start_s;
                search.end_s -= start_s;
                for task in &mut search.tasks {
                    task.begin_s -= start_s;
                    task.end_s -= start_s;
                }
            }
        }
        // The time of a hand-over is on the clock of the victim.
        let hosts = Vec::from_iter(self.ranks.iter().map(|rank| rank.host.clone()));
        let tasks = self.ranks.iter_mut().flat_map(|rank| &mut rank.searches);
        for task in tasks.flat_map(|search| &mut search.tasks) {
            if let Origin::Stolen(steal) = &mut task.origin {
                let host = hosts.get(steal.victim_rank as usize);
                let start_s = host.and_then(|host| starts.get(host)).copied().unwrap_or_default();
                steal.handed_over_s -= start_s;
            }
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(names::TIMELINE), self)
    }
}
