//! Arrays of numbers as text of a page: filtered, deflated, in base64.
//!
//! Numbers of neighbouring vertices are alike. So each array is written as differences (each number
//! less the one before, wrapping), and of numbers with two bytes all low bytes come first, then all
//! high bytes. That halves what deflating leaves. `page/arrays.js` is the inverse.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cloth_sim::math::Vec3;
use serde::Serialize;

/// How hard the bytes are squeezed, 0 to 10. More takes longer and gains less than 2 %.
const LEVEL: u8 = 6;

/// Named arrays, one after the other.
#[derive(Default)]
pub struct Arrays {
    list: Vec<ArrayHead>,
    bytes: Vec<u8>,
}

/// An array of a [`Packed`] block.
#[derive(Debug, Clone, Serialize)]
struct ArrayHead {
    name: &'static str,
    /// Bytes of a number: 1 (`u8`), 2 (`u16`) or 4 (`u32`, `f32`).
    #[serde(rename = "type")]
    kind: &'static str,
    /// Number of its numbers.
    length: usize,
}

/// Arrays as they stand in a page.
#[derive(Debug, Clone, Serialize)]
pub struct Packed {
    arrays: Vec<ArrayHead>,
    /// Zlib in base64.
    data: String,
}

impl Arrays {
    /// Adds numbers of one byte.
    pub fn add_u8(&mut self, name: &'static str, values: &[u8]) {
        self.list.push(ArrayHead { name, kind: "u8", length: values.len() });
        let mut last = 0_u8;
        self.bytes.extend(values.iter().map(|&value| {
            let difference = value.wrapping_sub(last);
            last = value;
            difference
        }));
    }

    /// Adds numbers of two bytes.
    pub fn add_u16(&mut self, name: &'static str, values: &[u16]) {
        self.list.push(ArrayHead { name, kind: "u16", length: values.len() });
        let mut last = 0_u16;
        let differences = Vec::from_iter(values.iter().map(|&value| {
            let difference = value.wrapping_sub(last);
            last = value;
            difference.to_le_bytes()
        }));
        self.bytes.extend(differences.iter().map(|bytes| bytes[0]));
        self.bytes.extend(differences.iter().map(|bytes| bytes[1]));
    }

    /// Adds indices.
    pub fn add_u32(&mut self, name: &'static str, values: impl IntoIterator<Item = u32>) {
        let mut last = 0_u32;
        let differences = Vec::from_iter(values.into_iter().map(|value| {
            let difference = value.wrapping_sub(last);
            last = value;
            difference.to_le_bytes()
        }));
        self.list.push(ArrayHead { name, kind: "u32", length: differences.len() });
        for byte in 0..4 {
            self.bytes.extend(differences.iter().map(|bytes| bytes[byte]));
        }
    }

    /// Adds real numbers in single precision, as they are.
    pub fn add_f32(&mut self, name: &'static str, values: impl IntoIterator<Item = f64>) {
        let before = self.bytes.len();
        self.bytes.extend(values.into_iter().flat_map(|value| (value as f32).to_le_bytes()));
        let length = (self.bytes.len() - before) / 4;
        self.list.push(ArrayHead { name, kind: "f32", length });
    }

    /// The block with all of them.
    pub fn pack(&self) -> Packed {
        let squeezed = miniz_oxide::deflate::compress_to_vec_zlib(&self.bytes, LEVEL);
        Packed { arrays: self.list.clone(), data: STANDARD.encode(squeezed) }
    }
}

/// The box around positions (m), in which they are written as numbers of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PositionBox {
    low: [f64; 3],
    high: [f64; 3],
}

impl PositionBox {
    /// The box around all `positions` (m) that are finite.
    pub fn around<'p>(positions: impl Iterator<Item = &'p Vec3>) -> Self {
        let finite = positions.filter(|x| x.iter().all(|it| it.is_finite()));
        let bounds = finite.fold(None, |bounds: Option<[Vec3; 2]>, x| {
            Some(bounds.map_or([*x, *x], |[low, high]| [low.inf(x), high.sup(x)]))
        });
        let [low, high] = bounds.unwrap_or([Vec3::zeros(); 2]).map(Into::into);
        Self { low, high }
    }

    /// The positions as shares of the box: all x, then all y, then all z. The error is at most half
    /// of 1/65535 of the width. What is not finite is at the lower corner.
    pub fn shares(&self, positions: &[Vec3]) -> Vec<u16> {
        let mut shares = Vec::with_capacity(3 * positions.len());
        for axis in 0..3 {
            let (low, width) = (self.low[axis], self.high[axis] - self.low[axis]);
            let scale = if width > 0.0 { f64::from(u16::MAX) / width } else { 0.0 };
            // The conversion saturates, and gives 0 for NaN.
            shares.extend(positions.iter().map(|x| ((x[axis] - low) * scale).round() as u16));
        }
        shares
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_lie_within_half_a_quantum() {
        let positions =
            Vec::from_iter((0..500).map(|i| Vec3::new(f64::from(i).sin(), 2.5, f64::from(i))));
        let bounds = PositionBox::around(positions.iter());
        let shares = bounds.shares(&positions);
        for (i, x) in positions.iter().enumerate() {
            for axis in 0..3 {
                let width = bounds.high[axis] - bounds.low[axis];
                let share = f64::from(shares[axis * positions.len() + i]) / 65535.0;
                let error = bounds.low[axis] + share * width - x[axis];
                assert!(error.abs() <= 0.5000001 * width / 65535.0, "{error}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_does_no_harm() {
        let x = [Vec3::new(f64::NAN, 0.0, 1.0), Vec3::new(1.0, 2.0, 3.0)];
        let bounds = PositionBox::around(x.iter());
        assert_eq!(bounds, PositionBox { low: [1.0, 2.0, 3.0], high: [1.0, 2.0, 3.0] });
        assert_eq!(bounds.shares(&x), [0; 6]);
        assert_eq!(in_8_bits(&[f64::NAN, 1.0, 3.0, 2.0]), (vec![0, 0, 255, 128], [1.0, 3.0]));
        assert_eq!(in_8_bits(&[]), (vec![], [0.0, 0.0]));
    }
}
