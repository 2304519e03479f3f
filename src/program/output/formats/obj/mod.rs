//! Wavefront OBJ: one file for each frame, with the surfaces as objects. The object of a body is
//! `body_<id>`.

pub mod bodies;
pub mod objects;
mod read;
mod split;
pub mod text;

pub use self::text::ObjText;

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use crate::engine::Frame;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_rigid::surfaces::Surfaces;

use crate::program::output::formats::{EachFrame, Format, Sink, Source, WrittenRun};
use crate::program::output::{FrameBodies, FrameObjects, names};

pub use read::read_pieces;

/// The name of the format.
pub const NAME: &str = "obj";

/// The largest number of bodies in a frame. A frame with this number of spheres takes 40 MB.
pub const LIMIT: usize = 5000;

/// The format.
pub struct Obj;

impl Format for Obj {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(&self, objects: &FrameObjects) -> Result<()> {
        match objects.bodies {
            Some(FrameBodies { count, .. }) if count > LIMIT => {
                let cause =
                    format!("the scene has {count} bodies, and {NAME} takes {LIMIT} at most");
                Err(Error::input("output.formats", cause, "write vtp, which takes any number"))
            }
            _ => Ok(()),
        }
    }

    fn is_readable(&self, has_bodies: bool) -> bool {
        !has_bodies
    }

    fn to_see(&self) -> &'static str {
        "import the .obj files into Blender, MeshLab or ParaView"
    }

    fn sink(&self, folder: &Path, objects: &FrameObjects, _: &Range<u64>) -> Result<Box<dyn Sink>> {
        let (folder, digits) = (folder.to_owned(), objects.digits);
        let (files, index) = (names::all_frames(NAME), None);
        if let Some(bodies) = objects.bodies {
            let surfaces = Surfaces::new(bodies.solids);
            return Ok(Box::new(EachFrame {
                folder,
                files,
                index,
                encode: move |_, frame: &Frame, out: &mut dyn Write| {
                    bodies::write(frame, &surfaces, digits, out)
                },
            }));
        }
        let text = ObjText::new(&objects.surfaces, digits);
        Ok(Box::new(EachFrame {
            folder,
            files,
            index,
            encode: move |_, frame: &Frame, out: &mut dyn Write| {
                let surfaces = frame.surfaces.iter().map(Vec::as_slice);
                text.write(&Vec::<&[Vec3]>::from_iter(surfaces), out)
            },
        }))
    }

    fn source(&self, run: &WrittenRun) -> Result<Box<dyn Source>> {
        Ok(Box::new(read::ObjSource::open(run)?))
    }
}
