//! Writes the surface of each body as the object `body_<id>`.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::engine::Frame;
use cloth_rigid::surfaces::Surfaces;
use cloth_scene::spec::Digits;

use crate::program::output::Object;
use crate::program::output::formats::obj::objects::write_objects;

/// Writes the bodies of `frame` as one file. Half-spaces are left out, because they are infinite.
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
        document: Cow::Borrowed(surfaces.document(&shape)),
        positions: surfaces.positions(&shape, &row.state()),
    });
    write_objects(&Vec::from_iter(objects), digits, out)
}

#[cfg(test)]
mod tests {
    use cloth_core::mesh::obj_read;
    use cloth_rigid::solid::Solids;

    use super::*;
    use cloth_rigid::FrameBody;

    #[test]
    fn each_body_is_an_object_of_its_own() {
        let row = |id, shape, x: f64| FrameBody {
            id,
            shape,
            size: [0.5, 0.25, 0.0],
            position: [x, 0.0, 0.0],
            rotation: [0.0, 0.0, 0.0, 1.0],
            ..FrameBody::default()
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
