//! Frames of surfaces: the polygons of all surfaces, with the fields of the vertices. The array
//! `object` has the number of the surface of each vertex, from 0.

use std::io::{self, Write};
use std::path::PathBuf;

use cloth_core::error::{Error, Result};
use cloth_core::ids::NONE;
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::obj::Corner;
use cloth_core::mesh::obj_read::Lines;

use crate::engine::{Field, FieldKind, Frame};
use crate::program::output::formats::vtp::layout::{
    self, END, INTEGER, XYZ, array, between, write_array, write_integers,
};
use crate::program::output::formats::vtp::{ArrayHead, Cells, Layout, NAME};
use crate::program::output::formats::{Piece, Pieces, Source, WrittenRun, each_frame};
use crate::program::output::names;

const REAL: usize = 8;
const OBJECT_BYTES: usize = 4;

/// The polygons of all frames. Vertices are numbered over all surfaces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Polygons {
    /// The number of the surface of each vertex.
    objects: Vec<u32>,
    /// The vertices of all polygons, polygon by polygon.
    corners: Vec<u64>,
    /// One past the last corner of each polygon.
    ends: Vec<u64>,
}

impl Polygons {
    /// The polygons of these surfaces.
    pub fn new<'a>(surfaces: impl Iterator<Item = &'a ObjDocument>) -> Self {
        let mut all = Self::default();
        for (object, mesh) in (0..).zip(surfaces) {
            let (first, corners) = (all.objects.len() as u64, all.corners.len() as u64);
            all.corners.extend(mesh.corners.iter().map(|it| first + u64::from(it.vertex)));
            all.ends.extend(mesh.polygon_ends.iter().map(|&end| corners + u64::from(end)));
            all.objects.extend(std::iter::repeat_n(object, mesh.positions.len()));
        }
        all
    }

    fn sizes(&self) -> Sizes {
        let [points, corners, polygons] = [self.objects.len(), self.corners.len(), self.ends.len()];
        Sizes { points, corners, polygons }
    }

    /// Writes `frame` as a file. If a field has fewer values than there are vertices, the other
    /// vertices get NaN.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&self, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
        let fields = frame.fields.iter().map(|field| (&*field.name, field.kind));
        let layout = self.sizes().layout(frame.time_s, fields);
        out.write_all(layout.header().as_bytes())?;
        let bytes = Vec::from_iter(layout.arrays.iter().map(|head| head.bytes));
        let put = |number: f64, bytes: &mut Vec<u8>| bytes.extend(number.to_le_bytes());
        let coordinates = frame.surfaces.iter().flatten().flat_map(|x| [x.x, x.y, x.z]);
        write_array(out, bytes[0], coordinates, put)?;
        let objects = self.objects.iter();
        write_array(out, bytes[1], objects, |object, bytes| bytes.extend(object.to_le_bytes()))?;
        for (field, &bytes) in frame.fields.iter().zip(&bytes[2..]) {
            let missing = std::iter::repeat(f64::NAN);
            let numbers = field.values.iter().copied().chain(missing).take(bytes / REAL);
            write_array(out, bytes, numbers, put)?;
        }
        let [corners, ends] = layout.cell_arrays();
        write_integers(out, corners.bytes, self.corners.iter().copied())?;
        write_integers(out, ends.bytes, self.ends.iter().copied())?;
        out.write_all(END)
    }

    /// The surfaces with these `positions` of all vertices (m). `file` is the name of the file, and
    /// `path` is its path for messages.
    fn pieces(&self, file: &str, path: &str, positions: &[Vec3]) -> Pieces {
        let (mut list, mut first, mut polygon) = (Vec::new(), 0, 0);
        for own in self.objects.chunk_by(|a, b| a == b) {
            let mut piece = Piece {
                document: ObjDocument {
                    positions: positions[first..first + own.len()].to_vec(),
                    ..ObjDocument::default()
                },
                lines: Lines { file: path.to_owned(), ..Lines::default() },
            };
            // The file has no lines. Messages use the numbers of vertices and polygons, from 1.
            piece.lines.vertices.extend((first..first + own.len()).map(|at| at as u32 + 1));
            let end = (first + own.len()) as u64;
            while let Some(corners) = self.polygon(polygon).filter(|it| it.iter().all(|&v| v < end))
            {
                let document = &mut piece.document;
                let own = |&vertex: &u64| Corner {
                    vertex: (vertex - first as u64) as u32,
                    texcoord: NONE,
                };
                document.corners.extend(corners.iter().map(own));
                document.polygon_ends.push(document.corners.len() as u32);
                polygon += 1;
                piece.lines.polygons.push(polygon as u32);
            }
            list.push(piece);
            first += own.len();
        }
        Pieces { file: file.to_owned(), list }
    }

    /// True if the numbers of the surfaces rise from 0 in steps of 1, and the polygons are in the
    /// same order. A polygon must have at least three corners, all of one surface.
    fn are_sound(&self) -> bool {
        let follows = |pair: &[u32]| pair[1] == pair[0] || pair[1] == pair[0] + 1;
        let points = self.objects.len() as u64;
        self.objects.first().is_none_or(|&first| first == 0)
            && self.objects.windows(2).all(follows)
            && self.ends.is_sorted()
            && self.ends.last().copied().unwrap_or(0) == self.corners.len() as u64
            && self.corners.iter().all(|&vertex| vertex < points)
            && self.have_polygons_one_surface_each()
    }

    /// True if each polygon has at least three corners, all of one surface, in the order of the
    /// surfaces. Before: all corners are valid vertices.
    fn have_polygons_one_surface_each(&self) -> bool {
        let mut last = 0;
        (0..self.ends.len()).all(|polygon| {
            let corners = self.polygon(polygon).unwrap_or_default();
            let mut surfaces = corners.iter().map(|&vertex| self.objects[vertex as usize]);
            let Some(first) = surfaces.next().filter(|_| corners.len() >= 3) else { return false };
            first >= std::mem::replace(&mut last, first) && surfaces.all(|other| other == first)
        })
    }

    fn polygon(&self, polygon: usize) -> Option<&[u64]> {
        let end = *self.ends.get(polygon)? as usize;
        let start = polygon.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.corners.get(start..end)
    }
}

/// The counts of a file.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    points: usize,
    corners: usize,
    polygons: usize,
}

impl Sizes {
    /// The layout of a frame at `time_s` (s) with these fields.
    fn layout<'f>(
        self,
        time_s: f64,
        fields: impl Iterator<Item = (&'f str, FieldKind)>,
    ) -> Layout<'f> {
        let Self { points, corners, polygons } = self;
        let reals = |name, components: &'static [&'static str]| ArrayHead {
            name,
            kind: "Float64",
            components,
            bytes: points * components.len().max(1) * REAL,
        };
        let object = ArrayHead {
            name: "object",
            kind: "Int32",
            components: &[],
            bytes: points * OBJECT_BYTES,
        };
        let fields = fields.map(|(name, kind)| reals(name, components(kind)));
        let arrays = [reals("Points", XYZ), object].into_iter().chain(fields).collect();
        let cells = Cells::Polys { count: polygons, corners };
        Layout { time_s, points, cells, arrays }
    }
}

/// The names of the components of a field. A scalar field has none.
fn components(kind: FieldKind) -> &'static [&'static str] {
    match kind {
        FieldKind::Scalar => &[],
        FieldKind::Vector => XYZ,
    }
}

/// Reads the frames of a run of cloth.
pub struct SurfaceSource {
    folder: PathBuf,
    surfaces: Pieces,
    polygons: Polygons,
}

impl SurfaceSource {
    /// Reads the polygons from the first frame that can be read.
    ///
    /// # Errors
    /// When no frame can be read.
    pub fn open(run: &WrittenRun) -> Result<Self> {
        run.first_whole(|number| {
            let file = names::frame(number, NAME);
            let path = run.folder.join(&file);
            let failed = |fault: String| Error::file(&path, fault, "repeat the run");
            let bytes = each_frame::read(&run.folder, number, NAME).map_err(failed)?;
            let (polygons, frame) = read(&bytes).map_err(failed)?;
            let positions = frame.surfaces.concat();
            let surfaces = polygons.pieces(&file, &path.display().to_string(), &positions);
            Ok(Self { folder: run.folder.clone(), surfaces, polygons })
        })
    }
}

impl Source for SurfaceSource {
    fn surfaces(&self) -> &Pieces {
        &self.surfaces
    }

    fn frame(&self, number: u64) -> std::result::Result<Frame, String> {
        let (polygons, frame) = read(&each_frame::read(&self.folder, number, NAME)?)?;
        match polygons == self.polygons {
            true => Ok(frame),
            false => Err("torn: its faces are not those of the other frames".to_owned()),
        }
    }
}

/// Reads the polygons and the frame of a file.
///
/// # Errors
/// When the file is not as [`Polygons::write`] writes it. The message names the damaged part.
fn read(file: &[u8]) -> std::result::Result<(Polygons, Frame), String> {
    let no_header = || "torn: its header is damaged".to_owned();
    let text = layout::header_of(file).ok_or_else(no_header)?;
    let layout = layout_of(text).filter(|it| it.header() == text).ok_or_else(no_header)?;
    let mut rest = layout::arrays(file, &layout)?;
    let x = reals(rest.next(&layout.arrays[0])?);
    let objects = rest.next(&layout.arrays[1])?.chunks_exact(OBJECT_BYTES);
    let objects = objects.map(|bytes| u32::from_le_bytes(array(bytes))).collect();
    let mut fields = Vec::new();
    for head in &layout.arrays[2..] {
        let kind = if head.components == XYZ { FieldKind::Vector } else { FieldKind::Scalar };
        let mut values = reals(rest.next(head)?);
        // NaN at the end stands for vertices without values.
        let known = values.iter().rposition(|value| !value.is_nan()).map_or(0, |last| last + 1);
        values.truncate(known.next_multiple_of(components(kind).len().max(1)));
        fields.push(Field { name: head.name.to_owned(), kind, values });
    }
    let [corners, ends] = layout.cell_arrays().map(|head| rest.next(&head).map(integers));
    let polygons = Polygons { objects, corners: corners?, ends: ends? };
    if !polygons.are_sound() {
        return Err("torn: its faces are damaged".to_owned());
    }
    let mut x = x.chunks_exact(XYZ.len()).map(|x| Vec3::new(x[0], x[1], x[2]));
    let surfaces = polygons.objects.chunk_by(|a, b| a == b);
    let surfaces = surfaces.map(|own| x.by_ref().take(own.len()).collect()).collect();
    let time_s = layout.time_s;
    Ok((polygons, Frame { time_s, surfaces, fields, ..Frame::default() }))
}

/// The layout that a header describes. None if the header is not valid.
fn layout_of(header: &str) -> Option<Layout<'_>> {
    let (points, time_s) = layout::points_and_time(header)?;
    let polygons = between(header, "NumberOfPolys=\"", "\"")?.parse().ok()?;
    let (of_points, of_cells) = header.split_once("</PointData>")?;
    let (_, of_fields) = of_points.split_once("Name=\"object\"")?;
    let mut fields = Vec::new();
    for element in of_fields.split("<DataArray").skip(1) {
        let kind = match element.contains("NumberOfComponents=\"3\"") {
            true => FieldKind::Vector,
            false => FieldKind::Scalar,
        };
        fields.push((between(element, "Name=\"", "\"")?, kind));
    }
    // The second array of the cells begins behind the first one.
    let mut offsets =
        of_cells.split("offset=\"").skip(1).map(|it| it.split_once('"')?.0.parse().ok());
    let [first, second]: [usize; 2] = [offsets.next()??, offsets.next()??];
    let corners = second.checked_sub(first)?.checked_sub(INTEGER)? / INTEGER;
    // Larger counts could overflow lengths in bytes. No file is that long.
    let fits = |count: usize| count < usize::MAX >> 16;
    let sizes = Sizes { points, corners, polygons };
    (fits(corners) && fits(polygons) && fields.len() < 64)
        .then(|| sizes.layout(time_s, fields.into_iter()))
}

fn reals(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(REAL).map(|bytes| f64::from_le_bytes(array(bytes))).collect()
}

fn integers(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(INTEGER).map(|bytes| u64::from_le_bytes(array(bytes))).collect()
}

#[cfg(test)]
mod tests {
    use cloth_core::mesh::obj_read::parse;

    use super::*;

    /// A surface of a quad and a triangle, then a surface without values.
    fn file() -> (Polygons, Frame, Vec<u8>) {
        let two = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0.1\nf 1 2 3 4\nf 2 5 3\n";
        let (a, _) = parse(two.as_bytes(), "a").unwrap();
        let b = ObjDocument::from_triangles(vec![Vec3::x(), Vec3::y(), Vec3::z()], &[[0, 1, 2]]);
        let polygons = Polygons::new([&a, &b].into_iter());
        let values = (0..15).map(f64::from).collect();
        let velocity = Field { name: "velocity".to_owned(), kind: FieldKind::Vector, values };
        let frame = Frame {
            time_s: 0.1 + 0.2,
            surfaces: vec![a.positions, b.positions],
            fields: vec![velocity],
            ..Frame::default()
        };
        let mut file = Vec::new();
        polygons.write(&frame, &mut file).unwrap();
        (polygons, frame, file)
    }

    #[test]
    fn a_frame_comes_back_as_it_was() {
        let (polygons, frame, file) = file();
        assert_eq!(read(&file).unwrap(), (polygons.clone(), frame.clone()));
        let pieces = polygons.pieces("frame", "frame", &frame.surfaces.concat());
        assert_eq!(pieces.split(&frame.surfaces.concat()), frame.surfaces);
        let ends = pieces.list.iter().map(|piece| piece.document.polygon_ends.clone());
        assert_eq!(Vec::from_iter(ends), [vec![4, 7], vec![3]]);
        assert_eq!(pieces.list[1].document.corners[2].vertex, 2);
    }

    #[test]
    fn a_file_that_is_cut_or_changed_is_refused() {
        let (_, _, whole) = file();
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).unwrap_err().contains("torn"), "{length} bytes");
        }
        let header = layout::header_of(&whole).unwrap().len();
        for at in 0..header {
            let mut other = whole.clone();
            other[at] ^= 1;
            // A changed byte may give another valid time or name.
            let is_other = |(_, frame): (_, Frame)| {
                frame.time_s != 0.1 + 0.2 || frame.fields[0].name != "velocity"
            };
            assert!(read(&other).map_or(true, is_other), "byte {at}");
        }
    }
}
