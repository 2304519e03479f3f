//! The colours of ranks in pictures.

use plotters::style::{Color, HSLColor, RGBColor};

/// Faces whose vertices have several owners.
pub const BORDER: RGBColor = RGBColor(40, 40, 40);

/// The golden section. With steps of this size round the circle of hues, no hues are near each
/// other.
const HUE_STEP: f64 = 0.618_033_988_749_895;
const SATURATION: f64 = 0.65;
/// Hues nearly repeat after 13, 21 and 34 ranks. Then they differ in lightness.
const LIGHTNESS: [f64; 5] = [0.45, 0.70, 0.35, 0.58, 0.82];

/// The colour of a rank. The colours of 50 ranks all look different.
pub fn color(rank: usize) -> RGBColor {
    let hue = (0.6 + rank as f64 * HUE_STEP).fract();
    let (r, g, b) = HSLColor(hue, SATURATION, LIGHTNESS[rank % LIGHTNESS.len()]).rgb();
    RGBColor(r, g, b)
}

/// `#rrggbb`.
pub fn hexadecimal(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_of_many_ranks_differ() {
        let colors = Vec::from_iter((0..50).map(color).chain([BORDER]));
        for (i, a) in colors.iter().enumerate() {
            for b in &colors[..i] {
                let apart = a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)).max(a.2.abs_diff(b.2));
                assert!(apart >= 15, "{} and {}", hexadecimal(*a), hexadecimal(*b));
            }
        }
    }
}
