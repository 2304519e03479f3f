//! Bodies that do not give way: immovable, or moved by keyframes. Every rank has all of them.

use nalgebra::{Quaternion, Rotation3, Unit, UnitQuaternion};

use crate::constraint::Partner;
use crate::{BodyId, BodyList, BodyState, MaterialId, Shape, Twist};
use cloth_bodies::bodies::prescribed::{KeyframedMotion, Rigid};
use cloth_bodies::bodies::rigid::turn;
use cloth_core::Vec3;

/// The geometry of a fixed body in its own frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FixedShape {
    /// All points below the plane through the origin; `y` is up.
    HalfSpace,
    /// A shape like that of a movable body.
    Shape(Shape),
}

/// A fixed body.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedBody {
    /// Its place in the scene. Movable and fixed bodies share one numbering.
    pub id: BodyId,
    /// Its geometry.
    pub shape: FixedShape,
    /// Its material.
    pub material: MaterialId,
    /// Origin of its own frame before any motion, m.
    pub position: Vec3,
    /// Rotation from its own frame to space before any motion.
    pub rotation: UnitQuaternion<f64>,
    /// Its motion. None if the body is immovable.
    pub motion: Option<KeyframedMotion>,
}

/// All fixed bodies, with their states in one step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FixedBodies {
    bodies: Vec<FixedBody>,
    states: Vec<BodyState>,
}

impl FixedBody {
    /// An immovable half-space whose plane contains `point` (m). `normal` points out of it and may
    /// have any length but 0.
    pub fn half_space(id: BodyId, material: MaterialId, point: Vec3, normal: Vec3) -> Self {
        // The quaternion half way from y to the normal. Opposite vectors have no shortest turn.
        let normal = normal.normalize();
        let axis = Vec3::y().cross(&normal);
        let half = Quaternion::new(1.0 + normal.y, axis.x, axis.y, axis.z);
        let rotation = UnitQuaternion::try_new(half, 1e-12)
            .unwrap_or_else(|| Unit::new_unchecked(Quaternion::new(0.0, 1.0, 0.0, 0.0)));
        Self { id, shape: FixedShape::HalfSpace, material, position: point, rotation, motion: None }
    }

    /// An immovable body of `shape` with its centre at `position` (m) and without a rotation.
    pub fn immovable(id: BodyId, material: MaterialId, shape: Shape, position: Vec3) -> Self {
        let rotation = UnitQuaternion::identity();
        Self { id, shape: FixedShape::Shape(shape), material, position, rotation, motion: None }
    }

    /// Position (m) and rotation at `time_s` (s).
    fn pose(&self, time_s: f64) -> (Vec3, UnitQuaternion<f64>) {
        let Some(motion) = &self.motion else { return (self.position, self.rotation) };
        let rigid = motion.at(time_s);
        (rigid.apply(self.position), quaternion(&rigid) * self.rotation)
    }

    /// The state in the middle of the step that starts at `time_s` (s) and takes `h_s` seconds.
    /// The velocity takes it to the middle of the next step, as those after the response take
    /// movable bodies. It is zero if `h_s` is 0.
    pub fn state(&self, time_s: f64, h_s: f64) -> BodyState {
        let (position, rotation) = self.pose(time_s + 0.5 * h_s);
        if h_s == 0.0 || self.motion.as_ref().is_none_or(KeyframedMotion::is_constant) {
            return BodyState { position, rotation, twist: Twist::ZERO };
        }
        let ((start, from), (end, to)) = ((position, rotation), self.pose(time_s + 1.5 * h_s));
        let twist =
            Twist { angular: turn(&(to * from.inverse())) / h_s, linear: (end - start) / h_s };
        BodyState { position, rotation, twist }
    }
}

fn quaternion(rigid: &Rigid) -> UnitQuaternion<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rigid.rotation))
}

impl FixedBodies {
    /// These bodies, at time 0.
    pub fn new(bodies: Vec<FixedBody>) -> Self {
        let states = bodies.iter().map(|body| body.state(0.0, 0.0)).collect();
        Self { bodies, states }
    }

    /// Moves all bodies to the middle of the step that starts at `time_s` (s) and takes `h_s` (s).
    pub fn advance(&mut self, time_s: f64, h_s: f64) {
        for (state, body) in self.states.iter_mut().zip(&self.bodies) {
            if body.motion.is_some() {
                *state = body.state(time_s, h_s);
            }
        }
    }

    /// The bodies.
    pub fn bodies(&self) -> &[FixedBody] {
        &self.bodies
    }

    /// The state of each body, in the order of [`Self::bodies`].
    pub fn states(&self) -> &[BodyState] {
        &self.states
    }

    /// The place of space itself, which joints may be fixed to. It has no entry in
    /// [`Self::bodies`].
    pub const SPACE: u32 = u32::MAX;

    /// The id of the body at `place`. Space has the largest number.
    pub fn id(&self, place: u32) -> BodyId {
        self.bodies.get(place as usize).map_or(BodyId::MAX, |body| body.id)
    }

    /// The id of the second body of a constraint. `bodies` are the movable ones.
    pub fn id_of(&self, partner: Partner, bodies: &BodyList) -> BodyId {
        match partner {
            Partner::Movable(place) => bodies.id(place as usize),
            Partner::Fixed(place) => self.id(place),
        }
    }

    /// The state of the body at `place`, or of space.
    pub fn state_at(&self, place: u32) -> &BodyState {
        self.states.get(place as usize).unwrap_or(&BodyState::AT_REST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Sphere;
    use cloth_bodies::bodies::prescribed::Keyframe;

    #[test]
    fn the_normal_of_a_half_space_is_the_one_asked_for() {
        for normal in [Vec3::y(), -Vec3::y(), Vec3::new(1.0, 2.0, -3.0), Vec3::z()] {
            let body = FixedBody::half_space(0, 0, Vec3::zeros(), normal);
            let up = body.rotation.transform_vector(&Vec3::y());
            assert!((up - normal.normalize()).norm() < 1e-14, "{normal:?}: {up:?}");
        }
    }

    #[test]
    fn the_velocity_of_a_keyframed_body_takes_it_through_the_step() {
        let key = |time_s: f64, angle_deg: f64| Keyframe {
            time_s,
            translation: Vec3::new(2.0, 0.0, 0.0) * time_s,
            axis: Vec3::z(),
            angle_deg,
        };
        let motion = KeyframedMotion {
            center: Vec3::zeros(),
            keyframes: vec![key(0.0, 0.0), key(1.0, 90.0)],
        };
        let shape = Shape::Sphere(Sphere { radius_m: 1.0 });
        let mut body = FixedBody::immovable(0, 0, shape, Vec3::zeros());
        body.motion = Some(motion);
        let state = body.state(0.5, 0.01);
        assert!((state.twist.linear - Vec3::new(2.0, 0.0, 0.0)).norm() < 1e-12);
        let quarter = std::f64::consts::FRAC_PI_2;
        assert!((state.twist.angular - Vec3::new(0.0, 0.0, quarter)).norm() < 1e-12);
        assert!((state.position.x - 1.01).abs() < 1e-14);
    }
}
