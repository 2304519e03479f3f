//! The surface of each body as an object `body_<id>`.

use std::io::{self, Write};
use std::path::Path;

use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::ObjDocument;
use cloth_sim::scene::spec::Digits;

use crate::program::output::bodies::surface::Surfaces;
use crate::program::output::formats::obj::text::ObjText;
use crate::program::output::frame::Frame;
use crate::program::output::write_whole;

/// Writes the bodies of `frame`. Half-spaces are left out, because they have no end.
///
/// # Errors
/// The errors of `out`.
pub fn write(
    frame: &Frame,
    surfaces: &Surfaces,
    digits: Digits,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shapes = frame.bodies.iter().filter_map(|row| Some((row, row.shape()?)));
    let objects = shapes.map(|(row, shape)| Object {
        name: format!("body_{}", row.id),
        document: surfaces.document(&shape),
        positions: surfaces.positions(&shape, &row.state()),
    });
    write_objects(&Vec::from_iter(objects), digits, out)
}

/// An object of a file.
pub struct Object<'a> {
    /// Its name.
    pub name: String,
    /// Its faces.
    pub document: &'a ObjDocument,
    /// Positions of its vertices, m.
    pub positions: Vec<Vec3>,
}

/// Writes `objects` as the file at `path`, if there are any.
///
/// # Errors
/// When it cannot be written.
pub fn write_file(path: &Path, objects: &[Object], digits: Digits) -> Result<()> {
    if objects.is_empty() {
        return Ok(());
    }
    write_whole(path, |out| write_objects(objects, digits, out))
        .map_err(|cause| Error::file(path, cause, "make room or choose another folder with --out"))
}

fn write_objects(objects: &[Object], digits: Digits, out: &mut dyn Write) -> io::Result<()> {
    let documents = objects.iter().map(|it| (it.name.as_str(), it.document));
    let text = ObjText::new(&Vec::from_iter(documents), digits);
    let positions = objects.iter().map(|it| it.positions.as_slice());
    text.write(&Vec::from_iter(positions), out)
}

#[cfg(test)]
mod tests {
    use cloth_sim::mesh::obj_read;
    use cloth_sim::rigid::solid::Solids;

    use super::*;
    use crate::program::output::bodies::BodyRow;

    #[test]
    fn each_body_is_an_object_of_its_own() {
        let row = |id, shape, x: f64| BodyRow {
            id,
            shape,
            size: [0.5, 0.25, 0.0],
            position: [x, 0.0, 0.0],
            rotation: [0.0, 0.0, 0.0, 1.0],
            ..BodyRow::default()
        };
        let rows = vec![row(2, 0, -3.0), row(7, 2, 3.0), row(9, 4, 0.0)];
        let frame = Frame { bodies: rows, ..Frame::default() };
        let (mut file, surfaces) = (Vec::new(), Surfaces::new(&Solids::default()));
        write(&frame, &surfaces, Digits::Nine, &mut file).unwrap();
        let (document, _) = obj_read::parse(&file, "frame").unwrap();
        let names: Vec<_> = document.groups.iter().filter_map(|it| it.object.clone()).collect();
        assert_eq!(names, ["body_2", "body_7"]);
        let sides = document.positions.iter().map(|x| x.x);
        assert!((sides.clone().fold(f64::INFINITY, f64::min) + 3.5).abs() < 0.02);
        assert!((sides.fold(0.0, f64::max) - 3.25).abs() < 0.01);
    }
}
