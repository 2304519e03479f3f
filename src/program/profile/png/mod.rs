//! PNG pictures. The cargo feature `png` brings them; without it pictures are SVG files only.

#[cfg(feature = "png")]
mod rendered;

#[cfg(feature = "png")]
pub(crate) use rendered::{of_svg, overlay};

use crate::program::print;

/// Why there are no PNG pictures, if there are none.
pub(crate) const MISSING: Option<&str> = if cfg!(feature = "png") {
    None
} else {
    Some("no PNG pictures, because this program was built without the feature `png`")
};

/// Says on standard error if pictures have no PNG files.
pub(crate) fn say_if_missing() {
    if let Some(cause) = MISSING {
        print::message(format_args!("note: {cause}"));
    }
}

/// No picture.
#[cfg(not(feature = "png"))]
pub(crate) fn of_svg(
    _: &str,
    _: impl FnOnce(usize, &mut [u8]),
) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error>> {
    Ok(None)
}
