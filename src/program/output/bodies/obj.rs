//! Wavefront OBJ: the surface of each body as an object `body_<id>`.

use std::io::{self, Write};

use cloth_sim::math::Vec3;
use cloth_sim::mesh::ObjDocument;
use cloth_sim::rigid::solid::Solids;
use cloth_sim::scene::spec::Digits;

use crate::program::output::bodies::surface::Surfaces;
use crate::program::output::bodies::{BodyEncoder, BodyFormat, BodyFrame};
use crate::program::output::formats::Format;
use crate::program::output::formats::obj::{self, Obj};

/// The largest number of bodies of a frame. Such a frame of spheres takes 40 MB.
pub const LIMIT: usize = 5000;

/// The format.
pub struct BodyObj;

impl BodyFormat for BodyObj {
    fn name(&self) -> &'static str {
        obj::NAME
    }

    fn limit(&self) -> usize {
        LIMIT
    }

    fn prepare(&self, solids: &Solids, digits: Digits) -> Box<dyn BodyEncoder> {
        Box::new(SurfaceEncoder { surfaces: Surfaces::new(solids), digits })
    }
}

struct SurfaceEncoder {
    surfaces: Surfaces,
    digits: Digits,
}

impl BodyEncoder for SurfaceEncoder {
    /// Half-spaces are left out, because they have no end.
    fn write(&self, frame: &BodyFrame, out: &mut dyn Write) -> io::Result<()> {
        let shapes = frame.rows.iter().filter_map(|row| Some((row, row.shape()?)));
        let objects = shapes.map(|(row, shape)| Object {
            name: format!("body_{}", row.id),
            document: self.surfaces.document(&shape),
            positions: self.surfaces.positions(&shape, &row.state()),
        });
        write_objects(&Vec::from_iter(objects), self.digits, out)
    }
}

/// An object of a file.
pub(super) struct Object<'a> {
    pub name: String,
    pub document: &'a ObjDocument,
    /// m.
    pub positions: Vec<Vec3>,
}

/// Writes `objects` as one file.
pub(super) fn write_objects(
    objects: &[Object],
    digits: Digits,
    out: &mut dyn Write,
) -> io::Result<()> {
    let documents = objects.iter().map(|it| (it.name.as_str(), it.document));
    let encoder = Obj.prepare(&Vec::from_iter(documents), digits);
    let positions = objects.iter().map(|it| it.positions.as_slice());
    encoder.write(&Vec::from_iter(positions), out)
}

#[cfg(test)]
mod tests {
    use cloth_sim::mesh::obj_read;

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
        let rows = vec![row(7, 2, 3.0), row(2, 0, -3.0), row(9, 4, 0.0)];
        let frame = BodyFrame::new(0, 0.0, rows);
        let mut file = Vec::new();
        let encoder = BodyObj.prepare(&Solids::default(), Digits::Nine);
        encoder.write(&frame, &mut file).unwrap();
        let (document, _) = obj_read::parse(&file, "frame").unwrap();
        let names: Vec<_> = document.groups.iter().filter_map(|it| it.object.clone()).collect();
        assert_eq!(names, ["body_2", "body_7"]);
        let sides = document.positions.iter().map(|x| x.x);
        assert!((sides.clone().fold(f64::INFINITY, f64::min) + 3.5).abs() < 0.02);
        assert!((sides.fold(0.0, f64::max) - 3.25).abs() < 0.01);
    }
}
