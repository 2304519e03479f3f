//! Formats of frame files. A new format is a file in this folder and an entry of [`ALL`].

mod nine_digits;
pub mod obj;

use std::io::{self, Write};

use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::ObjDocument;
use cloth_sim::scene::did_you_mean;
use cloth_sim::scene::spec::Digits;

/// All formats.
pub const ALL: [&dyn Format; 1] = [&obj::Obj];

/// A format of frame files.
pub trait Format: Sync {
    /// Its name in a scene's `output.format`, and the ending of its files.
    fn name(&self) -> &'static str;

    /// Prepares the part that all frames share: the names and meshes of `objects`.
    fn prepare(&self, objects: &[(&str, &ObjDocument)], digits: Digits) -> Box<dyn FrameEncoder>;
}

/// Writes the frames of a run. It knows their objects.
pub trait FrameEncoder: Send {
    /// Writes one file. `positions` has those of each object (m), in the order of the objects.
    ///
    /// # Errors
    /// The errors of `out`.
    fn write(&self, positions: &[&[Vec3]], out: &mut dyn Write) -> io::Result<()>;
}

/// The format of this name.
///
/// # Errors
/// When there is none. The message has the nearest name.
pub fn named(name: &str) -> Result<&'static dyn Format> {
    let format = ALL.into_iter().find(|format| format.name() == name);
    format.ok_or_else(|| unknown(name, &ALL.map(Format::name)))
}

/// The error that no format has this name. The message has the nearest of the names `known`.
pub fn unknown(name: &str, known: &[&str]) -> Error {
    let cause = format!("unknown format `{name}`");
    Error::input("output.format", cause, did_you_mean(name, known))
}
