//! Impacts: two bodies, rows of balls, and balls on a floor.

use cloth_sim::math::Vec3;
use cloth_sim::rigid::body::Twist;
use cloth_sim::rigid::constraint::joint::Joints;
use cloth_sim::rigid::fixed::FixedBody;
use cloth_sim::rigid::horizon::Horizon;
use cloth_sim::rigid::material::Surface;
use cloth_sim::rigid::narrow::detector::{Detector, Surroundings};
use cloth_sim::rigid::shape::{Capsule, Cuboid, Shape, Sphere};
use cloth_sim::rigid::table::BodyTable;
use cloth_sim::verify::Threads;

use crate::scene::{Response, Scene, angular_momentum, down, surface};
use crate::{BALL, BOTH, floor};

/// Two balls of different mass before and after their impact, the first with `velocity`, and the
/// gap at the impact.
fn impact(
    response: Response,
    surface: Surface,
    velocity: Vec3,
    offset: Vec3,
) -> (Scene, Scene, f64) {
    let start = || {
        let mut world = Scene::new(1e-3, surface, Vec3::zeros(), response);
        world.add(BALL, Vec3::new(-0.305_499_9, 0.0, 0.0) + offset).state.twist.linear = velocity;
        world.add(Shape::Sphere(Sphere { radius_m: 0.2 }), Vec3::zeros());
        world
    };
    let mut world = start();
    let mut gap = f64::NAN;
    for _ in 0..400 {
        world.step();
        gap = world.contacts.first().map_or(gap, |contact| contact.gap);
    }
    (start(), world, gap)
}

#[test]
fn head_on_impacts_give_back_the_share_of_restitution() {
    for response in BOTH {
        for e in [0.0, 0.5, 1.0] {
            let velocity = Vec3::new(1.0, 0.0, 0.0);
            let (before, after, _) = impact(response, surface(e, 0.0), velocity, Vec3::zeros());
            let [a, b] = [0, 1].map(|i| after.bodies[i].state.twist.linear);
            let mass = [0, 1].map(|i| after.bodies[i].mass);
            let common = mass[0] / (mass[0] + mass[1]);
            let expected = [common - e * (1.0 - common), common + e * common];
            let error =
                (a - Vec3::x() * expected[0]).norm().max((b - Vec3::x() * expected[1]).norm());
            // Without restitution the bodies do not move together, because the overlap pushes them
            // apart a little.
            let tolerance = if e == 0.0 { 1e-4 } else { 1e-12 };
            assert!(error < tolerance, "{response:?} e = {e}: {a:?} {b:?} {expected:?}");
            let drift = (after.momentum() - before.momentum()).norm() / before.momentum().norm();
            assert!(drift < 1e-14, "{response:?} e = {e}: momentum {drift}");
        }
    }
}

#[test]
fn an_oblique_impact_with_friction_keeps_momentum_and_spins_as_coulomb_says() {
    for response in BOTH {
        let mu = 0.2;
        let velocity = Vec3::new(1.0, 1.7, 0.0);
        let (before, after, gap) =
            impact(response, surface(0.5, mu), velocity, Vec3::new(0.0, -0.01, 0.0));
        let change = after.momentum() - before.momentum();
        assert!(change.norm() < 1e-14 * before.momentum().norm(), "{response:?}: {change:?}");
        // Impulse on the first ball: normal and tangential parts in the ratio of friction.
        let impulse = (after.bodies[0].state.twist.linear - velocity) * after.bodies[0].mass;
        // The arms of the two balls, of radii 0.1 and 0.2 m, bridge the gap.
        let spin = [0, 1].map(|i| {
            let body = &after.bodies[i];
            body.state.twist.angular.norm() * body.inertia.x
        });
        let tangential = (spin[0] + spin[1]) / (0.3 + gap);
        let normal = (impulse.norm_squared() - tangential * tangential).sqrt();
        let ratio = tangential / normal;
        assert!((ratio - mu).abs() < 1e-12, "{response:?}: {ratio}");
        let change = (angular_momentum(&after) - angular_momentum(&before)).norm();
        assert!(change < 1e-13 * angular_momentum(&after).norm(), "{response:?}: {change:e}");
    }
}

/// The deepest overlap now, m.
fn deepest(world: &Scene) -> f64 {
    let table: BodyTable = world.bodies.iter().copied().collect();
    let now = Surroundings {
        bodies: table.bodies(),
        fixed: &world.fixed,
        solids: &world.solids,
        joints: &Joints::default(),
        horizon: &Horizon::NOW,
        treated: None,
    };
    let mut contacts = Vec::new();
    Detector::default().contacts(&now, &Threads::INLINE, |_| true, &mut contacts);
    contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)
}

#[test]
fn bodies_that_meet_fast_do_not_overlap() {
    let shapes = [
        BALL,
        Shape::Box(Cuboid::of_half(Vec3::new(0.1, 0.08, 0.12))),
        Shape::Capsule(Capsule { radius_m: 0.06, length_m: 2.0 * 0.1 }),
    ];
    for response in BOTH {
        for restitution in [0.0, 0.5] {
            for (own, other) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] {
                let mut world =
                    Scene::new(1e-3, surface(restitution, 0.3), Vec3::zeros(), response);
                // Both turn, and do not meet head-on.
                let spin = Vec3::new(3.0, -5.0, 7.0);
                let first = world.add(shapes[own], Vec3::new(-0.4, 0.03, 0.02));
                first.state.twist = Twist { angular: spin, linear: Vec3::x() * 10.0 };
                world.add(shapes[other], Vec3::zeros()).state.twist.angular = -2.0 * spin;
                let mut worst: f64 = 0.0;
                for _ in 0..100 {
                    world.step();
                    worst = worst.max(deepest(&world));
                }
                let turned = world.bodies[1].state.twist.linear.x;
                assert!(turned > 1.0, "{response:?} {own} {other}: they met, {turned}");
                // The nearest points of two capsules jump from end to end as they turn.
                let most = if (own, other) == (2, 2) { 4e-3 } else { 1e-3 };
                println!("{response:?} {restitution} {own} {other}: {worst:.2e}");
                assert!(worst < most, "{response:?} {restitution} {own} {other}: {worst}");
            }
        }
    }
}

#[test]
fn bodies_of_any_allowed_speed_do_not_pass_each_other() {
    let plate = Shape::Box(Cuboid::of_half(Vec3::new(1e-3, 1.0, 1.0)));
    let (h, starts) = (1e-2, 37);
    // Half of the smallest width a step.
    let speed = 0.999 * 0.1 / h;
    for (response, start) in BOTH.into_iter().flat_map(|it| (0..starts).map(move |k| (it, k))) {
        for restitution in [0.0, 1.0] {
            let world = || Scene::new(h, surface(restitution, 0.3), Vec3::zeros(), response);
            let from = -0.4 - 2.0 * speed * h * f64::from(start) / f64::from(starts);

            let mut balls = world();
            balls.add(BALL, Vec3::x() * from).state.twist.linear.x = speed;
            balls.add(BALL, Vec3::new(0.0, 0.01, 0.02)).state.twist.linear.x = -speed;
            let fixed = FixedBody::immovable(9, 0, plate, Vec3::zeros());
            let mut wall = world().with_fixed(vec![fixed]);
            wall.add(BALL, Vec3::x() * from).state.twist.linear.x = speed;
            for _ in 0..20 {
                balls.step();
                wall.step();
                let worst = deepest(&balls).max(deepest(&wall));
                assert!(worst < 1e-6, "{response:?} {restitution} {start}: {worst}");
            }
            let x = |world: &Scene, k: usize| world.bodies[k].state.position.x;
            assert!(x(&balls, 0) < x(&balls, 1), "{response:?} {restitution} {start}");
            assert!(x(&wall, 0) < -0.1, "{response:?} {restitution} {start}");
        }
    }
}

/// Velocities after the first of five balls hit the others, which touch.
fn cradle(response: Response) -> Vec<f64> {
    let mut world = Scene::new(1e-3, surface(1.0, 0.0), Vec3::zeros(), response);
    for k in 0..5 {
        // Numbers without rounding: they touch.
        world.add(Shape::Sphere(Sphere { radius_m: 0.125 }), Vec3::x() * (0.25 * f64::from(k)));
    }
    world.bodies[0].state.position.x = -0.3;
    world.bodies[0].state.twist.linear.x = 1.0;
    world.run(400);
    world.bodies.iter().map(|body| body.state.twist.linear.x).collect()
}

#[test]
fn newtons_cradle_hands_the_blow_on_or_shares_it_as_each_response_gives_it() {
    // With FFD the impulse travels by one ball a step.
    let speeds = cradle(Response::Ffd);
    for (speed, expected) in speeds.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
        assert!((speed - expected).abs() < 1e-12, "{speeds:?}");
    }
    // Newton's law at all contacts at the same time: the first ball comes back, the others leave
    // together. Of n balls at rest: v_1 = (1 - n) / (1 + n), all others 2 / (1 + n).
    let speeds = cradle(Response::Nonsmooth { sweeps: 400 });
    println!("cradle nonsmooth {speeds:?}");
    let momentum: f64 = speeds.iter().sum();
    assert!((momentum - 1.0).abs() < 1e-12, "{speeds:?}");
    for (speed, expected) in speeds.iter().zip([-0.6, 0.4, 0.4, 0.4, 0.4]) {
        assert!((speed - expected).abs() < 1e-3, "{speeds:?}");
    }
}

#[test]
fn a_bouncing_ball_reaches_the_heights_of_its_restitution() {
    for response in BOTH {
        for e in [0.5, 0.8, 1.0] {
            let mut world =
                Scene::new(1e-4, surface(e, 0.0), down(), response).with_fixed(vec![floor(9)]);
            world.add(BALL, Vec3::new(0.0, 1.1, 0.0));
            let mut heights = Vec::new();
            let (mut top, mut rising) = (0.0, false);
            for _ in 0..30_000 {
                world.step();
                let state = &world.bodies[0].state;
                let is_rising = state.twist.linear.y > 0.0;
                if rising && !is_rising {
                    heights.push(top);
                }
                (rising, top) = (is_rising, state.position.y - 0.1);
            }
            assert!(heights.len() >= 3, "{response:?} e {e}: {heights:?}");
            for (n, height) in heights.iter().take(3).enumerate() {
                let expected = e.powi(2 * (n as i32 + 1));
                println!("{response:?} e {e} bounce {n}: {height:.5} {expected:.5}");
                let most = if e == 1.0 { 1e-6 } else { 0.01 };
                assert!((height / expected - 1.0).abs() < most, "{height} {expected}");
            }
        }
    }
}
