//! Compares the search with a test of all pairs.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::collision::Moves;
use crate::collision::intersect::*;
use crate::collision::surface::test_sheet;
use cloth_core::mesh::Topology;

/// Two cloths, a rigid body and two obstacles, whose vertices start at `x`.
fn surfaces(x: &[Vec3]) -> Surfaces {
    let mut surfaces = Surfaces::default();
    for (n, moves) in [
        (5, Moves::Deforms),
        (3, Moves::Deforms),
        (3, Moves::Rigid),
        (4, Moves::Prescribed),
        (3, Moves::Prescribed),
    ] {
        let first = surfaces.vertex_count();
        let (faces, _) = test_sheet(n);
        let topology = Topology::new(&faces).unwrap();
        let rest = &x[first..first + (n * n) as usize];
        let surface = Surface::new(first as u32, &faces, &topology, rest, None, moves);
        surfaces.list.push(surface);
    }
    surfaces
}
const VERTICES: usize = 25 + 9 + 9 + 16 + 9;

/// The edges of all surfaces, each with its surface's place in the list.
fn edges(surfaces: &Surfaces) -> Vec<(u32, [VertexId; 2])> {
    let of = |(object, surface): (u32, &Surface)| {
        let sides = surface.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        sides.map(|[a, b]| (object, [a.min(b), a.max(b)])).collect::<Vec<_>>()
    };
    let mut edges: Vec<_> = (0..).zip(&surfaces.list).flat_map(of).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn faces(surfaces: &Surfaces) -> impl Iterator<Item = (u32, [VertexId; 3])> {
    let numbered = (0..).zip(&surfaces.list);
    numbered.flat_map(|(object, surface)| surface.faces.iter().map(move |&face| (object, face)))
}

/// True if pairs of these two objects count.
fn counts(surfaces: &Surfaces, a: u32, b: u32) -> bool {
    let [first, second] = [a, b].map(|object| surfaces.list[object as usize].moves);
    first.meets(second, a == b)
}

fn all_intersections(surfaces: &Surfaces, x: &[Vec3]) -> Vec<([u32; 2], [u32; 3])> {
    let mut found = Vec::new();
    for (of_edge, edge) in edges(surfaces) {
        for (of_face, face) in faces(surfaces) {
            if counts(surfaces, of_edge, of_face)
                && !edge.iter().any(|vertex| face.contains(vertex))
                && edge_meets_face(edge.map(|v| x[v as usize]), face.map(|v| x[v as usize]))
            {
                let mut face = face;
                face.sort_unstable();
                found.push((edge, face));
            }
        }
    }
    found.sort_unstable();
    found
}

/// The elementary pairs nearer than `delta`, by objects.
fn all_near(surfaces: &Surfaces, x: &[Vec3], delta: f64) -> BTreeMap<[u32; 2], Vec<Pair>> {
    let mut near = BTreeMap::<_, Vec<Pair>>::new();
    let mut add = |a: u32, b: u32, pair: Pair| {
        if counts(surfaces, a, b)
            && !pair.shares_a_vertex()
            && closest(pair.kind(), pair.gather(x)).distance < delta
        {
            near.entry([a.min(b), a.max(b)]).or_default().push(pair);
        }
    };
    let edges = edges(surfaces);
    for (at, &(a, edge)) in edges.iter().enumerate() {
        edges[..at].iter().for_each(|&(b, other)| add(a, b, Pair::edge_edge(edge, other)));
    }
    for (b, face) in faces(surfaces) {
        for (a, surface) in (0..).zip(&surfaces.list) {
            surface.vertices().for_each(|v| add(a, b, Pair::vertex_face(v as u32, face)));
        }
    }
    near
}

/// The vertices of the two cloths that touch `obstacle`: those in `meeting` edges and faces and in
/// `near` pairs.
fn all_touching(
    surfaces: &Surfaces,
    meeting: &[([u32; 2], [u32; 3])],
    near: &BTreeMap<[u32; 2], Vec<Pair>>,
    obstacle: u32,
) -> Vec<VertexId> {
    let own = surfaces.list[obstacle as usize].vertices();
    let is_own = |vertex: &VertexId| own.contains(&(*vertex as usize));
    let of_meeting = meeting.iter().map(|(edge, face)| [&edge[..], face].concat());
    let of_near = (0..2).filter_map(|cloth| near.get(&[cloth, obstacle])).flatten();
    let all = of_meeting.chain(of_near.map(|pair| pair.vertices.to_vec()));
    let of_obstacle = all.filter(|vertices| vertices.iter().any(is_own)).flatten();
    let cloth = surfaces.list[2].first_vertex;
    let mut vertices = Vec::from_iter(of_obstacle.filter(|&vertex| vertex < cloth));
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// Crumpled surfaces in a cube, or on a grid on which vertices touch, coincide and lie in
/// planes.
fn crumpled() -> impl Strategy<Value = Vec<Vec3>> {
    let loose = [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from);
    let grid = [-4_i32..5, -4..5, -4..5].prop_map(|p| Vec3::from(p.map(f64::from)) * 0.25);
    prop_oneof![
        prop::collection::vec(loose, VERTICES).boxed(),
        prop::collection::vec(grid, VERTICES).boxed(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn agrees_with_a_test_of_all_pairs(x in crumpled(), delta in prop_oneof![Just(1e-5), 0.01..0.1]) {
        let (surfaces, threads) = (surfaces(&x), Threads::new(1).unwrap());
        let expected = all_intersections(&surfaces, &x);
        let found = intersections(&threads, &surfaces, &x);
        let pairs: Vec<_> = found.iter().map(|found| (found.edge, found.face)).collect();
        prop_assert_eq!(&pairs, &expected);

        let problems = start_state(&threads, &surfaces, &x, delta);
        let total = |kind| -> usize {
            problems.iter().filter(|p| p.kind == kind).map(|problem| problem.count).sum()
        };
        prop_assert_eq!(total(ProblemKind::Intersecting), expected.len());
        let near = problems.iter().filter(|problem| problem.kind == ProblemKind::TooNear);
        let near: BTreeMap<_, _> = near.map(|problem| (problem.objects, problem.count)).collect();
        let all = all_near(&surfaces, &x, delta);
        let counts = all.iter().map(|(&objects, pairs)| (objects, pairs.len()));
        prop_assert_eq!(near, counts.collect::<BTreeMap<_, _>>());

        for obstacles in [&[3_u32, 4][..], &[4]] {
            let found = touching(&threads, &surfaces, &x, obstacles, delta);
            let expected = obstacles.iter().map(|&it| all_touching(&surfaces, &expected, &all, it));
            prop_assert_eq!(found, Vec::from_iter(expected));
        }
    }
}

#[test]
fn one_bad_vertex_of_a_start_is_reported_with_its_place() {
    // Five sheets of 0.1 m cells, 1 m above each other.
    let mut x = Vec::new();
    for (n, height) in [(5, 0.0), (3, 1.0), (3, 4.0), (4, 2.0), (3, 3.0)] {
        let at = |v| Vec3::new(f64::from(v % n) * 0.1, height, f64::from(v / n) * 0.1);
        x.extend((0..n * n).map(at));
    }
    let (surfaces, threads) = (surfaces(&x), Threads::new(1).unwrap());
    assert_eq!(start_state(&threads, &surfaces, &x, 1e-4), []);

    // The middle of the second cloth comes near the first obstacle (at 2 m), in
    // the middle of an edge between two faces.
    let middle = 25 + 4;
    x[middle] = Vec3::new(0.15, 2.0 - 2e-5, 0.15);
    let problems = start_state(&threads, &surfaces, &x, 1e-4);
    assert!(problems.iter().all(|problem| problem.kind == ProblemKind::TooNear));
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].objects, [1, 3]);
    assert!((problems[0].smallest_m - 2e-5).abs() < 1e-12);
    assert!((problems[0].places[0] - x[middle]).norm() < 1e-3);

    // Now it passes through the obstacle.
    x[middle].y = 2.1;
    let problems = start_state(&threads, &surfaces, &x, 1e-4);
    let crossing = &problems[0];
    assert_eq!((crossing.kind, crossing.objects), (ProblemKind::Intersecting, [1, 3]));
    // Six edges of the pulled vertex, and the obstacle's edges through its faces.
    assert!(crossing.count >= 6, "{crossing:?}");
    assert!(crossing.places.iter().all(|place| (place.y - 2.0).abs() < 1e-9));
}
