//! The bytes of a CSV file, ready for its reader, and its errors.

use std::path::Path;

use cloth_core::error::{Error, Place, Result};
use cloth_core::input;

const PATH: &str = "check the path; it is relative to the scene file's folder";

/// The bytes of a file. All lines end with `\n`, also the last one: then the position of the
/// reader is always behind the line that it has read.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = input::read(path, input::DATA_LIMIT).map_err(|cause| {
        let remedy = input::remedy(&cause, PATH);
        Error::file(path, cause, remedy)
    })?;
    unify_ends_of_lines(&mut bytes);
    bytes.push(b'\n');
    Ok(bytes)
}

/// The error of a line that is no row. The line is named once.
pub(crate) fn unreadable(cause: &csv::Error, line: &str, remedy: &str) -> Error {
    let cause = match cause.kind() {
        csv::ErrorKind::Utf8 { err, .. } => err.to_string(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} values instead of {expected_len}")
        }
        _ => cause.to_string(),
    };
    Error::input(Place::line(line), cause, remedy)
}

/// Makes all ends of lines `\n`: the reader stops between the two bytes of Windows.
fn unify_ends_of_lines(bytes: &mut Vec<u8>) {
    for i in 0..bytes.len() {
        if bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
            bytes[i] = b'\n';
        }
    }
    bytes.retain(|&byte| byte != b'\r');
}
