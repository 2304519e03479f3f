//! Bodies that swing on joints.
//!
//! A joint is closed in the middle of a step. At the end, a point that turns with `omega` at the
//! distance `r` is by `r (omega h)^2 / 8` outside of its circle.

use std::f64::consts::PI;

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use nalgebra::{Isometry3, Point3};

use super::{BAR, energy, joint, places, put, turn, world};
use crate::scene::{GRAVITY, down};

/// The period of a pendulum whose small swings have the frequency `omega` (rad/s), if `sine` is
/// the sine of half of its amplitude: an elliptic integral by the arithmetic-geometric mean.
fn exact_period(omega: f64, sine: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - sine * sine).sqrt());
    for _ in 0..20 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    2.0 * PI / (a * omega)
}

/// Relative errors of the period and the energy of a swinging bar over 10 s, and the largest gap
/// at the end of a step, m. The bar begins hanging, with a speed: its amplitude is 63 degrees.
fn swing(kind: JointKind, step_s: f64, place: &Isometry3<f64>) -> [f64; 3] {
    let mut world = world(step_s, place * down());
    let (length, omega) = (0.5, 4.0);
    let bar = world.add(BAR, Vec3::new(0.0, -length, 0.0));
    bar.state.rotation = turn(Vec3::z(), 90.0);
    bar.state.twist.angular = Vec3::z() * omega;
    bar.state.twist.linear = Vec3::x() * omega * length;
    put(&mut world, place);
    let (pivot, axis) = (place.translation.vector, place * Vec3::z());
    world.join(0, None, pivot, axis, joint(kind));
    let (start, mass) = (energy(&world), world.bodies[0].mass);
    let inertia = world.bodies[0].inertia.z + mass * length * length;
    let small = (mass * GRAVITY * length / inertia).sqrt();
    let expected = exact_period(small, omega / (2.0 * small));
    let (mut crossings, mut last, mut gap) = (Vec::new(), 0.0, 0.0_f64);
    for step in 0..(10.0 / step_s) as usize {
        world.step();
        let state = &world.bodies[0].state;
        let x = place.inverse_transform_point(&Point3::from(state.position)).x;
        if last < 0.0 && x >= 0.0 {
            crossings.push((step as f64 + last / (last - x)) * step_s);
        }
        last = x;
        let end = state.position + state.rotation * Vec3::new(length, 0.0, 0.0);
        gap = gap.max((end - pivot).norm());
    }
    let count = crossings.len() - 1;
    let period = (crossings[count] - crossings[0]) / count as f64;
    let scale = mass * GRAVITY * length;
    [period / expected - 1.0, (energy(&world) - start) / scale, gap]
}

#[test]
fn a_pendulum_swings_with_the_period_of_its_amplitude() {
    for step_s in [0.5e-3, 1e-3, 2e-3, 4e-3] {
        for kind in [JointKind::Ball, JointKind::Hinge] {
            for place in &places() {
                let [period, energy, gap] = swing(kind, step_s, place);
                println!("{kind:?} {step_s}: period {period:e}, energy {energy:e}, gap {gap:e}");
                // All errors fall with the square of the step.
                let square = step_s * step_s;
                assert!(period.abs() < 1.5 * square && energy.abs() < 0.7 * square);
                assert!(gap < 1.05 * square, "0.5 (4 h)^2 / 8 and rounding");
            }
        }
    }
}

/// The largest errors of a double pendulum in 10 s: of its energy relative to `2 m g L`, and the
/// gaps in the middle and at the end of a step, m.
fn double(step_s: f64) -> [f64; 3] {
    let mut world = world(step_s, down());
    world.add(BAR, Vec3::new(0.5, 0.0, 0.0));
    world.add(BAR, Vec3::new(1.5, 0.0, 0.0));
    world.join(0, None, Vec3::zeros(), Vec3::z(), joint(JointKind::Hinge));
    world.join(0, Some(1), Vec3::x(), Vec3::z(), joint(JointKind::Hinge));
    let (start, scale) = (energy(&world), 2.0 * world.bodies[0].mass * GRAVITY);
    let mut worst = [0.0_f64; 3];
    for _ in 0..(10.0 / step_s) as usize {
        world.step();
        let ends = [0, 1].map(|k| {
            let state = &world.bodies[k].state;
            let half = state.rotation * Vec3::new(0.5, 0.0, 0.0);
            [state.position - half, state.position + half]
        });
        let gap = ends[0][0].norm().max((ends[0][1] - ends[1][0]).norm());
        let now = [(energy(&world) - start).abs() / scale, world.widest_gap(), gap];
        worst = std::array::from_fn(|k| worst[k].max(now[k]));
    }
    worst
}

/// The gap in the middle is what the turns differ by from those that were foreseen.
#[test]
fn a_double_pendulum_keeps_its_energy() {
    for (step_s, most) in [(1e-3, [3e-4, 3e-5, 3e-5]), (0.5e-3, [1e-4, 1e-5, 1e-5])] {
        let errors = double(step_s);
        println!("double {step_s}: energy, gap in the middle and at the end {errors:?}");
        assert!(errors.iter().zip(&most).all(|(error, most)| error < most));
    }
}
