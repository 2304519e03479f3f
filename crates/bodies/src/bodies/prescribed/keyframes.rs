//! Rigid motions that are prescribed by keyframes.

use nalgebra::{Rotation3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use cloth_core::math::rotation;
use cloth_core::{Mat3, Vec3};

/// Scales, then rotates, then translates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Uniform factor, positive.
    pub scale: f64,
    /// A rotation.
    pub rotation: Mat3,
    /// Added last, m.
    pub translation: Vec3,
}

impl Transform {
    /// The image of `point`.
    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.rotation * (self.scale * point) + self.translation
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self { scale: 1.0, rotation: Mat3::identity(), translation: Vec3::zeros() }
    }
}

/// Rotates, then translates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rigid {
    /// A rotation.
    pub rotation: Mat3,
    /// Added last, m.
    pub translation: Vec3,
}

impl Rigid {
    /// The image of `point`.
    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.translation
    }

    /// The inverse motion.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// A `share` of the way to `other`: the image of `center` (m) goes straight, and the rotation
    /// takes the shorter way around. At the start the share is one of the distance of each point.
    /// (Quaternions are interpolated as vectors, which needs no transcendental function.)
    pub fn towards(&self, other: &Self, share: f64, center: Vec3) -> Self {
        let turn = |of: &Self| {
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(of.rotation))
        };
        let (from, mut to) = (turn(self).into_inner(), turn(other).into_inner());
        if from.dot(&to) < 0.0 {
            to = -to;
        }
        // The sum vanishes for no share: both have length 1, and their product is not negative.
        let between = UnitQuaternion::from_quaternion(from * (1.0 - share) + to * share);
        let rotation = between.to_rotation_matrix().into_inner();
        let (start, end) = (self.apply(center), other.apply(center));
        Self { rotation, translation: start + (end - start) * share - rotation * center }
    }

    /// `first`, then `self`.
    pub fn after(&self, first: &Self) -> Self {
        Self {
            rotation: self.rotation * first.rotation,
            translation: self.apply(first.translation),
        }
    }
}

impl Default for Rigid {
    /// No motion.
    fn default() -> Self {
        Self { rotation: Mat3::identity(), translation: Vec3::zeros() }
    }
}

/// A rigid motion by keyframes. It turns about a centre, and the translation moves the centre.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyframedMotion {
    /// Centre of the rotations at translation zero, m.
    pub center: Vec3,
    /// At least one, in ascending order of time. Before the first and after the last one the
    /// motion is constant.
    pub keyframes: Vec<Keyframe>,
}

/// Where a motion is at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// When, s.
    pub time_s: f64,
    /// Displacement of the centre, m.
    pub translation: Vec3,
    /// Axis of the rotation (any length).
    pub axis: Vec3,
    /// Angle in degrees. It may exceed 360.
    pub angle_deg: f64,
}

impl Keyframe {
    /// Unit axis times angle, in degrees.
    fn turn(&self) -> Vec3 {
        let length = self.axis.norm();
        if length == 0.0 { Vec3::zeros() } else { self.axis * (self.angle_deg / length) }
    }
}

impl KeyframedMotion {
    /// True if the motion is the same at all times.
    pub fn is_constant(&self) -> bool {
        self.keyframes.len() < 2
    }

    /// The motion at `time_s` (s). It applies to positions before any motion.
    ///
    /// Between keyframes the translation is linear in time. The vector axis times angle is linear
    /// too, so that about a fixed axis the angle grows evenly.
    pub fn at(&self, time_s: f64) -> Rigid {
        let (translation, turn) = self.interpolate(time_s);
        let rotation = rotation(turn, turn.norm());
        Rigid { rotation, translation: self.center + translation - rotation * self.center }
    }

    /// The motion from `start_s` to `time_s` (s). It applies to positions at `start_s`.
    pub fn since(&self, start_s: f64, time_s: f64) -> Rigid {
        self.at(time_s).after(&self.at(start_s).inverse())
    }

    fn interpolate(&self, time_s: f64) -> (Vec3, Vec3) {
        let next = self.keyframes.partition_point(|key| key.time_s <= time_s);
        let (Some(low), Some(high)) =
            (self.keyframes.get(next.saturating_sub(1)), self.keyframes.get(next))
        else {
            return self
                .keyframes
                .last()
                .map_or((Vec3::zeros(), Vec3::zeros()), |key| (key.translation, key.turn()));
        };
        if next == 0 {
            return (high.translation, high.turn());
        }
        let weight = (time_s - low.time_s) / (high.time_s - low.time_s);
        (
            low.translation + (high.translation - low.translation) * weight,
            low.turn() + (high.turn() - low.turn()) * weight,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time_s: f64, translation: Vec3, angle_deg: f64) -> Keyframe {
        Keyframe { time_s, translation, axis: Vec3::new(0.0, 3.0, 0.0), angle_deg }
    }

    #[test]
    fn a_share_of_the_way_is_rigid_and_takes_the_shorter_turn() {
        let pose = |turn_deg: f64, translation: Vec3| Rigid {
            rotation: rotation(Vec3::new(1.0, 2.0, -2.0), turn_deg),
            translation,
        };
        let about = |center: Vec3, turn_deg: f64| {
            let turned = pose(turn_deg, Vec3::zeros());
            Rigid { translation: center - turned.apply(center), ..turned }
        };
        let center = Vec3::new(0.3, -0.2, 0.1);
        let (from, to) = (pose(20.0, Vec3::x()), pose(-120.0, Vec3::new(0.0, 3.0, 1.0)));
        for share in [0.0, 0.3, 0.5, 1.0] {
            let between = from.towards(&to, share, center);
            let place = from.apply(center).lerp(&to.apply(center), share);
            assert!((between.apply(center) - place).norm() < 1e-14);
            let error = between.rotation * between.rotation.transpose() - Mat3::identity();
            assert!(error.norm() < 1e-14 && between.rotation.determinant() > 0.0);
        }
        let half = from.towards(&to, 0.5, center).rotation;
        assert!((half - pose(-50.0, Vec3::zeros()).rotation).norm() < 1e-14);
        // Near the start a point goes the share of its distance, although it goes around.
        let (to, point) = (from.after(&about(center, 100.0)), center + Vec3::new(0.5, 0.4, -0.7));
        let (share, way) = (1e-6, (to.apply(point) - from.apply(point)).norm());
        let gone = (from.towards(&to, share, center).apply(point) - from.apply(point)).norm();
        assert!((gone / (share * way) - 1.0).abs() < 1e-5, "{gone}");
    }

    #[test]
    fn motion_turns_about_its_centre_beyond_a_full_turn_and_holds_at_its_ends() {
        let motion = KeyframedMotion {
            center: Vec3::new(1.0, 0.0, 0.0),
            keyframes: vec![
                key(1.0, Vec3::zeros(), 0.0),
                key(3.0, Vec3::new(0.0, 2.0, 0.0), 900.0),
            ],
        };
        let point = Vec3::new(2.0, 0.0, 0.0);
        assert_eq!(motion.at(0.0).apply(point), point);
        // Half way: 450 degrees, a quarter turn, and 1 m up.
        let half = motion.at(2.0).apply(point);
        assert!((half - Vec3::new(1.0, 1.0, -1.0)).norm() < 1e-14);
        let end = motion.at(7.0).apply(point);
        assert!((end - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-14);
        assert!((motion.since(2.0, 7.0).apply(half) - end).norm() < 1e-14);
    }
}
