//! Balls and capsules among sheets and triangles, each with a wild motion.

use super::*;

/// A round shape: the ends of its axis (the same vertex twice for a ball), in a scene.
#[derive(Debug, Clone)]
pub struct Round {
    ends: [VertexId; 2],
    face: [VertexId; 3],
}

/// The start and the motion of the ends of a round shape, in units of a scene, and its radius.
type Wild = ([Vec3; 2], [Vec3; 2], f64, bool);

/// Adds a wild round shape.
fn add_round(scene: &mut TestScene, round: &mut Vec<Round>, wild: &Wild, speed: f64) {
    let &([at, along], [way, turn], radius_m, is_ball) = wild;
    let x0 = [0.12 * at, 0.12 * at + 0.05 * along];
    let x1 = [x0[0] + 0.1 * speed * way, x0[1] + 0.1 * speed * (way + 0.5 * turn)];
    let count = if is_ball { 1 } else { 2 };
    add_ends(scene, round, &x0[..count], &x1[..count], radius_m);
}

/// Adds the round shape of `radius_m` (m) between the ends `x0`, which move to `x1`, unless it starts
/// nearer than 1.5 `DELTA_M` to something. Its pairs are those that the search finds.
pub fn add_ends(
    scene: &mut TestScene,
    round: &mut Vec<Round>,
    x0: &[Vec3],
    x1: &[Vec3],
    radius_m: f64,
) {
    let (before, first) = (scene.clone(), scene.x0.len() as VertexId);
    let (is_ball, last) = (x0.len() == 1, first + x0.len() as VertexId - 1);
    scene.x0.extend(x0);
    scene.x1.extend(x1);
    scene.inverse_masses.resize(scene.x0.len(), 1.0);
    scene.radii.resize(first as usize, 0.0);
    scene.radii.resize(scene.x0.len(), radius_m);
    let new = Round { ends: [first, last], face: [first, last, last] };
    let own = Vec::from_iter(first..=last);
    let mut found =
        Vec::from_iter(product(&before.faces, &own).map(|(f, v)| Pair::vertex_face(v, f)));
    if !is_ball {
        found.extend(before.edges.iter().map(|&edge| Pair::edge_edge(new.ends, edge)));
    }
    for other in &*round {
        found.extend(own.iter().map(|&v| Pair::vertex_face(v, other.face)));
        found.extend((other.ends[0]..=other.ends[1]).map(|v| Pair::vertex_face(v, new.face)));
        if !is_ball && other.ends[0] < other.ends[1] {
            found.push(Pair::edge_edge(new.ends, other.ends));
        }
    }
    let clear = |pair: &Pair| distance(scene, pair, &scene.x0) >= 1.5 * DELTA_M;
    if !found.iter().all(clear) {
        *scene = before;
        return;
    }
    scene.pairs.extend(found);
    round.push(new);
}

/// The distance of the sides of a pair at `x` (m), less their radii.
fn distance(scene: &TestScene, pair: &Pair, x: &[Vec3]) -> f64 {
    closest(pair.kind(), pair.gather(x)).distance - Radii::new(0, &scene.radii).of_pair(pair)
}

/// The least distance on the way to `x1` (m), also of the vertices of triangles from the axes,
/// which are no pairs of the search.
pub fn least_distance(scene: &TestScene, round: &[Round], x1: &[Vec3]) -> f64 {
    let flat = |v: &VertexId| scene.radii[*v as usize] == 0.0;
    let vertices = Vec::from_iter((0..scene.x0.len() as VertexId).filter(flat));
    let faces = Vec::from_iter(round.iter().map(|it| it.face));
    let more = product(&faces, &vertices).map(|(face, v)| Pair::vertex_face(v, face));
    let pairs = Vec::from_iter(scene.pairs.iter().copied().chain(more));
    let at = |i: u32| {
        let way = scene.x0.iter().zip(x1);
        let x = Vec::from_iter(way.map(|(x0, x1)| x0.lerp(x1, f64::from(i) / 100.0)));
        let distances = pairs.iter().map(|pair| distance(scene, pair, &x));
        distances.fold(f64::INFINITY, f64::min)
    };
    (0..=100).map(at).fold(f64::INFINITY, f64::min)
}

fn among() -> impl Strategy<Value = (TestScene, Vec<Round>)> {
    let wild = || [vector(), vector()];
    let shape = (wild(), wild(), prop_oneof![Just(2e-3), 0.005..0.03], any::<bool>());
    let triangle = ([vector(), vector(), vector()], [vector(), vector(), vector()], 0..6u32);
    let triangles = prop::collection::vec((triangle, vector()), 0..6);
    let noise = prop::collection::vec(vector(), 16);
    let speed = prop_oneof![Just(0.05), Just(0.3), Just(1.0)];
    (prop::collection::vec(shape, 1..8), triangles, noise, speed).prop_map(
        |(shapes, triangles, noise, speed)| {
            let mut scene = TestScene::default();
            let (faces, flat) = sheet(4);
            let x1 = Vec::from_iter(flat.iter().zip(&noise).map(|(x, n)| x + 0.02 * speed * n));
            scene.add(&faces, &flat, &x1, false, true);
            for ((corners, wild, kind), place) in triangles {
                let x0 = corners.map(|corner| 0.12 * place + 0.05 * corner);
                let own = if kind == 0 { 0.0 } else { 0.1 * speed };
                let x1 = std::array::from_fn::<_, 3, _>(|a| x0[a] + own * wild[a]);
                scene.add(&[[0, 1, 2]], &x0, &x1, kind == 0, false);
            }
            let mut round = Vec::new();
            scene.radii.resize(scene.x0.len(), 0.0);
            shapes.iter().for_each(|shape| add_round(&mut scene, &mut round, shape, speed));
            (scene, round)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn no_pair_of_wild_round_shapes_comes_nearer_than_delta((scene, round) in among()) {
        let (scene, report, x1) = scene.run_redone();
        prop_assert_eq!(report.too_near, None);
        let least = least_distance(&scene, &round, &x1);
        prop_assert!(least >= DELTA_M * (1.0 - 1e-6), "{:e} m", least);
    }

    #[test]
    fn round_shapes_end_alike_on_all_ranks((scene, _) in among()) {
        let (report, x1) = scene.run();
        let on_three = scene.run_on(3, &scene.pairs);
        prop_assert_eq!((report, bits(&x1)), (on_three.0, bits(&on_three.1)));
    }
}
