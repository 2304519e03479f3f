//! Input files: regular files of a bounded size, and nothing else. A FIFO, a socket or a device
//! could make the program wait or read for ever.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The largest text that a user writes, such as a scene, bytes.
pub const TEXT_LIMIT: u64 = 64 << 20;

/// The largest file of data, such as a mesh or a frame, bytes.
pub const DATA_LIMIT: u64 = 4 << 30;

/// Opens the regular file at `path`.
///
/// # Errors
/// When it cannot be opened, is something else, or has more than `limit` bytes.
pub fn open(path: &Path, limit: u64) -> Result<File> {
    let metadata = std::fs::metadata(path)?;
    let kind = metadata.file_type();
    let other = match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_fifo() => Some("a FIFO (a named pipe)"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("a device"),
    };
    match other {
        Some(other) => Err(Error::other(format!("this is {other}, and not a file"))),
        None if metadata.len() > limit => Err(too_large(limit)),
        None => File::open(path),
    }
}

/// Reads the regular file at `path`.
///
/// # Errors
/// As for [`open()`], when it cannot be read, and when it is UTF-16 text. All texts are UTF-8.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The file may grow while it is read, and files of the system have no size.
    open(path, limit)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match () {
        () if bytes.len() as u64 > limit => Err(too_large(limit)),
        () if is_utf16(&bytes) => {
            let cause = "the file is UTF-16 text and must be UTF-8: save it as UTF-8";
            Err(Error::new(ErrorKind::InvalidData, cause))
        }
        () => Ok(bytes),
    }
}

/// True of a text that begins with the byte order mark of UTF-16. No UTF-8 text does.
fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

/// What helps against `cause`: `otherwise`, unless the text has a wrong encoding.
pub fn remedy(cause: &Error, otherwise: &str) -> String {
    let is_encoding = cause.kind() == ErrorKind::InvalidData;
    if is_encoding { "choose UTF-8 as the encoding in the editor or exporter" } else { otherwise }
        .to_owned()
}

fn too_large(limit: u64) -> Error {
    Error::other(format!("the file is larger than {} MiB, the limit", limit >> 20))
}
