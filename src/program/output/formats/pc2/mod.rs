//! PC2, a cache of points: one file for each object and the whole run, with positions in single
//! precision. Blender's modifier "Mesh Cache" and other programs read it.
//!
//! The faces of an object are in an OBJ file with the same order of vertices. Each cloth and each
//! moving obstacle is an object. Rigid bodies among cloth are one object together.

mod object;
mod sink;
mod source;

pub use self::object::CachedObject;
pub use self::sink::{ObjectSink, Pc2Sink};
pub use self::source::Pc2Source;

use std::ops::Range;
use std::path::Path;
use std::{fs, io};

use cloth_core::error::{Error, Result};
use cloth_core::input;

use self::object::objects_of;
use self::source::{first, read_head};
use crate::program::output::formats::obj::ObjText;
use crate::program::output::formats::{Format, Sink, Source, WrittenRun};
use crate::program::output::{FrameObjects, RunFiles, not_written, write_whole};

/// The name of the format.
pub const NAME: &str = "pc2";

/// What to do about a file that is damaged.
const REPEAT: &str = "repeat the run";

/// The format.
pub struct Pc2;

impl Format for Pc2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(&self, objects: &FrameObjects) -> Result<()> {
        if objects.bodies.is_none() {
            return Ok(());
        }
        let cause = format!("{NAME} holds vertices of surfaces, and this scene has rigid bodies");
        Err(Error::input("output.formats", cause, "write vtp, usd or obj"))
    }

    fn file(&self, _: u64) -> String {
        object::points("*")
    }

    fn frame_name(&self, number: u64) -> String {
        format!("frame {number} of {}", object::points("*"))
    }

    fn to_see(&self) -> &'static str {
        "import frames_*.obj into Blender, with frames_*.pc2 as mesh caches, see docs/frames.md"
    }

    fn add_files(&self, files: &mut RunFiles, objects: &FrameObjects) {
        let all = objects_of(objects).into_iter();
        files.add(all.flat_map(|it| [object::faces(&it.name), object::points(&it.name)]));
    }

    fn is_readable(&self, has_bodies: bool) -> bool {
        !has_bodies
    }

    fn last_frame(&self, folder: &Path) -> io::Result<Option<u64>> {
        let mut last = None;
        for entry in fs::read_dir(folder)?.flatten() {
            if object::is_points(&entry.file_name().to_string_lossy()) {
                let own = last_of(&entry.path())?;
                last = last.map_or(Some(own), |last: Option<u64>| Some(last.min(own)));
            }
        }
        Ok(last.flatten())
    }

    fn sink(
        &self,
        folder: &Path,
        objects: &FrameObjects,
        kept: &Range<u64>,
    ) -> Result<Box<dyn Sink>> {
        let sink = |object: &CachedObject| match kept.is_empty() {
            true => begin(folder, objects, object),
            false => {
                let path = folder.join(object::points(&object.name));
                ObjectSink::go_on(&path, object, kept)
                    .map_err(|cause| Error::file(&path, cause, REPEAT))
            }
        };
        let sinks = objects_of(objects).iter().map(sink).collect::<Result<_>>()?;
        Ok(Box::new(Pc2Sink(sinks)))
    }

    fn source(&self, run: &WrittenRun) -> Result<Box<dyn Source>> {
        Ok(Box::new(Pc2Source::open(run)?))
    }
}

/// Writes the faces of an object, and begins the file of its points.
fn begin(folder: &Path, objects: &FrameObjects, object: &CachedObject) -> Result<ObjectSink> {
    let surfaces = &objects.surfaces[object.surfaces.clone()];
    let positions = surfaces.iter().map(|(_, mesh)| mesh.positions.as_slice());
    let (text, positions) = (ObjText::new(surfaces, objects.digits), Vec::from_iter(positions));
    let faces = folder.join(object::faces(&object.name));
    write_whole(&faces, |out| text.write(&positions, out))
        .map_err(|cause| not_written(&faces, cause))?;
    let path = folder.join(object::points(&object.name));
    ObjectSink::begin(&path, object).map_err(|cause| not_written(&path, cause))
}

/// The number of the last frame in the file at `path`. None without frames.
fn last_of(path: &Path) -> io::Result<Option<u64>> {
    let file = input::open(path, u64::MAX)?;
    let head = read_head(&file)?;
    let samples = u64::from(head.samples).min(head.samples_in(file.metadata()?.len()));
    Ok((samples > 0).then(|| first(&head) + samples - 1))
}
