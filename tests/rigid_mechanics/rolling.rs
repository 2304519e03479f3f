//! Rolling resistance: a torque of at most its lever arm times the normal force.

use cloth_sim::math::Vec3;
use cloth_sim::rigid::material::Surface;

use crate::scene::{GRAVITY, Response, Scene, angular_momentum, down};
use crate::{BALL, floor};

const RESPONSE: Response = Response::Nonsmooth { sweeps: 30 };
/// Lever arm and radius of the ball, m.
const ARM: f64 = 0.01;
const RADIUS: f64 = 0.1;

fn world(gravity: Vec3) -> Scene {
    let surface = Surface { restitution: 0.0, friction: 0.5, rolling: ARM };
    Scene::new(1e-3, surface, gravity, RESPONSE)
}

/// The torque is `a m g`, and the inertia about the contact `7/5 m r^2`.
#[test]
fn a_rolling_sphere_stops_after_the_way_of_the_closed_form() {
    let mut world = world(down()).with_fixed(vec![floor(9)]);
    let body = world.add(BALL, Vec3::new(0.0, RADIUS, 0.0));
    body.state.twist.linear.x = 1.0;
    body.state.twist.angular.z = -1.0 / RADIUS;
    let slowing = 5.0 / 7.0 * GRAVITY * ARM / RADIUS;
    world.run(1000);
    let speed = world.bodies[0].state.twist.linear.x;
    println!("after 1 s: {speed}, expected {}", 1.0 - slowing);
    assert!((speed - (1.0 - slowing)).abs() < 0.01 * slowing, "{speed}");
    world.run(1000);
    let state = &world.bodies[0].state;
    let way = state.position.x * 2.0 * slowing;
    println!("way {way}, then {:e} m/s", state.twist.linear.norm());
    assert!((way - 1.0).abs() < 0.01, "{way}");
    assert!(state.twist.linear.norm() < 1e-6 && state.twist.angular.norm() < 1e-5, "{state:?}");
}

#[test]
fn a_sphere_stays_on_a_gentle_slope_and_rolls_down_a_steep_one() {
    for (tangent, stays) in [(0.095, true), (0.15, false)] {
        let (cosine, tilt) = (1.0 / f64::sqrt(1.0 + tangent * tangent), tangent);
        let gravity = GRAVITY * cosine * Vec3::new(tilt, -1.0, 0.0);
        let mut world = world(gravity).with_fixed(vec![floor(9)]);
        world.add(BALL, Vec3::new(0.0, RADIUS, 0.0));
        world.run(1000);
        let state = &world.bodies[0].state;
        let speed = state.twist.linear.x;
        println!("slope {tangent}: {speed:e} m/s, {:e} m", state.position.x);
        if stays {
            // Torques begin with zero in each step, and sweeps leave a small part of them.
            assert!(speed.abs() < 1e-5 && state.position.x.abs() < 1e-4, "{state:?}");
        } else {
            let expected = 5.0 / 7.0 * GRAVITY * cosine * (tangent - ARM / RADIUS);
            assert!((speed / expected - 1.0).abs() < 0.01, "{speed} {expected}");
        }
    }
}

/// Two balls that meet, spinning: the torque acts on both.
#[test]
fn a_pair_keeps_its_momenta() {
    let mut world = world(Vec3::zeros());
    world.add(BALL, Vec3::new(-0.12, 0.02, 0.0)).state.twist.linear = Vec3::new(1.0, 0.3, 0.0);
    world.add(BALL, Vec3::new(0.12, 0.0, 0.0)).state.twist.angular = Vec3::new(3.0, -20.0, 30.0);
    let momenta = |world: &Scene| (world.momentum(), angular_momentum(world));
    let before = momenta(&world);
    let spin = world.bodies[0].state.twist.angular;
    world.run(200);
    let after = momenta(&world);
    assert!((world.bodies[0].state.twist.angular - spin).norm() > 0.1, "they met");
    assert!((after.0 - before.0).norm() < 1e-13 * before.0.norm(), "{before:?} {after:?}");
    assert!((after.1 - before.1).norm() < 1e-13 * before.1.norm(), "{before:?} {after:?}");
}

/// Balls that fall on a floor and on each other. Without rolling resistance they roll for ever.
#[test]
fn balls_on_a_floor_come_to_rest() {
    let mut world = world(down()).with_fixed(vec![floor(99)]);
    for k in 0..48 {
        let cell = Vec3::new(f64::from(k % 4), f64::from(k / 16), f64::from(k / 4 % 4));
        let place = cell * 0.205 + Vec3::new(0.01 * f64::from(k / 16), 0.11, 0.0);
        world.add(BALL, place).state.twist.linear = Vec3::new(0.3, 0.0, 0.1) * f64::from(k % 3);
    }
    world.run(4000);
    let above = world.bodies.iter().filter(|body| body.state.position.y > 0.15).count();
    let weight: f64 = world.bodies.iter().map(|body| body.mass).sum::<f64>() * GRAVITY;
    let support = (world.support().y / weight - 1.0).abs();
    println!("{:e} J after 4 s, {above} above the floor, support {support:e}", world.energy());
    assert!(world.energy() < 1e-3 && support < 1e-3, "{:e} J, {support:e}", world.energy());
}
