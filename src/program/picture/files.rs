//! Pictures as files: PNG, and GIF if they move.

use std::io::{self, Write};

use color_quant::NeuQuant;
use gif::{AnyExtension, DisposalMethod, Encoder, Extension, Frame, Repeat};

use crate::program::picture::Picture;

/// What every file has in its first bytes. It marks a picture as one of this program.
pub const MARK: &str = "a picture of cloth-sim";

/// The mark is in the first so many bytes.
pub const MARK_WITHIN: usize = 1024;

/// Colours of a GIF file. Its last number stands for a pixel as in the picture before.
const COLOURS: usize = 255;
const AS_BEFORE: u8 = 255;

/// Bits of a channel by which colours of a GIF file are found.
const BITS: u32 = 7;

/// A pixel stays as before if no channel differs by more.
const SAME: u8 = 3;

/// Writes `picture` as a PNG file.
///
/// # Errors
/// The errors of `out`.
pub fn write_png(out: &mut dyn Write, picture: &Picture) -> io::Result<()> {
    let [width, height] = picture.size;
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.add_text_chunk("Software".to_owned(), MARK.to_owned())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.pixels)?;
    Ok(writer.finish()?)
}

/// Colours for all pictures of a GIF file.
pub struct Palette {
    network: NeuQuant,
    /// The number of the nearest colour, once it is known, for each colour of [`BITS`] bits a
    /// channel.
    nearest: Vec<Option<u8>>,
}

impl Palette {
    /// Colours that are near those of `pictures`.
    pub fn new(pictures: impl Iterator<Item = Picture>) -> Self {
        let mut counts = vec![0_u32; 1 << (3 * BITS)];
        for picture in pictures {
            picture.pixels.chunks_exact(3).for_each(|pixel| counts[place(pixel)] += 1);
        }
        // Small things count for more than their area, so that they have their own colours.
        let weight = |count: u32| f64::from(count).sqrt() as usize;
        let weighted = counts.iter().enumerate().map(|(place, &it)| (colour(place), weight(it)));
        let bytes = weighted.flat_map(|(colour, weight)| colour.repeat(weight)).collect::<Vec<_>>();
        let network = NeuQuant::new(1, COLOURS, &bytes);
        Self { network, nearest: vec![None; 1 << (3 * BITS)] }
    }

    /// Red, green and blue of all colours.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.network.color_map_rgb();
        bytes.resize(3 * 256, 0);
        bytes
    }

    /// The numbers of the colours of all pixels.
    fn numbers(&mut self, picture: &Picture) -> Vec<u8> {
        let Self { network, nearest } = self;
        let number = |pixel: &[u8]| {
            let place = place(pixel);
            *nearest[place].get_or_insert_with(|| network.index_of(&colour(place)) as u8)
        };
        picture.pixels.chunks_exact(3).map(number).collect()
    }
}

/// The place of a colour among all of [`BITS`] bits a channel.
fn place(pixel: &[u8]) -> usize {
    pixel.iter().fold(0, |sum, &it| sum << BITS | usize::from(it >> (8 - BITS)))
}

/// The middle of all colours at a place: red, green, blue, and opaque.
fn colour(place: usize) -> [u8; 4] {
    let channel = |shift: u32| {
        let bits = place >> shift & ((1 << BITS) - 1);
        (bits << (8 - BITS) | 1 << (7 - BITS)) as u8
    };
    [channel(2 * BITS), channel(BITS), channel(0), 255]
}

/// A GIF file that is written picture by picture. It plays again and again.
pub struct GifFile<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    /// Red, green and blue of its colours.
    colours: Vec<u8>,
    size: [u16; 2],
    /// The picture that is seen.
    before: Vec<u8>,
}

impl<W: Write> GifFile<W> {
    /// Begins a file of pictures with this `size` (pixels).
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn begin(out: W, size: [u32; 2], palette: Palette) -> io::Result<Self> {
        let size = size.map(|it| it as u16);
        let colours = palette.bytes();
        let mut encoder = Encoder::new(out, size[0], size[1], &colours).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        let comment = AnyExtension::from(Extension::Comment);
        encoder.write_raw_extension(comment, &[MARK.as_bytes()]).map_err(failed)?;
        Ok(Self { encoder, palette, colours, size, before: Vec::new() })
    }

    /// Adds a picture that is seen for a time in 1/100 s.
    ///
    /// # Errors
    /// The errors of the file.
    pub fn add(&mut self, picture: &Picture, delay_cs: u16) -> io::Result<()> {
        let mut now = self.palette.numbers(picture);
        for (now, &before) in now.iter_mut().zip(&self.before) {
            let [new, old] = [*now, before].map(|it| &self.colours[3 * usize::from(it)..][..3]);
            if new.iter().zip(old).all(|(a, b)| a.abs_diff(*b) <= SAME) {
                *now = before;
            }
        }
        let part = Part::changed(&self.before, &now, self.size);
        let own = |(place, &it): (usize, &u8)| match self.before.get(place) == Some(&it) {
            true => AS_BEFORE,
            false => it,
        };
        let changed = Vec::from_iter(now.iter().enumerate().map(own));
        let mut buffer = Vec::with_capacity(usize::from(part.width) * usize::from(part.height));
        for row in part.top..part.top + part.height {
            let first = usize::from(row) * usize::from(self.size[0]) + usize::from(part.left);
            buffer.extend_from_slice(&changed[first..first + usize::from(part.width)]);
        }
        let Part { left, top, width, height } = part;
        let (transparent, dispose) = (Some(AS_BEFORE), DisposalMethod::Keep);
        let frame = Frame {
            delay: delay_cs,
            dispose,
            transparent,
            left,
            top,
            width,
            height,
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.before = now;
        self.encoder.write_frame(&frame).map_err(failed)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The errors of the file.
    pub fn end(self) -> io::Result<()> {
        self.encoder.into_inner().map_err(failed)?.flush()
    }
}

/// A part of a picture, pixels.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    left: u16,
    top: u16,
    width: u16,
    height: u16,
}

impl Part {
    /// The smallest part with all pixels that are not as before, of pictures with this `size`. The
    /// first picture has changed everywhere.
    fn changed(before: &[u8], now: &[u8], size: [u16; 2]) -> Self {
        let [width, height] = size;
        let places = (0..now.len()).filter(|&it| before.get(it) != Some(&now[it]));
        let (mut low, mut high) = ([width - 1, height - 1], [0, 0]);
        for place in places {
            let at = [place % usize::from(width), place / usize::from(width)].map(|it| it as u16);
            low = [low[0].min(at[0]), low[1].min(at[1])];
            high = [high[0].max(at[0]), high[1].max(at[1])];
        }
        // A picture without a change has one pixel, so that its time is kept.
        let length = |axis: usize| high[axis].saturating_sub(low[axis]) + 1;
        Self { left: low[0], top: low[1], width: length(0), height: length(1) }
    }
}

fn failed(cause: gif::EncodingError) -> io::Error {
    match cause {
        gif::EncodingError::Io(cause) => cause,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_colours_have_their_own() {
        let mut pixels = [200, 210, 220].repeat(9990);
        pixels.extend([180, 20, 90].repeat(10));
        let picture = Picture { size: [100, 100], pixels };
        let mut palette = Palette::new(std::iter::once(picture.clone()));
        let (numbers, bytes) = (palette.numbers(&picture), palette.bytes());
        for (at, expected) in [(0, [200, 210, 220]), (9999, [180, 20, 90])] {
            let found = &bytes[3 * usize::from(numbers[at])..][..3];
            let is_near = found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 4);
            assert!(is_near, "{found:?} instead of {expected:?}");
        }
    }

    #[test]
    fn a_part_holds_what_has_changed() {
        let mut now = vec![0; 12];
        let all = Part { left: 0, top: 0, width: 4, height: 3 };
        assert_eq!(Part::changed(&[], &now, [4, 3]), all);
        let before = now.clone();
        assert_eq!(Part::changed(&before, &now, [4, 3]).width, 1);
        now[5] = 1;
        now[11] = 1;
        let part = Part { left: 1, top: 1, width: 3, height: 2 };
        assert_eq!(Part::changed(&before, &now, [4, 3]), part);
    }
}
