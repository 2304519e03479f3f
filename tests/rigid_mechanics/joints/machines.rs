//! Sliders, motors, limits, and bodies that move as one.

use cloth_sim::math::Vec3;
use cloth_sim::rigid::body::Twist;
use cloth_sim::rigid::constraint::joint::Motor;
use cloth_sim::rigid::constraint::joint::kind::JointKind;
use cloth_sim::rigid::fixed::FixedBody;
use cloth_sim::rigid::shape::{Cuboid, Shape};

use super::{BAR, CUBE, crooked, joint, world};
use crate::scene::{GRAVITY, down};

/// The speed of a cube on a slider along `axis` after a second, m/s.
fn slide(axis: &Vec3, motor: Option<Motor>) -> f64 {
    let mut world = world(1e-3, down());
    world.add(CUBE, Vec3::new(1.0, 2.0, 3.0));
    let mut slider = joint(JointKind::Slider);
    slider.motor = motor;
    world.join(0, None, Vec3::new(1.1, 2.0, 3.0), *axis, slider);
    world.run(1000);
    let state = &world.bodies[0].state;
    assert!(state.twist.angular.norm() < 1e-8 && world.widest_gap() < 1e-8);
    state.twist.linear.dot(axis)
}

#[test]
fn a_slider_slides_as_on_an_incline_and_its_motor_holds_or_stalls() {
    let axis = crooked() * Vec3::x();
    let pull = axis.dot(&down());
    let mass = world(1e-3, down()).add(CUBE, Vec3::zeros()).mass;
    let speed = slide(&axis, None);
    assert!((speed / pull - 1.0).abs() < 1e-3, "{speed} {pull}");
    let strong = Motor { speed: 0.3, most: 1.5 * mass * pull.abs() };
    let speed = slide(&axis, Some(strong));
    assert!((speed - 0.3).abs() < 1e-6, "{speed}");
    let weak = Motor { speed: -0.3 * pull.signum(), most: 0.4 * mass * pull.abs() };
    let speed = slide(&axis, Some(weak));
    assert!((speed / (0.6 * pull) - 1.0).abs() < 1e-3, "{speed}");
}

#[test]
fn a_motor_of_a_hinge_holds_its_speed_and_stalls_at_its_torque() {
    let axis = crooked() * Vec3::x();
    for (most, expected) in [(1e3, 4.0), (0.5, f64::NAN)] {
        let mut world = world(1e-3, Vec3::zeros());
        let inertia = world.add(CUBE, Vec3::zeros()).inertia.x;
        let mut hinge = joint(JointKind::Hinge);
        hinge.motor = Some(Motor { speed: 4.0, most });
        world.join(0, None, Vec3::zeros(), axis, hinge);
        world.run(100);
        let speed = world.bodies[0].state.twist.angular.dot(&axis);
        let expected = if expected.is_nan() { most * 0.1 / inertia } else { expected };
        assert!((speed / expected - 1.0).abs() < 1e-6, "{speed} {expected}");
    }
}

#[test]
fn two_boxes_that_are_fixed_move_as_one() {
    let mut one = world(1e-3, down());
    let mut two = world(1e-3, down());
    let (at, spin) = (Vec3::new(0.0, 3.0, 0.0), Vec3::new(1.0, 2.0, -0.5));
    let turn = crooked();
    let whole = Shape::Box(Cuboid { size_m: [0.4, 0.2, 0.2] });
    let body = one.add(whole, at);
    body.state.rotation = turn;
    body.state.twist = Twist { angular: spin, linear: Vec3::x() };
    for side in [-0.1, 0.1] {
        let arm = turn * Vec3::new(side, 0.0, 0.0);
        let body = two.add(CUBE, at + arm);
        body.state.rotation = turn;
        body.state.twist = Twist { angular: spin, linear: Vec3::x() + spin.cross(&arm) };
    }
    two.join(
        0,
        Some(1),
        at + turn * Vec3::new(0.02, 0.05, 0.0),
        Vec3::x(),
        joint(JointKind::Fixed),
    );
    let mut gap = 0.0_f64;
    for _ in 0..700 {
        one.step();
        two.step();
        gap = gap.max(two.widest_gap());
    }
    let [a, b] = [0, 1].map(|i| two.bodies[i].state.position);
    let state = &one.bodies[0].state;
    let off = (0.5 * (a + b) - state.position).norm();
    let turned = ((b - a) / 0.2 - state.rotation * Vec3::x()).norm();
    println!("two boxes: centre off {off:.1e} m, turned {turned:.1e}, gap {gap:.1e} m");
    assert!(off < 1e-9 && turned < 1e-4 && gap < 1e-6);
}

#[test]
fn limits_stop_a_pendulum_and_a_slider_which_rest_there() {
    for turn in [crooked(), nalgebra::UnitQuaternion::identity()] {
        let mut world = world(1e-3, turn * down());
        let state = &mut world.add(BAR, turn * Vec3::new(0.5, 0.0, 0.0)).state;
        state.rotation = turn;
        let mut hinge = joint(JointKind::Hinge);
        hinge.range = [-0.5, f64::INFINITY];
        world.join(0, None, Vec3::zeros(), turn * Vec3::z(), hinge);
        let state = &mut world.add(CUBE, turn * Vec3::new(3.0, 0.0, 0.0)).state;
        state.rotation = turn;
        let mut slider = joint(JointKind::Slider);
        slider.range = [-0.3, 0.2];
        world.join(1, None, turn * Vec3::new(3.0, 0.0, 0.0), turn * Vec3::y(), slider);
        world.run(3000);
        let tip = turn.inverse_transform_vector(&world.bodies[0].state.position);
        let angle = libm::atan2(tip.y, tip.x);
        let height = turn.inverse_transform_vector(&world.bodies[1].state.position).y;
        let speeds = [0, 1].map(|i| world.bodies[i].state.twist.linear.norm());
        println!("limits: {angle} {height} {speeds:?}");
        assert!((angle + 0.5).abs() < 1e-4 && (height + 0.3).abs() < 1e-4);
        assert!(speeds[0] < 1e-6 && speeds[1] < 1e-6);
    }
}

#[test]
fn jointed_bodies_collide_only_if_told() {
    let heights = [false, true].map(|collide| {
        let floor = FixedBody::half_space(9, 0, Vec3::zeros(), Vec3::y());
        let mut world = world(1e-3, down()).with_fixed(vec![floor]);
        world.add(CUBE, Vec3::new(0.0, 0.1, 0.0));
        world.add(CUBE, Vec3::new(0.05, 0.4, 0.0));
        let mut rope = joint(JointKind::Distance);
        (rope.range, rope.collide) = ([f64::NEG_INFINITY, 1.0], collide);
        let points = [0, 1].map(|i| world.bodies[i].state.position);
        world.join_points(0, Some(1), points, Vec3::x(), rope);
        world.run(1000);
        world.bodies[1].state.position.y
    });
    println!("heights {heights:?}, g {GRAVITY}");
    assert!((heights[0] - 0.1).abs() < 1e-3 && (heights[1] - 0.3).abs() < 1e-3);
}
