//! Sums and extremes of a run that every kind has.

use std::collections::BTreeMap;
use std::fmt;

use cloth_core::report::Report;

use crate::program::output::{FrameRecord, Kind};
use crate::program::words::grouped;

/// Sums over the steps of a run.
#[derive(Default)]
pub struct Totals<R> {
    /// The sum of each rank, by its number. A record may name any number.
    of_ranks: BTreeMap<usize, R>,
    /// Number of steps.
    pub steps: usize,
}

impl<R: Report> Totals<R> {
    /// Adds the steps of a frame. A run that went on may have more ranks than before.
    pub fn add<K: Kind<Report = R>>(&mut self, frame: &FrameRecord<K>) {
        for step in &frame.steps {
            self.of_ranks.entry(step.rank).or_default().add(&step.report);
            self.steps += usize::from(step.rank == 0);
        }
    }

    /// The sum of each rank, rank 0 first.
    pub fn of_ranks(&self) -> Vec<R> {
        self.of_ranks.values().copied().collect()
    }

    /// The sum of all ranks.
    pub fn of_all(&self) -> R {
        let mut sum = R::default();
        self.of_ranks.values().for_each(|rank| sum.add(rank));
        sum
    }
}

/// The contacts of the steps of a run, of all ranks.
#[derive(Debug, Default)]
pub struct Contacts {
    /// Those of the last step.
    pub last: u64,
    /// The most of a step, and the frame that the step leads to.
    most: Option<(u64, u64)>,
}

impl Contacts {
    /// Adds the steps that lead to `frame`.
    pub fn add(&mut self, frame: u64, per_step: &[u64]) {
        self.last = per_step.last().copied().unwrap_or(self.last);
        let most = per_step.iter().copied().max().unwrap_or(0);
        if most > self.most.map_or(0, |(most, _)| most) {
            self.most = Some((most, frame));
        }
    }

    /// Whether no step has a contact.
    pub fn is_empty(&self) -> bool {
        self.most.is_none()
    }
}

impl fmt::Display for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            None => writeln!(f, "  contacts  none"),
            Some((most, frame)) => {
                writeln!(f, "  contacts  at most {} in a step, before frame {frame}", grouped(most))
            }
        }
    }
}
