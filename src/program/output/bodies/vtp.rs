//! VTK PolyData (`.vtp`): a point for each body, with its numbers. ParaView, VisIt and PyVista open
//! it.
//!
//! The file is a header in XML, then the arrays as raw bytes ("appended" data, the form that VTK
//! itself writes). Its layout is fixed: the header of a frame follows from the number of its bodies
//! and its time. So reading compares the header with the one that this module would write, and a
//! file that something else has changed is refused.
//!
//! Rejected: the crate `vtkio` (0.7.0-rc2). It has no field data, so no time. It writes arrays as
//! text in base64: a frame of a million bodies takes 5 s, 0.7 GB of memory and a third more room.
//! Reading a torn file with it panics.

use std::io::{self, Write};

use cloth_sim::rigid::solid::Solids;
use cloth_sim::scene::spec::Digits;

use crate::program::output::bodies::columns::{Column, POINT_DATA, POINTS};
use crate::program::output::bodies::{BodyEncoder, BodyFormat, BodyFrame, BodyRow};

/// The name of the format.
pub const NAME: &str = "vtp";

/// The format.
pub struct Vtp;

impl BodyFormat for Vtp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn limit(&self) -> usize {
        usize::MAX
    }

    fn prepare(&self, _: &Solids, _: Digits) -> Box<dyn BodyEncoder> {
        Box::new(Self)
    }
}

/// What stands between the header and the first array.
const APPENDED: &str = "<AppendedData encoding=\"raw\">\n_";
const END: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";

/// A header has no more bytes.
const LONGEST_HEADER: usize = 8192;

/// Bytes of the arrays that are written at once.
const PIECE: usize = 1 << 20;

/// Bytes of the length before each array.
const LENGTH: usize = 8;

impl BodyEncoder for Vtp {
    fn write(&self, frame: &BodyFrame, out: &mut dyn Write) -> io::Result<()> {
        let count = frame.rows.len();
        out.write_all(header(count, frame.time_s).as_bytes())?;
        for column in columns() {
            let rows = frame.rows.iter();
            array(out, count * column.width(), rows, |row, bytes| (column.put)(row, bytes))?;
        }
        let number = |number: u64, bytes: &mut Vec<u8>| bytes.extend(number.to_le_bytes());
        for numbers in vertices(count) {
            array(out, count * LENGTH, numbers, number)?;
        }
        out.write_all(END)
    }
}

fn columns() -> impl Iterator<Item = &'static Column> {
    std::iter::once(&POINTS).chain(&POINT_DATA)
}

/// The points of the vertices, one each, and where those of the next vertex begin.
fn vertices(count: usize) -> [std::ops::Range<u64>; 2] {
    [0..count as u64, 1..count as u64 + 1]
}

/// Writes an array of `length` bytes, in pieces.
fn array<T>(
    out: &mut dyn Write,
    length: usize,
    items: impl Iterator<Item = T>,
    put: impl Fn(T, &mut Vec<u8>),
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(PIECE.min(length) + LENGTH);
    bytes.extend((length as u64).to_le_bytes());
    for item in items {
        put(item, &mut bytes);
        if bytes.len() >= PIECE {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    out.write_all(&bytes)
}

/// The header of a frame of `count` bodies at `time_s`.
fn header(count: usize, time_s: f64) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n\
         <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\
         {time_s}</DataArray>\n</FieldData>\n\
         <Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" \
         NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n"
    );
    let mut offset = 0;
    let mut element = |kind: &str, name: &str, components: &[&str], width: usize| {
        let mut line = format!("<DataArray type=\"{kind}\" Name=\"{name}\"");
        if !components.is_empty() {
            line.push_str(&format!(" NumberOfComponents=\"{}\"", components.len()));
        }
        for (i, component) in components.iter().enumerate() {
            line.push_str(&format!(" ComponentName{i}=\"{component}\""));
        }
        line.push_str(&format!(" format=\"appended\" offset=\"{offset}\"/>\n"));
        offset += LENGTH + count * width;
        line
    };
    let mut of_column = |it: &Column| element(it.kind, it.name, it.components, it.width());
    text.push_str(&format!("<Points>\n{}</Points>\n<PointData>\n", of_column(&POINTS)));
    POINT_DATA.iter().for_each(|column| text.push_str(&of_column(column)));
    text.push_str("</PointData>\n<Verts>\n");
    text.push_str(&element("Int64", "connectivity", &[], LENGTH));
    text.push_str(&element("Int64", "offsets", &[], LENGTH));
    text.push_str(&format!("</Verts>\n</Piece>\n</PolyData>\n{APPENDED}"));
    text
}

/// Frame `number` from the bytes of its file.
///
/// # Errors
/// When it is not as this module writes it; the message says where.
pub fn read(number: u64, file: &[u8]) -> Result<BodyFrame, String> {
    let (count, time_s) = head(file).ok_or("torn: it has not the header of a frame")?;
    let header = header(count, time_s);
    let width: usize = columns().map(|column| LENGTH + count * column.width()).sum();
    let expected = header.len() + width + 2 * LENGTH * (1 + count) + END.len();
    if file.len() != expected {
        return Err(format!("torn: {} of {expected} bytes", file.len()));
    }
    let mut rest = Arrays(&file[header.len()..]);
    let (mut rows, mut arrays) = (vec![BodyRow::default(); count], Vec::new());
    for column in columns() {
        let bytes = rest.next(column.name, count * column.width())?;
        for (row, bytes) in rows.iter_mut().zip(bytes.chunks_exact(column.width())) {
            (column.get)(row, bytes);
        }
        arrays.push((column, bytes));
    }
    // Some arrays follow from others, such as the radius from the size.
    let mut written = Vec::new();
    for (column, bytes) in arrays {
        let width = column.width();
        for (row, bytes) in rows.iter().zip(bytes.chunks_exact(width)) {
            written.clear();
            (column.put)(row, &mut written);
            if written != bytes {
                let name = column.name;
                return Err(format!("the array {name} does not fit the others at body {}", row.id));
            }
        }
    }
    for (name, numbers) in ["connectivity", "offsets"].into_iter().zip(vertices(count)) {
        let bytes = rest.next(name, count * LENGTH)?;
        if !bytes.chunks_exact(LENGTH).zip(numbers).all(|(it, number)| it == number.to_le_bytes()) {
            return Err(format!("torn: the array {name} is damaged"));
        }
    }
    if rest.0 == END { Ok(BodyFrame { number, time_s, rows }) } else { Err("torn: no end".into()) }
}

/// The number of bodies and the time, s, if the file has the header of a frame.
fn head(file: &[u8]) -> Option<(usize, f64)> {
    let text = &file[..file.len().min(LONGEST_HEADER)];
    let end = text.windows(APPENDED.len()).position(|it| it == APPENDED.as_bytes())?;
    let text = std::str::from_utf8(&text[..end + APPENDED.len()]).ok()?;
    let between = |before: &str, after: &str| {
        let (_, rest) = text.split_once(before)?;
        rest.split_once(after).map(|(value, _)| value)
    };
    let count = between("NumberOfPoints=\"", "\"")?.parse().ok()?;
    let time_s = between("format=\"ascii\">", "<")?.parse().ok()?;
    // A count that is too large for memory is refused by the length of the file.
    let sane = count < usize::MAX / LONGEST_HEADER;
    (sane && header(count, time_s) == text).then_some((count, time_s))
}

/// The arrays that are still to be read.
struct Arrays<'a>(&'a [u8]);

impl<'a> Arrays<'a> {
    fn next(&mut self, name: &str, length: usize) -> Result<&'a [u8], String> {
        let damaged = || format!("torn: the array {name} is damaged");
        let (before, rest) = self.0.split_at_checked(LENGTH).ok_or_else(damaged)?;
        let (array, rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
        self.0 = rest;
        if before == (length as u64).to_le_bytes() { Ok(array) } else { Err(damaged()) }
    }
}

#[cfg(test)]
mod tests {
    use cloth_sim::math::Vec3;
    use cloth_sim::rigid::body::{Body, BodyState, Load, Twist};
    use cloth_sim::rigid::shape::{Capsule, Cuboid, Shape, Sphere};
    use nalgebra::{Quaternion, UnitQuaternion};

    use super::*;

    /// A body of each kind, with numbers that differ.
    fn rows() -> Vec<BodyRow> {
        let shapes = [
            Shape::Sphere(Sphere { radius_m: 0.1 }),
            Shape::Box(Cuboid::of_half(Vec3::new(0.1, 0.2, 1.0 / 3.0))),
            Shape::Capsule(Capsule { radius_m: 0.07, length_m: 2.0 * 0.3 }),
            Shape::Solid(5),
        ];
        let row = |(id, shape): (u64, Shape)| {
            let x = id as f64;
            let state = BodyState {
                position: Vec3::new(x / 7.0, -x, 1e-9),
                rotation: UnitQuaternion::new_normalize(Quaternion::new(1.0, x, 2.0, -3.0)),
                twist: Twist { angular: Vec3::new(x, 5.0, -0.1), linear: Vec3::new(1.0, x, 0.7) },
            };
            let body = Body {
                id: 3 * id + 1,
                shape,
                material: 2,
                mass: 1.0,
                inertia: Vec3::zeros(),
                state,
                load: Load::NONE,
            };
            BodyRow::of(&body, 4, 0, |_| 0.9)
        };
        (0..).zip(shapes).map(row).collect()
    }

    fn file(rows: Vec<BodyRow>) -> Vec<u8> {
        let mut file = Vec::new();
        Vtp.write(&BodyFrame::new(3, 1.0 / 3.0, rows), &mut file).unwrap();
        file
    }

    #[test]
    fn a_frame_comes_back_as_it_was_and_its_bytes_know_no_order_and_no_owner() {
        let written = file(rows());
        let back = read(3, &written).unwrap();
        assert_eq!(back, BodyFrame { number: 3, time_s: 1.0 / 3.0, rows: rows() });
        let mut shuffled = rows();
        shuffled.reverse();
        shuffled.iter_mut().for_each(|row| row.owner = 7);
        assert_eq!(file(shuffled), written);
        assert_eq!(read(0, &file(Vec::new())).unwrap().rows, []);
    }

    #[test]
    fn a_file_that_is_cut_or_changed_is_refused() {
        let whole = file(rows());
        let last = whole.len() - 40..whole.len();
        for length in (0..whole.len()).step_by(29).chain(last) {
            assert!(read(0, &whole[..length]).unwrap_err().contains("torn"), "{length} bytes");
        }
        let text = String::from_utf8_lossy(&whole[..LONGEST_HEADER.min(whole.len())]).into_owned();
        for (from, to) in [("Points=\"4\"", "Points=\"5\""), ("Float64", "Float32"), ("_", " ")] {
            let place = text.find(from).unwrap();
            let mut other = whole.clone();
            other[place..place + from.len()].copy_from_slice(to.as_bytes());
            assert!(read(0, &other).is_err(), "{from}");
        }
        let mut many = whole.clone();
        many.extend(b"x");
        assert!(read(0, &many).is_err());
    }
}
