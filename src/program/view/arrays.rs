//! Arrays of numbers as text of a page: filtered, deflated, in base64.
//!
//! Numbers of neighbouring vertices are alike. So each array is written as differences (each number
//! less the one before, wrapping), and of numbers with two bytes all low bytes come first, then all
//! high bytes. That halves what deflating leaves. `page/arrays.js` is the inverse.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};

use crate::program::view::Bounds;

/// How hard the bytes are squeezed, 0 to 10. More takes longer and gains less than 2 %.
const LEVEL: u8 = 6;

/// Named arrays. A page has them as text, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Arrays(Vec<(&'static str, Values)>);

#[derive(Debug, Clone)]
enum Values {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    F32(Vec<f32>),
}

/// What a page says of an array.
#[derive(Serialize)]
struct ArrayHead {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Number of its numbers.
    length: usize,
}

/// Arrays as they stand in a page.
#[derive(Serialize)]
struct Packed {
    arrays: Vec<ArrayHead>,
    /// Zlib in base64.
    data: String,
}

impl Arrays {
    /// Adds numbers of one byte.
    pub fn add_u8(&mut self, name: &'static str, values: Vec<u8>) {
        self.0.push((name, Values::U8(values)));
    }

    /// Adds numbers of two bytes.
    pub fn add_u16(&mut self, name: &'static str, values: Vec<u16>) {
        self.0.push((name, Values::U16(values)));
    }

    /// Adds indices.
    pub fn add_u32(&mut self, name: &'static str, values: Vec<u32>) {
        self.0.push((name, Values::U32(values)));
    }

    /// Adds real numbers in single precision.
    pub fn add_f32(&mut self, name: &'static str, values: impl IntoIterator<Item = f64>) {
        let values = values.into_iter().map(|value| value as f32).collect();
        self.0.push((name, Values::F32(values)));
    }

    /// The block of all of them.
    fn pack(&self) -> Packed {
        let mut bytes = Vec::new();
        self.0.iter().for_each(|(_, values)| values.write(&mut bytes));
        let squeezed = miniz_oxide::deflate::compress_to_vec_zlib(&bytes, LEVEL);
        let head = |(name, values): &(&'static str, Values)| {
            let (kind, length) = values.kind();
            ArrayHead { name, kind, length }
        };
        Packed { arrays: self.0.iter().map(head).collect(), data: STANDARD.encode(squeezed) }
    }
}

impl Arrays {
    fn named(&self, name: &str) -> Option<&Values> {
        self.0.iter().find_map(|(own, values)| (*own == name).then_some(values))
    }

    /// The numbers of one byte with this name; none if they are not there.
    pub fn u8(&self, name: &str) -> &[u8] {
        if let Some(Values::U8(values)) = self.named(name) { values } else { &[] }
    }

    /// The numbers of two bytes with this name; none if they are not there.
    pub fn u16(&self, name: &str) -> &[u16] {
        if let Some(Values::U16(values)) = self.named(name) { values } else { &[] }
    }

    /// The indices with this name; none if they are not there.
    pub fn u32(&self, name: &str) -> &[u32] {
        if let Some(Values::U32(values)) = self.named(name) { values } else { &[] }
    }

    /// The real numbers with this name; none if they are not there.
    pub fn f32(&self, name: &str) -> &[f32] {
        if let Some(Values::F32(values)) = self.named(name) { values } else { &[] }
    }
}

impl Serialize for Arrays {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.pack().serialize(serializer)
    }
}

impl Values {
    /// The type that a page names, and the number of numbers.
    fn kind(&self) -> (&'static str, usize) {
        match self {
            Self::U8(values) => ("u8", values.len()),
            Self::U16(values) => ("u16", values.len()),
            Self::U32(values) => ("u32", values.len()),
            Self::F32(values) => ("f32", values.len()),
        }
    }

    /// Appends its bytes: differences, except of real numbers, which stay as they are.
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::U8(values) => bytes.extend(differences(values, u8::wrapping_sub)),
            Self::U16(values) => {
                let parts = Vec::from_iter(differences(values, u16::wrapping_sub));
                by_bytes(&Vec::from_iter(parts.into_iter().map(u16::to_le_bytes)), bytes);
            }
            Self::U32(values) => {
                let parts = Vec::from_iter(differences(values, u32::wrapping_sub));
                by_bytes(&Vec::from_iter(parts.into_iter().map(u32::to_le_bytes)), bytes);
            }
            Self::F32(values) => bytes.extend(values.iter().flat_map(|it| it.to_le_bytes())),
        }
    }
}

/// Each number less the one before.
fn differences<T: Copy + Default>(values: &[T], less: fn(T, T) -> T) -> impl Iterator<Item = T> {
    let before = std::iter::once(T::default()).chain(values.iter().copied());
    values.iter().zip(before).map(move |(&value, before)| less(value, before))
}

/// Appends the first bytes of all numbers, then all second ones, and so on.
fn by_bytes<const N: usize>(numbers: &[[u8; N]], bytes: &mut Vec<u8>) {
    for at in 0..N {
        bytes.extend(numbers.iter().map(|number| number[at]));
    }
}

/// `values` as shares of the range from the smallest to the largest, and this range. Values that
/// are not finite count as the smallest one.
pub fn in_8_bits(values: &[f64]) -> (Vec<u8>, [f64; 2]) {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let range =
        [finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)];
    let range = if range[0] <= range[1] { range } else { [0.0; 2] };
    let scale = if range[1] > range[0] { 255.0 / (range[1] - range[0]) } else { 0.0 };
    (values.iter().map(|value| ((value - range[0]) * scale).round() as u8).collect(), range)
}

/// A frame in a page.
#[derive(Debug, Clone, Serialize)]
pub struct FrameBlock {
    /// Its number in the run.
    pub number: u64,
    /// Time since the start, s.
    pub time_s: f64,
    /// The box of all positions of 16 bits.
    pub bounds: Bounds,
    /// The range of each array of 8 bits, by its name.
    pub ranges: BTreeMap<&'static str, [f64; 2]>,
    /// Arrays of 16 bits are added here; those of 8 bits by [`Self::add_values`].
    #[serde(flatten)]
    pub arrays: Arrays,
}

impl FrameBlock {
    /// Frame `number` at `time_s` (s), without an array.
    pub fn new(number: u64, time_s: f64, bounds: Bounds) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_finite_do_no_harm() {
        assert_eq!(in_8_bits(&[f64::NAN, 1.0, 3.0, 2.0]), (vec![0, 0, 255, 128], [1.0, 3.0]));
        assert_eq!(in_8_bits(&[]), (vec![], [0.0, 0.0]));
    }
}
