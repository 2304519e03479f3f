//! Writes pictures: draws them as SVG, and converts that to PNG.

use std::path::{Path, PathBuf};

use cloth_sim::error::{Error, Result};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{DrawingArea, DrawingBackend, IntoDrawingArea, SVGBackend};
use plotters::style::WHITE;
use resvg::tiny_skia::{Pixmap, PixmapPaint, Transform};
use resvg::usvg;

use crate::program::output::{names, write_whole};

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

/// Writes `picture` as `<name>.svg` and `<name>.png` into `folder`. Returns the two files.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn write(picture: &impl Picture, folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let [svg_path, png_path] = names::picture(name).map(|file| folder.join(file));
    let no_space = "free some space or choose another folder (--out)";
    let bug = |cause| Error::internal(svg_path.display().to_string(), cause);
    let svg = svg(picture).map_err(bug)?;
    let png = pixels(&svg).and_then(|pixels| Ok(pixels.encode_png()?)).map_err(bug)?;
    for (path, bytes) in [(&svg_path, svg.as_bytes()), (&png_path, &png)] {
        write_whole(path, |out| out.write_all(bytes))
            .map_err(|cause| Error::file(path, cause, no_space))?;
    }
    Ok(vec![svg_path, png_path])
}

/// A drawn part of a picture, and the place of its upper left corner, pixels.
pub(crate) struct Inset {
    pub(crate) pixels: Pixmap,
    pub(crate) place: (i32, i32),
}

/// Writes `picture` with `insets` on it as the PNG file `path`. Insets are for what would be too
/// much for an SVG file.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_png(picture: &impl Picture, insets: &[Inset], path: &Path) -> Result<()> {
    let bug = |cause| Error::internal(path.display().to_string(), cause);
    let mut drawn = svg(picture).and_then(|svg| pixels(&svg)).map_err(bug)?;
    for Inset { pixels, place: (x, y) } in insets {
        let paint = PixmapPaint::default();
        drawn.draw_pixmap(*x, *y, pixels.as_ref(), &paint, Transform::identity(), None);
    }
    let png = drawn.encode_png().map_err(|cause| bug(cause.into()))?;
    write_whole(path, |out| out.write_all(&png))
        .map_err(|cause| Error::file(path, cause, "free some space or choose another --out"))
}

type Made<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn svg(picture: &impl Picture) -> Made<String> {
    let mut text = String::new();
    draw(SVGBackend::with_string(&mut text, picture.size()), picture).map_err(|e| e.to_string())?;
    Ok(text)
}

fn draw<B: DrawingBackend>(backend: B, picture: &impl Picture) -> Drawn<B> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    picture.draw(&area)?;
    area.present()
}

/// Renders the picture `svg` in its own size.
fn pixels(svg: &str) -> Made<Pixmap> {
    let mut options = usvg::Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = usvg::Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("the picture is empty")?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    Ok(pixels)
}
