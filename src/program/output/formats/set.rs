//! The formats of one run.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use cloth_core::error::{Error, Result};
use cloth_scene::did_you_mean;
use serde::{Deserialize, Serialize};

use crate::engine::Frame;
use crate::program::output::formats::{ALL, Format, Sink};
use crate::program::output::{FrameObjects, RunFiles};

/// The formats of a run: at least one, in the order of [`ALL`].
#[derive(Clone)]
pub struct Formats(Vec<&'static dyn Format>);

/// The time that one format took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FormatTime {
    /// The name of the format.
    pub format: String,
    /// Wall time in which its files were written, s.
    pub seconds: f64,
}

impl Formats {
    /// The formats with these `names`. `place` is the field or the argument that has them.
    ///
    /// # Errors
    /// A name that is unknown or listed twice. An empty list.
    pub fn named(names: &[String], place: &str) -> Result<Self> {
        let known = ALL.map(Format::name);
        let mut sorted = Vec::from_iter(names);
        sorted.sort();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let cause = format!("the format `{}` is listed twice", pair[0]);
            return Err(Error::input(place, cause, "list each format once"));
        }
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let cause = format!("unknown format `{name}`");
            return Err(Error::input(place, cause, did_you_mean(name, &known)));
        }
        let is_named = |format: &&dyn Format| names.iter().any(|name| name == format.name());
        let formats = Vec::from_iter(ALL.into_iter().filter(is_named));
        if formats.is_empty() {
            let remedy = format!("name at least one of {}", known.join(", "));
            return Err(Error::input(place, "the list of formats is empty", remedy));
        }
        Ok(Self(formats))
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &'static dyn Format> + '_ {
        self.0.iter().copied()
    }

    /// The first format.
    pub fn first(&self) -> &'static dyn Format {
        self.0[0]
    }

    /// The format from which `check` reads the frames: the first one that it can read. None if it
    /// can read none of them. `has_bodies` is true for a run of rigid bodies alone.
    pub fn readable(&self, has_bodies: bool) -> Option<&'static dyn Format> {
        self.all().find(|format| format.is_readable(has_bodies))
    }

    /// Whether one of them holds fields of vertices.
    pub fn hold_fields(&self) -> bool {
        self.all().any(Format::holds_fields)
    }

    /// See [`Format::check`].
    ///
    /// # Errors
    /// The first format that cannot hold the frames.
    pub fn check(&self, objects: &FrameObjects) -> Result<()> {
        self.all().try_for_each(|format| format.check(objects))
    }

    /// Adds the names of all files to the files of a run.
    pub fn add_files(&self, files: &mut RunFiles, objects: &FrameObjects) {
        self.all().for_each(|format| format.add_files(files, objects));
    }

    /// Opens `folder` for writing in all formats, as [`Format::sink`] does.
    ///
    /// # Errors
    /// The first format that cannot be opened.
    pub fn sinks(&self, folder: &Path, objects: &FrameObjects, kept: &Range<u64>) -> Result<Sinks> {
        let open = |format: &'static dyn Format| {
            Ok(OpenSink { format, sink: format.sink(folder, objects, kept)?, seconds: 0.0 })
        };
        Ok(Sinks(self.all().map(open).collect::<Result<_>>()?))
    }
}

/// Writes the frames of a run in several formats.
pub struct Sinks(Vec<OpenSink>);

struct OpenSink {
    format: &'static dyn Format,
    sink: Box<dyn Sink>,
    seconds: f64,
}

/// A file that could not be written, and why.
pub type Failed = (String, io::Error);

impl Sinks {
    /// Writes frame `number` in all formats. If one fails, the frame is removed from the others.
    ///
    /// # Errors
    /// The first failure.
    pub fn frame(&mut self, number: u64, frame: &Frame) -> std::result::Result<(), Failed> {
        for place in 0..self.0.len() {
            let OpenSink { format, sink, seconds } = &mut self.0[place];
            let start = Instant::now();
            let written = sink.frame(number, frame);
            *seconds += start.elapsed().as_secs_f64();
            if let Err(cause) = written {
                let file = format.file(number);
                self.0[..place].iter_mut().for_each(|it| it.sink.take_back(number));
                return Err((file, cause));
            }
        }
        Ok(())
    }

    /// Removes the last frame, `number`, because its record could not be written.
    pub fn take_back(&mut self, number: u64) {
        self.0.iter_mut().for_each(|it| it.sink.take_back(number));
    }

    /// Finishes the files of the run, whose last frame is `last`. No frame may follow.
    ///
    /// # Errors
    /// The first failure.
    pub fn finish(&mut self, last: u64) -> std::result::Result<(), Failed> {
        let finish =
            |it: &mut OpenSink| it.sink.finish().map_err(|cause| (it.format.file(last), cause));
        self.0.iter_mut().try_for_each(finish)
    }

    /// The time that each format took so far.
    pub fn times(&self) -> Vec<FormatTime> {
        let time =
            |it: &OpenSink| FormatTime { format: it.format.name().to_owned(), seconds: it.seconds };
        self.0.iter().map(time).collect()
    }
}
