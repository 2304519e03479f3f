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

use std::ops::Range;
use std::path::{Path, PathBuf};

use cloth_sim::engine::Frame;
use cloth_sim::error::Result;

use crate::program::output::formats::each_frame::{self, EachFrame};
use crate::program::output::formats::piece::Pieces;
use crate::program::output::formats::{Format, Sink, Source, WrittenRun};
use crate::program::output::frame_objects::FrameObjects;

/// The name of the format.
pub const NAME: &str = "vtp";

/// The format.
pub struct Vtp;

impl Format for Vtp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(&self, _: &FrameObjects) -> Result<()> {
        Ok(())
    }

    fn to_see(&self) -> &'static str {
        "open the .vtp files in ParaView, or see docs/frames.md"
    }

    fn sink(&self, folder: &Path, objects: &FrameObjects, _: &Range<u64>) -> Result<Box<dyn Sink>> {
        let (folder, ending) = (folder.to_owned(), NAME);
        if objects.bodies.is_some() {
            return Ok(Box::new(EachFrame { folder, ending, encode: bodies::write }));
        }
        let polygons = surfaces::Polygons::new(objects.surfaces.iter().map(|(_, mesh)| *mesh));
        let encode = move |frame: &Frame, out: &mut dyn std::io::Write| polygons.write(frame, out);
        Ok(Box::new(EachFrame { folder, ending, encode }))
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
