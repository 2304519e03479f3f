//! Where the first frame of a joint is, seen from the second.

use std::f64::consts::{PI, TAU};

use crate::bodies::joints::kind::JointKind;
use crate::bodies::joints::{FrameInSpace, JointSettings};
use cloth_core::math::perpendicular;
use cloth_core::{Mat3, Vec2, Vec3};

/// Where the first frame of a joint is, seen from the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativePose {
    /// The second axes in space, as columns.
    pub axes: Mat3,
    /// Translations along the axes (m), and rotations about them (rad). If all rotations are locked,
    /// these are the rotation vector. Else they are the turn about the x axis, and the tilt of the
    /// first x axis about y and z: its angle times its direction. So a torque of `k` times the locked
    /// ones has the potential `k / 2` times their squares, at any angle.
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
        let rotation = if settings.kind.locked()[3] {
            let (sine, cosine) = (relative.imag(), relative.w);
            let length = sine.norm();
            sine * ratio(shortest(2.0 * libm::atan2(length, cosine)), length, 2.0)
        } else {
            let x = relative.transform_vector(&Vec3::x());
            let angle = shortest(2.0 * libm::atan2(relative.i, relative.w));
            let [low, high] = settings.range;
            let middle = if (high - low).is_finite() { 0.5 * (low + high) } else { 0.0 };
            let sine = Vec2::new(x.y, x.z).norm();
            let tilt = ratio(libm::atan2(sine, x.x), sine, 1.0);
            Vec3::new(middle + shortest(angle - middle), -x.z * tilt, x.y * tilt)
        };
        let [a, b, c] = rotation.into();
        Self { axes, motion: [shift.x, shift.y, shift.z, a, b, c] }
    }

    /// The pose with locked rotations that go on from those of `before`, a short time ago: beyond half
    /// a turn they do not change sign. There a torque that did would gain energy.
    pub fn going_on_from(mut self, before: &Self, settings: &JointSettings) -> Self {
        let locked = settings.kind.locked();
        let kept = |it: &Self| {
            Vec3::from_fn(|row, _| if locked[3 + row] { it.motion[3 + row] } else { 0.0 })
        };
        let [old, new] = [kept(before), kept(&self)];
        let angle = new.norm();
        if old.dot(&new) < 0.0 && (new - old).norm() > PI {
            let factor = (angle - TAU) / angle;
            (3..6).filter(|&row| locked[row]).for_each(|row| self.motion[row] *= factor);
        }
        self
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

/// `angle / sine`, and `at_zero` where both vanish.
fn ratio(angle: f64, sine: f64, at_zero: f64) -> f64 {
    if sine > 0.0 { angle / sine } else { at_zero }
}

/// The angle (rad) of the same rotation between minus and plus half a turn.
pub fn shortest(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;

    /// Half of the sum of the squares of the locked rotations, and themselves along axes in space.
    fn potential(
        kind: JointKind,
        turn: UnitQuaternion<f64>,
        base: UnitQuaternion<f64>,
    ) -> (f64, Vec3) {
        let frames = [(Vec3::zeros(), turn), (Vec3::zeros(), base)];
        let pose = RelativePose::between(&JointSettings::new(kind), &frames);
        let locked = kind.locked();
        let row = |at: usize| if locked[3 + at] { pose.motion[3 + at] } else { 0.0 };
        let torque = Vec3::from_fn(|at, _| row(at));
        (0.5 * torque.norm_squared(), pose.axes * torque)
    }

    #[test]
    fn torques_are_slopes_of_the_energy_at_any_angle() {
        let base = UnitQuaternion::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7));
        for kind in [JointKind::Fixed, JointKind::Slider, JointKind::Hinge] {
            for (n, angle) in [1e-9, 0.1, 1.0, 2.0, 3.0].into_iter().enumerate() {
                let axis = Vec3::new(0.5, 0.2 * n as f64 - 0.5, 0.8).normalize();
                let turn = base * UnitQuaternion::from_scaled_axis(axis * angle);
                let (_, torque) = potential(kind, turn, base);
                for way in [Vec3::x(), Vec3::y(), Vec3::z()] {
                    let turned = |by: f64| UnitQuaternion::from_scaled_axis(way * by) * turn;
                    let at = |by: f64| potential(kind, turned(by), base).0;
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let off = (slope - torque.dot(&way)).abs();
                    assert!(off < 1e-7, "{kind:?} {angle}: {slope} {torque}");
                }
            }
        }
    }

    #[test]
    fn a_rotation_goes_on_beyond_half_a_turn() {
        let settings = JointSettings::new(JointKind::Fixed);
        let at = |angle: f64| {
            let turn = UnitQuaternion::from_scaled_axis(Vec3::new(0.6, 0.0, 0.8) * angle);
            let frames = [(Vec3::zeros(), turn), (Vec3::zeros(), UnitQuaternion::identity())];
            RelativePose::between(&settings, &frames)
        };
        let turn = |pose: RelativePose| Vec3::from_fn(|row, _| pose.motion[3 + row]).norm();
        assert!((turn(at(PI + 0.1)) - (PI - 0.1)).abs() < 1e-12);
        let on = at(PI + 0.1).going_on_from(&at(PI - 0.1), &settings);
        assert!((turn(on) - (PI + 0.1)).abs() < 1e-12);
        // Through zero nothing goes on.
        assert_eq!(at(-0.1).going_on_from(&at(0.1), &settings), at(-0.1));
    }
}
