//! What all joints keep, and jointed bodies that touch.

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use cloth_sim::rigid::constraint::joint::{JointSettings, Motor};
use cloth_sim::rigid::fixed::FixedBody;
use cloth_sim::rigid::shape::{Capsule, Shape, Sphere};

use super::{BAR, angle, angular_momentum, cuboid, joint, spin, world};
use crate::scene::{Scene, down, random_numbers};

#[test]
fn a_fixed_box_stays_in_the_air_beside_one_on_the_floor() {
    let floor = FixedBody::half_space(9, 0, Vec3::zeros(), Vec3::y());
    let mut world = world(1e-3, down()).with_fixed(vec![floor]);
    world.add(cuboid([0.4, 0.2, 0.3]), Vec3::new(-0.1, 0.1, 0.0));
    world.add(cuboid([0.2, 0.1, 0.3]), Vec3::new(0.2, 0.15, 0.0));
    world.join(0, Some(1), Vec3::new(0.1, 0.1, 0.0), Vec3::x(), joint(JointKind::Fixed));
    let start = [0, 1].map(|k| world.bodies[k].state.position);
    world.run(3000);
    for (body, start) in world.bodies.iter().zip(&start) {
        let state = &body.state;
        let (way, tilt) = ((state.position - start).norm(), state.rotation.angle());
        let speed = state.twist.linear.norm();
        println!("box {}: moved {way:e} m, tilt {tilt:e}, speed {speed:e} m/s", body.id);
        assert!(way < 1e-8 && tilt < 1e-11 && speed < 1e-11);
    }
}

/// The centres of a trunk of three bodies, two arms and two legs.
const PARTS: [[f64; 2]; 10] = [
    [0.0, 0.0],
    [0.0, 0.5],
    [0.0, 1.0],
    [0.5, 0.5],
    [1.0, 0.5],
    [-0.5, 0.5],
    [-1.0, 0.5],
    [0.4, -0.5],
    [-0.4, -0.5],
    [-0.4, -1.0],
];

/// Pairs of these parts, and the joints that hold them together as a tree.
fn joints() -> [(u64, u64, JointSettings); 9] {
    let limited = |kind, range| JointSettings { range, ..joint(kind) };
    let motor = Some(Motor { speed: 3.0, most: 5.0 });
    let soft =
        JointSettings { turn_compliance: 1e-2, turn_damping: 0.1, ..joint(JointKind::Fixed) };
    [
        (0, 1, JointSettings { motor, ..joint(JointKind::Hinge) }),
        (1, 2, joint(JointKind::Ball)),
        (1, 3, joint(JointKind::Ball)),
        (3, 4, limited(JointKind::Hinge, [-0.5, 1.0])),
        (1, 5, joint(JointKind::Fixed)),
        (5, 6, limited(JointKind::Slider, [-0.1, 0.1])),
        (0, 7, limited(JointKind::Distance, [0.0, 0.7])),
        (0, 8, soft),
        (8, 9, joint(JointKind::Hinge)),
    ]
}

/// The tree, tumbling. `is_round` makes its parts balls and cubes: their moments of inertia are
/// the same about all axes.
fn doll(is_round: bool) -> Scene {
    let mut world = world(1e-3, Vec3::zeros());
    let mut random = random_numbers();
    for (k, [x, y]) in PARTS.into_iter().enumerate() {
        let shape = match (is_round, k % 3) {
            (true, 0) => cuboid([0.2; 3]),
            (true, _) => Shape::Sphere(Sphere { radius_m: 0.12 }),
            (false, 0) => cuboid([0.2, 0.35, 0.1]),
            (false, _) => Shape::Capsule(Capsule { radius_m: 0.06, length_m: 0.3 }),
        };
        let twist = &mut world.add(shape, Vec3::new(x, y, 0.1 * random())).state.twist;
        twist.linear = Vec3::new(random(), random(), random()) * 0.3;
        twist.angular = Vec3::new(random(), random(), random()) * 0.3;
    }
    spin(&mut world, &Vec3::new(1.0, 2.0, -0.7));
    for (a, b, settings) in joints() {
        let [first, second] = [a, b].map(|k| world.bodies[k as usize].state.position);
        let points = match settings.kind {
            JointKind::Distance => [first, second + Vec3::y() * 0.1],
            _ => [0.5 * (first + second); 2],
        };
        let axis = Vec3::new(random(), random(), random());
        world.join_points(a, Some(b), points, axis, settings);
    }
    world
}

/// Impulses keep both momenta. The angular momentum of a body whose moments of inertia differ
/// changes by the error of its rotation in a step.
#[test]
fn a_tumbling_tree_of_bodies_keeps_its_momentum() {
    for (is_round, most) in [(true, 1e-13), (false, 5e-8)] {
        let mut world = doll(is_round);
        let (linear, angular) = (world.momentum(), angular_momentum(&world));
        let (mut worst, mut gap) = ([0.0_f64; 2], 0.0_f64);
        for step in 0..1000 {
            world.step();
            gap = gap.max(if step > 10 { world.widest_gap() } else { 0.0 });
            let off = (world.momentum() - linear).norm() / linear.norm();
            let turned = (angular_momentum(&world) - angular).norm() / angular.norm();
            worst = [worst[0].max(off), worst[1].max(turned)];
        }
        println!("tree of round bodies {is_round}: momenta off by {worst:?}, gap {gap:e} m");
        assert!(worst[0] < 1e-13 && worst[1] < most && gap < 1e-4);
        assert!(world.bodies[0].state.rotation.angle() > 1.0, "it tumbles");
    }
}

/// How far a bar falls about a hinge beside a wall (degrees), and its speed after 2 s, rad/s. The
/// hinge is 1 cm from the wall, and half of the bar's width is 2 cm.
fn fall_beside_a_wall(collide: bool) -> [f64; 2] {
    let mut world = world(1e-3, down());
    world.add(cuboid([0.5, 3.0, 0.5]), Vec3::new(-0.25, 0.0, 0.0));
    world.add(BAR, Vec3::new(0.51, 0.0, 0.0));
    world.join(0, None, Vec3::zeros(), Vec3::x(), joint(JointKind::Fixed));
    let hinge = JointSettings { collide, ..joint(JointKind::Hinge) };
    world.join(0, Some(1), Vec3::x() * 0.01, Vec3::z(), hinge);
    let mut lowest = 0.0_f64;
    for _ in 0..2000 {
        world.step();
        let along = world.bodies[1].state.rotation * Vec3::x();
        lowest = lowest.min(angle(&Vec3::x(), &along, &Vec3::z()));
    }
    [lowest.to_degrees(), world.bodies[1].state.twist.angular.norm()]
}

#[test]
fn jointed_bodies_collide_only_if_told() {
    let [lowest, speed] = fall_beside_a_wall(true);
    println!("a bar falls on the wall at {lowest} degrees, {speed:e} rad/s");
    // The corner of the bar is on the wall where 2 sin(angle) is 1.
    assert!((lowest + 30.0).abs() < 0.1 && speed < 1e-8);
    let [lowest, _] = fall_beside_a_wall(false);
    println!("it falls through the wall to {lowest} degrees");
    assert!(lowest < -179.0);
}
