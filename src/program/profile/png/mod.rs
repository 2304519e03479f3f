//! PNG pictures.

mod rendered;

pub use rendered::{of_svg, overlay};
