//! How the profile of a kind of run looks: its words, its columns of interest, its diagrams.

use plotters::style::RGBColor;

/// What differs from kind to kind in the tables and pictures of a profile.
#[derive(Debug)]
pub struct Look {
    /// What its runs compute.
    pub runs_of: &'static str,
    /// Whether a processor is a thread of a rank. Otherwise it is a whole rank.
    pub by_thread: bool,
    /// The column with the share of time in which a processor worked, 0 to 1.
    pub share: &'static str,
    /// The column with the time of which that is a share, s. It is that of the slowest processor.
    pub length: &'static str,
    /// Columns that `phases.csv` has too, the largest value of all processors.
    pub of_frame: &'static [&'static str],
    /// The title of the heat map of the shares.
    pub heat_map: &'static str,
    /// What a cell without a share means.
    pub no_share: &'static str,
    /// The title of the mean shares of two runs.
    pub mean_shares: &'static str,
    /// The title of the lengths of two runs.
    pub lengths: &'static str,
    /// The colour of a phase, by its number.
    pub color: fn(usize) -> RGBColor,
    /// The diagrams from top to bottom. A comparison shows the first one for each run.
    pub diagrams: &'static [Diagram],
}

/// A diagram over the frames.
#[derive(Debug)]
pub enum Diagram {
    /// The time of all phases that handle collisions, and the length in it.
    Collisions {
        /// Above the diagram.
        title: &'static str,
        /// The label of the length.
        length: &'static str,
    },
    /// The shares of all processors.
    HeatMap,
    /// Columns as shares of the length, all processors together.
    Shares {
        /// Above the diagram.
        title: &'static str,
        /// Each column with its label and colour.
        parts: &'static [(&'static str, RGBColor, &'static str)],
    },
    /// The time of every phase.
    Phases {
        /// Above the diagram.
        title: &'static str,
    },
    /// Sums of columns over all processors.
    Counts {
        /// Above the diagram.
        title: &'static str,
        /// The sums.
        curves: &'static [Count],
    },
}

/// The sum of a column over all processors.
#[derive(Debug)]
pub struct Count {
    /// Its name in the legend.
    pub label: &'static str,
    /// The colour of its curve.
    pub color: RGBColor,
    /// The column.
    pub column: &'static str,
    /// Whether it is counted for a step. Otherwise it is counted for a frame.
    pub a_step: bool,
    /// So much of the column is 1 in the diagram.
    pub unit: f64,
}

impl Count {
    /// The sum for a frame.
    pub const fn new(label: &'static str, color: RGBColor, column: &'static str) -> Self {
        Self { label, color, column, a_step: false, unit: 1.0 }
    }

    /// The sum for a step.
    pub const fn a_step(self) -> Self {
        Self { a_step: true, ..self }
    }
}
