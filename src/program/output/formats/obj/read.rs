//! Reads OBJ frames: the polygons once, then the positions of each frame.
//!
//! A file is split into the positions, which change from frame to frame, and the rest, which is the
//! same in all frames of a run.

use std::path::{Path, PathBuf};

use cloth_core::error::{Error, Place, Result};
use cloth_core::ids::NONE;
use cloth_core::input;
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::obj::Corner;
use cloth_core::mesh::obj_read::{self, Lines};
use xxhash_rust::xxh3::Xxh3;

use crate::engine::Frame;
use crate::program::output::formats::obj::NAME;
use crate::program::output::formats::{Piece, Pieces, Source, WrittenRun, each_frame};
use crate::program::output::names;
use crate::program::output::run_json::NO_RUN;

const AS_WRITTEN: &str = "check frames as the program has written them";

/// The OBJ frames of a run.
pub struct ObjSource {
    folder: PathBuf,
    frame_s: f64,
    surfaces: Pieces,
    /// The hash of a frame without its positions. It is the same for all frames (see
    /// [`super::split`]).
    common: u64,
}

impl ObjSource {
    /// Reads the polygons from the first frame that can be read.
    ///
    /// # Errors
    /// When no frame can be read.
    pub fn open(run: &WrittenRun) -> Result<Self> {
        let (surfaces, common) = run.first_whole(|number| {
            let file = names::frame(number, NAME);
            let text = read(&run.folder.join(&file), NO_RUN)?;
            read_text(&run.folder, &file, &text)
        })?;
        Ok(Self { folder: run.folder.clone(), frame_s: run.frame_s, surfaces, common })
    }
}

impl Source for ObjSource {
    fn surfaces(&self) -> &Pieces {
        &self.surfaces
    }

    fn frame(&self, number: u64) -> std::result::Result<Frame, String> {
        let frame = split(&each_frame::read(&self.folder, number, NAME)?);
        let (found, expected) = (frame.positions.len(), self.surfaces.vertices());
        if found != expected {
            return Err(format!("torn: {found} of {expected} vertices"));
        }
        if frame.rest != self.common {
            return Err("torn: its names or faces are not those of the other frames".to_owned());
        }
        let surfaces = self.surfaces.split(&frame.positions);
        Ok(Frame { time_s: number as f64 * self.frame_s, surfaces, ..Frame::default() })
    }
}

/// Reads the objects of an OBJ file that the program has written into `folder`. `remedy` tells the
/// user what to do if the file cannot be read.
///
/// # Errors
/// When the file cannot be read, is no mesh, or does not have the form that the program writes.
pub fn read_pieces(folder: &Path, file: &str, remedy: &str) -> Result<Pieces> {
    let text = read(&folder.join(file), remedy)?;
    Ok(read_text(folder, file, &text)?.0)
}

fn read(path: &Path, remedy: &str) -> Result<Vec<u8>> {
    input::read(path, input::DATA_LIMIT).map_err(|cause| Error::file(path, cause, remedy))
}

/// The objects of `text`, and the hash of the text without the positions.
fn read_text(folder: &Path, file: &str, text: &[u8]) -> Result<(Pieces, u64)> {
    let (whole, lines) = obj_read::parse(text, &folder.join(file).display().to_string())?;
    let split = split(text);
    let list = cut(&whole, &lines, &split.ends)?;
    Ok((Pieces { file: file.to_owned(), list }, split.rest))
}

/// Cuts `whole` into objects. `ends` has one past the last vertex of each object.
fn cut(whole: &ObjDocument, lines: &Lines, ends: &[usize]) -> Result<Vec<Piece>> {
    if ends.last() != Some(&whole.positions.len()) {
        let cause = "its vertices are not written one a line";
        return Err(Error::input(Place::line(&lines.file), cause, AS_WRITTEN));
    }
    let mut pieces = Vec::new();
    let (mut first, mut polygon) = (0, 0);
    for &end in ends {
        let mut document =
            ObjDocument { positions: whole.positions[first..end].to_vec(), ..Default::default() };
        let first_polygon = polygon;
        let corners = |polygon: usize| &whole.corners[whole.polygon(polygon)];
        let is_own = |corner: &Corner| (first..end).contains(&(corner.vertex as usize));
        while polygon < whole.polygon_ends.len() && corners(polygon).iter().all(is_own) {
            let own = |c: &Corner| Corner { vertex: c.vertex - first as u32, texcoord: NONE };
            document.corners.extend(corners(polygon).iter().map(own));
            document.polygon_ends.push(document.corners.len() as u32);
            polygon += 1;
        }
        let lines = Lines {
            file: lines.file.clone(),
            vertices: lines.vertices[first..end].to_vec(),
            polygons: lines.polygons[first_polygon..polygon].to_vec(),
            ..Lines::default()
        };
        pieces.push(Piece { document, lines });
        first = end;
    }
    if polygon == whole.polygon_ends.len() {
        Ok(pieces)
    } else {
        let cause = "this face does not follow the vertices of its own object";
        Err(lines.error(lines.polygons[polygon], cause, AS_WRITTEN))
    }
}

/// An OBJ file, split into positions and the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// All positions, m. A coordinate is NaN if its line holds no number there.
    pub positions: Vec<Vec3>,
    /// One past the last vertex of each object. An object ends where a vertex follows faces.
    pub ends: Vec<usize>,
    /// The hash of the rest of the file. It is equal for all frames of a run.
    pub rest: u64,
}

/// Splits the text of a file.
pub fn split(text: &[u8]) -> Split {
    let (mut positions, mut ends) = (Vec::new(), Vec::new());
    let mut rest = Xxh3::new();
    let mut after_faces = false;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if let Some(numbers) = line.strip_prefix(b"v ") {
            if std::mem::take(&mut after_faces) {
                ends.push(positions.len());
            }
            positions.push(position(numbers));
        } else {
            after_faces |= line.starts_with(b"f ");
            rest.update(line);
        }
    }
    ends.push(positions.len());
    Split { positions, ends, rest: rest.digest() }
}

fn position(numbers: &[u8]) -> Vec3 {
    let text = std::str::from_utf8(numbers).unwrap_or_default();
    let mut words = text.split_ascii_whitespace().map(|word| word.parse().unwrap_or(f64::NAN));
    let mut next = || words.next().unwrap_or(f64::NAN);
    Vec3::new(next(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_end_with_their_vertices_and_frames_of_a_run_share_the_rest() {
        let text = "o a\nv 0 1 2\nv 3 4 x\nv 1 2 3\nvt 0 0\nf 1 2 3\no a.part\nf 3 2 1\no b\n\
            v 1e-3 -2 inf\nv 1 2\nv 1 1 1\nf 4 5 6\n";
        let first = split(text.as_bytes());
        assert_eq!(first.ends, [3, 6]);
        assert_eq!(first.positions[0], Vec3::new(0.0, 1.0, 2.0));
        assert_eq!(first.positions[3].x, 1e-3);
        let bad: Vec<bool> =
            first.positions.iter().map(|p| !p.iter().all(|c| c.is_finite())).collect();
        assert_eq!(bad, [false, true, false, true, true, false]);
        assert_eq!(split(text.replace("0 1 2", "7 8 9").as_bytes()).rest, first.rest);
        for torn in [&text[..text.len() - 1], &text[..text.len() - 8]] {
            assert_ne!(split(torn.as_bytes()).rest, first.rest);
        }
    }
}
