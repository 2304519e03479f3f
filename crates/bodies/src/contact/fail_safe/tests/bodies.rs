//! Whole bodies of any kind that slide, push and lead among sheets and triangles.

use nalgebra::UnitQuaternion;

use super::flying::STEP_S;
use super::round::{Round, add_ends, least_distance};
use super::*;
use crate::bodies::rigid::{Frame, turned};
use crate::contact::fail_safe::body::shorten_body;
use cloth_collision::collision::stays_within;

/// Where a body is, how it is turned, its way and its turn, in units of a scene; its mass (kg), and
/// its kind: an octahedron, a ball or a capsule.
type Wild = ([Vec3; 4], f64, u32);

fn wild() -> impl Strategy<Value = Wild> {
    let mass = prop_oneof![Just(0.1), Just(3.0), Just(100.0), Just(1e4)];
    ([vector(), vector(), vector(), vector()], mass, 0..3u32)
}

/// Adds a body that turns by up to `turn_rad`, if there is room for it.
fn add_body(
    scene: &mut TestScene,
    round: &mut Vec<Round>,
    body: &Wild,
    [speed, turn_rad]: [f64; 2],
) {
    let &([at, axis, way, turn], mass, kind) = body;
    let rotation = turned(&UnitQuaternion::identity(), &(2.0 * axis));
    let frame = Frame { origin: 0.1 * at, rotation };
    let motion = [0.05 * speed * way, turn_rad * turn / 3_f64.sqrt()];
    let first = scene.x0.len();
    let (faces, corners) = ball(0.03, Vec3::zeros());
    let (own, radius_m) = match kind {
        0 => (corners, 0.0),
        1 => (vec![Vec3::zeros()], 0.02),
        _ => (vec![-0.03 * Vec3::x(), 0.03 * Vec3::x()], 0.01),
    };
    let flying = Flying::new(&own, radius_m, mass, frame, motion, first);
    let [x0, x1] = [0.0, 1.0].map(|part| flying.at(part));
    match kind {
        0 => scene.add(&faces, &x0, &x1, false, false),
        _ => add_ends(scene, round, &x0, &x1, radius_m),
    }
    scene.radii.resize(scene.x0.len(), 0.0);
    if scene.x0.len() > first {
        scene.bodies.push(flying);
    }
}

/// Bodies among a crumpled sheet and triangles, of which some are prescribed and `move`.
fn among() -> impl Strategy<Value = (TestScene, Vec<Round>)> {
    let triangle = ([vector(), vector(), vector()], [vector(), vector(), vector()], 0..6u32);
    let triangles = prop::collection::vec((triangle, vector()), 0..6);
    let noise = prop::collection::vec(vector(), 16);
    let speed = prop_oneof![Just([0.05, 0.02]), Just([0.3, 0.1]), Just([1.0, 0.5])];
    let fall = (vector(), prop_oneof![Just(0.0), Just(0.2)]);
    (prop::collection::vec(wild(), 1..8), triangles, noise, speed, fall).prop_map(
        |(bodies, triangles, noise, speed, (fall, far))| {
            let mut scene = TestScene::default();
            let (faces, flat) = sheet(4);
            let x1 = flat.iter().zip(&noise).map(|(x, n)| x + 0.02 * speed[0] * n);
            scene.add(&faces, &flat, &Vec::from_iter(x1), false, true);
            // Round bodies come last, because `TestScene::add` makes no pairs with them.
            let (mut round, (flat, round_bodies)) =
                (Vec::new(), bodies.iter().partition::<Vec<_>, _>(|body| body.2 == 0));
            for body in flat {
                add_body(&mut scene, &mut round, body, speed);
            }
            for ((corners, wild, kind), place) in triangles {
                let x0 = corners.map(|corner| 0.1 * place + 0.05 * corner);
                let own = if kind == 0 { 0.0 } else { 0.05 * speed[0] };
                let x1 = std::array::from_fn::<_, 3, _>(|a| x0[a] + own * wild[a]);
                scene.add(&[[0, 1, 2]], &x0, &x1, kind < 2, false);
            }
            scene.radii.resize(scene.x0.len(), 0.0);
            for body in round_bodies {
                add_body(&mut scene, &mut round, body, speed);
            }
            // All that is free falls.
            let fall = far * fall;
            for (v, x1) in scene.x1.iter_mut().enumerate() {
                *x1 += if scene.inverse_masses[v] > 0.0 { fall } else { Vec3::zeros() };
            }
            for body in &mut scene.bodies {
                body.u[0] += fall / STEP_S;
                scene.x1[body.vertices.clone()].copy_from_slice(&body.end(&body.u));
            }
            (scene, round)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_pair_of_wild_bodies_comes_nearer_than_delta((scene, round) in among()) {
        let (scene, report, x1) = scene.run_redone();
        prop_assert_eq!(report.too_near, None);
        let least = least_distance(&scene, &round, &x1);
        prop_assert!(least >= DELTA_M * (1.0 - 1e-6), "{:e} m", least);
        for end in &report.bodies {
            let body = &scene.bodies[end.body];
            prop_assert_eq!(&x1[body.vertices.clone()], &body.end(&end.way));
        }
    }

    #[test]
    fn bodies_end_alike_on_all_ranks((scene, _) in among()) {
        let (report, x1) = scene.run();
        let on_three = scene.run_on(3, &scene.pairs);
        prop_assert_eq!((report, bits(&x1)), (on_three.0, bits(&on_three.1)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn a_body_that_slides_keeps_to_its_planes_and_gains_no_energy(
        body in wild(),
        turn_rad in prop_oneof![Just(0.02), Just(0.5)],
        margin_m in prop_oneof![Just(1e-4), Just(1e-3), Just(1.0)],
        planes in prop::collection::vec(
            (vector(), prop_oneof![Just(0.0), 0.0..0.02f64], 0..6u32),
            1..20,
        ),
    ) {
        let mut scene = TestScene::default();
        add_body(&mut scene, &mut Vec::new(), &body, [1.0, turn_rad]);
        let flying = &scene.bodies[0];
        let bounds = Vec::from_iter(planes.iter().map(|&(normal, room_m, vertex)| Bound {
            vertex: vertex % flying.vertices.len() as u32,
            pair: Pair::vertex_face(0, [1000, 1001, 1002]),
            normal: normal.normalize(),
            room_m,
            advance_m: 0.0,
        }));
        let (prescribed, radii) = (&[], Radii::new(0, &[]));
        let (x0, masses, bodies, delta_m) = (&scene.x0, &[], &[], DELTA_M);
        let paths = Paths { x0, prescribed, masses, bodies, radii, delta_m };
        let stays = |v: usize, end: &Vec3| stays_within(&x0[v], &scene.x1[v], end, margin_m);
        let placed = shorten_body(&flying.whole(), &bounds, &paths, &scene.x1, 1e-12, stays);
        if let Some((placed, u)) = placed.unwrap() {
            prop_assert!(placed.ends.iter().enumerate().all(|(v, end)| stays(v, end)));
            for bound in &bounds {
                let v = bound.vertex as usize;
                prop_assert!(bound.slack(&(placed.ends[v] - scene.x0[v])) >= 0.0);
            }
            let before = flying.energy_j(&flying.u) * (1.0 + 1e-9);
            let after = [&placed.way, &u].map(|u| flying.energy_j(u));
            prop_assert!(after[0] <= before && after[1] <= before, "{} {:?}", before, after);
        }
    }

    #[test]
    fn the_straight_path_between_two_poses_never_inverts_a_body(
        corners in [vector(), vector(), vector(), vector()],
        turn in vector(),
        angle in 0.0..3.0f64,
        way in vector(),
    ) {
        let turn = turned(&UnitQuaternion::identity(), &(angle * turn.normalize()));
        let volume = |t: f64| {
            let at = |x: &Vec3| x.lerp(&(turn.transform_vector(x) + way), t);
            let [a, b, c, d] = corners.each_ref().map(at);
            (b - a).cross(&(c - a)).dot(&(d - a))
        };
        // A plane across the axis is a rotation, shrunk by cos(angle / 2) at most.
        let least = 0.99 * libm::cos(0.5 * angle).powi(2);
        for t in 0..=20 {
            let share = volume(0.05 * f64::from(t)) / volume(0.0);
            prop_assert!(volume(0.0).abs() < 1e-6 || share >= least, "{} of {}", share, least);
        }
    }
}

/// A sheet in the plane y = 0 that moves by `way` (m), and an octahedron of `mass` (kg) over it that
/// moves by `motion`.
fn octahedron_over_sheet(way: Vec3, mass: f64, motion: [Vec3; 2]) -> TestScene {
    let mut scene = TestScene::default();
    let (faces, x0) = sheet(7);
    scene.add(&faces, &x0, &Vec::from_iter(x0.iter().map(|x| x + way)), false, true);
    let (faces, own) = ball(0.03, Vec3::zeros());
    let frame = Frame {
        origin: Vec3::new(0.002, 0.03 + 1.6 * DELTA_M, 0.003),
        rotation: UnitQuaternion::identity(),
    };
    let flying = Flying::new(&own, 0.0, mass, frame, motion, scene.x0.len());
    scene.add(&faces, &flying.at(0.0), &flying.at(1.0), false, false);
    assert_eq!(scene.x0.len(), flying.vertices.end);
    scene.bodies.push(flying);
    scene
}

#[test]
fn a_body_and_a_sheet_that_fall_together_keep_their_motion() {
    let fall = Vec3::new(0.001, -0.03, 0.0);
    let turn = Vec3::new(0.02, 0.05, 0.03);
    for mass in [1.0, 1e3] {
        let scene = octahedron_over_sheet(fall, mass, [fall - 0.001 * Vec3::y(), turn]);
        let (report, x1) = scene.run();
        scene.assert_kept_apart(&report, &x1);
        let lost = report.truncated.iter().map(|it| it.lost_m).fold(0.0, f64::max);
        assert!(lost > 0.0 && lost < 1.5e-3, "{lost} of {}", fall.norm());
        // The heavy body pushes the sheet.
        let of_body = report.truncated.iter().filter(|it| it.vertex >= 49);
        let lost = of_body.map(|it| it.lost_m).fold(0.0, f64::max);
        assert!(mass < 100.0 || lost < 1e-4, "{lost}");
    }
}

#[test]
fn a_body_slides_along_what_stops_it() {
    let mut scene =
        octahedron_over_sheet(Vec3::zeros(), 1.0, [Vec3::new(0.02, -0.01, 0.0), Vec3::zeros()]);
    scene.inverse_masses[..49].fill(0.0);
    let (report, x1) = scene.run();
    scene.assert_kept_apart(&report, &x1);
    let (start, end) = (scene.x0[49], x1[49]);
    assert!(end.x - start.x > 0.015, "{}", end - start);
}

#[test]
fn an_obstacle_pushes_a_body_as_far_as_it_must() {
    let push = 0.004 * Vec3::y();
    let mut scene = octahedron_over_sheet(push, 1.0, [Vec3::zeros(); 2]);
    scene.inverse_masses[..49].fill(0.0);
    let (report, x1) = scene.run();
    scene.assert_kept_apart(&report, &x1);
    let lowest = x1[49..].iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!((lowest - push.y - DELTA_M).abs() < 1e-8, "{lowest}");
}
