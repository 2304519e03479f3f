//! Writes an OBJ file once, from objects that have their positions.

use std::io::{self, Write};
use std::path::Path;

use cloth_core::error::Result;
use cloth_scene::spec::Digits;

use crate::program::output::formats::obj::ObjText;
use crate::program::output::{Object, not_written, write_whole};

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
