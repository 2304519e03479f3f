//! Long chains of joints.

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use cloth_sim::rigid::constraint::joint::JointSettings;
use cloth_sim::rigid::shape::{Capsule, Shape, Sphere};
use nalgebra::UnitQuaternion;

use super::{cuboid, energy, joint, with_sweeps};
use crate::scene::{DENSITY, GRAVITY, Scene};

const LINK_M: f64 = 0.1;
/// A link along y.
const LINK: Shape = Shape::Capsule(Capsule { radius_m: 0.01, length_m: LINK_M });

/// Corners of a chain of `count` equal links that hangs between two points of equal height, `span`
/// m apart. A link has the direction of the mean of the forces at its ends. Their horizontal part
/// is the same everywhere, and the vertical one rises by the weight of a link.
fn catenary(count: usize, span: f64) -> Vec<Vec3> {
    let rise = |k: usize| k as f64 - 0.5 * (count as f64 - 1.0);
    // Forces in units of the weight of a link.
    let link = |k: usize, pull: f64| Vec3::new(pull, rise(k), 0.0).normalize() * LINK_M;
    let width = |pull: f64| (0..count).map(|k| link(k, pull).x).sum::<f64>();
    let (mut low, mut high) = (0.0, 1e3 * count as f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        *(if width(middle) < span { &mut low } else { &mut high }) = middle;
    }
    let mut corners = vec![Vec3::zeros()];
    for k in 0..count {
        corners.push(corners[k] + link(k, low));
    }
    corners
}

/// Adds links from corner to corner, the first one held in space.
fn add_chain(world: &mut Scene, corners: &[Vec3]) {
    for (ends, k) in corners.windows(2).zip(0_u64..) {
        let along = ends[1] - ends[0];
        world.add(LINK, 0.5 * (ends[0] + ends[1])).state.rotation =
            UnitQuaternion::rotation_between(&Vec3::y(), &along).expect("a turn");
        world.join(k, k.checked_sub(1), ends[0], Vec3::z(), joint(JointKind::Ball));
    }
}

/// A chain with both ends held.
fn held(corners: &[Vec3]) -> Scene {
    let mut world = with_sweeps(30);
    add_chain(&mut world, corners);
    let last = world.bodies.len() as u64 - 1;
    world.join(last, None, corners[corners.len() - 1], Vec3::z(), joint(JointKind::Ball));
    world
}

#[test]
fn a_chain_hangs_as_the_discrete_catenary() {
    for (count, most) in [(100, 1e-10), (20, 1e-9)] {
        let length = LINK_M * count as f64;
        let mut world = held(&catenary(count, 0.8 * length));
        let start: Vec<_> = world.bodies.iter().map(|body| body.state.position).collect();
        let (mut way, mut gap) = (0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            world.step();
            let bodies = world.bodies.iter().zip(&start);
            way = bodies.map(|(b, start)| (b.state.position - start).norm()).fold(way, f64::max);
            gap = gap.max(world.widest_gap());
        }
        let speeds = world.bodies.iter().map(|body| body.state.twist.linear.norm());
        let speed = speeds.fold(0.0, f64::max);
        println!("catenary of {count}: {way:e} m, gap {gap:e} m, {speed:e} m/s");
        assert!(way < most * length && gap < most * length);
    }
}

#[test]
fn a_falling_chain_keeps_its_energy() {
    // The links form a V: down at 37 degrees, then up.
    let corner = |k: u32| Vec3::new(0.08 * f64::from(k), -0.06 * f64::from(k.min(20 - k)), 0.0);
    let mut world = held(&(0..=20).map(corner).collect::<Vec<_>>());
    let (start, scale) = (energy(&world), 20.0 * world.bodies[0].mass * GRAVITY);
    let (mut worst, mut gap) = (0.0_f64, 0.0_f64);
    for _ in 0..2000 {
        world.step();
        worst = worst.max((energy(&world) - start).abs() / scale);
        gap = gap.max(world.widest_gap());
    }
    println!("falling chain: energy {worst:e}, gap {gap:e} m");
    assert!(worst < 1e-4 && gap < 1e-4 * LINK_M);
}

#[test]
fn a_light_chain_swings_a_ball_a_thousand_times_as_heavy_as_a_link() {
    let mut world = with_sweeps(30);
    let corners: Vec<_> = (0..=10).map(|k| Vec3::new(0.06, -0.08, 0.0) * f64::from(k)).collect();
    add_chain(&mut world, &corners);
    let mass = 1e3 * world.bodies[0].mass;
    let ball = world.add(Shape::Sphere(Sphere { radius_m: 0.04 }), corners[10]);
    ball.inertia *= mass / ball.mass;
    ball.mass = mass;
    world.join(10, Some(9), corners[10], Vec3::z(), joint(JointKind::Ball));
    let start = energy(&world);
    let (mut worst, mut gap) = (0.0_f64, 0.0_f64);
    for _ in 0..3000 {
        world.step();
        gap = gap.max(world.widest_gap() / LINK_M);
        worst = worst.max((energy(&world) - start).abs() / (mass * GRAVITY));
    }
    println!("heavy ball: gap {gap:e} of a link, energy {worst:e}");
    assert!(gap < 1e-4 && worst < 1e-5);
}

/// A level beam of `count` boxes and 1.6 m, held at one end: how far its tip has sagged after 1 s,
/// relative to the sum of the turns of its joints, and how fast it moves (m/s).
fn beam(count: u32) -> [f64; 2] {
    let mut world = with_sweeps(30);
    let n = f64::from(count);
    let (length, sag) = (1.6 / n, 0.01);
    for k in 0..count {
        world.add(cuboid([length, 0.05, 0.05]), Vec3::x() * length * (f64::from(k) + 0.5));
    }
    let mass = world.bodies[0].mass;
    // A joint with `left` boxes beyond has the torque `weight left^2 length / 2`, and turns the tip
    // at the distance `left length`.
    let sum: f64 = (1..=count).map(|left| 0.5 * f64::from(left).powi(3)).sum();
    let turn_compliance = sag / (sum * mass * GRAVITY * length * length);
    // Critical damping of the slowest vibration.
    let stiffness = length / turn_compliance;
    let omega = 3.516 * (stiffness * length / mass).sqrt() / (1.6 * 1.6);
    let turn_damping = 2.0 / (omega * turn_compliance);
    let soft = JointSettings { turn_compliance, turn_damping, ..joint(JointKind::Fixed) };
    for k in 0..u64::from(count) {
        world.join(k, k.checked_sub(1), Vec3::x() * length * k as f64, Vec3::x(), soft);
    }
    world.run(1000);
    let state = &world.bodies[count as usize - 1].state;
    let tip = state.position + state.rotation * Vec3::x() * (0.5 * length);
    [-tip.y / sag - 1.0, state.twist.linear.norm()]
}

/// The error that is left is that of small angles.
#[test]
fn a_beam_of_compliant_joints_sags_by_the_sum_of_its_turns() {
    for count in [8, 64] {
        let [error, speed] = beam(count);
        println!("beam of {count}: {error:e}, {speed:e} m/s");
        assert!(error.abs() < 5e-5 && speed < 1e-7);
    }
}

/// A level chain falls with a ball of 50 times its mass at its end.
#[test]
fn a_chain_of_sixty_links_holds_fifty_times_its_mass() {
    let mut world = with_sweeps(30);
    let corners: Vec<Vec3> = (0..=60).map(|k| Vec3::x() * LINK_M * f64::from(k)).collect();
    add_chain(&mut world, &corners);
    let chain: f64 = world.bodies.iter().map(|body| body.mass).sum();
    let radius_m = (0.75 * 50.0 * chain / (DENSITY * std::f64::consts::PI)).cbrt();
    let ball = Shape::Sphere(Sphere { radius_m });
    world.add(ball, corners[60] + Vec3::x() * radius_m);
    world.join(60, Some(59), corners[60], Vec3::z(), joint(JointKind::Ball));
    let (start, mut off) = (energy(&world), 0.0f64);
    // The ball swings down on a taut chain as far as it has not folded.
    for _ in 0..500 {
        world.step();
        off = off.max((energy(&world) - start).abs());
    }
    let (fallen, gap) = (world.energy(), world.widest_gap());
    println!("chain of 60: energy {:e}, gap {:e}", off / fallen, gap / LINK_M);
    assert!(off < 1e-3 * fallen && gap < 1e-3 * LINK_M);
}
