//! Contacts of bodies with a half-space. All corners of a box or a solid near the plane are
//! contacts, because the body may turn in a step. A sphere has one contact, a capsule one at each
//! end. Other shapes have contacts at the corners of the face or edge that lies along the plane. A
//! compound has the contacts of its parts.

use crate::narrow::compound::{Piece, add};
use crate::narrow::{Touch, Touches};
use crate::shape::Feature;
use crate::{BodyState, Placed, Shape, Solids};
use cloth_core::Vec3;

/// Writes to `touches` the points at which `body` is at most `most` (m) above the half-space. Its
/// plane goes through the origin of `state`, and its normal is the y axis of `state`.
pub fn touch(body: &Placed, state: &BodyState, solids: &Solids, most: f64, touches: &mut Touches) {
    touches.clear();
    let normal = state.rotation.transform_vector(&Vec3::y());
    if solids.compound(body.shape).is_some() {
        let mut found = Touches::new();
        for part in Piece::new(*body, solids).all() {
            touch(&part.placed, state, part.solids, most, &mut found);
            add(&found, part.reach, touches);
        }
        return;
    }
    let mut rest_on = |point: &Vec3, radius: f64| {
        let gap = normal.dot(&(point - state.position)) - radius;
        if gap <= most {
            touches.push(Touch { point: point - normal * (radius + 0.5 * gap), normal, gap });
        }
    };
    match *body.shape {
        Shape::Sphere(sphere) => rest_on(&body.position, sphere.radius_m),
        Shape::Capsule(capsule) => {
            let ends = body.segment(capsule.half_length());
            ends.iter().for_each(|end| rest_on(end, capsule.radius_m));
        }
        Shape::Box(cuboid) => {
            let half = cuboid.half();
            let sides = [0, 1, 2].map(|axis| Vec3::ith(axis, half[axis]));
            let axes = sides.map(|side| body.rotation.transform_vector(&side));
            for corner in 0..8 {
                let sign = |axis: u32| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
                let arm = axes[0] * sign(0) + axes[1] * sign(1) + axes[2] * sign(2);
                rest_on(&(body.position + arm), 0.0);
            }
        }
        Shape::Solid(id) => {
            solids.get(id).each_corner(|x| rest_on(&body.to_space(x), 0.0));
        }
        _ => {
            let own = body.rotation.inverse_transform_vector(&-normal);
            let feature = body.shape.feature(&own, |_| Feature::new());
            feature.iter().for_each(|x| rest_on(&body.to_space(x), body.shape.margin()));
        }
    }
}
