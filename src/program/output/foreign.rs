//! Files that another program wrote are not replaced.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Whether a file is there that does not have `mark` in its first `within` bytes.
pub fn is_of_another(path: &Path, mark: &str, within: usize) -> bool {
    let mut begin = Vec::new();
    match File::open(path) {
        Ok(file) => {
            let read = file.take(within as u64).read_to_end(&mut begin);
            let is_own = begin.windows(mark.len()).any(|it| it == mark.as_bytes());
            read.is_err() || !is_own
        }
        Err(cause) => cause.kind() != ErrorKind::NotFound,
    }
}
