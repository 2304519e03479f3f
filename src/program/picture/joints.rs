//! Joints as points and lines over everything else, as in the page.

use cloth_core::math::Vec3;
use nalgebra::UnitQuaternion;

use crate::program::picture::colours::{JOINT, hex};
use crate::program::picture::{Camera, Look, Model, Vertex};
use crate::program::view::JointHead;

/// So many joints and more would hide their bodies.
pub const MANY: usize = 200;

/// The width of a line and of a point, as shares of the height of a picture.
const LINE: f64 = 1.0 / 480.0;
const POINT: f64 = 1.0 / 130.0;

/// The least width, pixels.
const LEAST: f64 = 1.0;

/// A point is drawn with so many corners.
const CORNERS: u32 = 8;

/// Where a body is.
#[derive(Debug, Clone, Copy)]
pub struct Pose {
    /// Its centre, m.
    pub centre: Vec3,
    /// Its rotation.
    pub turn: UnitQuaternion<f64>,
}

/// Adds `joints` as `camera` sees them, where `pose` is that of a body in the frame.
pub fn add(
    joints: &[JointHead],
    pose: impl Fn(usize) -> Option<Pose>,
    camera: &Camera,
    model: &mut Model,
) {
    let place = |joint: &JointHead, end: usize| {
        let own = Vec3::from(joint.points[end]?);
        let Some(body) = joint.bodies[end] else { return Some(own) };
        let Pose { centre, turn } = pose(body)?;
        Some(centre + turn * own)
    };
    for joint in joints {
        let Some(first) = place(joint, 0) else { continue };
        add_point(first, camera, model);
        if let Some(second) = place(joint, 1) {
            add_point(second, camera, model);
            add_line([first, second], camera, model);
        }
    }
}

/// Half of a width (share of the height of the picture) at `x`, m.
fn half_width(share: f64, x: &Vec3, camera: &Camera) -> f64 {
    let pixels = (share * f64::from(camera.size[1])).max(LEAST);
    0.5 * pixels * camera.depth(x).max(camera.nearest_m) / camera.focus
}

fn add_point(x: Vec3, camera: &Camera, model: &mut Model) {
    let radius = half_width(POINT, &x, camera);
    let corner = |number: u32| {
        let angle = std::f64::consts::TAU * f64::from(number) / f64::from(CORNERS);
        x + radius * (libm::cos(angle) * camera.axes.right + libm::sin(angle) * camera.axes.up)
    };
    let faces = Vec::from_iter((2..CORNERS).map(|it| [0, it - 1, it]));
    add_marks((0..CORNERS).map(corner), &faces, camera, model);
}

/// Adds a line that faces the camera.
fn add_line(ends: [Vec3; 2], camera: &Camera, model: &mut Model) {
    let across = (ends[1] - ends[0]).cross(&(camera.eye - ends[0])).try_normalize(0.0);
    // A line along the view is a point.
    let Some(across) = across else { return };
    let sides = ends.into_iter().flat_map(|x| {
        let half = half_width(LINE, &x, camera) * across;
        [x - half, x + half]
    });
    add_marks(sides, &[[0, 1, 3], [0, 3, 2]], camera, model);
}

fn add_marks(
    corners: impl Iterator<Item = Vec3>,
    faces: &[[u32; 3]],
    camera: &Camera,
    model: &mut Model,
) {
    let (normal, colour) = (camera.axes.front, hex(JOINT));
    let vertex = |position| Vertex { position, normal, colour };
    model.add(corners.map(vertex), faces, Look::Mark);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::picture::camera::Axes;

    #[test]
    fn a_rope_is_a_line_between_its_points_and_needs_its_body() {
        let camera = Camera::new(Vec3::zeros(), Axes::new(Vec3::y()), 4.0, [400, 300]);
        let rope = |body| JointHead {
            kind: "Distance".to_owned(),
            bodies: [Some(body), None],
            points: [Some([0.1, 0.0, 0.0]), Some([0.0, 1.0, 0.0])],
        };
        let turn = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
        let pose = |body| (body == 0).then_some(Pose { centre: Vec3::zeros(), turn });
        let mut model = Model::default();
        add(&[rope(0), rope(1)], pose, &camera, &mut model);
        let corners = 2 * CORNERS as usize;
        assert_eq!(model.vertices.len(), corners + 4);
        let middle =
            |part: &[Vertex]| part.iter().map(|it| it.position).sum::<Vec3>() / part.len() as f64;
        let ends = [Vec3::new(-0.1, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
        assert!((middle(&model.vertices[..8]) - ends[0]).norm() < 1e-12);
        assert!((middle(&model.vertices[corners..]) - 0.5 * (ends[0] + ends[1])).norm() < 1e-12);
    }
}
