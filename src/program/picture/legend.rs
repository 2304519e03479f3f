//! The scale of colours in a corner of a picture.

use cloth_core::math::Vec3;

use crate::program::picture::colours::on_scale;
use crate::program::picture::{Encoding, Legend, Picture, font};

/// Smaller pictures have no room for words, pixels.
const LEAST: [u32; 2] = [320, 180];

/// White of the opacity 0.7: each channel, multiplied by it, and itself.
const BEHIND: u8 = 178;
/// The colour of words.
const INK: [u8; 3] = [0x20, 0x24, 0x2a];

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
        let [from, to, title] = legend.words();
        // The height of a line is 10 of these.
        let dot = (size[1] / 360).min(size[0] / 180).max(1) as usize;
        let (edge, line) = (10 * dot, 10 * dot);
        let width = (size[0] as usize / 4).max(font::width(&title, dot) + 2 * edge);
        let bar = width - 2 * edge;
        let mut legend = Self { width, pixels: vec![BEHIND; 4 * width * 46 * dot] };
        for column in 0..bar {
            let share = column as f64 / (bar - 1) as f64;
            let colour = encoding.encode(on_scale(stops, share)).map(|it| (255.0 * it) as u8);
            (7 * dot..17 * dot).for_each(|row| legend.set(edge + column, row, colour.into()));
        }
        let (right, middle) =
            (width - edge - font::width(&to, dot), width - font::width(&title, dot));
        for (text, left, top) in [(from, edge, 2), (to, right, 2), (title, middle / 2, 3)] {
            let top = top * line + if top == 3 { 3 * dot } else { dot };
            font::draw(&text, dot, |column, row| legend.set(left + column, top + row, INK));
        }
        Some(legend)
    }

    /// Makes a pixel opaque.
    fn set(&mut self, column: usize, row: usize, [red, green, blue]: [u8; 3]) {
        let place = 4 * (row * self.width + column);
        if let Some(pixel) = self.pixels.get_mut(place..place + 4) {
            pixel.copy_from_slice(&[red, green, blue, 255]);
        }
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
