//! The objects of a run, and the names of their files.

use std::ops::Range;

use crate::program::output::FrameObjects;
use crate::program::words::free_name;

/// The beginning of the names of all files.
const BEGIN: &str = "frames_";
const POINTS: &str = ".pc2";
const FACES: &str = ".obj";

/// The name of the object that holds all rigid bodies.
const BODIES: &str = "bodies";

/// The longest name of an object in the name of a file.
const LONGEST: usize = 80;

/// The surfaces that share a file.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedObject {
    /// Its name, which is unique and part of the names of its files.
    pub name: String,
    /// Its surfaces.
    pub surfaces: Range<usize>,
    /// Number of their vertices.
    pub vertices: usize,
}

/// The objects of a run: cloths, rigid bodies, moving obstacles.
pub fn objects_of(objects: &FrameObjects) -> Vec<CachedObject> {
    let (cloths, count) = (objects.cloths, objects.surfaces.len());
    let obstacles = cloths + objects.posed.len();
    let one = |at: usize| (&*objects.surfaces[at].0, at..at + 1);
    let bodies = (obstacles > cloths).then_some((BODIES, cloths..obstacles));
    let ranges = (0..cloths).map(one).chain(bodies).chain((obstacles..count).map(one));
    let mut all = Vec::<CachedObject>::new();
    for (name, surfaces) in ranges {
        let meshes = objects.surfaces[surfaces.clone()].iter().map(|(_, mesh)| mesh);
        let vertices = meshes.map(|mesh| mesh.positions.len()).sum();
        all.push(CachedObject { name: unique(&in_file(name), &all), surfaces, vertices });
    }
    all
}

/// `name` as part of the name of a file.
fn in_file(name: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    name.chars().take(LONGEST).map(|c| if is_safe(c) { c } else { '_' }).collect()
}

/// `name`, with a number if one of `others` has it. Some file systems do not distinguish `a` from `A`.
fn unique(name: &str, others: &[CachedObject]) -> String {
    let is_free =
        |name: &str| others.iter().all(|other| other.name.to_lowercase() != name.to_lowercase());
    free_name(name, '_', is_free)
}

/// The file with the positions of the object `name` in all frames.
pub fn points(name: &str) -> String {
    format!("{BEGIN}{name}{POINTS}")
}

/// The file with the faces of the object `name`, and with its positions before the run.
pub fn faces(name: &str) -> String {
    format!("{BEGIN}{name}{FACES}")
}

/// Whether `file` is the name of [`points`] of some object.
pub fn is_points(file: &str) -> bool {
    name_of(file).is_some()
}

/// The object whose [`points`] are in `file`.
pub fn name_of(file: &str) -> Option<&str> {
    file.strip_prefix(BEGIN)?.strip_suffix(POINTS)
}

#[cfg(test)]
mod tests {
    use cloth_core::math::Vec3;
    use cloth_core::mesh::ObjDocument;

    use super::*;

    #[test]
    fn bodies_are_one_object_and_names_are_safe_and_unique() {
        let mesh = ObjDocument::from_triangles(vec![Vec3::zeros(); 3], &[[0, 1, 2]]);
        let names = ["a/b", "A_b", "x", "y", "bodies"];
        let surfaces = names.map(|name| (name.into(), &mesh)).to_vec();
        let posed = vec!["x".to_owned(), "y".to_owned()];
        let objects = FrameObjects { surfaces, posed, cloths: 2, ..FrameObjects::default() };
        let found = objects_of(&objects);
        let names = Vec::from_iter(found.iter().map(|it| it.name.as_str()));
        assert_eq!(names, ["a_b", "A_b_2", "bodies", "bodies_2"]);
        assert_eq!((found[2].surfaces.clone(), found[2].vertices), (2..4, 6));
        assert_eq!(name_of(&points("a_b")), Some("a_b"));
    }
}
