//! Wavefront OBJ: one file for each frame, with the surfaces as objects. The object of a body is
//! `body_<id>`.

mod read;
pub mod text;

pub use self::text::ObjText;

pub use read::read_pieces;

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_rigid::surfaces::Surfaces;
use cloth_scene::spec::Digits;

use crate::engine::Frame;
use crate::program::output::formats::{EachFrame, Format, Sink, Source, WrittenRun};
use crate::program::output::{FrameBodies, FrameObjects, Object, names, not_written, write_whole};

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
                    write_bodies(frame, &surfaces, digits, out)
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

/// Writes the bodies of `frame` as one file. Half-spaces are left out, because they are infinite.
///
/// # Errors
/// The errors of `out`.
fn write_bodies(
    frame: &Frame,
    surfaces: &Surfaces,
    digits: Digits,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shapes = frame.bodies.iter().filter_map(|row| Some((row, row.shape()?)));
    let objects = shapes.map(|(row, shape)| Object {
        name: format!("body_{}", row.id),
        document: Cow::Borrowed(surfaces.document(&shape)),
        positions: surfaces.positions(&shape, &row.state()),
    });
    write_objects(&Vec::from_iter(objects), digits, out)
}

/// Writes `objects` into the file at `path`. Without objects, it writes no file.
///
/// # Errors
/// When the file cannot be written.
pub fn write_file(path: &Path, objects: &[Object], digits: Digits) -> Result<()> {
    if objects.is_empty() {
        return Ok(());
    }
    write_whole(path, |out| write_objects(objects, digits, out))
        .map_err(|cause| not_written(path, cause))
}

/// Writes `objects` as one OBJ file to `out`.
///
/// # Errors
/// The errors of `out`.
pub fn write_objects(objects: &[Object], digits: Digits, out: &mut dyn Write) -> io::Result<()> {
    let documents = objects.iter().map(|it| (it.name.as_str(), &*it.document));
    let text = ObjText::new(&Vec::from_iter(documents), digits);
    let positions = objects.iter().map(|it| it.positions.as_slice());
    text.write(&Vec::from_iter(positions), out)
}

#[cfg(test)]
mod tests {
    use cloth_core::mesh::obj_read;
    use cloth_rigid::FrameBody;
    use cloth_rigid::solid::Solids;

    use super::*;

    #[test]
    fn each_body_is_an_object_of_its_own() {
        let row = |id, shape, x: f64| FrameBody {
            id,
            shape,
            size: [0.5, 0.25, 0.0],
            position: [x, 0.0, 0.0],
            rotation: [0.0, 0.0, 0.0, 1.0],
            ..FrameBody::default()
        };
        let rows = vec![row(2, 0, -3.0), row(7, 2, 3.0), row(9, 4, 0.0)];
        let frame = Frame { bodies: rows, ..Frame::default() };
        let (mut file, surfaces) = (Vec::new(), Surfaces::new(&Solids::default()));
        write_bodies(&frame, &surfaces, Digits::Nine, &mut file).unwrap();
        let (document, _) = obj_read::parse(&file, "frame").unwrap();
        let names: Vec<_> = document.groups.iter().filter_map(|it| it.object.clone()).collect();
        assert_eq!(names, ["body_2", "body_7"]);
        let sides = document.positions.iter().map(|x| x.x);
        assert!((sides.clone().fold(f64::INFINITY, f64::min) + 3.5).abs() < 0.02);
        assert!((sides.fold(0.0, f64::max) - 3.25).abs() < 0.01);
    }
}
