//! Where the first frame of a joint is, seen from the second.

use crate::bodies::joints::kind::JointKind;
use crate::bodies::joints::{FrameInSpace, JointSettings};
use crate::math::{Mat3, Vec3, perpendicular};

/// Where the first frame of a joint is, seen from the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativePose {
    /// The second axes in space, as columns.
    pub axes: Mat3,
    /// Translations along the axes (m), and rotations about them (rad): the turn about the x axis,
    /// and the tilt of the first x axis about y and z.
    pub motion: [f64; 6],
}

impl RelativePose {
    /// The pose of the first of two frames, seen from the second, for a joint of these `settings`.
    pub fn between(
        settings: &JointSettings,
        [(first, turn), (second, base)]: &[FrameInSpace; 2],
    ) -> Self {
        let apart = first - second;
        if settings.kind == JointKind::Distance {
            let distance = apart.norm();
            let x = if distance > 0.0 { apart / distance } else { base * Vec3::x() };
            let y = perpendicular(&x);
            let axes = Mat3::from_columns(&[x, y, x.cross(&y)]);
            return Self { axes, motion: [distance, 0.0, 0.0, 0.0, 0.0, 0.0] };
        }
        let axes = base.to_rotation_matrix().into_inner();
        let shift = axes.tr_mul(&apart);
        let relative = base.inverse() * turn;
        let x = relative.transform_vector(&Vec3::x());
        let angle = shortest(2.0 * libm::atan2(relative.i, relative.w));
        let [low, high] = settings.range;
        let middle = if (high - low).is_finite() { 0.5 * (low + high) } else { 0.0 };
        let angle = middle + shortest(angle - middle);
        Self { axes, motion: [shift.x, shift.y, shift.z, angle, -x.z, x.y] }
    }

    /// The distance of the two points, m, beyond what a joint of these `settings` allows.
    pub fn gap(&self, settings: &JointSettings) -> f64 {
        let [x, y, z, ..] = self.motion;
        match settings.kind {
            JointKind::Slider => y.hypot(z),
            JointKind::Distance => self.excess(settings).abs(),
            JointKind::Ball | JointKind::Hinge | JointKind::Fixed => Vec3::new(x, y, z).norm(),
        }
    }

    /// Whether a rigid joint of these `settings` is open by more than `limits` (m, and rad) beyond what
    /// is expected: `expected` tells how far it is open along an axis, or turned about it.
    pub fn is_open(
        &self,
        settings: &JointSettings,
        limits: [f64; 2],
        expected: impl Fn(bool, &Vec3) -> f64,
    ) -> bool {
        let locked = settings.kind.locked();
        let is_over = |at: usize| {
            let compliance = [settings.compliance, settings.turn_compliance][at / 3];
            let axis: Vec3 = self.axes.column(at % 3).into_owned();
            let error = || self.motion[at] - expected(at >= 3, &axis);
            locked[at] && compliance == 0.0 && error().abs() > limits[at / 3]
        };
        (0..6).any(is_over)
    }

    /// By how much the motion along x is above (positive) or below (negative) the range of a joint
    /// of these `settings`.
    pub fn excess(&self, settings: &JointSettings) -> f64 {
        let [low, high] = settings.range;
        let at = settings.kind.along().row().map_or(0.0, |row| self.motion[row]);
        (at - high).max(0.0) + (at - low).min(0.0)
    }
}

/// The same angle (rad) between minus and plus half a turn.
pub(crate) fn shortest(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
