//! Pictures of a run without a display: PNG files, and GIF files that move.
//!
//! A picture shows what the page of `view` shows first: the same frames, colours, lights and
//! ground. `page/` beside `src/` has the originals of them.
//!
//! | module | |
//! |---|---|
//! | [`arguments`] | the command line |
//! | [`sequence`] | which pictures there are: frames, directions, times |
//! | [`shown`] | the frames of a run that are drawn, and the box around them |
//! | [`modes`], [`colours`] | what colours mean; palettes and scales |
//! | [`legend`] | the scale in a corner of a picture, and its letters |
//! | [`model`], [`parts`], [`creases`] | the triangles of a frame; its objects; normals at edges |
//! | [`joints`] | points and lines where joints are |
//! | [`camera`], [`lights`], [`ground`] | how they are seen |
//! | [`draw`], [`raster`] | a picture, by a depth buffer; which pixels a triangle covers |
//! | [`files`] | PNG and GIF files |

pub mod arguments;
mod camera;
mod colours;
mod creases;
mod draw;
pub mod files;
mod ground;
mod joints;
mod legend;
mod lights;
mod model;
mod modes;
mod parts;
mod raster;
pub mod sequence;
pub mod shown;

pub use self::arguments::{Joints, PictureArguments};
pub use self::camera::{Axes, Camera};
pub use self::colours::Encoding;
pub use self::creases::ShadedSurface;
pub use self::draw::{Painter, Picture};
pub use self::files::{GifFile, Palette};
pub use self::ground::Ground;
pub use self::joints::Pose;
pub use self::legend::LegendPicture;
pub use self::lights::Lights;
pub use self::model::{Look, Model, Triangle, Vertex};
pub use self::modes::{ColourBy, Colouring, Legend};
pub use self::parts::{Object, Parts};
pub use self::sequence::{Sequence, Shot};
pub use self::shown::{OpenRun, ShownScene};
