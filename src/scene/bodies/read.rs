//! Places of bodies from files.

use std::path::Path;

use serde::Deserialize;

use crate::bounds::{LENGTH, SPEED, within};
use crate::error::{Error, Place, Result};
use crate::input;
use crate::math::Vec3;
use crate::mesh::obj_read;
use crate::rigid::generate::Start;

const PATH: &str = "check the path; it is relative to the scene file's folder";
const REMEDY: &str = "begin with the line `x,y,z`, or with more of `x,y,z,size,vx,vy,vz`; then write \
                      finite numbers, and sizes above zero";

/// The columns of a CSV file. The first three must be there.
const COLUMNS: [&str; 7] = ["x", "y", "z", "size", "vx", "vy", "vz"];

/// A line of a CSV file.
#[derive(Deserialize)]
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
    let mut bytes = input::read(path, input::DATA_LIMIT).map_err(|cause| {
        let remedy = input::remedy(&cause, PATH);
        Error::file(path, cause, remedy)
    })?;
    unify_ends_of_lines(&mut bytes);
    // Then the reader stands behind the line that it has read.
    bytes.push(b'\n');
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&bytes[..]);
    let wrong = |line: u64, cause: String| {
        Error::input(Place::Line(format!("{}:{line}", path.display())), cause, REMEDY)
    };
    let columns = reader.headers().cloned().unwrap_or_default();
    check_columns(&columns).map_err(|cause| wrong(1, cause))?;
    let (mut rows, mut starts) = (reader.deserialize::<Row>(), Vec::new());
    while let Some(row) = rows.next() {
        let row =
            row.map_err(|cause| without_place(&cause, &columns)).and_then(|row| row.start(reach));
        // Empty lines are no rows.
        starts.push(row.map_err(|cause| wrong(rows.reader().position().line() - 1, cause))?);
    }
    Ok(starts)
}

/// Fails unless a file has the columns of bodies.
fn check_columns(columns: &csv::StringRecord) -> std::result::Result<(), String> {
    let count = |name: &str| columns.iter().filter(|&column| column == name).count();
    if COLUMNS[..3].iter().any(|name| count(name) == 0) {
        return Err("this is no CSV file with the columns x, y and z".to_owned());
    }
    match columns.iter().find(|name| !COLUMNS.contains(name) || count(name) > 1) {
        Some(name) if count(name) > 1 => Err(format!("the column `{name}` occurs twice")),
        Some(name) => Err(format!("the column `{name}` is unknown")),
        None => Ok(()),
    }
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

/// What is wrong with a row. The error itself would name the line again.
fn without_place(cause: &csv::Error, columns: &csv::StringRecord) -> String {
    match cause.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().and_then(|field| columns.get(field as usize));
            column.map_or_else(|| err.kind().to_string(), |name| format!("{name}: {}", err.kind()))
        }
        csv::ErrorKind::Utf8 { err, .. } => err.to_string(),
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
            _ => return Err("some of the values vx, vy and vz are missing".to_owned()),
        };
        let numbers = position.iter().chain(velocity.iter().flat_map(Vec3::iter)).chain(&self.size);
        if let Some(bad) = numbers.into_iter().find(|number| !number.is_finite()) {
            return Err(format!("{bad} is no finite number"));
        }
        let speed = velocity.map_or(0.0, |velocity| velocity.amax());
        for (what, value, bound) in
            [("position", position.amax(), LENGTH), ("velocity", speed, SPEED)]
        {
            within(what, value, bound).map_err(|error| match error {
                Error::Input { cause, .. } => format!("{what}: {cause}"),
                other => other.to_string(),
            })?;
        }
        if let Some(size) = self.size.filter(|&size| size <= 0.0) {
            return Err(format!("size {size} is not positive"));
        }
        Ok(Start { position, size: self.size.map(|factor| factor * reach), velocity })
    }
}
