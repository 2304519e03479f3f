//! Chains, beams and trees.

use cloth_sim::math::Vec3;
use cloth_sim::rigid::constraint::joint::kind::JointKind;
use cloth_sim::rigid::shape::{Capsule, Shape, Sphere};
use nalgebra::UnitQuaternion;

use super::{CUBE, angular_momentum, crooked, energy, joint, world};
use crate::scene::{GRAVITY, Response, Scene, down, random_numbers, surface};

/// A link of 0.1 m along y, from end to end.
const LINK: Shape = Shape::Capsule(Capsule { radius_m: 0.01, length_m: 0.1 });
const LENGTH: f64 = 0.1;

/// Adds links from corner to corner, with ball joints between them.
fn add_chain(world: &mut Scene, corners: &[Vec3]) {
    for (k, ends) in corners.windows(2).enumerate() {
        let (id, along) = (k as u64, ends[1] - ends[0]);
        world.add(LINK, 0.5 * (ends[0] + ends[1])).state.rotation =
            UnitQuaternion::rotation_between(&Vec3::y(), &along).expect("a turn");
        let before = (k > 0).then(|| id - 1);
        world.join(id, before, ends[0], Vec3::z(), joint(JointKind::Ball));
    }
}

/// The corners of a chain of `count` links that hangs between the origin and `(span, 0, 0)`. The
/// joint forces at its first end are `(-h, v)`; by symmetry `v` is half of the weight, and `h`
/// follows from the span.
fn catenary(count: u32, span: f64, link_mass: f64) -> Vec<Vec3> {
    let weight = link_mass * GRAVITY;
    let corners = |h: f64| {
        let mut at = Vec3::zeros();
        let mut all = vec![at];
        for k in 0..count {
            // At the middle of link k, where the moments of both ends balance.
            let v = weight * (0.5 * f64::from(count) - f64::from(k) - 0.5);
            at += Vec3::new(h, -v, 0.0) * (LENGTH / h.hypot(v));
            all.push(at);
        }
        all
    };
    let (mut low, mut high) = (0.0, 1e3 * weight * f64::from(count));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if corners(middle)[count as usize].x < span { low = middle } else { high = middle }
    }
    corners(0.5 * (low + high))
}

#[test]
fn a_chain_of_a_hundred_links_hangs_as_the_discrete_catenary() {
    let mut world = world(1e-3, down());
    let mass = world.add(LINK, Vec3::zeros()).mass;
    world.bodies.clear();
    let corners = catenary(100, 7.0, mass);
    add_chain(&mut world, &corners);
    world.join(99, None, corners[100], Vec3::z(), joint(JointKind::Ball));
    let start: Vec<_> = world.bodies.iter().map(|body| body.state.position).collect();
    let (mut gap, mut way) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        world.step();
        gap = gap.max(world.widest_gap());
        let ways =
            world.bodies.iter().zip(&start).map(|(body, x)| (body.state.position - x).norm());
        way = way.max(ways.fold(0.0, f64::max));
    }
    println!("catenary: moved {way:.1e} m, gap {gap:.1e} m");
    assert!(way < 1e-3 * 10.0 && gap < 1e-4 * LENGTH);
}

#[test]
fn a_falling_chain_keeps_its_energy() {
    // The links form a V.
    let corner = |k: u32| Vec3::new(0.08 * f64::from(k), -0.06 * f64::from(k.min(20 - k)), 0.0);
    let corners: Vec<_> = (0..=20).map(corner).collect();
    let mut world = world(1e-3, down());
    add_chain(&mut world, &corners);
    world.join(19, None, corners[20], Vec3::z(), joint(JointKind::Ball));
    let (start, scale) = (energy(&world), 20.0 * world.bodies[0].mass * GRAVITY);
    let (mut worst, mut gap) = (0.0_f64, 0.0_f64);
    for _ in 0..2000 {
        world.step();
        worst = worst.max((energy(&world) - start).abs() / scale);
        gap = gap.max(world.widest_gap());
    }
    println!("falling chain: energy {worst:.1e}, gap {gap:.1e} m");
    assert!(worst < 1e-4 && gap < 1e-4 * LENGTH);
}

#[test]
fn light_links_carry_a_ball_a_thousand_times_as_heavy() {
    let corner = |k: u32| Vec3::new(0.06, -0.08, 0.0) * f64::from(k);
    let corners: Vec<_> = (0..=10).map(corner).collect();
    let mut world = world(1e-3, down());
    add_chain(&mut world, &corners);
    let ball = world.add(Shape::Sphere(Sphere { radius_m: 0.04 }), corners[10]);
    let factor = ball.mass;
    let mass = world.bodies[0].mass;
    let ball = &mut world.bodies[10];
    ball.mass = 1000.0 * mass;
    ball.inertia *= 1000.0 * mass / factor;
    world.join(10, Some(9), corners[10], Vec3::z(), joint(JointKind::Ball));
    let mut gap = 0.0_f64;
    let (start, scale) = (energy(&world), 1000.0 * mass * GRAVITY);
    for _ in 0..3000 {
        world.step();
        gap = gap.max(world.widest_gap());
    }
    let lost = (energy(&world) - start) / scale;
    println!("heavy ball: gap {gap:.1e} m, energy {lost:.1e}");
    assert!(gap < 1e-4 * LENGTH && lost.abs() < 1e-5);
}

/// The sag of a cantilever of `count` cubes whose joints turn by a torque, beside the sum over the
/// joints of their turns.
fn sag(count: u64, sweeps: u32) -> f64 {
    let response = Response::Nonsmooth { sweeps };
    let mut world = Scene::new(1e-3, surface(0.0, 0.5), down(), response);
    let mut soft = joint(JointKind::Fixed);
    let edge = 0.2;
    let weight = 8.0 * GRAVITY;
    soft.turn_compliance = 0.01 / (weight * (edge * count as f64).powi(2) * count as f64);
    // Near critical for the whole beam.
    soft.turn_damping = 0.02 / soft.turn_compliance;
    for k in 0..count {
        world.add(CUBE, Vec3::new(edge * (k as f64 + 0.5), 0.0, 0.0));
        let before = (k > 0).then(|| k - 1);
        world.join(k, before, Vec3::new(edge * k as f64, 0.0, 0.0), Vec3::x(), soft);
    }
    let moment = |k: u64| {
        let arms = (k..count).map(|i| edge * ((i - k) as f64 + 0.5));
        weight * arms.sum::<f64>()
    };
    let turns = (0..count).map(|k| moment(k) * soft.turn_compliance * edge * (count - k) as f64);
    let expected = turns.sum::<f64>();
    world.run(3000);
    let state = &world.bodies[count as usize - 1].state;
    let tip = state.position + state.rotation * Vec3::new(0.5 * edge, 0.0, 0.0);
    println!("cantilever of {count}: {:e} m, expected {expected:e}", -tip.y);
    -tip.y / expected - 1.0
}

#[test]
fn a_cantilever_sags_by_the_sum_of_the_turns_of_its_joints() {
    let error = sag(8, 30);
    assert!(error.abs() < 1e-3, "{error:e}");
    let error = sag(16, 100);
    assert!(error.abs() < 1e-3, "{error:e}");
}

#[test]
fn a_tree_of_all_kinds_keeps_momentum_to_rounding() {
    use JointKind::{Ball, Distance, Fixed, Hinge, Slider};
    let mut world = world(1e-3, Vec3::zeros());
    let mut random = random_numbers();
    for (id, kind) in
        [Ball, Hinge, Slider, Fixed, Distance].into_iter().cycle().take(10).enumerate()
    {
        let (id, parent) = (id as u64, (id as u64).saturating_sub(1) / 2);
        let at = Vec3::new(0.5 * id as f64, 0.3 * (id % 3) as f64, 0.2 * (id % 2) as f64);
        let body = world.add(CUBE, at);
        // A turn of all, and a little motion of each.
        let spin = Vec3::new(0.5, 1.0, -0.3);
        body.state.twist.linear = spin.cross(&at) + Vec3::from_fn(|_, _| 0.1 * random());
        body.state.twist.angular = spin + Vec3::from_fn(|_, _| 0.1 * random());
        if id > 0 {
            let mut settings = joint(kind);
            if matches!(kind, Slider | Distance) {
                settings.range = if kind == Slider { [-0.2, 0.2] } else { [0.3, 1.5] };
            }
            let middle = 0.5 * (at + world.bodies[parent as usize].state.position);
            world.join(id, Some(parent), middle, crooked() * Vec3::x(), settings);
        }
    }
    let (momentum, spin) = (world.momentum(), angular_momentum(&world));
    world.run(1000);
    let pushed = (world.momentum() - momentum).norm() / momentum.norm();
    let turned = (angular_momentum(&world) - spin).norm() / spin.norm();
    println!("tree: momentum {pushed:.1e}, angular momentum {turned:.1e}");
    assert!(pushed < 1e-12 && turned < 1e-12);
}
