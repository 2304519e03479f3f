//! Sequences of OBJ files, one a sample: `walk_%04d.obj` stands for `walk_0001.obj`, `walk_0002.obj`
//! and so on, from any number on.

use std::path::{Path, PathBuf};

use crate::mesh::obj::ObjDocument;
use crate::mesh::obj_read;
use crate::mesh::point_cache::PointCache;
use crate::{Error, Result};

/// The names of the files of a sequence.
struct Pattern<'a> {
    before: &'a str,
    /// The least number of digits.
    width: usize,
    after: &'a str,
}

impl<'a> Pattern<'a> {
    /// The pattern in the file name of `path`. None if it names one file.
    fn of(path: &'a Path) -> Option<Self> {
        let (before, rest) = path.file_name()?.to_str()?.split_once('%')?;
        let (width, after) = rest.split_once('d')?;
        let width = if width.is_empty() { 1 } else { width.strip_prefix('0')?.parse().ok()? };
        Some(Self { before, width, after })
    }

    /// The number in the file name `name`. None if the file is not one of the sequence.
    fn number(&self, name: &str) -> Option<u32> {
        let digits = name.strip_prefix(self.before)?.strip_suffix(self.after)?;
        let number = digits.parse().ok()?;
        (self.name(number) == name).then_some(number)
    }

    fn name(&self, number: u32) -> String {
        let Self { before, width, after } = self;
        format!("{before}{number:0width$}{after}")
    }
}

/// Whether `path` stands for a sequence.
pub fn is_sequence(path: &Path) -> bool {
    Pattern::of(path).is_some()
}

/// The files that `path` stands for, by rising number: itself, if it is no pattern.
///
/// # Errors
/// A folder that cannot be read, no file, or a number that is missing between two others.
pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let Some(pattern) = Pattern::of(path) else { return Ok(vec![path.to_path_buf()]) };
    let folder = path.parent().unwrap_or(Path::new("."));
    let remedy = "check the path; it is relative to the scene file";
    // The parent of a mere name is empty.
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let failed = |cause| Error::file(listed, cause, remedy);
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(listed).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        numbers.extend(name.to_str().and_then(|name| pattern.number(name)));
    }
    numbers.sort_unstable();
    if numbers.is_empty() {
        return Err(Error::file(path, "there is no file of this sequence", remedy));
    }
    if let Some(gap) = numbers.windows(2).find(|two| two[0] + 1 != two[1]) {
        let missing = folder.join(pattern.name(gap[0] + 1));
        let cause = "this file of the sequence is missing, and later ones are there";
        return Err(Error::file(missing, cause, "export it again"));
    }
    Ok(numbers.into_iter().map(|number| folder.join(pattern.name(number))).collect())
}

/// Reads the files that `path` stands for.
///
/// # Errors
/// As for [`files`] and [`obj_read::read`], and a file with other faces than the first one.
pub(super) fn read(path: &Path) -> Result<PointCache> {
    let mut first: Option<ObjDocument> = None;
    let mut positions = Vec::new();
    for file in files(path)? {
        let (document, _) = obj_read::read(&file)?;
        positions.extend(document.positions.iter().map(|x| [x.x as f32, x.y as f32, x.z as f32]));
        let first = first.get_or_insert(document.clone());
        if !has_same_faces(first, &document) {
            let cause = "its vertices or faces are not those of the first file of the sequence";
            return Err(Error::file(file, cause, "export all from the same mesh"));
        }
    }
    let points = first.map_or(0, |first| first.positions.len());
    PointCache::new(points, 1.0, positions)
        .map_err(|cause| Error::file(path, cause, "export the sequence again"))
}

fn has_same_faces(a: &ObjDocument, b: &ObjDocument) -> bool {
    let vertices = |of: &ObjDocument| Vec::from_iter(of.corners.iter().map(|it| it.vertex));
    (a.positions.len(), &a.polygon_ends) == (b.positions.len(), &b.polygon_ends)
        && vertices(a) == vertices(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec3;

    fn write(folder: &Path, name: &str, height: f64, face: &str) {
        let text = format!("v 0 {height} 0\nv 1 {height} 0\nv 0 {height} 1\nf {face}\n");
        std::fs::write(folder.join(name), text).unwrap();
    }

    #[test]
    fn a_sequence_is_read_in_the_order_of_its_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walk_%02d.obj");
        for number in [100, 98, 99] {
            write(folder.path(), &format!("walk_{number}.obj"), f64::from(number), "1 3 2");
        }
        for other in ["walk_0098.obj", "walk_a.obj", "talk_98.obj"] {
            write(folder.path(), other, 0.0, "1 2 3");
        }
        let cache = PointCache::read(&path).unwrap();
        assert_eq!((cache.samples(), cache.points()), (3, 3));
        assert_eq!(cache.sample(2).nth(1), Some(Vec3::new(1.0, 100.0, 0.0)));
        assert_eq!(files(Path::new("walk.obj")).unwrap(), [Path::new("walk.obj")]);
    }

    #[test]
    fn sequences_with_a_gap_or_with_other_faces_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walk_%d.obj");
        let message = || PointCache::read(&path).unwrap_err().to_string();
        assert!(message().contains("no file of this sequence"), "{}", message());
        for number in [8, 9, 11] {
            write(folder.path(), &format!("walk_{number}.obj"), 0.0, "1 3 2");
        }
        assert!(message().contains("walk_10.obj: this file of the sequence is missing"));
        write(folder.path(), "walk_10.obj", 0.0, "1 2 3");
        assert!(message().contains("walk_10.obj: its vertices or faces"), "{}", message());
    }
}
