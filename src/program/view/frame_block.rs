//! What a page holds of one frame.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::program::view::arrays::in_8_bits;
use crate::program::view::{Arrays, PositionBox};

/// A frame in a page.
#[derive(Debug, Clone, Serialize)]
pub struct FrameBlock {
    /// Its number in the run.
    pub number: u64,
    /// Time since the start, s.
    pub time_s: f64,
    /// The box of all positions of 16 bits.
    pub bounds: PositionBox,
    /// The range of each array of 8 bits, by its name.
    pub ranges: BTreeMap<&'static str, [f64; 2]>,
    /// Arrays of 16 bits are added here; those of 8 bits by [`Self::add_values`].
    #[serde(flatten)]
    pub arrays: Arrays,
}

impl FrameBlock {
    /// Frame `number` at `time_s` (s), without an array.
    pub fn new(number: u64, time_s: f64, bounds: PositionBox) -> Self {
        Self { number, time_s, bounds, ranges: BTreeMap::new(), arrays: Arrays::default() }
    }

    /// Adds `values` as shares of their own range.
    pub fn add_values(&mut self, name: &'static str, values: &[f64]) {
        let (shares, range) = in_8_bits(values);
        self.arrays.add_u8(name, shares);
        self.ranges.insert(name, range);
    }

    /// Adds `values` as shares of `range`. Values outside are at its ends.
    pub fn add_values_of(&mut self, name: &'static str, values: &[f64], range: [f64; 2]) {
        let scale = 255.0 / (range[1] - range[0]);
        // The conversion saturates.
        let share = |value: &f64| ((value - range[0]) * scale).round() as u8;
        self.arrays.add_u8(name, values.iter().map(share).collect());
        self.ranges.insert(name, range);
    }
}
