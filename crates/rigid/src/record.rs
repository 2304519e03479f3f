//! Bodies as plain words: for messages, saved states and hashes ([`BodyRecord`]), and for frames
//! ([`FrameBody`]).

use bytemuck::{Pod, Zeroable};
use nalgebra::{Quaternion, Unit, UnitQuaternion};

use crate::shape::{HALF_SPACE, ShapeWords};
use crate::{Body, BodyId, BodyState, FixedBody, FixedShape, Load, Shape, Twist};
use cloth_core::Vec3;

/// Position (m), rotation `(i, j, k, w)`, angular velocity (rad/s) and linear velocity (m/s).
pub type StateWords = [f64; 13];

/// A body without its load.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BodyRecord {
    /// Its number.
    pub id: BodyId,
    shape: ShapeWords,
    material: u64,
    mass: f64,
    inertia: Vec3,
    state: StateWords,
}

impl BodyRecord {
    /// The record of a body.
    pub fn of(body: &Body) -> Self {
        // A load exists only within a step.
        let Body { id, shape, material, mass, inertia, state, load: _ } = *body;
        let (shape, material) = (shape.words(), u64::from(material));
        Self { id, shape, material, mass, inertia, state: state_words(&state) }
    }

    /// The centre of mass, m.
    pub fn position(&self) -> Vec3 {
        let [x, y, z, ..] = self.state;
        Vec3::new(x, y, z)
    }

    /// The body of this record, without a load. None if the shape or the material is not valid.
    pub fn body(&self) -> Option<Body> {
        let Self { id, shape, material, mass, inertia, state } = *self;
        let (shape, material) = (Shape::of_words(&shape)?, u16::try_from(material).ok()?);
        let (state, load) = (state_of(&state), Load::NONE);
        Some(Body { id, shape, material, mass, inertia, state, load })
    }
}

/// The words of a state.
pub fn state_words(state: &BodyState) -> StateWords {
    let BodyState { position: x, rotation, twist: Twist { angular: w, linear: v } } = state;
    let q = &rotation.coords;
    [x.x, x.y, x.z, q.x, q.y, q.z, q.w, w.x, w.y, w.z, v.x, v.y, v.z]
}

/// The state that has these words.
pub fn state_of(words: &StateWords) -> BodyState {
    let [x, y, z, i, j, k, w, wx, wy, wz, vx, vy, vz] = *words;
    BodyState {
        position: Vec3::new(x, y, z),
        // Normalising again might change bits.
        rotation: UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k)),
        twist: Twist { angular: Vec3::new(wx, wy, wz), linear: Vec3::new(vx, vy, vz) },
    }
}

/// A body of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FrameBody {
    /// Its number.
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
    /// The rank that owns it. The frame's file does not hold it.
    pub owner: u32,
    /// Centre of mass, m.
    pub position: [f64; 3],
    /// Rotation from its own frame to space, a unit quaternion: x, y, z, w.
    pub rotation: [f64; 4],
    /// Velocity of the centre of mass, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity, rad/s.
    pub angular_velocity: [f64; 3],
    /// Sizes of the shape, m. For a solid, the first size is the radius of its bounding ball.
    pub size: [f64; 3],
}

/// The value of `solid` for a body that is not a solid.
pub const NO_SOLID: u32 = u32::MAX;

impl FrameBody {
    /// The row of a movable body of entry `group` that rank `owner` owns. `reach` gives the radius
    /// of the bounding ball of a shape, m ([`crate::solid::Solids::reach`]).
    pub fn of(body: &Body, group: u32, owner: u32, reach: impl Fn(&Shape) -> f64) -> Self {
        let material = u32::from(body.material);
        let row = Self { id: body.id, material, group, owner, ..Self::default() };
        row.with_shape(&body.shape, reach).with_state(&body.state)
    }

    /// The row of a fixed body of entry `group` at `time_s` (s). Its velocity is that of the step
    /// before, which took `step_s` (s). `reach` is as for [`Self::of`]. All ranks have the body;
    /// rank 0 counts as its owner.
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

    /// The values that do not change during a run. They can only be compared.
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

    /// Its shape. None for a half-space and for a number that no shape has.
    pub fn shape(&self) -> Option<Shape> {
        Shape::of_number(self.shape, self.size, self.solid)
    }

    /// Position, rotation and velocity.
    pub fn state(&self) -> BodyState {
        let rotation = Unit::new_unchecked(Quaternion::from(self.rotation));
        let (angular, linear) = (self.angular_velocity.into(), self.velocity.into());
        BodyState { position: self.position.into(), rotation, twist: Twist { angular, linear } }
    }

    /// Radius of the smallest ball about the centre of mass that holds the body, m. It is 0 for a
    /// half-space.
    pub fn radius(&self) -> f64 {
        self.shape().map_or(0.0, |shape| shape.reach(|_| self.size[0]))
    }

    /// True if all real numbers of the row are finite.
    pub fn is_finite(&self) -> bool {
        let Self { position, rotation, velocity, angular_velocity, size, .. } = self;
        let vectors = [position, velocity, angular_velocity, size];
        vectors.into_iter().flatten().chain(rotation).all(|x| x.is_finite())
    }
}
