//! The colours of ranks in pictures.

use plotters::style::{Color, HSLColor, RGBColor};

/// Faces whose vertices have several owners.
pub const BORDER: RGBColor = RGBColor(40, 40, 40);

/// The golden section: steps of it round the circle of hues never come near each other.
const HUE_STEP: f64 = 0.618_033_988_749_895;
const SATURATION: f64 = 0.62;
/// Ranks with similar hues differ in lightness.
const LIGHTNESS: [f64; 3] = [0.48, 0.66, 0.80];

/// The colour of a rank. No two ranks have the same.
pub fn color(rank: usize) -> RGBColor {
    let hue = (0.58 + rank as f64 * HUE_STEP).fract();
    let (r, g, b) = HSLColor(hue, SATURATION, LIGHTNESS[rank % LIGHTNESS.len()]).rgb();
    RGBColor(r, g, b)
}

/// `#rrggbb`.
pub fn hexadecimal(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_of_many_ranks_has_its_own_color() {
        let colors = BTreeSet::from_iter((0..128).map(|rank| hexadecimal(color(rank))));
        assert!(colors.len() == 128 && !colors.contains(&hexadecimal(BORDER)), "{colors:?}");
    }
}
