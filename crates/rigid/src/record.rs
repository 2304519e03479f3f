//! Bodies as plain words, for messages, saved states and hashes.

use bytemuck::{Pod, Zeroable};
use nalgebra::{Quaternion, UnitQuaternion};

use crate::body::{Body, BodyId, BodyState, Load, Twist};
use crate::shape::{Shape, ShapeWords};
use cloth_core::math::Vec3;

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
