//! Places of bodies from files.

use std::path::Path;

use csv::StringRecord;
use nalgebra::{Quaternion, UnitQuaternion, Vector4};

use crate::bodies::check::check_turn;
use crate::bodies::csv_bytes::{self, unreadable};
use cloth_core::bounds::{FACTOR, LENGTH, SPEED, finite, positive_within, within};
use cloth_core::error::{Error, Place, Result};
use cloth_core::mesh::obj_read;
use cloth_rigid::generate::Start;

const REMEDY: &str = "begin with the line `x,y,z`, or with more of \
                      `x,y,z,size,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz`; then write finite numbers";

/// The columns of a CSV file.
struct Header {
    position: Columns<3>,
    size: Columns<1>,
    rotation: Columns<4>,
    velocity: Columns<3>,
    spin: Columns<3>,
}

/// Columns that a file has together.
struct Columns<const N: usize> {
    names: [&'static str; N],
    /// Their places in a line. `None` if the file does not have them.
    places: Option<[usize; N]>,
}

/// The bodies of a CSV file with the columns `x`, `y`, `z` (m) and, if wanted, `size` (a factor),
/// `qw`, `qx`, `qy`, `qz` (a quaternion), `vx`, `vy`, `vz` (m/s) and `wx`, `wy`, `wz` (rad/s); or
/// the vertices of an OBJ file. `reach` (m) is the radius of the ball that holds a body of factor
/// 1, and `step_s` (s) is the length of a step.
///
/// # Errors
/// A file that cannot be read, or a line of it, by its number.
pub(super) fn starts(path: &Path, reach: f64, step_s: f64) -> Result<Vec<Start>> {
    let is_obj = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
    if is_obj {
        let (document, _) = obj_read::read(path)?;
        return Ok(document.positions.iter().map(|&position| Start::at(position)).collect());
    }
    let bytes = csv_bytes::read(path)?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&bytes[..]);
    let line = |number: u64| format!("{}:{number}", path.display());
    let header = Header::new(&reader.headers().cloned().unwrap_or_default(), &line(1))?;
    let (mut rows, mut starts) = (reader.records(), Vec::new());
    while let Some(row) = rows.next() {
        // Empty lines are no rows.
        let line = || line(rows.reader().position().line() - 1);
        let row = row.map_err(|cause| unreadable(&cause, &line(), REMEDY))?;
        let start = header.start(&row, reach, step_s);
        starts.push(start.map_err(|error| in_line(error, &line()))?);
    }
    Ok(starts)
}

/// The error of a column, with the line.
fn in_line(error: Error, line: &str) -> Error {
    match error {
        Error::Input { place, cause, remedy } => {
            Error::input(Place::line(line), format!("{place}: {cause}"), remedy)
        }
        other => other,
    }
}

impl Header {
    /// Finds the columns in the first line of a file.
    ///
    /// # Errors
    /// A column that is missing, unknown or there twice. `line` names the line.
    fn new(first: &StringRecord, line: &str) -> Result<Self> {
        let wrong = |cause: String, remedy: &str| Error::input(Place::line(line), cause, remedy);
        let count = |name: &str| first.iter().filter(|&column| column == name).count();
        if ["x", "y", "z"].into_iter().any(|name| count(name) == 0) {
            return Err(wrong("this is no CSV file with the columns x, y and z".into(), REMEDY));
        }
        if let Some(name) = first.iter().find(|name| count(name) > 1) {
            return Err(wrong(format!("the column `{name}` occurs twice"), REMEDY));
        }
        let header = Self {
            position: Columns::find(["x", "y", "z"], first, line)?,
            size: Columns::find(["size"], first, line)?,
            rotation: Columns::find(["qw", "qx", "qy", "qz"], first, line)?,
            velocity: Columns::find(["vx", "vy", "vz"], first, line)?,
            spin: Columns::find(["wx", "wy", "wz"], first, line)?,
        };
        match first.iter().find(|name| !header.names().any(|known| known == *name)) {
            Some(name) => Err(wrong(format!("the column `{name}` is unknown"), REMEDY)),
            None => Ok(header),
        }
    }

    /// The names of all columns that a file may have.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let moves = self.velocity.names.into_iter().chain(self.spin.names);
        let turns = self.size.names.into_iter().chain(self.rotation.names);
        self.position.names.into_iter().chain(turns).chain(moves)
    }

    /// The body of a row. `reach` and `step_s` are as in [`starts`].
    ///
    /// # Errors
    /// A number that is out of bounds, by its column.
    fn start(&self, row: &StringRecord, reach: f64, step_s: f64) -> Result<Start> {
        let position = self.position.numbers(row, |at, x| within(at, x, LENGTH))?;
        let size = self.size.numbers(row, |at, factor| positive_within(at, factor, FACTOR))?;
        let velocity = self.velocity.numbers(row, |at, v| within(at, v, SPEED))?;
        let spin = self.spin.numbers(row, finite)?;
        if let Some(spin) = spin {
            check_turn(&self.spin.names.join(","), &spin.into(), step_s)?;
        }
        let rotation = self.rotation.numbers(row, finite)?.map(|numbers| self.rotation_of(numbers));
        let no_place = || Error::input("x,y,z", "the row has no place", REMEDY);
        Ok(Start {
            position: position.ok_or_else(no_place)?.into(),
            size: size.map(|[factor]| factor * reach),
            rotation: rotation.transpose()?,
            velocity: velocity.map(Into::into),
            spin: spin.map(Into::into),
        })
    }

    /// The rotation of a quaternion of any length but zero, the real part first.
    fn rotation_of(&self, numbers: [f64; 4]) -> Result<UnitQuaternion<f64>> {
        let numbers = Vector4::from(numbers);
        let largest = numbers.amax();
        if largest == 0.0 {
            let cause = "a quaternion of length zero is no rotation";
            let remedy = "write another one: `1,0,0,0` does not turn the body";
            return Err(Error::input(self.rotation.names.join(","), cause, remedy));
        }
        // Squares of very large or small numbers have no digits.
        let [w, x, y, z] = (numbers / largest).into();
        Ok(UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)))
    }
}

impl<const N: usize> Columns<N> {
    /// The columns `names` of a file with this first line, which is named `line`.
    ///
    /// # Errors
    /// If the file has some of them only.
    fn find(names: [&'static str; N], first: &StringRecord, line: &str) -> Result<Self> {
        let found = names.map(|name| first.iter().position(|column| column == name));
        let missing = names.iter().zip(&found).find(|(_, place)| place.is_none());
        match missing {
            Some((missing, _)) if found.iter().any(Option::is_some) => {
                let cause = format!("the column `{missing}` is missing");
                let remedy = format!("write all of the columns {}, or none", names.join(","));
                Err(Error::input(Place::line(line), cause, remedy))
            }
            Some(_) => Ok(Self { names, places: None }),
            None => Ok(Self { names, places: Some(found.map(Option::unwrap_or_default)) }),
        }
    }

    /// The numbers of a row. `None` if it has none here.
    ///
    /// # Errors
    /// A text that is no number, or a number that does not pass `check`, by its column.
    fn numbers(
        &self,
        row: &StringRecord,
        check: impl Fn(&str, f64) -> Result<()>,
    ) -> Result<Option<[f64; N]>> {
        let Some(places) = self.places else { return Ok(None) };
        let texts = places.map(|place| row.get(place).unwrap_or_default());
        if texts.iter().all(|text| text.is_empty()) {
            return Ok(None);
        }
        let mut numbers = [0.0; N];
        for ((number, text), name) in numbers.iter_mut().zip(texts).zip(self.names) {
            *number = match text.parse() {
                Ok(value) => value,
                Err(_) if text.is_empty() => {
                    let cause = "there is no number";
                    let remedy = format!("write all of {}, or none", self.names.join(","));
                    return Err(Error::input(name, cause, remedy));
                }
                Err(_) => {
                    // Input can be of any length.
                    let text: String = text.chars().take(40).collect();
                    let cause = format!("`{text}` is no number");
                    return Err(Error::input(name, cause, "write a number such as -0.5 or 2e-3"));
                }
            };
            check(name, *number)?;
        }
        Ok(Some(numbers))
    }
}
