//! What a run writes once: what stands still (obstacles, walls and other fixed bodies), and the
//! shapes of solids, which frames name by their numbers.

use std::borrow::Cow;
use std::path::Path;

use cloth_bodies::bodies::Documents;
use cloth_bodies::bodies::prescribed::ObstacleSetup;
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_rigid::domain::Domain;
use cloth_rigid::fixed::{FixedBody, FixedShape};
use cloth_rigid::solid::Solids;
use cloth_rigid::surfaces::Surfaces;
use cloth_scene::spec::Digits;

use crate::program::output::formats::obj::write_file;
use crate::program::output::{Object, names};

/// Writes the `objects` that stand still into `folder`, if there are any. They are in no frame.
///
/// # Errors
/// A folder that cannot be written.
pub fn write(folder: &Path, objects: &[Object], digits: Digits) -> Result<()> {
    write_file(&folder.join(names::OBSTACLES), objects, digits)
}

/// The obstacles of cloth that stand still.
pub fn still_obstacles(documents: &Documents) -> Vec<Object<'_>> {
    let at_the_start = |obstacle: &ObstacleSetup| {
        let mut positions = vec![Default::default(); obstacle.shape.len()];
        obstacle.positions_at(0.0, &mut positions);
        positions
    };
    let fixed = documents.obstacles.iter().filter(|obstacle| obstacle.is_fixed());
    let objects = fixed.map(|obstacle| Object {
        name: obstacle.name.clone(),
        document: Cow::Borrowed(&obstacle.document),
        positions: at_the_start(obstacle),
    });
    objects.collect()
}

/// Whether a body stands still and has a part in the domain. One with keyframes is a row of each
/// frame.
fn is_drawn(body: &FixedBody, domain: &Domain) -> bool {
    body.motion.is_none()
        && match body.shape {
            FixedShape::HalfSpace => !plane(body, domain).positions.is_empty(),
            FixedShape::Shape(_) => true,
        }
}

/// The `bodies` that stand still. Each has the name `body_<id>`. Of a half-space it is the part of
/// its plane that is in the domain.
pub fn still_bodies(
    bodies: &[FixedBody],
    solids: &Solids,
    domain: &Domain,
) -> Vec<Object<'static>> {
    let surfaces = Surfaces::new(solids);
    let object = |body: &FixedBody| {
        let (document, positions) = match &body.shape {
            FixedShape::HalfSpace => {
                let plane = plane(body, domain);
                let positions = plane.positions.clone();
                (plane, positions)
            }
            FixedShape::Shape(shape) => {
                let positions = surfaces.positions(shape, &body.state(0.0, 0.0));
                (surfaces.document(shape).clone(), positions)
            }
        };
        Object { name: format!("body_{}", body.id), document: Cow::Owned(document), positions }
    };
    bodies.iter().filter(|body| is_drawn(body, domain)).map(object).collect()
}

/// Writes the solids into `folder`, if there are any: `solid_<number>`, each in its own frame (the
/// origin is the centre of mass, the axes are the principal axes of inertia).
///
/// # Errors
/// A folder that cannot be written.
pub fn write_solids(folder: &Path, solids: &Solids, digits: Digits) -> Result<()> {
    let surfaces = Surfaces::new(solids);
    let object = |(number, document): (usize, _)| Object {
        name: format!("solid_{number}"),
        document: Cow::Borrowed(document),
        positions: ObjDocument::clone(document).positions,
    };
    let objects = surfaces.solids().iter().enumerate().map(object);
    write_file(&folder.join(names::SOLIDS), &Vec::from_iter(objects), digits)
}

/// The part of a half-space's plane that is in the domain, as one polygon. Empty if there is none.
fn plane(body: &FixedBody, domain: &Domain) -> ObjDocument {
    let (low, high) = (domain.low(), domain.high());
    let reach = (high - low).norm() + (body.position - (low + high) / 2.0).norm();
    let corner =
        |(x, z)| body.position + body.rotation.transform_vector(&(Vec3::new(x, 0.0, z) * reach));
    let mut polygon =
        Vec::from_iter([(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map(corner));
    // A wall in a border of the domain is inside.
    let rounding = 1e-9 * reach;
    for axis in 0..3 {
        polygon = clipped(&polygon, |x| x[axis] - low[axis] + rounding);
        polygon = clipped(&polygon, |x| high[axis] - x[axis] + rounding);
    }
    let faces = (2..polygon.len() as u32).map(|i| [0, i - 1, i]);
    let faces = Vec::from_iter(faces);
    ObjDocument::from_triangles(polygon, &faces)
}

/// The part of a convex polygon where `inside` is not negative (Sutherland & Hodgman 1974).
fn clipped(polygon: &[Vec3], inside: impl Fn(&Vec3) -> f64) -> Vec<Vec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, a) in polygon.iter().enumerate() {
        let b = &polygon[(i + 1) % polygon.len()];
        let (of_a, of_b) = (inside(a), inside(b));
        if of_a >= 0.0 {
            kept.push(*a);
        }
        if (of_a >= 0.0) != (of_b >= 0.0) {
            kept.push(a + (b - a) * (of_a / (of_a - of_b)));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use cloth_core::mesh::obj_read;
    use cloth_rigid::shape::{Shape, Sphere};

    use super::*;

    #[test]
    fn walls_end_at_the_domain_and_obstacles_have_their_shapes() {
        let domain = Domain::new(Vec3::zeros(), Vec3::new(2.0, 3.0, 4.0), [false; 3]).unwrap();
        let ball = Shape::Sphere(Sphere { radius_m: 0.5 });
        let bodies = [
            FixedBody::half_space(0, 0, Vec3::new(9.0, 0.0, -7.0), Vec3::y()),
            FixedBody::half_space(1, 0, Vec3::zeros(), Vec3::new(1.0, 1.0, 0.0)),
            FixedBody::half_space(2, 0, Vec3::new(0.0, -1.0, 0.0), Vec3::y()),
            FixedBody::immovable(3, 0, ball, Vec3::new(1.0, 1.0, 1.0)),
        ];
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &still_bodies(&bodies, &Solids::default(), &domain), Digits::Nine)
            .unwrap();
        let (document, _) = obj_read::read(&folder.path().join("obstacles.obj")).unwrap();
        let names: Vec<_> = document.groups.iter().filter_map(|it| it.object.clone()).collect();
        assert_eq!(names.first().map(String::as_str), Some("body_0"));
        assert_eq!(names.last().map(String::as_str), Some("body_3"));
        assert!(!names.contains(&"body_2".to_owned()), "outside the domain");
        let floor = &document.positions[..4];
        assert!(floor.iter().all(|x| x.y.abs() < 1e-12));
        let far = floor.iter().fold(Vec3::zeros(), |far, x| far.sup(x));
        assert!((far - Vec3::new(2.0, 0.0, 4.0)).norm() < 1e-6, "{far:?}");
    }

    #[test]
    fn a_scene_without_obstacles_has_no_file() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[], Digits::Nine).unwrap();
        write_solids(folder.path(), &Solids::default(), Digits::Nine).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
