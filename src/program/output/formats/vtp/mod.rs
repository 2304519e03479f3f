//! VTK PolyData (`.vtp`): one file for each frame, with any number of bodies or vertices. ParaView,
//! VisIt and PyVista open it.
//!
//! A file is a header in XML, followed by the arrays as raw bytes (VTK's "appended" data). The
//! header of a frame follows from its time, its counts and its fields ([`layout`]). Reading builds
//! the header that this module would write and compares it with the header of the file. So a header
//! of any other form is refused.
//!
//! Rejected: the crate `vtkio` (0.7.0-rc2). It has no field data, so it cannot store the time. It
//! writes arrays as base64 text: a frame of a million bodies takes 5 s, 0.7 GB of memory and a
//! third more disk space. It panics when it reads a torn file.

mod bodies;
mod columns;
mod layout;
mod surfaces;

pub use self::columns::Column;
pub use self::layout::{ArrayHead, Cells, Layout};

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_core::error::Result;

use crate::engine::Frame;
use crate::program::output::formats::{
    EachFrame, Format, Index, Pieces, Sink, Source, WrittenRun, each_frame,
};
use crate::program::output::{FrameObjects, RunFiles, names};

/// The name of the format.
pub const NAME: &str = "vtp";

/// The file that lists the frames with their times.
const SERIES: &str = "frames.pvd";

/// The format.
pub struct Vtp;

impl Format for Vtp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_readable(&self, _: bool) -> bool {
        true
    }

    fn holds_fields(&self) -> bool {
        true
    }

    fn to_see(&self) -> &'static str {
        "open frames.pvd in ParaView, or see docs/frames.md"
    }

    fn add_files(&self, files: &mut RunFiles, _: &FrameObjects) {
        files.each_frame.push(names::all_frames(NAME));
        files.add([SERIES]);
    }

    fn sink(
        &self,
        folder: &Path,
        objects: &FrameObjects,
        kept: &Range<u64>,
    ) -> Result<Box<dyn Sink>> {
        let rate = objects.frames_per_second;
        let series = Index::new(SERIES, kept, move |frames| self::series(frames, rate));
        let index = Some(series.begin(folder)?);
        let (folder, files) = (folder.to_owned(), names::all_frames(NAME));
        if objects.bodies.is_some() {
            let encode = |_, frame: &Frame, out: &mut dyn Write| bodies::write(frame, out);
            return Ok(Box::new(EachFrame { folder, files, encode, index }));
        }
        let polygons = surfaces::Polygons::new(objects.surfaces.iter().map(|(_, mesh)| *mesh));
        let encode = move |_, frame: &Frame, out: &mut dyn Write| polygons.write(frame, out);
        Ok(Box::new(EachFrame { folder, files, encode, index }))
    }

    fn source(&self, run: &WrittenRun) -> Result<Box<dyn Source>> {
        match run.has_bodies {
            true => Ok(Box::new(BodySource {
                folder: run.folder.clone(),
                no_surfaces: Pieces::default(),
            })),
            false => Ok(Box::new(surfaces::SurfaceSource::open(run)?)),
        }
    }
}

/// Reads the frames of a run of rigid bodies.
struct BodySource {
    folder: PathBuf,
    no_surfaces: Pieces,
}

impl Source for BodySource {
    fn surfaces(&self) -> &Pieces {
        &self.no_surfaces
    }

    fn frame(&self, number: u64) -> std::result::Result<Frame, String> {
        bodies::read(&each_frame::read(&self.folder, number, NAME)?)
    }
}

/// The text of the list of `frames`, of which there are `rate` in a second.
fn series(frames: &Range<u64>, rate: f64) -> String {
    let line = |number: u64| {
        let (time_s, file) = (number as f64 / rate, names::frame(number, NAME));
        format!("<DataSet timestep=\"{time_s}\" part=\"0\" file=\"{file}\"/>\n")
    };
    let lines = frames.clone().map(line).collect::<String>();
    format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n\
         {lines}</Collection>\n</VTKFile>\n"
    )
}
