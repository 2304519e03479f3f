//! What swings and spins.

use std::f64::consts::PI;

use cloth_sim::math::Vec3;
use cloth_sim::rigid::body::Twist;
use cloth_sim::rigid::constraint::joint::kind::JointKind;
use cloth_sim::rigid::shape::{Cylinder, Shape, Sphere};
use nalgebra::UnitQuaternion;

use super::{BAR, angular_momentum, crooked, energy, joint, world};
use crate::scene::{GRAVITY, down};

/// The period of a pendulum that swings through its lowest point with `omega` (rad/s); `small` is
/// the angular frequency of small swings (rad/s). The elliptic integral is computed by the
/// arithmetic-geometric mean.
fn period(omega: f64, small: f64) -> f64 {
    let sine = omega / (2.0 * small);
    let (mut a, mut b) = (1.0, (1.0 - sine * sine).sqrt());
    for _ in 0..20 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    2.0 * PI / (a * small)
}

/// Swings a bar about one end, turned as `turn`. Returns the errors of period and energy (as
/// shares), and the largest gap (m).
fn swing(kind: JointKind, step_s: f64, turn: &UnitQuaternion<f64>) -> [f64; 3] {
    let mut world = world(step_s, turn * down());
    let (at, omega) = (Vec3::new(3.0, -2.0, 5.0), 1.5);
    let hanging = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), PI / 2.0);
    let state = &mut world.add(BAR, at + turn * Vec3::new(0.0, -0.5, 0.0)).state;
    state.rotation = turn * hanging;
    state.twist =
        Twist { angular: turn * Vec3::z() * omega, linear: turn * Vec3::x() * (0.5 * omega) };
    world.join(0, None, at, turn * Vec3::z(), joint(kind));
    let (mass, inertia) = (world.bodies[0].mass, world.bodies[0].inertia.z);
    let small = (mass * GRAVITY * 0.5 / (inertia + 0.25 * mass)).sqrt();
    let (start, kinetic) = (energy(&world), world.energy());
    let (mut crossings, mut last, mut gap) = (Vec::new(), 0.0, 0.0_f64);
    for step in 0..(10.0 / step_s) as usize {
        world.step();
        gap = gap.max(world.widest_gap());
        let x = turn.inverse_transform_vector(&(world.bodies[0].state.position - at)).x;
        if last < 0.0 && x >= 0.0 {
            crossings.push((step as f64 + last / (last - x)) * step_s);
        }
        last = x;
    }
    let count = crossings.len() - 1;
    let measured = (crossings[count] - crossings[0]) / count as f64;
    [measured / period(omega, small) - 1.0, (energy(&world) - start) / kinetic, gap]
}

#[test]
fn a_pendulum_swings_with_the_period_of_its_amplitude() {
    for (kind, step_s, turn) in [
        (JointKind::Ball, 1e-3, UnitQuaternion::identity()),
        (JointKind::Hinge, 1e-3, crooked()),
        (JointKind::Ball, 5e-4, crooked()),
        (JointKind::Hinge, 2e-3, crooked()),
        (JointKind::Ball, 4e-3, crooked()),
    ] {
        let [period, energy, gap] = swing(kind, step_s, &turn);
        println!("{kind:?} {step_s}: period {period:.1e}, energy {energy:.1e}, gap {gap:.1e} m");
        assert!(period.abs() < 1e-4 && energy.abs() < 1e-4 && gap < 1e-5);
    }
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let mut world = world(1e-3, down());
    for place in 0..2 {
        world.add(BAR, Vec3::new(0.5 + place as f64, 0.0, 0.0));
    }
    world.join(0, None, Vec3::zeros(), Vec3::z(), joint(JointKind::Hinge));
    world.join(0, Some(1), Vec3::x(), Vec3::z(), joint(JointKind::Hinge));
    let scale = 2.0 * world.bodies[0].mass * GRAVITY;
    let (mut worst, mut gap, start) = (0.0_f64, 0.0_f64, energy(&world));
    for step in 0..10_000 {
        world.step();
        worst = worst.max((energy(&world) - start).abs() / scale);
        // The first step has no impulses of a step before it.
        gap = gap.max(if step > 0 { world.widest_gap() } else { 0.0 });
    }
    println!("double pendulum: energy {worst:.1e}, gap {gap:.1e} m");
    assert!(worst < 1e-3 && gap < 3e-5);
}

#[test]
fn a_heavy_gyroscope_precesses() {
    let mut world = world(2.5e-4, down());
    let (spin, arm) = (100.0, 0.2);
    // A wheel whose axle, y, lies along x.
    let body = world.add(
        Shape::Cylinder(Cylinder { radius_m: 0.15, length_m: 0.03 }),
        Vec3::new(arm, 0.0, 0.0),
    );
    body.state.rotation = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), -PI / 2.0);
    // Steady precession at a level axle: (axial moment) spin rate = m g arm.
    let rate = body.mass * GRAVITY * arm / (body.inertia.y * spin);
    body.state.twist =
        Twist { angular: Vec3::new(spin, rate, 0.0), linear: Vec3::new(0.0, 0.0, -rate * arm) };
    world.join(0, None, Vec3::zeros(), Vec3::x(), joint(JointKind::Ball));
    world.run(4000);
    let x = world.bodies[0].state.position;
    let turned = libm::atan2(-x.z, x.x).rem_euclid(2.0 * PI);
    let expected = rate.rem_euclid(2.0 * PI);
    let sinks = -x.y / (rate * arm);
    println!("gyroscope: turned by {turned} rad of {expected}, sinks {sinks:.1e} of its way");
    assert!((turned - expected).abs() < 0.01 * rate && sinks.abs() < 0.015);
}

#[test]
fn a_rod_holds_two_bodies_that_turn_about_each_other() {
    let mut world = world(1e-3, Vec3::zeros());
    let (ball, omega) = (Shape::Sphere(Sphere { radius_m: 0.1 }), 3.0);
    for side in [-1.0, 1.0] {
        let at = crooked() * Vec3::x() * side;
        let body = world.add(ball, at);
        let turn = crooked() * Vec3::z() * omega;
        body.state.twist.linear = turn.cross(&at) + Vec3::new(0.1, 0.2, 0.3);
    }
    let points = [0, 1].map(|i| world.bodies[i].state.position);
    let mut rod = joint(JointKind::Distance);
    rod.range = [2.0; 2];
    world.join_points(0, Some(1), points, Vec3::x(), rod);
    let (start, spin, momentum) = (world.energy(), angular_momentum(&world), world.momentum());
    let mut gap = 0.0_f64;
    for _ in 0..10_000 {
        world.step();
        gap = gap.max(world.widest_gap());
    }
    let lost = world.energy() / start - 1.0;
    let turned = (angular_momentum(&world) - spin).norm() / spin.norm();
    let pushed = (world.momentum() - momentum).norm() / momentum.norm();
    let apart = world.bodies[1].state.position - world.bodies[0].state.position;
    let expected = crooked() * UnitQuaternion::from_axis_angle(&Vec3::z_axis(), 10.0 * omega);
    let phase = (apart.normalize() - expected * Vec3::x()).norm() / (10.0 * omega);
    println!("rod: {gap:.1e} m, energy {lost:.1e}, spin {turned:.1e}, {pushed:.1e}, {phase:.1e}");
    assert!(gap < 1e-4 && lost.abs() < 1e-5 && turned < 1e-12 && pushed < 1e-12 && phase < 1e-5);
}
