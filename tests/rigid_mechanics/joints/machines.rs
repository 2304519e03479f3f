//! Sliders and hinges with motors and limits.

use std::f64::consts::{PI, TAU};

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use cloth_sim::rigid::constraint::joint::{JointSettings, Motor};
use nalgebra::{Isometry3, Point3};

use super::{BAR, angle, cuboid, joint, places, put, turn, world};
use crate::scene::{GRAVITY, Scene, down};

const DEGREES: f64 = 30.0;

/// The axis of the inclines, down.
fn incline() -> Vec3 {
    turn(Vec3::z(), -DEGREES) * Vec3::x()
}

/// The force that pulls a body of `mass` kg down the incline, N.
fn pull(mass: f64) -> f64 {
    mass * GRAVITY * libm::sin(DEGREES.to_radians())
}

/// A cart on a rail down an incline. The rail is beside its centre.
fn cart(place: &Isometry3<f64>, settings: impl Fn(f64) -> JointSettings) -> Scene {
    let mut world = world(1e-3, place * down());
    world.add(cuboid([0.3, 0.1, 0.2]), Vec3::zeros()).state.rotation = turn(Vec3::z(), -DEGREES);
    put(&mut world, place);
    let settings = settings(world.bodies[0].mass);
    let point = place * Point3::new(0.02, -0.08, 0.03);
    world.join(0, None, point.coords, place * incline(), settings);
    world
}

/// Speed down the incline (m/s), and across it.
fn speeds(world: &Scene, place: &Isometry3<f64>) -> [f64; 2] {
    let speed = world.bodies[0].state.twist.linear;
    let along = speed.dot(&(place * incline()));
    [along, (speed - place * incline() * along).norm()]
}

#[test]
fn a_slider_on_an_incline_accelerates_with_g_sine() {
    for place in &places() {
        let mut world = cart(place, |_| joint(JointKind::Slider));
        world.run(1000);
        let [along, across] = speeds(&world, place);
        let (error, gap) = (along / pull(1.0) - 1.0, world.widest_gap());
        println!("slider: {error:e}, across {across:e} m/s, gap {gap:e}");
        assert!(error.abs() < 1e-12 && across < 1e-11 && gap < 1e-13);
    }
}

#[test]
fn a_slider_motor_holds_its_speed_and_stalls_at_its_force() {
    for place in &places() {
        for speed in [0.0, -0.3, 0.2] {
            let driven = |share: f64| {
                let slider = |mass| {
                    let motor = Some(Motor { speed, most: share * pull(mass) });
                    JointSettings { motor, ..joint(JointKind::Slider) }
                };
                let mut world = cart(place, slider);
                world.run(1000);
                speeds(&world, place)[0]
            };
            let (strong, weak) = (driven(2.0), driven(0.4));
            println!("slider motor at {speed}: {:e}, weak {weak}", strong - speed);
            assert!((strong - speed).abs() < 1e-13);
            // It drives down until the speed is its own, and then brakes.
            let driven_s = speed.max(0.0) / (1.4 * pull(1.0));
            let expected = speed.max(0.0) + 0.6 * pull(1.0) * (1.0 - driven_s);
            // In the step of the change, the force is between both.
            let change = if speed > 0.0 { 0.8 * pull(1.0) * 1e-3 } else { 1e-12 };
            assert!((weak - expected).abs() < change, "{weak} {expected}");
        }
    }
}

/// A level bar on a hinge at its end, with a motor of the given share of the torque of its weight.
/// Returns its turn, its speed (rad/s), and the acceleration by the whole torque, rad/s^2.
fn lift(place: &Isometry3<f64>, speed: f64, share: f64, steps: usize) -> [f64; 3] {
    let mut world = world(1e-3, place * down());
    let mass = world.add(BAR, Vec3::new(0.5, 0.0, 0.0)).mass;
    put(&mut world, place);
    let torque = mass * GRAVITY * 0.5;
    let motor = Some(Motor { speed, most: share * torque });
    let axis = place * Vec3::z();
    let hinge = JointSettings { motor, ..joint(JointKind::Hinge) };
    world.join(0, None, place.translation.vector, axis, hinge);
    world.run(steps);
    let body = &world.bodies[0];
    let turned = angle(&(place * Vec3::x()), &(body.state.rotation * Vec3::x()), &axis);
    [turned, body.state.twist.angular.dot(&axis), torque / (body.inertia.z + 0.25 * mass)]
}

#[test]
fn a_hinge_motor_holds_its_speed_and_stalls_at_its_torque() {
    for place in &places() {
        for speed in [0.0, -2.0, 1.5] {
            let [turned, held, _] = lift(place, speed, 3.0, 1000);
            println!("hinge motor at {speed}: speed {:e}, turn {turned}", held - speed);
            let is_still = speed != 0.0 || turned.abs() < 1e-12;
            assert!((held - speed).abs() < 1e-12 && is_still);
        }
        // The bar falls by so little that its weight has the same arm.
        let [turned, falls, whole] = lift(place, 0.0, 0.4, 20);
        let error = falls / (-0.6 * whole * 0.02) - 1.0;
        println!("weak hinge motor: {error:e}, turn {turned}");
        assert!(error.abs() < 1e-5);
    }
}

#[test]
fn a_slider_rests_on_its_stop() {
    for place in &places() {
        let range = [-0.1, 0.3];
        let mut world = cart(place, |_| JointSettings { range, ..joint(JointKind::Slider) });
        let start = world.bodies[0].state.position;
        world.run(1000);
        let early = world.bodies[0].state.position;
        world.run(2000);
        let state = &world.bodies[0].state;
        let off = (state.position - start).dot(&(place * incline())) - range[1];
        let (creep, speed) = ((state.position - early).norm(), state.twist.linear.norm());
        println!("slider stops: off by {off:e}, creep {creep:e}, speed {speed:e}");
        assert!(off.abs() < 1e-12 && creep < 1e-12 && speed < 1e-10);
    }
}

/// A bar that falls from `from` degrees (0 is up) with a speed of `omega` (rad/s) onto a limit.
/// Returns its turn, how much it crept in the last 2 of 3 s (rad), and its speed (rad/s).
fn fall(from: f64, omega: f64, range: [f64; 2], place: &Isometry3<f64>) -> [f64; 3] {
    let mut world = world(1e-3, place * down());
    let rotation = turn(Vec3::z(), from + 90.0);
    let bar = world.add(BAR, rotation * Vec3::new(0.5, 0.0, 0.0));
    bar.state.rotation = rotation;
    bar.state.twist.angular = Vec3::z() * omega;
    bar.state.twist.linear = bar.state.twist.angular.cross(&bar.state.position);
    put(&mut world, place);
    let axis = place * Vec3::z();
    let hinge = JointSettings { range, ..joint(JointKind::Hinge) };
    world.join(0, None, place.translation.vector, axis, hinge);
    let first = place * rotation * Vec3::x();
    let (mut turned, mut last, mut early) = (0.0, 0.0, 0.0);
    for step in 0..3000 {
        world.step();
        let now = angle(&first, &(world.bodies[0].state.rotation * Vec3::x()), &axis);
        turned += now - last - TAU * ((now - last) / TAU).round();
        last = now;
        early = if step == 1000 { turned } else { early };
    }
    [turned, turned - early, world.bodies[0].state.twist.angular.norm()]
}

#[test]
fn a_hinge_rests_on_its_stop_even_beyond_half_a_turn() {
    let infinite = f64::INFINITY;
    for place in &places() {
        for (from, omega, range) in [
            (-90.0, 0.0, [-0.5, infinite]),
            (90.0, 0.0, [-2.0, 0.7]),
            (20.0, -3.0, [-3.1, 3.1]),
            (20.0, -3.0, [-PI + 1e-3, PI - 1e-3]),
            (20.0, -3.0, [-PI + 1e-6, infinite]),
            (20.0, -3.0, [-3.3, 0.5]),
            (-20.0, 3.0, [-0.5, 3.3]),
            (-20.0, 3.0, [-infinite, PI - 1e-3]),
        ] {
            let [angle, creep, speed] = fall(from, omega, range, place);
            let off = angle - if angle < 0.0 { range[0] } else { range[1] };
            println!("{range:?}: off by {off:e}, creep {creep:e}, speed {speed:e}");
            assert!(off.abs() < 1e-12 && creep.abs() < 1e-12 && speed < 1e-10);
        }
    }
}
