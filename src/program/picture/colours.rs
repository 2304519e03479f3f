//! Palettes and scales: those of `page/colours.js`. Colours are linear: red, green and blue from 0
//! to 1 in proportion to light.

use cloth_core::math::Vec3;

/// Categories.
const PALETTE: [&str; 10] = [
    "#5b8fd6", "#e08a54", "#4fae8a", "#bd6aa5", "#d9b04a", "#5bb6c2", "#957bd3", "#cf6660",
    "#7c9a3e", "#9a7b5f",
];
/// Viridis (van der Walt & Smith 2015).
pub const VIRIDIS: &[&str] = &[
    "#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
    "#fde725",
];
/// A diverging scale (Moreland 2009).
pub const DIVERGING: &[&str] =
    &["#3b4cc0", "#6f92f3", "#aac7fd", "#dddddd", "#f7b89c", "#e7745b", "#b40426"];
/// A scale for gaps.
pub const NEARNESS: &[&str] = &["#d7301f", "#fc8d59", "#fdcc8a", "#e8e2d4", "#d5d9de", "#d5d9de"];
/// Obstacles.
pub const OBSTACLE: &str = "#aab2bc";
/// Joints.
pub const JOINT: &str = "#ffd24a";
/// Cloth without a value.
pub const PLAIN: &str = "#c9ced6";

/// The golden ratio less 1: hues that follow each other are far from each other.
const TURN: f64 = 0.618034;

/// The colour `#rrggbb`.
pub fn hex(text: &str) -> Vec3 {
    let number = u32::from_str_radix(text.trim_start_matches('#'), 16).unwrap_or_default();
    let channel = |shift: u32| linear(f64::from(number >> shift & 0xff) / 255.0);
    Vec3::new(channel(16), channel(8), channel(0))
}

/// Light of an encoded channel (IEC 61966-2-1), both from 0 to 1.
fn linear(encoded: f64) -> f64 {
    match encoded <= 0.04045 {
        true => encoded / 12.92,
        false => libm::pow((encoded + 0.055) / 1.055, 2.4),
    }
}

/// Encodes light for files: the inverse of [`linear`], as a table.
pub struct Encoding(Vec<f64>);

impl Encoding {
    /// More steps make no difference in 8 bits.
    const STEPS: usize = 4096;

    /// The table.
    pub fn new() -> Self {
        let encoded = |light: f64| match light <= 0.0031308 {
            true => 12.92 * light,
            false => 1.055 * libm::pow(light, 1.0 / 2.4) - 0.055,
        };
        Self((0..=Self::STEPS).map(|it| encoded(it as f64 / Self::STEPS as f64)).collect())
    }

    /// The encoded colour, each channel from 0 to 1.
    pub fn encode(&self, colour: Vec3) -> Vec3 {
        colour.map(|light| self.0[(light.clamp(0.0, 1.0) * Self::STEPS as f64) as usize])
    }
}

/// The colour of a category.
pub fn category(number: usize) -> Vec3 {
    match PALETTE.get(number) {
        Some(colour) => hex(colour),
        None => of_hue(number, 0.5, 0.55),
    }
}

/// The colour of a patch. Patches are many and have no names, so neighbours only have to differ.
pub fn patch(number: usize) -> Vec3 {
    of_hue(number, 0.45, 0.5 + 0.12 * (number % 3) as f64)
}

/// A colour by its hue, saturation and lightness.
fn of_hue(number: usize, saturation: f64, lightness: f64) -> Vec3 {
    let hue = (number as f64 * TURN).fract();
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * saturation;
    // The distance from the hue of the channel, as a part of a sixth of the circle.
    let channel = |own: f64| {
        let away = (hue - own).abs();
        let away = 6.0 * away.min(1.0 - away);
        lightness + chroma * ((2.0 - away).clamp(0.0, 1.0) - 0.5)
    };
    Vec3::new(channel(0.0), channel(1.0 / 3.0), channel(2.0 / 3.0))
}

/// The colour at `share` (0 to 1) of the scale with these `stops`.
pub fn on_scale(stops: &[Vec3], share: f64) -> Vec3 {
    let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let below = (place as usize).min(stops.len() - 2);
    stops[below].lerp(&stops[below + 1], place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_same_colours() {
        let scripts = [
            include_str!("../../../page/colours.js"),
            include_str!("../../../page/surfaces.js"),
            include_str!("../../../page/bodies.js"),
        ]
        .concat();
        let page = String::from_iter(scripts.split_whitespace());
        for list in [&PALETTE[..], VIRIDIS, DIVERGING, NEARNESS, &[OBSTACLE], &[PLAIN], &[JOINT]] {
            let own = list.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(",");
            assert!(page.contains(&own), "{own}");
        }
    }

    #[test]
    fn colours_come_back_and_hues_have_their_channel() {
        let encoding = Encoding::new();
        let back = encoding.encode(hex("#5b8fd6")) * 255.0;
        assert!((back - Vec3::new(91.0, 143.0, 214.0)).amax() < 1.0, "{back}");
        // Number 0 is red.
        assert!((of_hue(0, 1.0, 0.5) - Vec3::x()).amax() < 1e-12);
        let stops = [Vec3::zeros(), Vec3::x(), Vec3::new(1.0, 1.0, 0.0)];
        assert_eq!(on_scale(&stops, 0.75), Vec3::new(1.0, 0.5, 0.0));
        assert_eq!(on_scale(&stops, 7.0), stops[2]);
    }
}
