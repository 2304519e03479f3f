//! Joints against closed forms, at the shipped settings.

mod chains;
mod machines;
mod pendulums;

use cloth_sim::math::Vec3;
use cloth_sim::rigid::body::Body;
use cloth_sim::rigid::constraint::joint::JointSettings;
use cloth_sim::rigid::constraint::joint::kind::JointKind;
use cloth_sim::rigid::shape::{Cuboid, Shape};
use nalgebra::UnitQuaternion;

use crate::scene::{Response, Scene, surface};

/// A bar of 1 m along x with a square section of 4 cm.
const BAR: Shape = Shape::Box(Cuboid { size_m: [1.0, 0.04, 0.04] });
/// A cube of 0.2 m.
const CUBE: Shape = Shape::Box(Cuboid { size_m: [0.2, 0.2, 0.2] });

fn world(step_s: f64, gravity: Vec3) -> Scene {
    Scene::new(step_s, surface(0.0, 0.5), gravity, Response::default())
}

fn joint(kind: JointKind) -> JointSettings {
    JointSettings::new(kind)
}

/// A rotation in no special direction.
fn crooked() -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(Vec3::new(0.7, -1.1, 0.4))
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
        let (rotation, twist) = (&body.state.rotation, &body.state.twist);
        let own = rotation.inverse_transform_vector(&twist.angular);
        let spin = rotation.transform_vector(&body.inertia.component_mul(&own));
        spin + body.state.position.cross(&(twist.linear * body.mass))
    };
    world.bodies.iter().map(of).sum()
}
