//! The scale of colours in a corner of a picture, with its letters of dots.

use cloth_core::math::Vec3;

use crate::program::picture::colours::on_scale;
use crate::program::picture::{Encoding, Legend, Picture};

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
    /// The picture of `legend`, whose bar has the colours of `stops`, for pictures of this `size`
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
        let width = (size[0] as usize / 4).max(text_width(&title, dot) + 2 * edge);
        let bar = width - 2 * edge;
        let mut legend = Self { width, pixels: vec![BEHIND; 4 * width * 46 * dot] };
        for column in 0..bar {
            let share = column as f64 / (bar - 1) as f64;
            let colour = encoding.encode(on_scale(stops, share)).map(|it| (255.0 * it) as u8);
            (7 * dot..17 * dot).for_each(|row| legend.set(edge + column, row, colour.into()));
        }
        let (right, middle) =
            (width - edge - text_width(&to, dot), width - text_width(&title, dot));
        for (text, left, top) in [(from, edge, 2), (to, right, 2), (title, middle / 2, 3)] {
            let top = top * line + if top == 3 { 3 * dot } else { dot };
            draw_text(&text, dot, |column, row| legend.set(left + column, top + row, INK));
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

/// Columns of a letter, with the gap to the next one, dots.
const ADVANCE: usize = 6;

/// The letters that there are.
const LETTERS: &str = "0123456789-+.,/%JNPabcdefghijklmnopqrstuvwxyz";

/// Columns of dots of a letter.
const WIDTH: usize = 5;

/// Each letter by its columns from left to right. The lowest bit is the top row; the highest one is
/// below the line.
const COLUMNS: [u8; WIDTH * LETTERS.len()] = [
    0x3E, 0x51, 0x49, 0x45, 0x3E, 0x00, 0x42, 0x7F, 0x40, 0x00, 0x62, 0x51, 0x49, 0x49, 0x46, 0x21,
    0x41, 0x45, 0x4B, 0x31, 0x18, 0x14, 0x12, 0x7F, 0x10, 0x27, 0x45, 0x45, 0x45, 0x39, 0x3C, 0x4A,
    0x49, 0x49, 0x30, 0x01, 0x71, 0x09, 0x05, 0x03, 0x36, 0x49, 0x49, 0x49, 0x36, 0x06, 0x49, 0x49,
    0x29, 0x1E, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x3E, 0x08, 0x08, 0x00, 0x60, 0x60, 0x00,
    0x00, 0x00, 0x50, 0x30, 0x00, 0x00, 0x20, 0x10, 0x08, 0x04, 0x02, 0x23, 0x13, 0x08, 0x64, 0x62,
    0x20, 0x40, 0x41, 0x3F, 0x01, 0x7F, 0x04, 0x08, 0x10, 0x7F, 0x7F, 0x09, 0x09, 0x09, 0x06, 0x20,
    0x54, 0x54, 0x54, 0x78, 0x7F, 0x48, 0x44, 0x44, 0x38, 0x38, 0x44, 0x44, 0x44, 0x20, 0x38, 0x44,
    0x44, 0x48, 0x7F, 0x38, 0x54, 0x54, 0x54, 0x18, 0x08, 0x7E, 0x09, 0x01, 0x02, 0x18, 0xA4, 0xA4,
    0xA4, 0x7C, 0x7F, 0x08, 0x04, 0x04, 0x78, 0x00, 0x44, 0x7D, 0x40, 0x00, 0x40, 0x80, 0x84, 0x7D,
    0x00, 0x7F, 0x10, 0x28, 0x44, 0x00, 0x00, 0x41, 0x7F, 0x40, 0x00, 0x7C, 0x04, 0x18, 0x04, 0x78,
    0x7C, 0x08, 0x04, 0x04, 0x78, 0x38, 0x44, 0x44, 0x44, 0x38, 0xFC, 0x24, 0x24, 0x24, 0x18, 0x18,
    0x24, 0x24, 0x18, 0xFC, 0x7C, 0x08, 0x04, 0x04, 0x08, 0x48, 0x54, 0x54, 0x54, 0x20, 0x04, 0x3F,
    0x44, 0x40, 0x20, 0x3C, 0x40, 0x40, 0x20, 0x7C, 0x1C, 0x20, 0x40, 0x20, 0x1C, 0x3C, 0x40, 0x30,
    0x40, 0x3C, 0x44, 0x28, 0x10, 0x28, 0x44, 0x1C, 0xA0, 0xA0, 0xA0, 0x7C, 0x44, 0x64, 0x54, 0x4C,
    0x44,
];

/// The width of `text` with dots of this size, pixels.
fn text_width(text: &str, dot: usize) -> usize {
    text.chars().count() * ADVANCE * dot
}

/// Whether the letters cover `text`.
#[cfg(test)]
pub(super) fn has_letters(text: &str) -> bool {
    text.chars().all(|letter| letter == ' ' || LETTERS.contains(letter))
}

/// Calls `each` with the column and row of every pixel of `text`. A letter that the font lacks is
/// left blank.
fn draw_text(text: &str, dot: usize, mut each: impl FnMut(usize, usize)) {
    for (place, letter) in text.chars().enumerate() {
        let Some(number) = LETTERS.find(letter) else { continue };
        let columns = &COLUMNS[WIDTH * number..][..WIDTH];
        for (column, bits) in columns.iter().enumerate() {
            for row in (0..8).filter(|row| bits >> row & 1 == 1) {
                let (left, top) = ((place * ADVANCE + column) * dot, row * dot);
                (0..dot * dot).for_each(|at| each(left + at % dot, top + at / dot));
            }
        }
    }
}
