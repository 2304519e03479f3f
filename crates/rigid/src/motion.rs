//! How a body moves between contacts: half steps of the position, and a step of the velocity.
//!
//! A step of length `h` moves a body by `h / 2`, changes its velocity, and moves it by `h / 2`
//! again. The velocity changes by half of the gyroscopic term, by the forces of the whole step, by
//! contacts and joints, and by the other half of the gyroscopic term.
//!
//! [`cloth_bodies::bodies::rigid`] has the rotation and the gyroscopic term.
//!
//! **Two halves.** All impulses of a step act in its middle, where half of the turn is done. With
//! the whole term before them, the body would feel them turned by `w h / 2`: an error of first
//! order, by which a gyroscope on a joint sinks.

use crate::{Body, BodyState};
use cloth_bodies::bodies::rigid::{gyroscopic, is_isotropic, turned};
use cloth_core::{Mat3, Vec3};

/// Square of the largest turn (rad^2) that is left out. It is below the rounding of a rotation.
/// Contacts without friction leave such spins by rounding.
const NEGLIGIBLE_TURN_SQUARED: f64 = 1e-32;

/// Moves a body for `dt_s` seconds at a constant velocity.
#[inline]
pub fn drift(state: &mut BodyState, dt_s: f64) {
    state.position += state.twist.linear * dt_s;
    let turn = state.twist.angular * dt_s;
    if turn.norm_squared() > NEGLIGIBLE_TURN_SQUARED {
        state.rotation = turned(&state.rotation, &turn);
    }
}

/// The acceleration of the centre of mass by `gravity` (m/s^2) and by the force on the body, m/s^2.
#[inline]
pub fn acceleration(body: &Body, gravity: &Vec3) -> Vec3 {
    let force = &body.load.force;
    if *force == Vec3::zeros() { *gravity } else { gravity + force / body.mass }
}

/// Changes the velocity by gravity (m/s^2), force and torque over `h_s` seconds, after half of the
/// gyroscopic term. [`precess`] by `h_s / 2` is the other half; it comes after all impulses.
#[inline]
pub fn accelerate(body: &mut Body, gravity: &Vec3, h_s: f64) {
    body.state.twist.linear += acceleration(body, gravity) * h_s;
    precess(&mut body.state, &body.inertia, 0.5 * h_s);
    let torque = &body.load.torque;
    if *torque != Vec3::zeros() {
        body.state.twist.angular += Mobility::of(body).inverse_inertia * torque * h_s;
    }
}

/// Changes the angular velocity by the gyroscopic term over `dt_s` seconds. `inertia` has the
/// principal moments (kg m^2).
pub fn precess(state: &mut BodyState, inertia: &Vec3, dt_s: f64) {
    let BodyState { rotation, twist, .. } = state;
    if !is_isotropic(inertia) && twist.angular != Vec3::zeros() {
        let own = rotation.inverse_transform_vector(&twist.angular);
        twist.angular = rotation.transform_vector(&gyroscopic(inertia, own, dt_s));
    }
}

/// The inverse of a body's mass matrix, in space: the change of velocity for a unit impulse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mobility {
    /// Inverse of the mass, 1/kg.
    pub inverse_mass: f64,
    /// Inverse of the inertia tensor in space, 1/(kg m^2).
    pub inverse_inertia: Mat3,
}

impl Mobility {
    /// The mobility of a fixed body.
    pub const NONE: Self = Self {
        inverse_mass: 0.0,
        inverse_inertia: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// The mobility of a body in its present rotation.
    pub fn of(body: &Body) -> Self {
        let inverse = body.inertia.map(|moment| 1.0 / moment);
        let diagonal = Mat3::from_diagonal(&inverse);
        let inverse_inertia = if is_isotropic(&body.inertia) {
            diagonal
        } else {
            let rotation = body.state.rotation.to_rotation_matrix().into_inner();
            rotation * diagonal * rotation.transpose()
        };
        Self { inverse_mass: 1.0 / body.mass, inverse_inertia }
    }

    /// The inverse of the perceived mass, 1/kg: a unit impulse along the unit vector `direction`
    /// acts at `arm` (m) from the centre of mass, and this is the speed of that point along
    /// `direction`.
    #[inline]
    pub fn along(&self, arm: &Vec3, direction: &Vec3) -> f64 {
        let twist = arm.cross(direction);
        self.inverse_mass + twist.dot(&(self.inverse_inertia * twist))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::shape::Cuboid;
    use crate::{Load, Shape, Twist};

    fn body(inertia: Vec3, angular: Vec3) -> Body {
        Body {
            id: 0,
            shape: Shape::Box(Cuboid::of_half(Vec3::repeat(0.5))),
            material: 0,
            mass: 2.0,
            inertia,
            state: BodyState {
                position: Vec3::zeros(),
                rotation: UnitQuaternion::identity(),
                twist: Twist { angular, linear: Vec3::zeros() },
            },
            load: Load::NONE,
        }
    }

    fn step(body: &mut Body, gravity: &Vec3, h: f64) {
        drift(&mut body.state, h / 2.0);
        accelerate(body, gravity, h);
        precess(&mut body.state, &body.inertia, h / 2.0);
        drift(&mut body.state, h / 2.0);
    }

    fn energy(body: &Body) -> f64 {
        let own = body.state.rotation.inverse_transform_vector(&body.state.twist.angular);
        0.5 * own.dot(&body.inertia.component_mul(&own))
    }

    fn angular_momentum(body: &Body) -> Vec3 {
        let own = body.state.rotation.inverse_transform_vector(&body.state.twist.angular);
        body.state.rotation.transform_vector(&body.inertia.component_mul(&own))
    }

    #[test]
    fn free_fall_meets_the_parabola() {
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        let mut falling = body(Vec3::repeat(1.0), Vec3::zeros());
        falling.state.twist.linear = Vec3::new(1.0, 3.0, 0.0);
        for _ in 0..1000 {
            step(&mut falling, &gravity, 1e-3);
        }
        // Two half steps around the change of velocity are exact for a constant force.
        let expected = Vec3::new(1.0, 3.0 - 0.5 * 9.81, 0.0);
        assert!((falling.state.position - expected).norm() < 1e-12);
    }

    #[test]
    fn a_constant_rotation_returns_after_full_turns() {
        let mut ball = body(Vec3::repeat(1.0), Vec3::new(0.0, 0.0, std::f64::consts::TAU));
        for _ in 0..1000 {
            step(&mut ball, &Vec3::zeros(), 1e-2);
        }
        let angle = 2.0 * libm::asin(ball.state.rotation.imag().norm());
        assert!(angle < 1e-11, "{angle}");
        assert!((ball.state.rotation.norm() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_top_keeps_energy_and_angular_momentum() {
        let mut top = body(Vec3::new(1.0, 2.0, 3.5), Vec3::new(3.0, 1.0, 4.0));
        let (energy_before, momentum_before) = (energy(&top), angular_momentum(&top));
        let mut worst: f64 = 0.0;
        for _ in 0..20_000 {
            step(&mut top, &Vec3::zeros(), 1e-3);
            let drift = (angular_momentum(&top) - momentum_before).norm() / momentum_before.norm();
            worst = worst.max(drift);
        }
        let change = energy(&top) / energy_before - 1.0;
        assert!(change.abs() < 1e-11, "{change}");
        assert!((angular_momentum(&top).norm() / momentum_before.norm() - 1.0).abs() < 1e-11);
        assert!(worst < 1e-3, "direction of the angular momentum is off by {worst}");
    }

    #[test]
    fn the_intermediate_axis_flips_and_the_others_do_not() {
        let flips = |axis: usize| {
            let mut angular = Vec3::repeat(1e-3);
            angular[axis] = 10.0;
            let mut top = body(Vec3::new(1.0, 2.0, 3.0), angular);
            let (mut sign, mut flips) = (1.0, 0);
            for _ in 0..10_000 {
                step(&mut top, &Vec3::zeros(), 1e-3);
                let own = top.state.rotation.inverse_transform_vector(&top.state.twist.angular);
                if own[axis] * sign < -5.0 {
                    (sign, flips) = (-sign, flips + 1);
                }
            }
            flips
        };
        assert_eq!((flips(0), flips(2)), (0, 0));
        assert!(flips(1) >= 2);
    }

    #[test]
    fn a_torque_turns_a_body_as_its_inertia_says() {
        for inertia in [Vec3::repeat(2.0), Vec3::new(1.0, 3.0, 2.0)] {
            let mut wheel = body(inertia, Vec3::zeros());
            wheel.load.torque = Vec3::new(0.0, 0.0, 4.0);
            for _ in 0..100 {
                step(&mut wheel, &Vec3::zeros(), 1e-2);
            }
            let expected = Vec3::new(0.0, 0.0, 4.0 / inertia.z);
            assert!((wheel.state.twist.angular - expected).norm() < 1e-12);
        }
    }

    #[test]
    fn a_torque_on_a_spinning_top_errs_by_the_square_of_the_step() {
        let error = |steps: u32| {
            let mut top = body(Vec3::new(1.0, 2.0, 3.5), Vec3::new(3.0, 1.0, 4.0));
            top.load.torque = Vec3::new(2.0, -5.0, 1.0);
            let expected = angular_momentum(&top) + top.load.torque;
            for _ in 0..steps {
                step(&mut top, &Vec3::zeros(), 1.0 / f64::from(steps));
            }
            (angular_momentum(&top) - expected).norm() / expected.norm()
        };
        let (coarse, fine) = (error(500), error(1000));
        assert!(fine < 1e-5 && (3.9..4.1).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
    }

    #[test]
    fn the_perceived_mass_of_a_ball_at_its_rim_is_two_sevenths() {
        let (mass, radius) = (2.0, 0.3);
        let mut ball = body(Vec3::repeat(0.4 * mass * radius * radius), Vec3::zeros());
        ball.mass = mass;
        let along = Mobility::of(&ball).along(&Vec3::new(0.0, -radius, 0.0), &Vec3::x());
        assert!((1.0 / along - mass * 2.0 / 7.0).abs() < 1e-14);
    }
}
