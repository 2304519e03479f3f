//! Bodies that spin on joints, without friction.

use std::f64::consts::PI;

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use cloth_sim::rigid::constraint::joint::JointSettings;
use cloth_sim::rigid::shape::{Cylinder, Shape, Sphere};

use super::{angle, angular_momentum, cuboid, joint, spin, turn, world};
use crate::scene::{Scene, down};

/// Gravity, m/s^2.
const G: f64 = crate::scene::GRAVITY;

/// The rate of a steady precession in a second, relative to the exact one, and how far the wheel
/// sinks, relative to its way. It spins with 100 rad/s at the end of a level axle of 0.2 m. The axle
/// has no mass and spins too, or the wheel turns on it, on a hinge.
fn precess(step_s: f64, on_hinge: bool) -> [f64; 2] {
    let mut world = world(step_s, down());
    let (length, spin) = (0.2, 100.0);
    let wheel = Shape::Cylinder(Cylinder { radius_m: 0.15, length_m: 0.03 });
    let body = world.add(wheel, Vec3::new(length, 0.0, 0.0));
    // The axis of the wheel is its own y axis.
    body.state.rotation = turn(Vec3::z(), -90.0);
    let (moment, inertia) = (body.mass * length, body.inertia.y);
    let axle = on_hinge.then(|| world.add(cuboid([length, 0.02, 0.02]), Vec3::x() * 0.5 * length));
    let moment = moment + axle.map_or(0.0, |axle| axle.mass * 0.5 * length);
    let rate = moment * G / (inertia * spin);
    for body in &mut world.bodies {
        body.state.twist.angular.y = rate;
        body.state.twist.linear = Vec3::z() * -rate * body.state.position.x;
    }
    world.bodies[0].state.twist.angular.x = spin;
    if on_hinge {
        world.join(0, Some(1), Vec3::x() * length, Vec3::x(), joint(JointKind::Hinge));
    }
    world.join(u64::from(on_hinge), None, Vec3::zeros(), Vec3::x(), joint(JointKind::Ball));
    let (mut turned, mut last) = (0.0, Vec3::x());
    for _ in 0..(1.0 / step_s) as usize {
        world.step();
        let now = world.bodies[0].state.position;
        turned += angle(&last, &now, &Vec3::y());
        last = now;
    }
    [turned / rate - 1.0, -last.y / (rate * length)]
}

/// Half of the gyroscopic term comes before the impulses of a step, and half after them. If all came
/// before them, the wheel would feel them turned by half of its turn in a step, and sink by 5 % of
/// its way with steps of 1 ms.
#[test]
fn a_gyroscope_precesses_about_its_joint() {
    let steps = [1e-3, 0.5e-3, 0.25e-3];
    for (step_s, on_hinge) in steps.into_iter().flat_map(|h| [(h, false), (h, true)]) {
        let [rate, sinks] = precess(step_s, on_hinge);
        println!("gyroscope {step_s}, hinge {on_hinge}: rate {rate:e}, sinks {sinks:e} of its way");
        assert!(rate.abs() < 4e3 * step_s * step_s, "{rate:e}");
        let most = if on_hinge { 1e-2 } else { 3e-3 };
        assert!(sinks.abs() < most * step_s, "{sinks:e}");
    }
}

/// Two balls that turn with `omega` (rad/s) for 10 s, joined by a rod of 1 m. Returns the largest
/// relative errors of its length in the middle and at the end of a step, of angular momentum, of
/// energy, and of the turn.
fn rod(omega: f64) -> [f64; 5] {
    let mut world = world(1e-3, Vec3::zeros());
    for (x, radius_m) in [(0.0, 0.1), (1.0, 0.15)] {
        world.add(Shape::Sphere(Sphere { radius_m }), Vec3::new(x, 0.0, 0.0));
    }
    let masses = [0, 1].map(|k| world.bodies[k].mass);
    let centre = Vec3::x() * masses[1] / (masses[0] + masses[1]);
    for body in &mut world.bodies {
        body.state.twist.linear = (Vec3::z() * omega).cross(&(body.state.position - centre));
    }
    let ends = [0, 1].map(|k| world.bodies[k].state.position);
    let settings = JointSettings { range: [1.0; 2], ..joint(JointKind::Distance) };
    world.join_points(0, Some(1), ends, Vec3::x(), settings);
    let (start, moment) = (world.energy(), angular_momentum(&world));
    let (mut worst, mut turned, mut last) = ([0.0_f64; 5], 0.0, Vec3::x());
    for step in 1..=10_000 {
        world.step();
        let apart = world.bodies[1].state.position - world.bodies[0].state.position;
        turned += angle(&last, &apart, &Vec3::z());
        last = apart;
        let errors = [
            // The rod begins with its length at the end of a step, not in the middle.
            if step > 100 { world.widest_gap() } else { 0.0 },
            (apart.norm() - 1.0).abs(),
            (angular_momentum(&world) - moment).norm() / moment.norm(),
            (world.energy() / start - 1.0).abs(),
            (turned / (omega * 1e-3 * f64::from(step)) - 1.0).abs(),
        ];
        worst = std::array::from_fn(|k| worst[k].max(errors[k]));
    }
    worst
}

/// The tension is `m omega^2 r`: with another one, the balls would not turn with `omega`. They
/// begin with their distance at the end of a step, but it is kept in the middle: by
/// `(omega h)^2 / 8` closer.
#[test]
fn a_rod_holds_two_turning_balls_at_its_length() {
    for omega in [1.0, 2.0 * PI] {
        let errors = rod(omega);
        println!("rod {omega}: middle, end, angular momentum, energy, turn {errors:?}");
        let [middle, end, moment, energy, turned] = errors;
        let square = (omega * 1e-3) * (omega * 1e-3);
        // The solution of all joints at once is soft by a millionth.
        assert!(middle < 1e-5 * square && moment < 1e-12);
        assert!(end < 0.13 * square && energy < 0.26 * square && turned < 0.3 * square);
    }
}

/// Two boxes of 0.4 and 0.2 m that are joined to one of 0.6 m, or this box, with a spin about no
/// axis of symmetry.
fn tumbling(step_s: f64, parts: &[(f64, f64)]) -> Scene {
    let mut world = world(step_s, down());
    for &(length, x) in parts {
        world.add(cuboid([length, 0.2, 0.3]), Vec3::new(x, 0.0, 0.0));
    }
    spin(&mut world, &Vec3::new(3.0, 1.0, 2.0));
    if parts.len() > 1 {
        world.join(0, Some(1), Vec3::x() * 0.1, Vec3::x(), joint(JointKind::Fixed));
    }
    world
}

/// How far the two boxes are from where one box would be after a second (m and rad), how far their
/// centre of mass is (m), and the largest gap (m).
fn fly(step_s: f64) -> [f64; 3] {
    let mut one = tumbling(step_s, &[(0.6, 0.0)]);
    let mut two = tumbling(step_s, &[(0.4, -0.1), (0.2, 0.2)]);
    let mut gap = 0.0_f64;
    for _ in 0..(1.0 / step_s) as usize {
        one.step();
        two.step();
        gap = gap.max(two.widest_gap());
    }
    let whole = &one.bodies[0].state;
    let off = |k: usize, x: f64| {
        let state = &two.bodies[k].state;
        let expected = whole.position + whole.rotation * Vec3::x() * x;
        (state.position - expected).norm().max(whole.rotation.angle_to(&state.rotation))
    };
    let [a, b] = [0, 1].map(|k| two.bodies[k].mass * two.bodies[k].state.position);
    let centre = (a + b) / (two.bodies[0].mass + two.bodies[1].mass);
    [off(0, -0.1).max(off(1, 0.2)), (centre - whole.position).norm(), gap]
}

#[test]
fn two_fixed_boxes_fly_as_one() {
    for step_s in [1e-3, 0.5e-3] {
        let [off, centre, gap] = fly(step_s);
        let square = step_s * step_s;
        println!("fixed {step_s}: off by {off:e}, centre {centre:e} m, gap {gap:e} m");
        assert!(off < 5.0 * square && centre < 3e-14 && gap < 0.4 * square);
    }
}
