//! How the profile of a kind of run looks: its words, its columns of interest, its charts.

/// A colour, as a page writes it.
pub type Colour = &'static str;

// Colours that differ for all eyes (Okabe & Ito 2008).
pub const BLUE: Colour = "#0072b2";
pub const ORANGE: Colour = "#e69f00";
pub const GREEN: Colour = "#009e73";
pub const VERMILION: Colour = "#d55e00";
pub const PURPLE: Colour = "#cc79a7";
/// For time without work.
pub const GREY: Colour = "#bebebe";

/// What differs from kind to kind in the tables and charts of a profile.
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
    /// The colour of a phase, by its number.
    pub color: fn(usize) -> Colour,
    /// The charts of columns, from top to bottom.
    pub charts: &'static [ColumnChart],
}

/// A chart of the sums of columns over all processors, frame by frame.
#[derive(Debug)]
pub struct ColumnChart {
    /// Above the chart.
    pub title: &'static str,
    /// Whether the columns are stacked, in percent of the time of all processors.
    pub is_share: bool,
    /// Each column: its label, its colour and its name.
    pub columns: &'static [(&'static str, Colour, &'static str)],
}
