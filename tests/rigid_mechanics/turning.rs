//! Contacts on supports that turn or are shaken, and bodies that roll on curved ways.

use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion};
use cloth_sim::math::Vec3;
use cloth_sim::rigid::body::Twist;
use cloth_sim::rigid::fixed::FixedBody;
use cloth_sim::rigid::shape::{Cuboid, Cylinder, Shape, Sphere};
use nalgebra::UnitQuaternion;

use crate::scene::{GRAVITY, Response, Scene, down, energy, surface};
use crate::{BALL, floor};

const RESPONSE: Response = Response::Nonsmooth { sweeps: 30 };

/// A body with these keyframes, of a displacement (m) and an angle (degrees) about y.
fn moving(shape: Shape, keys: impl IntoIterator<Item = (f64, f64, f64)>) -> FixedBody {
    let key = |(time_s, x, angle_deg): (f64, f64, f64)| Keyframe {
        time_s,
        translation: Vec3::x() * x,
        axis: Vec3::y(),
        angle_deg,
    };
    let keyframes = keys.into_iter().map(key).collect();
    let motion = Some(KeyframedMotion { center: Vec3::zeros(), keyframes });
    FixedBody { motion, ..FixedBody::immovable(99, 0, shape, Vec3::y() * -0.05) }
}

/// A table that turns with `spin` (rad/s). Its top is at the height 0.
fn turntable(spin: f64) -> FixedBody {
    let table = Shape::Cylinder(Cylinder { radius_m: 3.0, length_m: 0.1 });
    moving(table, [(0.0, 0.0, 0.0), (100.0, 0.0, 100.0 * spin.to_degrees())])
}

fn world(step_s: f64, friction: f64, support: FixedBody) -> Scene {
    Scene::new(step_s, surface(0.0, friction), down(), RESPONSE).with_fixed(vec![support])
}

/// Friction holds the box: `w^2 r` is below `mu g`.
#[test]
fn a_stack_on_a_turntable_stays_where_it_is() {
    for (spin, radius, boxes) in [(3.0, 0.3, 3), (1.0, 2.0, 1), (-9.0, 0.04, 1)] {
        for step_s in [1e-3, 4e-3, 1e-2] {
            let mut world = world(step_s, 0.6, turntable(spin));
            for k in 0..boxes {
                let height = 0.01 + 0.02 * f64::from(k);
                let place = Vec3::new(radius, height, 0.0);
                let body =
                    world.add(Shape::Box(Cuboid::of_half(Vec3::new(0.03, 0.01, 0.02))), place);
                let angular = Vec3::y() * spin;
                body.state.twist = Twist { angular, linear: angular.cross(&place) };
            }
            world.run((5.0 / step_s) as usize);
            for body in &world.bodies {
                let (place, turn) = (body.state.position, spin * world.time_s);
                let out = place.xz().norm() / radius - 1.0;
                let back =
                    UnitQuaternion::from_scaled_axis(Vec3::y() * -turn).transform_vector(&place);
                let behind = back.z.atan2(back.x);
                println!(
                    "{spin} rad/s, {radius} m, {step_s} s: {out:.1e} outwards, {behind:.1e} rad"
                );
                // The first step goes along the tangent.
                let most = (spin * step_s).powi(2);
                assert!(out.abs() < most + 1e-5 && behind.abs() < most + 1e-4);
            }
        }
    }
}

/// `v' = 2/7 w x v`: the centre goes round in a circle with 2/7 of the speed of the table.
#[test]
fn a_ball_on_a_turntable_goes_round_with_two_sevenths() {
    for (spin, step_s, own_spin) in [(4.0, 1e-3, 0.0), (4.0, 4e-3, 20.0), (-2.0, 1e-2, 5.0)] {
        let mut world = world(step_s, 0.8, turntable(spin));
        let (radius, velocity) = (0.05, Vec3::new(0.2, 0.0, 0.1));
        let place = Vec3::new(0.3, radius, 0.1);
        let body = world.add(Shape::Sphere(Sphere { radius_m: radius }), place);
        let slip = velocity - (Vec3::y() * spin).cross(&place);
        let angular = Vec3::y().cross(&slip) / radius + Vec3::y() * own_spin;
        body.state.twist = Twist { angular, linear: velocity };
        let rate = 2.0 / 7.0 * spin;
        let out = Vec3::y().cross(&velocity) / rate;
        let mut worst = 0.0_f64;
        for _ in 0..(5.0 / step_s) as usize {
            world.step();
            let turn = UnitQuaternion::from_scaled_axis(Vec3::y() * (rate * world.time_s));
            let expected = place + out - turn.transform_vector(&out);
            worst = worst.max((world.bodies[0].state.position - expected).norm() / out.norm());
        }
        // The ball itself turns by this in a step.
        let turn = angular.norm() * step_s;
        println!("{spin} rad/s, {step_s} s: {worst:.1e} of the circle, {turn:.1e} rad");
        assert!(worst < 0.1 * turn * turn);
    }
}

/// A disc whose axis is tilted, and that rolls on its rim about its centre, which stays. Then
/// `w = w_2 (sin t e_2 + cos t b / r e_3) / sin t` with the axis `e_3` and the way `e_2` up along the
/// disc, and the torque of the weight turns the angular momentum.
#[test]
fn a_rolling_disc_keeps_its_precession_and_its_energy() {
    let (radius, half) = (0.0375, 0.0032);
    let disc = Shape::Cylinder(Cylinder { radius_m: radius, length_m: 2.0 * half });
    for (tilt_deg, step_s) in [(30.0_f64, 1e-3), (30.0, 4e-3), (20.0, 1e-3), (60.0, 2e-3)] {
        let (sin, cos) = (libm::sin(tilt_deg.to_radians()), libm::cos(tilt_deg.to_radians()));
        let mut world = world(step_s, 1.0, floor(99));
        let body = world.add(disc, Vec3::y() * (radius * sin + half * cos));
        body.state.rotation = UnitQuaternion::from_scaled_axis(Vec3::z() * tilt_deg.to_radians());
        let (up, axis) = (Vec3::new(cos, sin, 0.0), Vec3::new(-sin, cos, 0.0));
        // Of a precession of 1 rad/s: angular velocity and the rate of angular momentum.
        let [along, about] = [sin, sin * half / radius];
        let rate = sin * body.inertia.y * about - cos * body.inertia.x * along;
        let torque = body.mass * GRAVITY * (half * sin - radius * cos);
        let precession = (torque / rate).sqrt();
        body.state.twist.angular = (up * along + axis * about) * precession;
        let all = |world: &Scene| {
            let body = &world.bodies[0];
            energy(body) + body.mass * GRAVITY * body.state.position.y
        };
        let (kinetic, start) = (energy(&world.bodies[0]), all(&world));
        let (mut most_tilt, mut most) = (0.0_f64, f64::NEG_INFINITY);
        for _ in 0..(2.0 / step_s) as usize {
            world.step();
            let own = world.bodies[0].state.rotation.transform_vector(&Vec3::y());
            most_tilt = most_tilt.max((libm::acos(own.y).to_degrees() - tilt_deg).abs());
            most = most.max((all(&world) - start) / kinetic);
        }
        let turn = precession * step_s;
        println!(
            "{tilt_deg} degrees, {step_s} s, {turn:.3} rad a step: tilt {most_tilt:.1e} degrees, energy \
             {most:.1e}"
        );
        assert!(most_tilt < 20.0 * turn * turn && most < turn * turn);
    }
}

/// The disc stands upright and rolls straight: it neither falls nor turns.
#[test]
fn a_wheel_rolls_straight() {
    for step_s in [1e-3, 4e-3, 1e-2] {
        let mut world = world(step_s, 0.5, floor(99));
        let wheel = Shape::Cylinder(Cylinder { radius_m: 0.1, length_m: 0.06 });
        let body = world.add(wheel, Vec3::y() * 0.1);
        body.state.rotation = UnitQuaternion::from_scaled_axis(Vec3::x() * -90_f64.to_radians());
        let (angular, linear) = (Vec3::z() * -10.0, Vec3::x());
        body.state.twist = Twist { angular, linear };
        world.run((2.0 / step_s) as usize);
        let state = &world.bodies[0].state;
        let errors = [(state.twist.linear - linear).norm(), (state.twist.angular - angular).norm()];
        println!("{step_s} s: {errors:?}, {:?}", state.position);
        assert!(errors[0] < 1e-6 && errors[1] < 1e-5 && state.position.z.abs() < 1e-6);
    }
}

/// Friction holds the box on a table that is shaken, and on one that speeds up.
#[test]
fn a_box_goes_with_a_table_that_is_shaken() {
    let table = Shape::Box(Cuboid::of_half(Vec3::new(50.0, 0.05, 50.0)));
    for step_s in [1e-3, 4e-3, 1e-2] {
        let shaken = |time_s: f64| 0.05 * (1.0 - libm::cos(8.0 * time_s));
        let faster = |time_s: f64| 1.5 * time_s * time_s;
        for way in [&shaken as &dyn Fn(f64) -> f64, &faster] {
            // A key each ms: at a kink the table moves by jerks.
            let times = (0..=2100).map(|k| 1e-3 * f64::from(k));
            let keys = times.map(|time_s| (time_s, way(time_s), 0.0));
            let mut world = world(step_s, 0.8, moving(table, keys));
            world.add(Shape::Box(Cuboid::of_half(Vec3::repeat(0.1))), Vec3::y() * 0.1);
            let mut worst = 0.0_f64;
            for _ in 0..(2.0 / step_s) as usize {
                world.step();
                worst = worst.max((world.bodies[0].state.position.x - way(world.time_s)).abs());
            }
            println!("{step_s} s: {worst:.1e} m");
            assert!(worst < 5e-4);
        }
    }
}

/// `5/2 mu (1 + e) v / r` while the ball slips: its arm ends at its surface, however early the
/// floor is foreseen.
#[test]
fn a_ball_that_hits_a_floor_spins_as_coulomb_says() {
    let (e, mu, speed) = (0.5, 0.1, 5.0);
    for start in 0..7 {
        let mut world =
            Scene::new(1e-3, surface(e, mu), Vec3::zeros(), RESPONSE).with_fixed(vec![floor(99)]);
        let place = Vec3::y() * (0.111 + 7e-4 * f64::from(start));
        world.add(BALL, place).state.twist.linear = Vec3::new(8.0, -speed, 0.0);
        world.run(10);
        let spin = world.bodies[0].state.twist.angular.z;
        let expected = -2.5 * mu * (1.0 + e) * speed / 0.1;
        assert!((spin / expected - 1.0).abs() < 1e-12, "{start}: {spin} {expected}");
    }
}
