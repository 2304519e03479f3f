//! Places of bodies from files.

use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::input;
use crate::math::Vec3;
use crate::mesh::obj_read;
use crate::rigid::generate::Start;

const PATH: &str = "check the path; it is relative to the scene file's folder";
const COLUMNS: &str = "begin with the line `x,y,z`, or with more of `x,y,z,size,vx,vy,vz`; then write \
                       finite numbers, and sizes above zero";

/// A line of a CSV file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    x: f64,
    y: f64,
    z: f64,
    size: Option<f64>,
    vx: Option<f64>,
    vy: Option<f64>,
    vz: Option<f64>,
}

/// The bodies of a CSV file with the columns `x`, `y`, `z` (m) and, if wanted, `size` (a factor)
/// and `vx`, `vy`, `vz` (m/s); or the vertices of an OBJ file. `reach` (m) is the radius of the
/// ball that holds a body of factor 1.
///
/// # Errors
/// A file that cannot be read, or a line of it, by its number.
pub(super) fn starts(path: &Path, reach: f64) -> Result<Vec<Start>> {
    let is_obj = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
    if is_obj {
        let (document, _) = obj_read::read(path)?;
        let start = |&position: &Vec3| Start { position, size: None, velocity: None };
        return Ok(document.positions.iter().map(start).collect());
    }
    let mut bytes =
        input::read(path, input::DATA_LIMIT).map_err(|cause| Error::file(path, cause, PATH))?;
    // Then the reader stands behind the line that it has read.
    bytes.push(b'\n');
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&bytes[..]);
    let (mut rows, mut starts) = (reader.deserialize::<Row>(), Vec::new());
    while let Some(row) = rows.next() {
        // Empty lines are no rows.
        let line = rows.reader().position().line() - 1;
        let wrong =
            |cause: String| Error::input(format!("{}:{line}", path.display()), cause, COLUMNS);
        let row = row.map_err(|cause| wrong(without_place(&cause)))?;
        starts.push(row.start(reach).map_err(wrong)?);
    }
    Ok(starts)
}

/// What is wrong with a row. The error itself would name the line again.
fn without_place(cause: &csv::Error) -> String {
    match cause.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} values instead of {expected_len}")
        }
        _ => cause.to_string(),
    }
}

impl Row {
    fn start(&self, reach: f64) -> std::result::Result<Start, String> {
        let position = Vec3::new(self.x, self.y, self.z);
        let velocity = match (self.vx, self.vy, self.vz) {
            (Some(x), Some(y), Some(z)) => Some(Vec3::new(x, y, z)),
            (None, None, None) => None,
            _ => return Err("vx, vy and vz are not all there".to_owned()),
        };
        let numbers = position.iter().chain(velocity.iter().flat_map(Vec3::iter)).chain(&self.size);
        if let Some(bad) = numbers.into_iter().find(|number| !number.is_finite()) {
            return Err(format!("{bad} is no finite number"));
        }
        if let Some(size) = self.size.filter(|&size| size <= 0.0) {
            return Err(format!("size {size} is not positive"));
        }
        Ok(Start { position, size: self.size.map(|factor| factor * reach), velocity })
    }
}
