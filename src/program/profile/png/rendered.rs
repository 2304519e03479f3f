//! Converts SVG to PNG with the font that is part of the program.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;

/// The picture `svg` in its own size as the bytes of a PNG file. `paint` may paint over it: it gets
/// the width (pixels) and all pixels by rows, each as red, green, blue and an opaque 255.
///
/// # Errors
/// When `svg` is no picture.
pub fn of_svg(
    svg: &str,
    paint: impl FnOnce(usize, &mut [u8]),
) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error>> {
    let mut pixels = render(svg)?;
    paint(pixels.width() as usize, pixels.data_mut());
    Ok(Some(pixels.encode_png()?))
}

/// The width of the picture `svg` (pixels), and all its pixels by rows, each as red, green, blue
/// and opacity. Colours are multiplied by the opacity.
///
/// # Errors
/// When `svg` is no picture.
pub fn overlay(svg: &str) -> Result<(usize, Vec<u8>), Box<dyn std::error::Error>> {
    let pixels = render(svg)?;
    Ok((pixels.width() as usize, pixels.take()))
}

fn render(svg: &str) -> Result<Pixmap, Box<dyn std::error::Error>> {
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
