//! Pictures as files: the same drawing as SVG and as PNG.

use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{BitMapBackend, DrawingArea, DrawingBackend, IntoDrawingArea, SVGBackend};
use plotters::style::{FontStyle, WHITE, register_font};

use crate::program::profile::smooth;
use crate::program::profile::smooth::{Enlarged, FACTOR};

/// A part of a picture, in pixels.
pub(crate) type Area<B> = DrawingArea<B, Shift>;
/// What drawing on `B` comes to.
pub(crate) type Drawn<B, T = ()> =
    std::result::Result<T, DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// The font of all texts. A viewer of an SVG file takes its own one of this name;
/// in PNG files it is DejaVu Sans, which travels with the program.
pub(crate) const FONT: &str = "sans-serif";

/// What can be drawn on any backend.
pub(crate) trait Picture {
    /// Width and height, pixels.
    fn size(&self) -> (u32, u32);

    /// Draws it on `area`, which is of that size and white.
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B>;
}

/// Writes `picture` as `<stem>.svg` and `<stem>.png` into `folder`.
pub(crate) fn write(picture: &impl Picture, folder: &Path, stem: &str) -> Result<Vec<PathBuf>> {
    let [svg_path, png_path] = ["svg", "png"].map(|kind| folder.join(format!("{stem}.{kind}")));
    let font = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
    font.map_err(|_| Error::file(&png_path, "the font cannot be read", "report this as a bug"))?;
    let no_space = "free some space or choose another folder (--out)";
    for (path, bytes) in [(&svg_path, svg(picture)), (&png_path, png(picture))] {
        let bytes = bytes.map_err(|cause| Error::file(path, cause, "report this as a bug"))?;
        std::fs::write(path, bytes).map_err(|cause| Error::file(path, cause, no_space))?;
    }
    Ok(vec![svg_path, png_path])
}

type Bytes = std::result::Result<Vec<u8>, Box<dyn std::error::Error>>;

fn svg(picture: &impl Picture) -> Bytes {
    let mut text = String::new();
    on(SVGBackend::with_string(&mut text, picture.size()), picture).map_err(|e| e.to_string())?;
    Ok(text.into_bytes())
}

fn png(picture: &impl Picture) -> Bytes {
    let (width, height) = picture.size();
    let large = (width * FACTOR, height * FACTOR);
    let mut pixels = vec![255; 3 * large.0 as usize * large.1 as usize];
    let backend = Enlarged(BitMapBackend::with_buffer(&mut pixels, large));
    on(backend, picture).map_err(|e| e.to_string())?;
    let pixels = smooth::averaged(&pixels, large.0 as usize);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(bytes)
}

fn on<B: DrawingBackend>(backend: B, picture: &impl Picture) -> Drawn<B> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    picture.draw(&area)?;
    area.present()
}
