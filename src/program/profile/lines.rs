//! The profile of a run in a few lines for people.

use crate::program::profile::Profile;
use crate::program::words::{plural_grouped, significant};

impl Profile {
    /// The phases of all steps, the longest first, and how busy processors were.
    pub fn lines(&self) -> Vec<String> {
        let steps = self.frames.iter().map(|frame| frame.steps).sum::<u64>();
        let seconds = |phase: usize| self.frames.iter().map(|it| it.seconds[phase]).sum::<f64>();
        let mut phases = Vec::from_iter((0..self.phases.len()).map(|it| (seconds(it), it)));
        phases.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all = phases.iter().map(|(seconds, _)| seconds).sum::<f64>();
        let line = |name: &str, seconds: f64| {
            let (ms, share) = (1e3 * seconds / steps as f64, 100.0 * seconds / all);
            format!("  {name:<24} {seconds:>10.3} s {ms:>10.3} ms a step {share:>6.1} %")
        };
        let count = plural_grouped(steps, "step");
        let mut lines = vec![format!("{}: {}; {count}", self.scene, self.describe())];
        lines.push(line("all phases", all));
        lines.extend(phases.iter().map(|&(seconds, it)| line(self.phases[it].name, seconds)));
        let shares = Vec::from_iter(self.processors.iter().filter_map(|it| self.share(it)));
        if !shares.is_empty() {
            let low = shares.iter().copied().fold(f64::INFINITY, f64::min);
            let high = shares.iter().copied().fold(0.0, f64::max);
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            let [low, high, mean] = [low, high, mean].map(|it| significant(100.0 * it));
            let all = plural_grouped(shares.len() as u64, "processor");
            let share = self.look.share;
            lines.push(format!("  {share} of {all}: {low} to {high} %, mean {mean} %"));
        }
        lines
    }
}
