//! Two bodies on a spring. A step is one of implicit Euler: it damps the swing by the factor
//! `1 / sqrt(1 + (w h)^2)` and turns its phase by `atan(w h)`.

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use cloth_sim::rigid::constraint::joint::JointSettings;
use cloth_sim::rigid::shape::{Shape, Sphere};

use super::{joint, places, put, world};

/// Frequency, rad/s.
const OMEGA: f64 = 10.0;

/// The largest amplitude (m) that is seen, and the largest difference from the closed form (m), in
/// five swings of an amplitude (m) about the distance `rest` (m).
fn swing(kind: JointKind, rest: f64, amplitude: f64, step_s: f64) -> [f64; 2] {
    let mut worst = [0.0_f64; 2];
    for place in &places() {
        let mut world = world(step_s, Vec3::zeros());
        for sign in [-0.5, 0.5] {
            let ball = Shape::Sphere(Sphere { radius_m: 0.06 });
            let body = world.add(ball, Vec3::x() * (sign * rest));
            body.state.twist.linear = Vec3::x() * (sign * amplitude * OMEGA);
        }
        put(&mut world, place);
        // The joint is at both centres, so that it turns no body.
        let points = [0, 1].map(|body| world.bodies[body].state.position);
        let range = if kind == JointKind::Distance { [rest; 2] } else { joint(kind).range };
        let compliance = 2.0 / (world.bodies[0].mass * OMEGA * OMEGA);
        let settings = JointSettings { compliance, range, ..joint(kind) };
        world.join_points(0, Some(1), points, place * Vec3::x(), settings);
        let wh = OMEGA * step_s;
        let (turn, damping) = (libm::atan(wh), 1.0 / (1.0 + wh * wh).sqrt());
        let swings = (10.0 * std::f64::consts::PI / turn) as i32;
        for step in 1..=swings {
            world.step();
            let [a, b] = [0, 1].map(|body| world.bodies[body].state);
            // Forces are those of half a step later.
            let apart =
                b.position - a.position + (b.twist.linear - a.twist.linear) * (0.5 * step_s);
            let gap = apart.dot(&(place * Vec3::x())) - rest;
            let (sine, cosine) =
                (libm::sin(turn * f64::from(step)), libm::cos(turn * f64::from(step)));
            let expected = amplitude * damping.powi(step) * (sine + 0.5 * wh * cosine);
            worst = [worst[0].max(gap), worst[1].max((gap - expected).abs())];
        }
    }
    worst
}

#[test]
fn a_spring_swings_by_several_times_the_size_of_its_bodies() {
    for step_s in [1e-3, 4e-3] {
        for (kind, rest, amplitude) in
            [(JointKind::Ball, 0.0, 0.8), (JointKind::Distance, 0.2, 0.15)]
        {
            let [most, error] = swing(kind, rest, amplitude, step_s);
            println!("{kind:?} {step_s}: stretched by {most} m, error {error:e} m");
            // A quarter of a swing has damped it a little.
            assert!(error < 1e-12 && most > 0.96 * amplitude && most < amplitude);
        }
    }
}
