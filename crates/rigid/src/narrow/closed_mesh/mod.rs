//! Contacts of closed meshes with other bodies.
//!
//! | module | |
//! |---|---|
//! | [`features`] | corners, edges and flat faces of meshes and polytopes |
//! | [`solids`] | a mesh and another solid of flat faces |
//!
//! Below are those with spheres, capsules and other convex shapes.

pub mod features;
pub mod solids;

use smallvec::SmallVec;

use crate::narrow::closed_mesh::features::PlacedMesh;
use crate::narrow::general::{Core, Nearness, nearness};
use crate::narrow::round::{nearest, nearest_of_segments};
use crate::narrow::{Touch, Touches};
use crate::shape::ALONG;
use cloth_core::Vec3;

/// Points nearer to each other than this fraction of the body's reach are one contact.
const SAME: f64 = 1e-3;

/// An edge between two faces is flat, and no contact of its own, if the square of the sum of their
/// unit normals is above this.
const FLAT: f64 = 3.99;

/// Contacts of a sphere, the first body, with a mesh. Here and below `most` is the largest gap (m)
/// at which bodies touch.
pub fn sphere(centre: &Vec3, radius: f64, second: &PlacedMesh, most: f64, touches: &mut Touches) {
    let own = second.placed.to_own(centre);
    let (deepest, height) = second.mesh.signed_nearest(&own);
    if height > radius + most {
        return;
    }
    let mut push = |offset: Vec3, height: f64| {
        let Some(out) = offset.try_normalize(0.0) else { return };
        let normal = second.placed.rotation.transform_vector(&out);
        let gap = height - radius;
        touches.push(Touch { point: centre - normal * (radius + 0.5 * gap), normal, gap });
    };
    if height <= 0.0 {
        // The centre is inside the mesh. The normal points out through the nearest point.
        let offset = deepest.point - own;
        push(if offset == Vec3::zeros() { second.mesh.out(&deepest) } else { offset }, height);
        return;
    }
    // There is a contact at each local minimum of the distance. A point on an edge or corner is a
    // minimum only if it is the nearest point of all faces there.
    let mut near: SmallVec<[_; 16]> = SmallVec::new();
    second.mesh.near(&own, radius + most, |found| {
        if found.distance <= radius + most {
            near.push(found);
        }
    });
    near.sort_unstable_by(|a, b| {
        (a.distance, a.face).partial_cmp(&(b.distance, b.face)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut kept: SmallVec<[Vec3; 8]> = SmallVec::new();
    for found in &near {
        let offset = own - found.point;
        let is_above = second.mesh.out(found).dot(&offset) > 0.0;
        // A contact at a nearer point in nearly the same direction stands for this one too.
        let is_new =
            kept.iter().all(|other: &Vec3| other.dot(&offset) < 0.9 * other.norm() * offset.norm());
        if is_above && is_new && second.mesh.is_nearest_around(found, &near) {
            kept.push(offset);
            push(offset, found.distance);
        }
    }
}

/// Contacts of a capsule, the first body, with a mesh. The ends of the capsule touch as spheres do;
/// its side touches edges and corners of the mesh.
pub fn capsule(
    segment: &[Vec3; 2],
    radius: f64,
    second: &PlacedMesh,
    most: f64,
    touches: &mut Touches,
) {
    for end in segment {
        sphere(end, radius, second, most, touches);
    }
    let own = segment.map(|x| second.placed.to_own(&x));
    let along = own[1] - own[0];
    let mut push = |x: Vec3, y: Vec3, out: &Vec3| {
        let share = along.dot(&(x - own[0]));
        let (offset, end) = (x - y, along.norm_squared());
        let distance = offset.norm();
        if share > 0.0
            && share < end
            && distance > 0.0
            && distance <= radius + most
            && out.dot(&offset) > 0.0
        {
            let normal = second.placed.rotation.transform_vector(&(offset / distance));
            let gap = distance - radius;
            let point = second.placed.to_space(&x) - normal * (radius + 0.5 * gap);
            touches.push(Touch { point, normal, gap });
        }
    };
    for (ends, out) in second.mesh.edges() {
        let [x, y] = nearest_of_segments(&own, &ends);
        push(x, y, out);
    }
}

/// Contacts of a convex body, the first body, with a mesh: at the parts of the body that lie along
/// faces of the mesh, and at edges of the mesh near the body.
pub fn convex(first: &Core, second: &PlacedMesh, most: f64, touches: &mut Touches) {
    let (placed, mesh) = (second.placed, second.mesh);
    let (centre, reach) = (placed.to_own(&first.centre()), first.reach());
    let (radius, same) = (reach + most, SAME * reach);
    // If the centre of the body is outside the mesh, faces and edges that point away from it are no
    // contacts.
    let is_inside = mesh.signed_nearest(&centre).1 <= 0.0;
    let faces_it = |out: &Vec3, x: &Vec3| is_inside || out.dot(&(centre - x)) > 0.0;
    let mut outs: SmallVec<[Vec3; 16]> = SmallVec::new();
    mesh.near(&centre, radius, |found| {
        let out = mesh.normal(found.face);
        let is_near = found.distance <= radius && faces_it(out, &found.point);
        if is_near && !outs.contains(out) {
            outs.push(*out);
        }
    });
    let mut points: SmallVec<[Vec3; 16]> = SmallVec::new();
    let is_new = |points: &[Vec3], x: &Vec3| points.iter().all(|it| (it - x).norm() > same);
    for out in &outs {
        let down = -placed.rotation.transform_vector(out);
        for x in first.feature(&down) {
            if is_new(&points, &x) {
                points.push(x);
                sphere(&x, first.margin(), second, most, touches);
            }
        }
    }
    points.clear();
    for (ends, out) in mesh.edges() {
        let foot = nearest(&ends, &centre);
        let is_flat = out.norm_squared() > FLAT;
        if is_flat || (foot - centre).norm() > radius || !faces_it(out, &foot) {
            continue;
        }
        let (ends, out) =
            (ends.map(|x| placed.to_space(&x)), placed.rotation.transform_vector(out));
        let Some(found) = nearness(first, &Core::Segment(&ends), most) else { continue };
        let Nearness { normal, gap, points: [x, y] } = found;
        // The contact normal must lie between the normals of the two faces, whose sum is `out`.
        let is_between = normal.dot(&out) > (0.5 - ALONG) * out.norm_squared();
        if is_between && is_new(&points, &y) {
            points.push(y);
            touches.push(Touch { point: (x + y) * 0.5, normal, gap });
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::solid::Geometry;
    use crate::{Placed, Shape, Solid as SolidBody};
    use cloth_core::mesh::shapes::{Cuboid, ShapeKind};

    #[test]
    fn a_sphere_on_a_triangulated_cube_has_the_contact_of_a_box() {
        let mesh = Cuboid { size_m: [2.0; 3], edge_m: Some(0.4) }.mesh();
        let (solid, _) = SolidBody::mesh(&mesh, 0.0, "mesh").unwrap();
        let Geometry::Mesh(mesh) = &solid.geometry else { panic!("a mesh") };
        let shape = Shape::Solid(0);
        let rotation = UnitQuaternion::identity();
        let placed = Placed { shape: &shape, position: Vec3::zeros(), rotation };
        let second = PlacedMesh { placed: &placed, mesh };
        let half = Vec3::repeat(1.0);
        let places = [
            Vec3::new(0.13, 1.4, -0.27),
            Vec3::new(0.0, 1.4, 0.0),
            Vec3::new(1.3, 1.2, 0.1),
            Vec3::new(1.2, -1.2, 1.2),
            Vec3::new(0.1, 0.8, 0.2),
            Vec3::new(3.0, 0.0, 0.0),
        ];
        for centre in places {
            let (mut found, mut expected) = (Touches::new(), Touches::new());
            sphere(&centre, 0.5, &second, 0.0, &mut found);
            crate::narrow::round::sphere_and_box(&centre, 0.5, &placed, &half, 0.0, &mut expected);
            assert_eq!(found.len(), expected.len(), "{centre:?}: {found:?}");
            for (a, b) in found.iter().zip(&expected) {
                assert!((a.point - b.point).norm() < 1e-12, "{centre:?}: {a:?} {b:?}");
                assert!((a.normal - b.normal).norm() < 1e-12 && (a.gap - b.gap).abs() < 1e-12);
            }
        }
    }
}
