//! Joints from a CSV file.

use std::path::Path;

use serde::Deserialize;

use crate::bodies::csv_bytes::{self, unreadable};
use cloth_core::bounds::{LENGTH, direction, within};
use cloth_core::error::{Error, Place, Result};

const REMEDY: &str = "begin with the line `first,second`, or with more of \
                      `first,second,x,y,z,ax,ay,az`; bodies are `name`, `name[3]`, `#17` or `space`";

const COLUMNS: [&str; 8] = ["first", "second", "x", "y", "z", "ax", "ay", "az"];

/// A line of a CSV file of joints.
#[derive(Debug, Deserialize)]
struct JointRow {
    first: String,
    second: String,
    x: Option<f64>,
    y: Option<f64>,
    z: Option<f64>,
    ax: Option<f64>,
    ay: Option<f64>,
    az: Option<f64>,
}

/// A joint of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListedJoint {
    /// Its line, for messages.
    pub line: String,
    /// Both bodies.
    pub bodies: [String; 2],
    /// Where it is, m.
    pub at_m: Option<[f64; 3]>,
    /// Its axis.
    pub axis: Option<[f64; 3]>,
}

/// The joints of a CSV file with the columns `first`, `second` and, if wanted, `x`, `y`, `z` (m)
/// and `ax`, `ay`, `az` (the axis).
///
/// # Errors
/// A file that cannot be read, or a line of it, by its number.
pub(super) fn joints(path: &Path) -> Result<Vec<ListedJoint>> {
    let bytes = csv_bytes::read(path)?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&bytes[..]);
    let line = |number: u64| format!("{}:{number}", path.display());
    let columns = reader.headers().cloned().unwrap_or_default();
    check_columns(&columns).map_err(|cause| Error::input(Place::line(line(1)), cause, REMEDY))?;
    let (mut rows, mut joints) = (reader.records(), Vec::new());
    while let Some(row) = rows.next() {
        // Empty lines are no rows.
        let line = line(rows.reader().position().line() - 1);
        let row = row.map_err(|cause| unreadable(&cause, &line, REMEDY))?;
        let joint = row.deserialize::<JointRow>(Some(&columns));
        joints.push(joint.map_err(|cause| no_number(&cause, &row, &columns, &line))?.joint(&line)?);
    }
    if joints.is_empty() {
        let remedy = "write a line for each joint, or leave out the entry of `joints`";
        return Err(Error::input(Place::line(line(1)), "no joint comes after this line", remedy));
    }
    Ok(joints)
}

/// Fails unless a file has the columns of joints.
fn check_columns(columns: &csv::StringRecord) -> std::result::Result<(), String> {
    let count = |name: &str| columns.iter().filter(|&column| column == name).count();
    if COLUMNS[..2].iter().any(|name| count(name) == 0) {
        return Err("this is no CSV file with the columns first and second".to_owned());
    }
    match columns.iter().find(|name| !COLUMNS.contains(name) || count(name) > 1) {
        Some(name) if count(name) > 1 => Err(format!("the column `{name}` occurs twice")),
        Some(name) => Err(format!("the column `{name}` is unknown")),
        None => Ok(()),
    }
}

/// The error of a row with a text in place of a number.
fn no_number(
    cause: &csv::Error,
    row: &csv::StringRecord,
    columns: &csv::StringRecord,
    line: &str,
) -> Error {
    let csv::ErrorKind::Deserialize { err, .. } = cause.kind() else {
        return unreadable(cause, line, REMEDY);
    };
    let of = |texts: &csv::StringRecord| {
        // Input can be of any length.
        let text = err.field().and_then(|field| texts.get(field as usize));
        text.unwrap_or_default().chars().take(40).collect::<String>()
    };
    let cause = format!("{}: `{}` is no number", of(columns), of(row));
    Error::input(Place::line(line), cause, "write a number such as -0.5 or 2e-3")
}

impl JointRow {
    fn joint(self, line: &str) -> Result<ListedJoint> {
        let wrong = |cause: &str| Error::input(Place::line(line), cause, REMEDY);
        let vector = |numbers: [Option<f64>; 3], what: &str| match numbers {
            [Some(x), Some(y), Some(z)] => Ok(Some([x, y, z])),
            [None, None, None] => Ok(None),
            _ => Err(wrong(&format!("some of the values {what} are missing"))),
        };
        let at_m = vector([self.x, self.y, self.z], "x, y and z")?;
        let axis = vector([self.ax, self.ay, self.az], "ax, ay and az")?;
        if let Some(at) = at_m {
            within(line, at, LENGTH)?;
        }
        if let Some(axis) = axis {
            direction(line, axis)?;
        }
        Ok(ListedJoint { line: line.to_owned(), bodies: [self.first, self.second], at_m, axis })
    }
}
