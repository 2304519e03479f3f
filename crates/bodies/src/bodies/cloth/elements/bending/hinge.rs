//! Hinges, their angles and gradients.

use std::f64::consts::{PI, TAU};

use crate::bodies::cloth::elements::lanes::{LaneVec3, Lanes};
use cloth_core::{FaceId, Vec3, VertexId};

/// An interior edge between its two faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hinge {
    /// The edge in the direction of the first face, then the vertices opposite to it in the first
    /// and in the second face.
    pub vertices: [VertexId; 4],
    /// Its faces, the lower one first.
    pub faces: [FaceId; 2],
    /// Angle of the rest shape, rad.
    pub rest_angle: f64,
    /// A diagonal that bounds S from above, N m, whatever faces are held.
    pub stiffness_bound: f64,
}

impl Hinge {
    /// Angle minus rest angle in (-pi, pi], and the angle's gradient (1/m). So the angle is
    /// followed up to half a turn from rest, without any state.
    #[inline]
    pub fn deviation_and_gradient(&self, x: [Vec3; 4]) -> (f64, [Vec3; 4]) {
        let (angle, gradient) = hinge_angle_and_gradient(x);
        (self.deviation(angle), gradient)
    }

    /// An angle in (-pi, pi] less the rest angle, in (-pi, pi].
    #[inline]
    pub fn deviation(&self, angle: f64) -> f64 {
        within_half_turn(angle - self.rest_angle)
    }

    /// Its edge, lower vertex first.
    pub(super) fn edge(&self) -> [VertexId; 2] {
        let [a, b, ..] = self.vertices;
        [a.min(b), a.max(b)]
    }

    pub(super) fn gather(&self, of: &[Vec3]) -> [Vec3; 4] {
        self.vertices.map(|v| of[v as usize])
    }
}

fn within_half_turn(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

/// Dihedral angle in (-pi, pi], and its gradient (1/m) at the edge's start and end and at the
/// opposite vertices of the first and the second face. Bridson, Marino & Fedkiw (2003) section 4;
/// Tamstorf & Grinspun (2013) section 3. A height counts as a thousandth of the longest side at
/// least, so that the gradient stays finite.
pub fn hinge_angle_and_gradient(x: [Vec3; 4]) -> (f64, [Vec3; 4]) {
    let [angle_and_gradient] = hinge_angles_and_gradients([x]);
    angle_and_gradient
}

/// The angle of [`hinge_angle_and_gradient`] alone, up to rounding.
#[inline]
pub fn hinge_angle(x: [Vec3; 4]) -> f64 {
    let [edge, low, high] = [1, 2, 3].map(|i| x[i] - x[0]);
    let (n_low, n_high) = (edge.cross(&low), high.cross(&edge));
    libm::atan2(edge.norm() * n_high.dot(&low), n_low.dot(&n_high))
}

/// The same bits as [`hinge_angle_and_gradient`], for L hinges. It is faster than one by one,
/// because two at a time fill the registers.
#[inline]
pub fn hinge_angles_and_gradients<const L: usize>(x: [[Vec3; 4]; L]) -> [(f64, [Vec3; 4]); L] {
    let edge = LaneVec3::<L>::gather(|i| x[i][1] - x[i][0]);
    let low = LaneVec3::<L>::gather(|i| x[i][2] - x[i][0]);
    let high = LaneVec3::<L>::gather(|i| x[i][3] - x[i][0]);
    let (n_low, n_high) = (edge.cross(low), high.cross(edge));
    let squared_length = edge.dot(edge);
    let length = squared_length.sqrt();
    let (sine, cosine) = (length * n_high.dot(low), n_low.dot(n_high));

    let tiny = Lanes::all(f64::MIN_POSITIVE);
    let scale = squared_length.max(low.dot(low)).max(high.dot(high));
    let smallest = scale * 1e-6;
    let inverse_length = squared_length.max(smallest).max(tiny).recip();
    let flattest = (smallest * scale).max(tiny);
    let at_low = n_low * (length * n_low.dot(n_low).max(flattest).recip());
    let at_high = n_high * (length * n_high.dot(n_high).max(flattest).recip());
    // Each face turns about the edge: its end points share the opposite motion.
    let minus_end =
        at_low * (low.dot(edge) * inverse_length) + at_high * (high.dot(edge) * inverse_length);
    let start = minus_end - at_low - at_high;
    let mut result = [(0.0, [Vec3::zeros(); 4]); L];
    for (i, result) in result.iter_mut().enumerate() {
        let angle = libm::atan2(sine.0[i], cosine.0[i]);
        let gradient = [start.lane(i), -minus_end.lane(i), at_low.lane(i), at_high.lane(i)];
        *result = (angle, gradient);
    }
    result
}
