//! Reads OBJ files.
//!
//! The `obj` crate reads polygons. It keeps positions as `f32`, does not check indices, and knows
//! no smoothing. So everything else is read here. Each line is checked before the crate parses it,
//! and each index is checked afterwards.

use std::path::{Path, PathBuf};

use crate::mesh::obj::{Corner, Group, NO_MATERIAL, ObjDocument};
use crate::mesh::triangulate::CORNERS;
use crate::mesh::written::Written;
use crate::{Error, NONE, Place, Result, Vec2, Vec3, input};

/// The lines of the file that vertices and polygons come from, for messages.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    /// The file's name, as the user gave it.
    pub file: String,
    /// Line of each vertex, from 1.
    pub vertices: Vec<u32>,
    /// Line of each polygon, from 1.
    pub polygons: Vec<u32>,
    /// Line of each line between vertices, from 1.
    pub lines: Vec<u32>,
    /// The largest error of a coordinate by the rounding of the file, in its unit.
    pub rounding: f64,
}

impl Lines {
    /// An error at `line` of the file.
    pub fn error(&self, line: u32, cause: impl Into<String>, remedy: impl Into<String>) -> Error {
        Error::input(Place::Line(format!("{}:{line}", self.file)), cause, remedy)
    }

    /// `index` (from 0) if it is below `count`.
    fn index(&self, what: &str, index: usize, count: usize, line: u32) -> Result<u32> {
        if index < count {
            return Ok(index as u32);
        }
        let number = index.saturating_add(1);
        let cause = format!("it names {what} {number}, but the file has {count}");
        Err(self.error(line, cause, BAD_INDEX))
    }
}

/// The remedy where there is no such file.
pub const PATH: &str = "check the mesh's path; it is relative to the scene file";

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read. With its line: a malformed or non-finite number, an index out of
/// range, or a polygon with fewer than three corners.
pub fn read(path: &Path) -> Result<(ObjDocument, Lines)> {
    let bytes = input::read(path, input::DATA_LIMIT).map_err(|cause| {
        let remedy = input::remedy(&cause, PATH);
        Error::file(path, cause, remedy)
    })?;
    let (mut document, lines) = parse(&bytes, &path.display().to_string())?;
    let folder = path.parent().unwrap_or(Path::new("."));
    document.libraries =
        document.libraries.iter().flat_map(|named| libraries(folder, named)).collect();
    Ok((document, lines))
}

/// The files that the line `mtllib named` of a mesh in `folder` means: one, whose name may have
/// blanks, or several.
fn libraries(folder: &Path, named: &Path) -> Vec<PathBuf> {
    let text = named.to_string_lossy();
    match folder.join(named).is_file() {
        true => vec![folder.join(named)],
        false => text.split_whitespace().map(|word| folder.join(word)).collect(),
    }
}

/// Reads an OBJ text. `file` is its name in messages. Libraries of materials are as the text names
/// them, a path for each `mtllib` line. Errors as for [`read`].
pub fn parse(bytes: &[u8], file: &str) -> Result<(ObjDocument, Lines)> {
    let text = String::from_utf8_lossy(bytes);
    let mut scan = Scan {
        document: ObjDocument::default(),
        lines: Lines { file: file.to_owned(), ..Lines::default() },
        clean: String::with_capacity(text.len()),
        next: Group::default(),
        written: Written::default(),
    };
    // One empty line more, so that a last line that ends in `\` is not lost.
    let lines = text.trim_start_matches('\u{feff}').lines().chain([""]);
    let (mut joined, mut continued) = (String::new(), 0);
    for (number, line) in (1..).zip(lines) {
        let line = without_comment(line).trim();
        if let Some(begun) = line.strip_suffix('\\') {
            joined.push_str(begun);
            joined.push(' ');
            continued += 1;
            continue;
        }
        joined.push_str(line);
        scan.line(number - continued, &joined)?;
        joined.clear();
        continued = 0;
    }
    let Scan { mut document, mut lines, clean, written, .. } = scan;
    lines.rounding = written.rounding();
    if document.colours.len() < document.positions.len() {
        document.colours.clear();
    }
    add_polygons(&mut document, &lines, &clean)?;
    for (ends, &line) in document.lines.iter().zip(&lines.lines) {
        for &end in ends {
            lines.index("vertex", end as usize, document.positions.len(), line)?;
        }
    }
    Ok((document, lines))
}

/// A `#` begins a comment at the start of a line or after a blank, not in a name.
fn without_comment(line: &str) -> &str {
    let comment = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with([' ', '\t']);
    line.match_indices('#').find(comment).map_or(line, |(at, _)| &line[..at])
}

/// One pass over the lines. It reads numbers, checks faces and writes the text for the `obj`
/// crate.
struct Scan {
    document: ObjDocument,
    lines: Lines,
    clean: String,
    /// The group of the next face.
    next: Group,
    written: Written,
}

impl Scan {
    fn line(&mut self, number: u32, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["v", rest @ ..] => {
                let [x, y, z] = self.numbers(number, rest, 3)?;
                self.document.positions.push(Vec3::new(x, y, z));
                rest.iter().zip([x, y, z]).for_each(|(word, it)| self.written.add(word, it));
                if let [_, _, _, colour @ ..] = rest
                    && colour.len() >= 3
                {
                    let [red, green, blue] = self.numbers(number, colour, 3)?;
                    self.document.colours.push(Vec3::new(red, green, blue));
                }
                self.lines.vertices.push(number);
                self.clean.push_str("v 0 0 0\n");
            }
            ["vt", rest @ ..] => {
                let [u, v, _] = self.numbers(number, rest, rest.len().clamp(1, 2))?;
                self.document.texcoords.push(Vec2::new(u, v));
                self.clean.push_str("vt 0 0\n");
            }
            ["vn", ..] => self.clean.push_str("vn 0 0 0\n"),
            ["o", name @ ..] => self.next.object = named(name, "default"),
            ["g", name @ ..] => self.next.name = named(name, "default"),
            ["usemtl", name @ ..] => self.next.material = named(name, NO_MATERIAL),
            ["mtllib", name @ ..] => self.document.libraries.push(name.join(" ").into()),
            ["s", number, ..] => self.next.smoothing = Some(number.parse().unwrap_or(0)),
            ["l", ends @ ..] => self.polyline(number, ends)?,
            ["f", corners @ ..] => {
                self.face(number, corners)?;
                self.clean.push_str(line);
                self.clean.push('\n');
            }
            _ => {}
        }
        Ok(())
    }

    /// The first `count` of `words` as finite numbers.
    fn numbers(&self, line: u32, words: &[&str], count: usize) -> Result<[f64; 3]> {
        let mut numbers = [0.0_f64; 3];
        for (i, number) in numbers.iter_mut().enumerate().take(count) {
            let word = words.get(i).ok_or_else(|| {
                let cause = format!("expected {count} numbers, found {}", words.len());
                self.lines.error(line, cause, "complete the line or export the mesh again")
            })?;
            *number = word.parse().map_err(|_| {
                let cause = format!("`{word}` is not a number");
                self.lines.error(line, cause, "write a decimal number, such as -0.25 or 1e-3")
            })?;
            if !number.is_finite() {
                let cause = format!("the coordinate `{word}` is not a finite number");
                let remedy = "repair or remove this vertex, then export the mesh again";
                return Err(self.lines.error(line, cause, remedy));
            }
        }
        Ok(numbers)
    }

    fn face(&mut self, line: u32, corners: &[&str]) -> Result<()> {
        if corners.len() < 3 {
            let cause = format!("a face with {} corners", corners.len());
            return Err(self.lines.error(line, cause, "give each face at least three corners"));
        }
        if corners.len() > CORNERS {
            let cause = format!("a face with {} corners; at most {CORNERS} are cut", corners.len());
            return Err(self.lines.error(line, cause, "cut it into triangles in a modeller"));
        }
        for corner in corners {
            self.corner(line, corner)?;
        }
        self.lines.polygons.push(line);
        self.next.end += 1;
        match self.document.groups.last_mut() {
            Some(last) if (Group { end: self.next.end, ..last.clone() }) == self.next => {
                last.end += 1
            }
            _ => self.document.groups.push(self.next.clone()),
        }
        Ok(())
    }

    /// A line through several vertices. It may name later ones.
    fn polyline(&mut self, line: u32, ends: &[&str]) -> Result<()> {
        let mut before = None;
        for end in ends {
            self.corner(line, end)?;
            let index = end.split('/').next().and_then(|it| it.parse::<i64>().ok()).unwrap_or(1);
            let count = self.document.positions.len() as i64;
            let vertex = if index > 0 { index - 1 } else { count + index };
            let Ok(vertex) = u32::try_from(vertex) else {
                let cause = format!("the line names vertex {index}, which no file has");
                return Err(self.lines.error(line, cause, BAD_INDEX));
            };
            // A line from a vertex to itself stays: as a stitch it is refused.
            if let Some(before) = before {
                self.document.lines.push([before, vertex]);
                self.lines.lines.push(line);
            }
            before = Some(vertex);
        }
        Ok(())
    }

    fn corner(&self, line: u32, corner: &str) -> Result<()> {
        let counts = [self.document.positions.len(), self.document.texcoords.len(), usize::MAX];
        for (i, part) in corner.split('/').enumerate() {
            let index = part.parse::<i64>().ok();
            let absent = i == 1 && part.is_empty();
            if i > 2 || (!absent && index.is_none_or(|index| index == 0)) {
                let cause = format!("`{corner}` is not a corner of a face");
                let remedy = "write v, v/vt, v//vn or v/vt/vn, with indices that count from 1";
                return Err(self.lines.error(line, cause, remedy));
            }
            if index.is_some_and(|index| index < 0 && index.unsigned_abs() > counts[i] as u64) {
                let cause = format!("the index {part} reaches back before the start of the file");
                return Err(self.lines.error(line, cause, BAD_INDEX));
            }
        }
        Ok(())
    }
}

/// A name of one or several words, unless it stands for none.
fn named(words: &[&str], none: &str) -> Option<String> {
    Some(words.join(" ")).filter(|name| !name.is_empty() && name != none)
}

const BAD_INDEX: &str = "correct the index (they count from 1) or export the mesh again";

/// Takes the polygons from the crate's view of the cleaned text.
fn add_polygons(document: &mut ObjDocument, lines: &Lines, clean: &str) -> Result<()> {
    let config = obj::LoadConfig { strict: false };
    let data = obj::ObjData::load_buf_with_config(clean.as_bytes(), config).map_err(|cause| {
        let place = Place::line(&lines.file);
        Error::input(place, cause.to_string(), "export the mesh again as a plain OBJ file")
    })?;
    let groups = data.objects.iter().flat_map(|object| &object.groups);
    groups.flat_map(|group| &group.polys).try_for_each(|it| add_polygon(document, lines, it))
}

fn add_polygon(
    document: &mut ObjDocument,
    lines: &Lines,
    polygon: &obj::SimplePolygon,
) -> Result<()> {
    let line = lines.polygons.get(document.polygon_ends.len()).copied().unwrap_or_default();
    for &obj::IndexTuple(vertex, texcoord, _) in &polygon.0 {
        let vertex = lines.index("vertex", vertex, document.positions.len(), line)?;
        let texcoord = match texcoord {
            Some(t) => lines.index("texture coordinate", t, document.texcoords.len(), line)?,
            None => NONE,
        };
        document.corners.push(Corner { vertex, texcoord });
    }
    document.polygon_ends.push(document.corners.len() as u32);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mesh::{Faces, SurfaceMesh};

    fn message(text: &str) -> String {
        parse(text.as_bytes(), "m.obj").unwrap_err().to_string()
    }

    #[test]
    fn reads_polygons_seams_groups_and_names_at_full_precision() {
        let text = "# a comment\n mtllib a.mtl\no shirt\nv 0.1 0 -1e-3\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\n\
            vt 0.25 0.5\nvt 1\nvn 0 0 1\ns off\ng left é\nusemtl red\nf 1/1/1 2/2 3//1 4\n\
            g\ns 3\nf -4 \\\n -3 -2 # tail\n";
        let (document, lines) = parse(text.as_bytes(), "m.obj").unwrap();
        assert_eq!(document.positions[0], Vec3::new(0.1, 0.0, -1e-3));
        assert_eq!(document.texcoords, [Vec2::new(0.25, 0.5), Vec2::new(1.0, 0.0)]);
        assert_eq!(document.polygon_ends, [4, 7]);
        assert_eq!(document.corners[1], Corner { vertex: 1, texcoord: 1 });
        assert_eq!(document.corners[2], Corner { vertex: 2, texcoord: NONE });
        assert_eq!(document.corners[4..].iter().map(|c| c.vertex).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(document.libraries, [Path::new("a.mtl")]);
        let first = &document.groups[0];
        assert_eq!((first.smoothing, document.groups[1].smoothing), (Some(0), Some(3)));
        assert_eq!(
            (first.object.as_deref(), first.name.as_deref()),
            (Some("shirt"), Some("left é"))
        );
        assert_eq!((first.material.as_deref(), first.end), (Some("red"), 1));
        assert_eq!((document.groups[1].name.as_deref(), document.groups[1].end), (None, 2));
        assert_eq!((lines.vertices[3], lines.polygons[1]), (7, 17));
    }

    #[test]
    fn bad_lines_are_named() {
        let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (line, place, cause) in [
            ("f 1 2 4", "m.obj:4", "vertex 4, but the file has 3"),
            ("f 1 2 -9", "m.obj:4", "index -9 reaches back"),
            ("f 1/1 2/1 3/1", "m.obj:4", "texture coordinate 1, but the file has 0"),
            ("f 0 1 2", "m.obj:4", "`0` is not a corner"),
            ("f 1 2 x", "m.obj:4", "`x` is not a corner"),
            ("f 1 2 99999999999999999999", "m.obj:4", "is not a corner"),
            ("f 1 2", "m.obj:4", "2 corners"),
            ("v 0 nan 0", "m.obj:4", "`nan` is not a finite"),
            ("v 0 1e999 0", "m.obj:4", "not a finite"),
            ("v 0 1,5 0", "m.obj:4", "`1,5` is not a number"),
            ("v 0 1", "m.obj:4", "expected 3 numbers, found 2"),
        ] {
            let message = message(&format!("{head}{line}\n"));
            assert!(message.contains(place) && message.contains(cause), "{line}: {message}");
            assert!(message.contains("help: "), "{message}");
        }
    }

    #[test]
    fn groups_before_a_bare_g_survive() {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\ng\no b\nf 3 2 1\n";
        let (document, _) = parse(text.as_bytes(), "m.obj").unwrap();
        assert_eq!(document.polygon_ends.len(), 2);
    }

    proptest! {
        #[test]
        fn no_text_panics(lines in prop::collection::vec(
            "(v|vt|vn|f|l|g|o|usemtl|s|#)?( [-0-4/.e\\\\#]{1,4}){0,5} ?é?", 0..20,
        )) {
            let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{}", lines.join("\n"));
            if let Ok((document, lines)) = parse(text.as_bytes(), "m.obj") {
                for meet in [Faces::Manifold, Faces::Any] {
                    let _ = SurfaceMesh::new(document.clone(), &lines, meet);
                }
            }
        }
    }
}
