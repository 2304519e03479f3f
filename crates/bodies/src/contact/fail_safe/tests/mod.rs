//! Checks the whole fail-safe against all pairs of small scenes.

mod bodies;
mod flying;
mod pressed;
mod round;
mod turning;

use proptest::prelude::*;

use crate::contact::fail_safe::*;
use cloth_collision::collision::Radii;
use cloth_collision::collision::ccd::time_of_impact;
use cloth_collision::collision::narrow::closest;
use cloth_core::ranks::in_process;
use flying::Flying;

const DELTA_M: f64 = 1e-3;

/// Objects, their intended motion and all their elementary pairs.
#[derive(Debug, Clone, Default)]
struct TestScene {
    x0: Vec<Vec3>,
    x1: Vec<Vec3>,
    inverse_masses: Vec<f64>,
    radii: Vec<f64>,
    bodies: Vec<Flying>,
    pairs: Vec<Pair>,
    vertices: Vec<VertexId>,
    edges: Vec<[VertexId; 2]>,
    faces: Vec<[VertexId; 3]>,
}

impl TestScene {
    /// Adds an object, unless it starts nearer than 1.5 `DELTA_M` to another one. Two obstacles
    /// form no pairs. An object forms pairs with itself only if it is `folded`.
    fn add(&mut self, faces: &[[u32; 3]], x0: &[Vec3], x1: &[Vec3], obstacle: bool, folded: bool) {
        let before = self.clone();
        let first = self.x0.len() as u32;
        self.x0.extend(x0);
        self.x1.extend(x1);
        self.inverse_masses.resize(self.x0.len(), if obstacle { 0.0 } else { 1.0 });
        let vertices = Vec::from_iter(first..self.x0.len() as u32);
        let faces: Vec<_> = faces.iter().map(|face| face.map(|v| v + first)).collect();
        let mut edges: Vec<_> = (faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut found = Vec::new();
        let prescribed = |v: u32| self.inverse_masses[v as usize] == 0.0;
        let with_others = |v: u32| !(obstacle && prescribed(v));
        for (face, v) in product(&before.faces, &vertices) {
            found.extend(with_others(face[0]).then(|| Pair::vertex_face(v, face)));
        }
        for (face, v) in product(&faces, &before.vertices) {
            found.extend(with_others(v).then(|| Pair::vertex_face(v, face)));
        }
        for (first, second) in product(&edges, &before.edges) {
            found.extend(with_others(second[0]).then(|| Pair::edge_edge(first, second)));
        }
        if folded {
            found.extend(product(&faces, &vertices).map(|(face, v)| Pair::vertex_face(v, face)));
            let own = product(&edges, &edges).filter(|(first, second)| first < second);
            found.extend(own.map(|(first, second)| Pair::edge_edge(first, second)));
        }
        found.retain(|pair| !pair.shares_a_vertex());
        let clear =
            |pair: &Pair| closest(pair.kind(), pair.gather(&self.x0)).distance >= 1.5 * DELTA_M;
        if !found.iter().all(clear) {
            *self = before;
            return;
        }
        self.pairs.extend(found);
        self.vertices.extend(vertices);
        self.edges.extend(edges);
        self.faces.extend(faces);
    }

    /// The same with its intended motion shortened to `part`.
    fn slower(&self, part: f64) -> Self {
        let mut scene = self.clone();
        scene.x1 = self.x0.iter().zip(&self.x1).map(|(x0, x1)| x0.lerp(x1, part)).collect();
        for body in &mut scene.bodies {
            body.u.iter_mut().for_each(|u| *u *= part);
            scene.x1[body.vertices.clone()].copy_from_slice(&body.end(&body.u));
        }
        scene
    }

    fn run_on(&self, ranks: usize, pairs: &[Pair]) -> (FailSafeReport, Vec<Vec3>) {
        let results = in_process::run(ranks, |world| {
            let own = |(k, pair): (usize, &Pair)| (k % ranks == world.rank()).then_some(*pair);
            let candidates: Vec<Pair> = pairs.iter().enumerate().filter_map(own).collect();
            let threads = Threads::new(ranks)?;
            let mut x1 = self.x1.clone();
            let prescribed = Vec::from_iter(self.inverse_masses.iter().map(|&m| m == 0.0));
            let (prescribed, radii) = (&prescribed, Radii::new(0, &self.radii));
            let (masses, bodies) =
                (&self.inverse_masses, &Vec::from_iter(self.bodies.iter().map(Flying::whole)));
            let delta_m = DELTA_M;
            let paths = Paths { x0: &self.x0, prescribed, masses, bodies, radii, delta_m };
            let stays = |_: usize, _: &Vec3| true;
            let report =
                FailSafe::default().run(world, &threads, &candidates, &paths, &stays, &mut x1)?;
            Ok((report, x1))
        });
        let results = results.unwrap();
        for (report, x1) in &results {
            assert_eq!((report, bits(x1)), (&results[0].0, bits(&results[0].1)));
        }
        results[0].clone()
    }

    fn run(&self) -> (FailSafeReport, Vec<Vec3>) {
        self.run_on(1, &self.pairs)
    }

    /// Runs at smaller and smaller steps until there is no conflict.
    fn run_redone(&self) -> (Self, FailSafeReport, Vec<Vec3>) {
        for halvings in 0..12 {
            let scene = self.slower(0.5_f64.powi(halvings));
            let (report, x1) = scene.run();
            if report.conflict.is_none() {
                return (scene, report, x1);
            }
        }
        panic!("a conflict at every size");
    }

    /// The pair that comes nearest on the way to `x1`, with its distance (m).
    fn nearest(&self, x1: &[Vec3]) -> (f64, Option<Pair>) {
        let distance = |pair: &Pair| {
            let (x0, x1) = (pair.gather(&self.x0), pair.gather(x1));
            if time_of_impact(pair.kind(), &x0, &x1, 0.9 * DELTA_M).is_some() {
                return 0.0;
            }
            let at = |i: u32| std::array::from_fn(|a| x0[a].lerp(&x1[a], f64::from(i) / 50.0));
            (0..=50).map(|i| closest(pair.kind(), at(i)).distance).fold(f64::INFINITY, f64::min)
        };
        let nearer = |best: (f64, Option<Pair>), pair: &Pair| {
            let distance = distance(pair);
            if distance < best.0 { (distance, Some(*pair)) } else { best }
        };
        self.pairs.iter().fold((f64::INFINITY, None), nearer)
    }

    fn assert_kept_apart(&self, report: &FailSafeReport, x1: &[Vec3]) {
        assert_eq!((&report.conflict, report.too_near), (&None, None));
        let (distance, pair) = self.nearest(x1);
        assert!(distance >= DELTA_M * (1.0 - 1e-6), "{pair:?} comes within {distance:e}");
        for (v, end) in x1.iter().enumerate() {
            let listed = report.truncated.iter().any(|t| t.vertex as usize == v);
            assert_eq!(listed, *end != self.x1[v]);
            assert!(!listed || self.inverse_masses[v] > 0.0);
        }
        for end in &report.bodies {
            let body = &self.bodies[end.body];
            assert_eq!(x1[body.vertices.clone()], body.end(&end.way));
        }
    }
}

fn product<'a, A: Copy, B: Copy>(a: &'a [A], b: &'a [B]) -> impl Iterator<Item = (A, B)> + 'a {
    a.iter().flat_map(move |&a| b.iter().map(move |&b| (a, b)))
}

fn bits(x: &[Vec3]) -> Vec<[u64; 3]> {
    x.iter().map(|x| [x.x.to_bits(), x.y.to_bits(), x.z.to_bits()]).collect()
}

/// `n` x `n` vertices around the origin in the plane y = 0, 2 cm apart.
fn sheet(n: u32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let at = |k: u32| 0.02 * (f64::from(k) - 0.5 * f64::from(n - 1));
    let x = (0..n * n).map(|v| Vec3::new(at(v % n), 0.0, at(v / n))).collect();
    let corners = (0..n * (n - 1)).filter(|v| v % n + 1 < n);
    (corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect(), x)
}

/// An octahedron of radius `r` around `at`.
fn ball(r: f64, at: Vec3) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let axes = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()];
    let faces = product(&[0, 1], &[2, 3]).flat_map(|(a, b)| [[a, b, 4], [a, b, 5]]).collect();
    (faces, axes.map(|axis| at + r * axis).to_vec())
}

fn vector() -> impl Strategy<Value = Vec3> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(Vec3::from)
}

/// Free and prescribed triangles anywhere, each with a wild motion.
fn soup() -> impl Strategy<Value = TestScene> {
    let triangle = ([vector(), vector(), vector()], [vector(), vector(), vector()], vector());
    let speed = prop_oneof![Just(0.01), Just(0.1), Just(1.0)];
    let triangles = prop::collection::vec((triangle, vector(), 0..6u32), 4..16);
    (triangles, speed).prop_map(|(triangles, speed)| {
        let mut scene = TestScene::default();
        for ((corners, wild, shared), place, kind) in triangles {
            let x0 = corners.map(|corner| 0.15 * place + 0.06 * corner);
            let obstacle = kind == 0;
            let own = if obstacle { 0.0 } else { 0.05 };
            let x1: [Vec3; 3] =
                std::array::from_fn(|a| x0[a] + speed * (0.1 * shared + own * wild[a]));
            scene.add(&[[0, 1, 2]], &x0, &x1, obstacle, false);
        }
        scene
    })
}

/// Crumpled sheets in layers, one with two pinned corners, and a ball flying through.
fn layers() -> impl Strategy<Value = TestScene> {
    let sheets = prop::collection::vec(prop::collection::vec((vector(), vector()), 16), 1..4);
    let speed = prop_oneof![Just(0.002), Just(0.01), Just(0.05)];
    (sheets, speed, vector(), vector()).prop_map(|(sheets, speed, velocity, handle)| {
        let mut scene = TestScene::default();
        for (layer, noise) in sheets.iter().enumerate() {
            let (faces, flat) = sheet(4);
            let up = 0.008 * layer as f64 * Vec3::y();
            let x0: Vec<_> = (flat.iter().zip(noise)).map(|(x, n)| x + up + 0.003 * n.0).collect();
            let x1: Vec<_> = (x0.iter().zip(noise)).map(|(x, n)| x + speed * n.1).collect();
            scene.add(&faces, &x0, &x1, false, true);
        }
        for pin in [0, 3].into_iter().filter(|&pin| pin < scene.x0.len()) {
            scene.inverse_masses[pin] = 0.0;
            scene.x1[pin] = scene.x0[pin] + 0.3 * speed * handle;
        }
        let (faces, x0) = ball(0.015, -0.03 * Vec3::y());
        let x1: Vec<_> = x0.iter().map(|x| x + 2.0 * speed * (velocity + Vec3::y())).collect();
        scene.add(&faces, &x0, &x1, true, false);
        scene
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn no_pair_of_wild_triangles_comes_nearer_than_delta(scene in soup()) {
        let (scene, report, x1) = scene.run_redone();
        scene.assert_kept_apart(&report, &x1);
    }

    #[test]
    fn no_pair_of_crumpled_sheets_comes_nearer_than_delta(scene in layers()) {
        let (scene, report, x1) = scene.run_redone();
        scene.assert_kept_apart(&report, &x1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_result_depends_neither_on_ranks_nor_on_order(
        scene in prop_oneof![soup(), layers()],
        turn in 0..1000usize,
    ) {
        let (expected, x1) = scene.run();
        let mut pairs = scene.pairs.clone();
        let turn = turn % pairs.len().max(1);
        pairs.rotate_left(turn);
        for ranks in [2, 3] {
            let (report, other) = scene.run_on(ranks, &pairs);
            prop_assert_eq!(&report, &expected);
            if expected.conflict.is_none() {
                prop_assert_eq!(bits(&other), bits(&x1));
            }
        }
    }
}

#[test]
fn a_plate_pushes_a_sheet_along() {
    let mut scene = TestScene::default();
    let (faces, x0) = sheet(5);
    scene.add(&faces, &x0, &x0, false, false);
    let (faces, flat) = sheet(2);
    let below: Vec<_> = flat.iter().map(|x| 1.7 * x - 0.002 * Vec3::y()).collect();
    let above: Vec<_> = below.iter().map(|x| x + 0.02 * Vec3::y()).collect();
    scene.add(&faces, &below, &above, true, false);
    let (report, x1) = scene.run();
    scene.assert_kept_apart(&report, &x1);
    let over_plate = 12;
    assert!((x1[over_plate].y - (0.018 + DELTA_M)).abs() < 1e-8, "{}", x1[over_plate]);
    assert!(report.stops.iter().any(|s| s.vertex == 12 && (s.advance_m - 0.02).abs() < 1e-12));
}

#[test]
fn a_fast_ball_carries_a_sheet_along() {
    let mut scene = TestScene::default();
    let (faces, x0) = sheet(5);
    scene.add(&faces, &x0, &x0, false, true);
    let (faces, ball) = ball(0.02, Vec3::new(0.003, -0.022, 0.004));
    scene.add(&faces, &ball, &ball, true, false);
    // 8 cm in steps of 1 cm, halved after a conflict. The sheet's intended motion is zero.
    let (mut way, mut step) = (0.0, 1.0 / 8.0);
    while way < 1.0 {
        scene.x1.clone_from(&scene.x0);
        scene.x1[25..].iter_mut().for_each(|x| x.y += 0.08 * step);
        let (report, x1) = scene.run();
        if report.conflict.is_some() {
            step /= 2.0;
            assert!(step > 1e-3, "stuck at {way}: {report:?}");
            continue;
        }
        scene.assert_kept_apart(&report, &x1);
        scene.x0 = x1;
        way += step;
    }
    let ahead = scene.x0[..25].iter().filter(|x| x.y > 0.03).count();
    assert!(ahead >= 1, "{:?}", scene.x0);
}

#[test]
fn a_sheet_between_two_plates_is_a_conflict_only_when_they_leave_no_room() {
    let meeting = |gap: f64| {
        let mut scene = TestScene::default();
        let (faces, x0) = sheet(4);
        scene.add(&faces, &x0, &x0, false, false);
        for side in [-1.0, 1.0] {
            let (faces, flat) = sheet(2);
            let at = |y: f64| Vec::from_iter(flat.iter().map(|x| 5.0 * x + side * y * Vec3::y()));
            scene.add(&faces, &at(0.01), &at(0.5 * gap), true, false);
        }
        scene
    };
    let open = meeting(2.5 * DELTA_M);
    let (report, x1) = open.run();
    open.assert_kept_apart(&report, &x1);
    // The sheet has 16 vertices, a plate 4. Both plates take part.
    let (report, _) = meeting(1.5 * DELTA_M).run();
    let of = report.conflict.map(|conflict| conflict.pushing).unwrap_or_default();
    let plate = |number: u32| of.iter().any(|vertex| (vertex - 16) / 4 == number);
    assert!(plate(0) && plate(1) && of.iter().all(|&vertex| vertex >= 16), "{of:?}");
}

#[test]
fn a_sheet_that_rests_or_is_safe_keeps_every_bit() {
    let mut scene = TestScene::default();
    let (faces, x) = sheet(3);
    for layer in 0..2 {
        let x: Vec<_> = x.iter().map(|x| x + 0.0016 * f64::from(layer) * Vec3::y()).collect();
        scene.add(&faces, &x, &x, false, false);
    }
    // Nearer than delta, like a start that was accepted.
    scene.x0[9..].iter_mut().for_each(|x| x.y = 0.4 * DELTA_M);
    for (step, moves) in [(0.0, 0), (1.0, 0), (-0.3, 9)] {
        for v in 0..18 {
            scene.x1[v] = scene.x0[v] + Vec3::new(step, 2.0 * step, 0.0);
        }
        for v in 9..18 {
            scene.x1[v].y += if moves > 0 { -0.2 * DELTA_M } else { 0.0 };
        }
        let (report, x1) = scene.run();
        assert_eq!((&report.conflict, report.too_near), (&None, None));
        let changed = (0..18).filter(|&v| x1[v] != scene.x1[v]).count();
        assert_eq!(changed > 0, moves > 0);
        let nearest = scene.pairs.iter().map(|p| closest(p.kind(), p.gather(&x1)).distance);
        assert!(nearest.fold(f64::INFINITY, f64::min) >= 0.4 * DELTA_M * (1.0 - 1e-6));
    }
}
