//! Writes pictures: draws them as SVG, which [`png`] converts.

use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Result};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{DrawingArea, DrawingBackend, IntoDrawingArea, SVGBackend};
use plotters::style::WHITE;

use crate::program::output::{names, write_whole};
use crate::program::profile::png;

/// A part of a picture, in pixels.
pub(crate) type Area<B> = DrawingArea<B, Shift>;
/// The result of drawing on `B`.
pub(crate) type Drawn<B, T = ()> =
    std::result::Result<T, DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// The font of all texts. In SVG files the viewer chooses the font. In PNG files it is DejaVu Sans,
/// which is part of the program.
pub(crate) const FONT: &str = "sans-serif";

/// A picture that can be drawn on any backend.
pub(crate) trait Picture {
    /// Width and height, pixels.
    fn size(&self) -> (u32, u32);

    /// Draws it on `area`, which has that size and is white.
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B>;
}

/// Writes `picture` as `<name>.svg` into `folder`, and as `<name>.png` if the program can. Returns
/// the files.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn write(picture: &impl Picture, folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let [svg_path, png_path] = names::picture(name).map(|file| folder.join(file));
    let svg = svg(picture, &svg_path)?;
    let png = png::of_svg(&svg, |_, _| ())
        .map_err(|cause| Error::internal(svg_path.display().to_string(), cause))?;
    let mut files = vec![(svg_path, svg.into_bytes())];
    files.extend(png.map(|bytes| (png_path, bytes)));
    for (path, bytes) in &files {
        write_whole(path, |out| out.write_all(bytes)).map_err(|cause| {
            Error::file(path, cause, "free some space or choose another folder (--out)")
        })?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// The text of `picture` as the SVG file `path`.
///
/// # Errors
/// If it cannot be drawn.
pub(crate) fn svg(picture: &impl Picture, path: &Path) -> Result<String> {
    let mut text = String::new();
    draw(SVGBackend::with_string(&mut text, picture.size()), picture)
        .map_err(|cause| Error::internal(path.display().to_string(), cause.to_string()))?;
    Ok(text)
}

fn draw<B: DrawingBackend>(backend: B, picture: &impl Picture) -> Drawn<B> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    picture.draw(&area)?;
    area.present()
}
