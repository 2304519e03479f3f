//! Joints against closed forms, at the shipped settings, with steps of 1 ms unless a test says
//! otherwise.

mod chains;
mod loops;
mod machines;
mod pendulums;
mod random;
mod several;
mod spinning;
mod springs;

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use cloth_sim::rigid::body::Body;
use cloth_sim::rigid::constraint::joint::JointSettings;
use cloth_sim::rigid::shape::{Cuboid, Shape};
use nalgebra::{Isometry3, UnitQuaternion};

use crate::scene::{Response, Scene, down, surface};

/// A bar of 1 m along x with a square section of 4 cm.
const BAR: Shape = cuboid([1.0, 0.04, 0.04]);

const fn cuboid(size_m: [f64; 3]) -> Shape {
    Shape::Box(Cuboid { size_m })
}

/// An empty scene under `gravity`.
fn world(step_s: f64, gravity: Vec3) -> Scene {
    Scene::new(step_s, surface(0.0, 0.5), gravity, Response::default())
}

/// An empty scene with steps of 1 ms and the gravity of [`down`].
fn with_sweeps(sweeps: u32) -> Scene {
    Scene::new(1e-3, surface(0.0, 0.5), down(), Response::Nonsmooth { sweeps })
}

fn joint(kind: JointKind) -> JointSettings {
    JointSettings::new(kind)
}

/// No change, and a turn and shift in no special direction.
fn places() -> [Isometry3<f64>; 2] {
    [Isometry3::identity(), Isometry3::new(Vec3::new(3.0, -7.0, 11.0), Vec3::new(0.7, -1.1, 0.4))]
}

/// Turns and shifts all bodies, before they are joined.
fn put(world: &mut Scene, place: &Isometry3<f64>) {
    for body in &mut world.bodies {
        let state = &mut body.state;
        state.position = place.rotation * state.position + place.translation.vector;
        state.rotation = place.rotation * state.rotation;
        state.twist.angular = place.rotation * state.twist.angular;
        state.twist.linear = place.rotation * state.twist.linear;
    }
}

/// Turns all bodies about the origin as if they were one.
fn spin(world: &mut Scene, omega: &Vec3) {
    for body in &mut world.bodies {
        let state = &mut body.state;
        state.twist.angular += omega;
        state.twist.linear += omega.cross(&state.position);
    }
}

/// Kinetic and potential energy, J.
fn energy(world: &Scene) -> f64 {
    let gravity = world.settings.gravity;
    let potential = |body: &Body| -body.mass * gravity.dot(&body.state.position);
    world.energy() + world.bodies.iter().map(potential).sum::<f64>()
}

/// Angular momentum about the origin, kg m^2/s.
fn angular_momentum(world: &Scene) -> Vec3 {
    let of = |body: &Body| {
        let state = &body.state;
        let own = state.rotation.inverse_transform_vector(&state.twist.angular);
        let spin = state.rotation.transform_vector(&body.inertia.component_mul(&own));
        spin + body.mass * state.position.cross(&state.twist.linear)
    };
    world.bodies.iter().map(of).sum()
}

/// The angle from `a` to `b` about the unit vector `axis`, rad.
fn angle(a: &Vec3, b: &Vec3, axis: &Vec3) -> f64 {
    libm::atan2(axis.dot(&a.cross(b)), a.dot(b))
}

fn turn(axis: Vec3, degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(axis * degrees.to_radians())
}
