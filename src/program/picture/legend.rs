//! The scale of colours in a corner of a picture.

use cloth_core::math::Vec3;

use crate::program::picture::colours::{Encoding, on_scale};
use crate::program::picture::draw::Picture;
use crate::program::picture::modes::Legend;
use crate::program::profile::png::overlay;

/// Smaller pictures have no room for words, pixels.
const LEAST: [u32; 2] = [320, 180];

/// Colours along the bar.
const STEPS: usize = 32;

/// A scale as a picture of its own, for pictures of one size.
pub struct LegendPicture {
    /// Its width, pixels.
    width: usize,
    /// Red, green, blue and opacity of each pixel, row by row. Colours are multiplied by the
    /// opacity.
    pixels: Vec<u8>,
}

impl LegendPicture {
    /// That of `legend`, whose bar has the colours of `stops`, for pictures of this `size`
    /// (pixels). None if they are too small.
    pub fn new(
        legend: &Legend,
        stops: &[Vec3],
        encoding: &Encoding,
        size: [u32; 2],
    ) -> Option<Self> {
        if size[0] < LEAST[0] || size[1] < LEAST[1] {
            return None;
        }
        let svg = svg(legend, stops, encoding, size);
        // A scale is no reason to have no picture.
        let (width, pixels) = overlay(&svg).ok()?;
        Some(Self { width, pixels })
    }

    /// Draws it into the lower left corner of `picture`.
    pub fn draw(&self, picture: &mut Picture) {
        let (width, rows) = (picture.size[0] as usize, picture.size[1] as usize);
        let own_rows = self.pixels.len() / (4 * self.width);
        let first = rows.saturating_sub(own_rows);
        for (at, own) in self.pixels.chunks_exact(4).enumerate() {
            let place = (first + at / self.width) * width + at % self.width;
            let behind = 255 - u16::from(own[3]);
            let pixel = &mut picture.pixels[3 * place..3 * place + 3];
            for (channel, &own) in pixel.iter_mut().zip(own) {
                *channel = own.saturating_add((u16::from(*channel) * behind / 255) as u8);
            }
        }
    }
}

/// A bar with its values at both ends, and what it is of below.
fn svg(legend: &Legend, stops: &[Vec3], encoding: &Encoding, size: [u32; 2]) -> String {
    let size = size.map(f64::from);
    let font = (size[1] / 36.0).min(size[0] / 18.0).max(9.0);
    let (width, edge) = ((size[0] / 4.0).max(16.0 * font), font);
    let (bar, height) = (width - 2.0 * edge, 4.6 * font);
    let of_step = |step: usize| {
        let share = step as f64 / STEPS as f64;
        let [r, g, b] = encoding.encode(on_scale(stops, share)).map(|it| (255.0 * it) as u8).into();
        format!("<stop offset='{share}' stop-color='#{r:02x}{g:02x}{b:02x}'/>")
    };
    let stops = (0..=STEPS).map(of_step).collect::<String>();
    let [from, to, title] = legend.words();
    let (left, middle, right) = (edge, 0.5 * width, width - edge);
    let text = |x: f64, y: f64, anchor: &str, text: &str| {
        format!(
            "<text x='{x}' y='{}' text-anchor='{anchor}' font-family='sans-serif' \
             font-size='{font}' fill='#20242a'>{text}</text>",
            y * font
        )
    };
    let words = [
        text(left, 2.9, "start", &from),
        text(right, 2.9, "end", &to),
        text(middle, 4.1, "middle", &title),
    ];
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{}' height='{}'><defs><linearGradient \
         id='scale'>{stops}</linearGradient></defs><rect width='100%' height='100%' fill='#ffffff' \
         fill-opacity='0.7'/><rect x='{left}' y='{}' width='{bar}' height='{font}' \
         fill='url(#scale)'/>{}</svg>",
        width.round(),
        height.round(),
        0.7 * font,
        words.concat()
    )
}
