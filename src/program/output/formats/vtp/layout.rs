//! The layout of a VTK PolyData file: its header, and the arrays of raw bytes behind it.

use std::io::{self, Write};

/// The text between the XML elements and the first array. It ends the header.
const APPENDED: &str = "<AppendedData encoding=\"raw\">\n_";
/// The text after the last array.
pub const END: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";

/// The largest header that can be read, bytes.
const LONGEST_HEADER: usize = 8192;

/// An array is written in pieces of about this many bytes.
const PIECE: usize = 1 << 20;

/// Bytes of an integer of the cells, and of the length before each array.
pub const INTEGER: usize = 8;

/// The names of the components of a vector.
pub const XYZ: &[&str] = &["x", "y", "z"];

/// An array of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArrayHead<'a> {
    /// Its name.
    pub name: &'a str,
    /// VTK's name of the type of its numbers.
    pub kind: &'static str,
    /// Names of the components of a point's value. A single number has none.
    pub components: &'static [&'static str],
    /// Length of its data, bytes.
    pub bytes: usize,
}

/// The cells of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cells {
    /// Vertices, one at each point.
    Verts,
    /// Polygons.
    Polys {
        /// Number of polygons.
        count: usize,
        /// Number of corners of all polygons.
        corners: usize,
    },
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout<'a> {
    /// Time since the start, s.
    pub time_s: f64,
    /// Number of points.
    pub points: usize,
    /// The cells.
    pub cells: Cells,
    /// The arrays with the values of the points. The first one has the positions.
    pub arrays: Vec<ArrayHead<'a>>,
}

impl Layout<'_> {
    /// The header of the file, up to the first array.
    pub fn header(&self) -> String {
        let Self { time_s, points, .. } = self;
        let (cells, verts, polys) = match self.cells {
            Cells::Verts => ("Verts", self.points, 0),
            Cells::Polys { count, .. } => ("Polys", 0, count),
        };
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n\
             <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\
             {time_s}</DataArray>\n</FieldData>\n\
             <Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{verts}\" NumberOfLines=\"0\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{polys}\">\n"
        );
        let mut offset = 0;
        let mut element = |head: &ArrayHead| {
            let line = element(head, offset);
            offset += INTEGER + head.bytes;
            line
        };
        let (first, others) = self.arrays.split_at(self.arrays.len().min(1));
        text += "<Points>\n";
        first.iter().for_each(|head| text += &element(head));
        text += "</Points>\n<PointData>\n";
        others.iter().for_each(|head| text += &element(head));
        text += &format!("</PointData>\n<{cells}>\n");
        self.cell_arrays().iter().for_each(|head| text += &element(head));
        text + &format!("</{cells}>\n</Piece>\n</PolyData>\n{APPENDED}")
    }

    /// The two arrays of the cells: the points of all cells, and for each cell one past the place
    /// of its last point.
    pub fn cell_arrays(&self) -> [ArrayHead<'static>; 2] {
        let (corners, count) = match self.cells {
            Cells::Verts => (self.points, self.points),
            Cells::Polys { count, corners } => (corners, count),
        };
        [("connectivity", corners), ("offsets", count)].map(|(name, count)| ArrayHead {
            name,
            kind: "Int64",
            components: &[],
            bytes: count * INTEGER,
        })
    }

    /// Length of the file, bytes.
    pub fn file_bytes(&self) -> usize {
        let cells = self.cell_arrays();
        let arrays = self.arrays.iter().chain(&cells).map(|it| it.bytes + INTEGER);
        self.header().len() + arrays.sum::<usize>() + END.len()
    }
}

fn element(head: &ArrayHead, offset: usize) -> String {
    let ArrayHead { name, kind, components, .. } = head;
    let mut line = format!("<DataArray type=\"{kind}\" Name=\"{name}\"");
    if !components.is_empty() {
        line += &format!(" NumberOfComponents=\"{}\"", components.len());
    }
    for (i, component) in components.iter().enumerate() {
        line += &format!(" ComponentName{i}=\"{component}\"");
    }
    line + &format!(" format=\"appended\" offset=\"{offset}\"/>\n")
}

/// Writes an array: its length `bytes`, then its items. `put` appends the bytes of an item.
///
/// # Errors
/// The errors of `out`.
pub fn write_array<T>(
    out: &mut dyn Write,
    bytes: usize,
    items: impl Iterator<Item = T>,
    put: impl Fn(T, &mut Vec<u8>),
) -> io::Result<()> {
    let mut piece = Vec::with_capacity(PIECE.min(bytes) + INTEGER);
    piece.extend((bytes as u64).to_le_bytes());
    for item in items {
        put(item, &mut piece);
        if piece.len() >= PIECE {
            out.write_all(&piece)?;
            piece.clear();
        }
    }
    out.write_all(&piece)
}

/// Writes an array of integers: its length `bytes`, then the integers.
///
/// # Errors
/// The errors of `out`.
pub fn write_integers(
    out: &mut dyn Write,
    bytes: usize,
    numbers: impl Iterator<Item = u64>,
) -> io::Result<()> {
    write_array(out, bytes, numbers, |number, piece| piece.extend(number.to_le_bytes()))
}

/// The header of a file. None if it has no header of at most 8192 bytes.
pub fn header_of(file: &[u8]) -> Option<&str> {
    let text = &file[..file.len().min(LONGEST_HEADER)];
    let end = text.windows(APPENDED.len()).position(|it| it == APPENDED.as_bytes())?;
    std::str::from_utf8(&text[..end + APPENDED.len()]).ok()
}

/// The part of `text` between the first `before` and the next `after`.
pub fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(value, _)| value)
}

/// The number of points and the time (s) that a header gives. None if they are missing, or if the
/// number is so large that lengths in bytes could overflow. A smaller number that is wrong does not
/// fit the length of the file, and [`arrays`] checks that before any memory is allocated.
pub fn points_and_time(header: &str) -> Option<(usize, f64)> {
    let points = between(header, "NumberOfPoints=\"", "\"")?.parse().ok()?;
    let time_s = between(header, "format=\"ascii\">", "<")?.parse().ok()?;
    (points < usize::MAX / LONGEST_HEADER).then_some((points, time_s))
}

/// The arrays of `file`, which must have this `layout`.
///
/// # Errors
/// When the length or the end of the file is wrong. The message says which.
pub fn arrays<'f>(file: &'f [u8], layout: &Layout) -> Result<Arrays<'f>, String> {
    let expected = layout.file_bytes();
    if file.len() != expected {
        return Err(format!("torn: {} of {expected} bytes", file.len()));
    }
    if !file.ends_with(END) {
        return Err("torn: no end".to_owned());
    }
    Ok(Arrays(&file[layout.header().len()..]))
}

/// The arrays of a file that are not read yet.
pub struct Arrays<'f>(&'f [u8]);

impl<'f> Arrays<'f> {
    /// The data of the next array, which must have the length of `head`.
    ///
    /// # Errors
    /// When the length differs.
    pub fn next(&mut self, head: &ArrayHead) -> Result<&'f [u8], String> {
        let ArrayHead { name, bytes, .. } = *head;
        let damaged = || format!("torn: the array {name} is damaged");
        let (length, rest) = self.0.split_at_checked(INTEGER).ok_or_else(damaged)?;
        let (array, rest) = rest.split_at_checked(bytes).ok_or_else(damaged)?;
        self.0 = rest;
        if length == (bytes as u64).to_le_bytes() { Ok(array) } else { Err(damaged()) }
    }
}

/// The first `N` bytes. Before: `bytes` has at least `N` bytes.
pub fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes[i])
}
