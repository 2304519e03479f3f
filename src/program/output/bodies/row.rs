//! A body of a frame, as ranks send it and files hold it.

use bytemuck::{Pod, Zeroable};
use cloth_sim::rigid::body::{Body, BodyId, BodyState, Twist};
use cloth_sim::rigid::fixed::{FixedBody, FixedShape};
use cloth_sim::rigid::shape::{HALF_SPACE, Shape};
use nalgebra::{Quaternion, Unit};

/// A body of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BodyRow {
    /// Its place in the scene.
    pub id: BodyId,
    /// The number of its shape, or [`HALF_SPACE`].
    pub shape: u32,
    /// Its place in the table of solids, or [`NO_SOLID`].
    pub solid: u32,
    /// Its material, by its place in the scene.
    pub material: u32,
    /// The entry of the scene's list `bodies` that it comes from.
    pub group: u32,
    /// 1 if keyframes move it, 0 if forces do.
    pub fixed: u32,
    /// The rank that owns it. Not in the frame's file.
    pub owner: u32,
    /// Centre of mass, m.
    pub position: [f64; 3],
    /// Rotation from its own frame to space, a unit quaternion: x, y, z, w.
    pub rotation: [f64; 4],
    /// m/s.
    pub velocity: [f64; 3],
    /// rad/s.
    pub angular_velocity: [f64; 3],
    /// Sizes of the shape, m. Of a solid the first one is the radius of its ball.
    pub size: [f64; 3],
}

/// The solid of a body that is none.
pub const NO_SOLID: u32 = u32::MAX;

impl BodyRow {
    /// A movable body of entry `group` that rank `owner` owns. `reach` gives the radius of the ball
    /// about a shape, m ([`cloth_sim::rigid::solid::Solids::reach`]).
    pub fn of(body: &Body, group: u32, owner: u32, reach: impl Fn(&Shape) -> f64) -> Self {
        let material = u32::from(body.material);
        let row = Self { id: body.id, material, group, owner, ..Self::default() };
        row.with_shape(&body.shape, reach).with_state(&body.state)
    }

    /// The fixed body of entry `group` where it is at `time_s`, with the velocity of the step of
    /// `step_s` (s) that led there. All ranks have it; rank 0 counts as its owner.
    pub fn of_fixed(
        body: &FixedBody,
        [time_s, step_s]: [f64; 2],
        group: u32,
        reach: impl Fn(&Shape) -> f64,
    ) -> Self {
        let twist = body.state((time_s - step_s).max(0.0), step_s).twist;
        let state = BodyState { twist, ..body.state(time_s, 0.0) };
        let material = u32::from(body.material);
        let row = Self { id: body.id, material, group, fixed: 1, ..Self::default() };
        let row = match &body.shape {
            FixedShape::Shape(shape) => row.with_shape(shape, reach),
            FixedShape::HalfSpace => Self { shape: HALF_SPACE, solid: NO_SOLID, ..row },
        };
        row.with_state(&state)
    }

    /// What does not change in a run.
    pub fn constants(&self) -> impl PartialEq + use<> {
        let Self { id, shape, solid, material, group, fixed, size, .. } = *self;
        ([shape, solid, material, group, fixed], size, id)
    }

    fn with_shape(self, shape: &Shape, reach: impl Fn(&Shape) -> f64) -> Self {
        let size = shape.sizes(|_| [reach(shape), 0.0, 0.0]);
        Self { shape: shape.number(), solid: shape.solid().unwrap_or(NO_SOLID), size, ..self }
    }

    fn with_state(self, state: &BodyState) -> Self {
        Self {
            position: state.position.into(),
            rotation: state.rotation.coords.into(),
            velocity: state.twist.linear.into(),
            angular_velocity: state.twist.angular.into(),
            ..self
        }
    }

    /// Its shape. None for a half-space, or if there is no such kind.
    pub fn shape(&self) -> Option<Shape> {
        Shape::of_number(self.shape, self.size, self.solid)
    }

    /// Where it is and how it moves.
    pub fn state(&self) -> BodyState {
        let rotation = Unit::new_unchecked(Quaternion::from(self.rotation));
        let (angular, linear) = (self.angular_velocity.into(), self.velocity.into());
        BodyState { position: self.position.into(), rotation, twist: Twist { angular, linear } }
    }

    /// Radius of the ball about its centre of mass that holds it, m; 0 for a half-space.
    pub fn radius(&self) -> f64 {
        self.shape().map_or(0.0, |shape| shape.reach(|_| self.size[0]))
    }

    /// Whether all of its numbers are finite.
    pub fn is_finite(&self) -> bool {
        let Self { position, rotation, velocity, angular_velocity, size, .. } = self;
        let vectors = [position, velocity, angular_velocity, size];
        vectors.into_iter().flatten().chain(rotation).all(|x| x.is_finite())
    }
}
