//! Fast bodies beside thin ones.

use super::*;
use cloth_core::Result;

/// Steps of 1 ms without gravity and walls.
fn weightless(counts: [u32; 3], method: Synchronisation, response: Response) -> RigidModel {
    let mut model = model(grid(counts), method, response);
    model.settings.contacts =
        ContactSettings { step_s: 1e-3, gravity: Vec3::zeros(), penetration_correction: 0.1 };
    model.fixed = FixedBodies::default();
    model
}

fn at_rest(id: u64, shape: Shape, position: Vec3) -> Body {
    let mut body = body(&Solids::default(), id, shape, position, Vec3::zeros());
    (body.state.rotation, body.state.twist) = (UnitQuaternion::identity(), Twist::ZERO);
    body
}

fn ball(id: u64, position: Vec3, velocity: Vec3) -> Body {
    let mut ball = at_rest(id, Shape::Sphere(Sphere { radius_m: 0.05 }), position);
    ball.state.twist.linear = velocity;
    ball
}

/// A card of 20 x 20 cm that is 2 mm thick along x.
fn card(id: u64, x: f64) -> Body {
    let shape = Shape::Box(Cuboid::of_half(Vec3::new(0.001, 0.1, 0.1)));
    at_rest(id, shape, Vec3::new(x, 1.0, 1.5))
}

/// All bodies after some steps, by rising id.
fn after(model: RigidModel, ranks: usize, bodies: &[Body], steps: u32) -> Result<Vec<Body>> {
    let model = Arc::new(model);
    let results = in_process::run(ranks, |world| {
        let rank_of = shared_out(model.subdomains.count(), ranks);
        let all = bodies.iter().copied();
        let mut simulation = RigidSimulation::new(model.clone(), rank_of, all, world, 1)?;
        for _ in 0..steps {
            simulation.step()?;
            simulation.check_copies()?;
        }
        Ok(Vec::from_iter(simulation.population().own().iter()))
    });
    let mut all = results?.concat();
    all.sort_unstable_by_key(|body| body.id);
    Ok(all)
}

/// Balls of 5 cm that move by 5 mm in a step, past a card of 2 mm and against it. The card is at
/// the border of two subdomains. Two balls meet it from both sides, and one hits its edge.
#[test]
fn fast_balls_meet_a_thin_card_and_none_passes_it() {
    use Synchronisation::{NextNeighbour, ShadowOwner};
    let along = Vec3::x() * 5.0;
    let bodies = [
        card(0, 1.001),
        ball(1, Vec3::new(0.8, 1.0, 1.5), along),
        ball(2, Vec3::new(1.3, 1.02, 1.49), -along),
        ball(3, Vec3::new(0.5, 1.12, 1.5), along),
        ball(4, Vec3::new(0.5, 2.0, 1.5), along),
    ];
    for response in Response::OF_EACH_KIND {
        let run = |counts, method, ranks| {
            after(weightless(counts, method, response), ranks, &bodies, 120).unwrap()
        };
        let serial = run([1, 1, 1], ShadowOwner, 1);
        for method in [NextNeighbour, ShadowOwner] {
            assert!(run([3, 1, 1], method, 3) == serial, "{response:?} {method:?}");
        }
        let x = |id: usize| serial[id].state.position.x;
        assert!(x(1) + 0.04 < x(0) && x(0) < x(2) - 0.04, "{response:?}");
        assert!((x(4) - 1.1).abs() < 1e-9);
    }
}

/// A ball hits a card, which flies 6 mm at once. A second card stands 3 mm behind it: none of both
/// moved before, so the response does not see them meet.
#[test]
fn a_card_that_is_flung_through_another_one_ends_the_run() {
    for (gap, response) in
        [0.003, 0.0005, 0.007].into_iter().zip(Response::OF_EACH_KIND.into_iter().cycle())
    {
        let ball = ball(1, Vec3::new(0.8, 1.0, 1.5), Vec3::x() * 5.0);
        let bodies = [card(0, 1.001), card(5, 1.003 + gap), ball];
        for (counts, ranks) in [([1, 1, 1], 1), ([3, 1, 1], 3)] {
            let model = weightless(counts, Synchronisation::NextNeighbour, response);
            let error = after(model, ranks, &bodies, 60).map(|_| ()).map_err(|it| it.to_string());
            if gap < 0.006 {
                assert!(error.unwrap_err().contains("body 0: passed through body 5"));
            } else {
                error.unwrap();
            }
        }
    }
}

/// Their paths cross before the start.
#[test]
fn cards_that_start_apart_have_not_passed_each_other() {
    let mut bodies = [card(0, 1.0), card(1, 1.0025)];
    bodies[0].state.twist.linear.x = -10.0;
    bodies[1].state.twist.linear.x = 10.0;
    let model = weightless([1; 3], Synchronisation::NextNeighbour, Response::Ffd);
    let apart = after(model, 1, &bodies, 10).unwrap();
    assert!((apart[1].state.position.x - apart[0].state.position.x - 0.2025).abs() < 1e-9);
}

#[test]
fn next_neighbours_take_balls_as_wide_as_a_subdomain_unless_they_are_fast() {
    use Synchronisation::{NextNeighbour, ShadowOwner};
    let large = |speed: f64| {
        let ball = |id: u64| {
            let place = Vec3::new((id % 2) as f64, (id / 4) as f64, (id / 2 % 2) as f64);
            let position = Vec3::new(0.7, 0.2, 0.8) + place * 1.3;
            let mut ball = at_rest(id, Shape::Sphere(Sphere { radius_m: 0.5 }), position);
            ball.state.twist.linear = random_vector(id + 3).normalize() * speed;
            ball
        };
        Vec::from_iter((0..8).map(ball))
    };
    let run = |speed, counts, method, ranks| {
        after(weightless(counts, method, Response::Ffd), ranks, &large(speed), 20)
    };
    for (speed, method) in [(30.0, NextNeighbour), (400.0, ShadowOwner)] {
        let serial = run(speed, [1, 1, 1], method, 1).unwrap();
        assert!(run(speed, [3, 3, 3], method, 8).unwrap() == serial, "{method:?}");
    }
    let error = run(400.0, [3, 3, 3], NextNeighbour, 8).unwrap_err().to_string();
    assert!(error.contains("moved") || error.contains("NextNeighbour allows"), "{error}");
}

/// Subdomains of 25 mm, and a ball that moves by 20 mm in half a step.
#[test]
fn a_ball_may_move_by_nearly_a_subdomain_in_half_a_step() {
    let bodies = [
        ball(0, Vec3::new(0.5, 1.0, 1.5), Vec3::x() * 40.0),
        ball(1, Vec3::new(1.6, 1.03, 1.52), Vec3::x() * -3.0),
        card(2, 2.0),
    ];
    let run = |counts, ranks| {
        after(weightless(counts, Synchronisation::ShadowOwner, Response::Ffd), ranks, &bodies, 60)
    };
    let serial = run([1, 1, 1], 1).unwrap();
    assert!(run([120, 1, 1], 5).unwrap() == serial);
}
