//! The list of the values in a report of what one rank did in a step, for every engine.
//!
//! Every engine has its own type of report, and its step writes the fields. [`Report`] lists the
//! fields with their names. A program uses this list to add, write, read and draw the reports of
//! any engine, so a new counter is one line of the list. A step does not use the list.

use std::fmt;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// Declares an enum with its values in order (`ALL`) and their names in files (`name`).
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$item_doc:meta])* $item:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$item_doc])* $item),+ }

        impl $name {
            /// All values, in order.
            pub const ALL: &'static [$name] = &[$($name::$item),+];

            /// Its name in files and tables.
            pub fn name(self) -> &'static str {
                match self { $($name::$item => $text),+ }
            }
        }
    };
}

pub use named;

/// What one rank did in a step, or in several steps.
///
/// A report consists of plain words, so that ranks can send it.
pub trait Report: Pod + Default + PartialEq + fmt::Debug + Send {
    /// The part of the time of each phase that is also measured.
    const PART: Part;

    /// The phases of a step, in order.
    fn phases() -> impl ExactSizeIterator<Item = PhaseRow>;

    /// The time of each phase (s), and the time of the [`Self::PART`] of each phase (s).
    fn times(&self) -> [&[f64]; 2];

    /// The times, to be changed.
    fn times_mut(&mut self) -> [&mut [f64]; 2];

    /// All values except the times. Their order is the same for all reports of one type.
    fn entries(&mut self) -> impl Iterator<Item = Entry<'_>>;

    /// The names of [`Self::times`] in files, such as `solve_s` and `solve_busy_s`.
    fn time_names() -> [Vec<String>; 2] {
        let names =
            |part: &str| Self::phases().map(|row| format!("{}{part}_s", row.name)).collect();
        [names(""), names(Self::PART.suffix())]
    }

    /// Combines this report with the report of further steps of the same rank.
    fn add(&mut self, other: &Self) {
        let mut other = *other;
        for (sums, parts) in self.times_mut().into_iter().zip(other.times()) {
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
        self.entries().zip(other.entries()).for_each(|(sum, part)| sum.add(&part));
    }

    /// Time in all phases, s.
    fn total_s(&self) -> f64 {
        self.times()[0].iter().sum()
    }

    /// Time in which the rank's own thread worked and did not wait for other ranks, s.
    fn work_s(&self) -> f64 {
        let part: f64 = self.times()[1].iter().sum();
        match Self::PART {
            Part::Busy => part,
            Part::Waited => self.total_s() - part,
        }
    }
}

/// A phase of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseRow {
    /// Its name in files and pictures.
    pub name: &'static str,
    /// True for collision handling, false for physical modelling.
    pub handles_collisions: bool,
}

/// A part of the time of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Processor time of the rank's own thread.
    Busy,
    /// Time in which the rank waited for messages.
    Waited,
}

impl Part {
    fn suffix(self) -> &'static str {
        match self {
            Self::Busy => "_busy",
            Self::Waited => "_waited",
        }
    }
}

/// A value of a report.
#[derive(Debug, PartialEq)]
pub struct Entry<'a> {
    /// Its name in `steps.jsonl`.
    pub name: &'static str,
    /// Its column in the profile of a rank, if it has one.
    pub column: Option<&'static str>,
    /// The rule by which the values of several steps combine.
    pub join: Join,
    /// The value.
    pub cell: Cell<'a>,
}

/// The rule by which the values of several steps combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// The sum. For rises of energy, the largest rise.
    Sum,
    /// The value of the last step in which it was measured.
    Last,
    /// The smallest value.
    Least,
    /// The largest value.
    Most,
}

/// A value of a report, to be read or changed.
#[derive(Debug, PartialEq)]
pub enum Cell<'a> {
    /// A count.
    Count(&'a mut u64),
    /// A count that `steps.jsonl` does not hold for a step, because the record of a frame has its
    /// sum.
    Unwritten(&'a mut u64),
    /// A wrapping sum of hashes.
    Hash(&'a mut u64),
    /// One count for each round of a step.
    Rounds(&'a mut [u64]),
    /// A real number. It is [`Join::unknown`] if it was not measured.
    Measure(&'a mut f64),
    /// The largest rise of energy without work.
    Rise(&'a mut EnergyRise),
}

impl Join {
    /// The value of a measure that was not measured. Combining it changes no other value.
    pub fn unknown(self) -> f64 {
        match self {
            Self::Sum => 0.0,
            Self::Last => f64::NAN,
            Self::Least => f64::INFINITY,
            Self::Most => f64::NEG_INFINITY,
        }
    }

    /// True if `measure` was measured.
    pub fn knows(self, measure: f64) -> bool {
        !measure.is_nan() && measure != self.unknown()
    }
}

impl<'a> Entry<'a> {
    /// An entry that combines by a sum and has no column in the profile.
    pub fn new(name: &'static str, cell: Cell<'a>) -> Self {
        Self { name, column: None, join: Join::Sum, cell }
    }

    /// This entry with the rule `join`.
    pub fn joined(self, join: Join) -> Self {
        Self { join, ..self }
    }

    /// This entry with the column `name` in the profile of a rank.
    pub fn shown(self, name: &'static str) -> Self {
        Self { column: Some(name), ..self }
    }

    /// Combines this entry with the same entry of the report of further steps.
    fn add(self, further: &Self) {
        match (self.cell, &further.cell) {
            (Cell::Count(sum), Cell::Count(part)) if self.join == Join::Last => *sum = **part,
            (Cell::Count(sum), Cell::Count(part))
            | (Cell::Unwritten(sum), Cell::Unwritten(part)) => *sum += **part,
            (Cell::Hash(sum), Cell::Hash(part)) => *sum = sum.wrapping_add(**part),
            (Cell::Rounds(sums), Cell::Rounds(parts)) => {
                sums.iter_mut().zip(parts.iter()).for_each(|(sum, part)| *sum += part);
            }
            (Cell::Measure(sum), Cell::Measure(part)) if self.join.knows(**part) => {
                *sum = match self.join {
                    Join::Sum => *sum + **part,
                    Join::Last => **part,
                    Join::Least => sum.min(**part),
                    Join::Most => sum.max(**part),
                }
            }
            (Cell::Rise(known), Cell::Rise(other)) => known.note(**other),
            // The further measure was not measured. Both cells are always of one kind.
            _ => {}
        }
    }
}

/// A rise of energy in a step beyond the work that was done and beyond rounding (docs/methods.md,
/// section 12).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C)]
pub struct EnergyRise {
    /// The rise beyond the work, J.
    pub unexplained_j: f64,
    /// The largest rise that is allowed in this step, J.
    pub limit_j: f64,
    /// The vertex of cloth that gained the most kinetic energy.
    pub vertex: u64,
    /// The position of this vertex at the end of the step, m.
    pub at_m: [f64; 3],
}

impl EnergyRise {
    /// No rise.
    pub const NONE: Self =
        Self { unexplained_j: 0.0, limit_j: 0.0, vertex: u64::MAX, at_m: [0.0; 3] };

    /// This rise, or `None` if it is [`Self::NONE`].
    pub fn known(self) -> Option<Self> {
        (self.vertex != u64::MAX).then_some(self)
    }

    /// Replaces this rise by `other` if `other` is larger.
    pub fn note(&mut self, other: Self) {
        let is_larger = self.known().is_none_or(|it| it.unexplained_j < other.unexplained_j);
        if is_larger && other.known().is_some() {
            *self = other;
        }
    }

    /// True if the rise is above its limit, which is a fault of the simulation.
    pub fn is_fault(&self) -> bool {
        self.unexplained_j > self.limit_j
    }
}
