//! Joints against closed forms, at the shipped settings.

use std::f64::consts::PI;

use cloth_sim::math::Vec3;
use cloth_sim::rigid::constraint::joint::JointSettings;
use cloth_sim::rigid::constraint::joint::kind::JointKind;
use cloth_sim::rigid::shape::{Capsule, Cuboid, Shape};
use nalgebra::UnitQuaternion;

use crate::scene::{GRAVITY, Response, Scene, down, surface};

/// A bar of 1 m along x with a square section of 4 cm.

const BAR: Shape = Shape::Box(Cuboid { size_m: [1.0, 0.04, 0.04] });

fn world(step_s: f64, gravity: Vec3) -> Scene {
    Scene::new(step_s, surface(0.0, 0.5), gravity, Response::default())
}

fn joint(kind: JointKind) -> JointSettings {
    JointSettings::new(kind)
}

/// Kinetic and potential energy, J, in the gravity of [`down`].
fn energy(world: &Scene) -> f64 {
    let height = |body: &cloth_sim::rigid::body::Body| body.mass * GRAVITY * body.state.position.y;
    world.energy() + world.bodies.iter().map(height).sum::<f64>()
}

#[test]
fn a_pendulum_swings_with_the_period_of_its_amplitude() {
    for kind in [JointKind::Ball, JointKind::Hinge] {
        let mut world = world(1e-3, down());
        world.add(BAR, Vec3::new(0.0, -0.5, 0.0)).state.rotation =
            UnitQuaternion::from_axis_angle(&Vec3::z_axis(), PI / 2.0);
        world.join(0, None, Vec3::zeros(), Vec3::z(), joint(kind));
        // Start at the bottom with a speed: amplitude from the energy.
        let (m, length) = (world.bodies[0].mass, 0.5);
        let inertia = world.bodies[0].inertia.z + m * length * length;
        let omega = 1.5;
        let twist = &mut world.bodies[0].state.twist;
        twist.angular = Vec3::z() * omega;
        twist.linear = Vec3::x() * omega * length;
        let start = energy(&world);
        let sine = omega / (2.0 * (m * GRAVITY * length / inertia).sqrt());
        // The complete elliptic integral by the arithmetic-geometric mean.
        let (mut a, mut b) = (1.0, (1.0 - sine * sine).sqrt());
        for _ in 0..20 {
            (a, b) = ((a + b) / 2.0, (a * b).sqrt());
        }
        let expected = 2.0 * PI / a / (m * GRAVITY * length / inertia).sqrt();
        let mut crossings = Vec::new();
        let mut last = 0.0;
        let mut worst: f64 = 0.0;
        for step in 0..10_000 {
            world.step();
            let x = world.bodies[0].state.position.x;
            if last < 0.0 && x >= 0.0 {
                crossings.push((step as f64 + last / (last - x)) * 1e-3);
            }
            last = x;
            let state = &world.bodies[0].state;
            let end = state.position + state.rotation * Vec3::new(0.5, 0.0, 0.0);
            worst = worst.max(end.norm());
        }
        let count = crossings.len() - 1;
        let period = (crossings[count] - crossings[0]) / count as f64;
        let lost = energy(&world) / start - 1.0;
        println!(
            "{kind:?}: period {:e}, energy {lost:e} of {start}, gap {worst:e}",
            period / expected - 1.0
        );
        assert!((period / expected - 1.0).abs() < 1e-3);
    }
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    for response in [Response::default(), Response::Nonsmooth { sweeps: 100 }] {
        let mut world = Scene::new(1e-3, surface(0.0, 0.5), down(), response);
        for place in 0..2 {
            world.add(BAR, Vec3::new(0.5 + place as f64, 0.0, 0.0));
        }
        world.join(0, None, Vec3::zeros(), Vec3::z(), joint(JointKind::Hinge));
        world.join(0, Some(1), Vec3::x(), Vec3::z(), joint(JointKind::Hinge));
        let scale = 2.0 * world.bodies[0].mass * GRAVITY;
        let (mut worst, mut gap): (f64, f64) = (0.0, 0.0);
        let start = energy(&world);
        for step in 0..10_000 {
            world.step();
            worst = worst.max((energy(&world) - start).abs() / scale);
            let ends = [0, 1].map(|i| {
                let state = &world.bodies[i].state;
                let half = state.rotation * Vec3::new(0.5, 0.0, 0.0);
                [state.position - half, state.position + half]
            });
            gap = gap.max(ends[0][0].norm()).max((ends[0][1] - ends[1][0]).norm());
            if step % 2000 == 1999 {
                println!("{response:?} {step}: {:e} {gap:e}", (energy(&world) - start) / scale);
            }
        }
        println!("double pendulum {response:?}: energy {worst:e} gap {gap:e}");
    }
}

#[test]
fn a_chain_hangs_as_the_discrete_catenary() {
    for (count, sweeps) in
        [(20, 10), (20, 20), (20, 30), (20, 100), (100, 30), (100, 100), (100, 300)]
    {
        let response = Response::Nonsmooth { sweeps };
        let mut world = Scene::new(1e-3, surface(0.0, 0.5), down(), response);
        let link = Shape::Capsule(Capsule { radius_m: 0.01, length_m: 0.1 });
        // The links form a V: down at 37 degrees, then up.
        let corner = |k: u64| {
            let (x, up) = (0.08 * k as f64, k.min(count - k) as f64);
            Vec3::new(x, -0.06 * up, 0.0)
        };
        for k in 0..count {
            let (a, b) = (corner(k), corner(k + 1));
            let body = world.add(link, 0.5 * (a + b));
            body.state.rotation =
                UnitQuaternion::rotation_between(&Vec3::y(), &(b - a)).expect("a turn");
        }
        for k in 0..count {
            world.join(k, (k > 0).then(|| k - 1), corner(k), Vec3::z(), joint(JointKind::Ball));
        }
        world.join(count - 1, None, corner(count), Vec3::z(), joint(JointKind::Ball));
        let start = energy(&world);
        println!("chain of {count}, {sweeps} sweeps");
        let clock = std::time::Instant::now();
        let mut gap: f64 = 0.0;
        for step in 0..1000 {
            world.step();
            gap = gap.max(world.widest_gap());
            if step == 99 || step == 299 || step == 999 {
                let low = world.bodies.iter().map(|b| b.state.position.y).fold(0.0, f64::min);
                println!(
                    "chain {count} {sweeps}: step {step} energy {:e}, gap {gap:e} lowest {low}, time {:?}",
                    energy(&world) - start,
                    clock.elapsed()
                );
            }
        }
    }
}
