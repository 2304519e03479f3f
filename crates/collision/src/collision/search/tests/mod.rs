//! Searches against brute force over all pairs.

mod round;

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::collision::ccd::time_of_impact;
use crate::collision::dop::near;
use crate::collision::narrow::closest;
use crate::collision::screen::{Pace, may_come_near};
use crate::collision::search::*;
use crate::collision::surface::test_sheet;
use cloth_core::mesh::Topology;

/// Every elementary pair whose sides have no vertex in common and belong to surfaces that meet.
fn all_pairs(surfaces: &Surfaces) -> Vec<Pair> {
    let faces = || surfaces.list.iter().flat_map(|surface| surface.faces.iter().copied());
    let mut edges: Vec<[VertexId; 2]> = faces()
        .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let vertices = 0..surfaces.vertex_count() as VertexId;
    let mut pairs: Vec<Pair> = vertices
        .flat_map(|vertex| faces().map(move |face| Pair::vertex_face(vertex, face)))
        .collect();
    for (at, &edge) in edges.iter().enumerate() {
        pairs.extend(edges[..at].iter().map(|&other| Pair::edge_edge(edge, other)));
    }
    let object_of = |vertex: VertexId| {
        let holds = |surface: &Surface| surface.vertices().contains(&(vertex as usize));
        surfaces.list.iter().position(holds).unwrap()
    };
    // The first vertex is of one side and the last one of the other.
    let meet = |pair: &Pair| {
        let [a, b] = [pair.vertices[0], pair.vertices[3]].map(object_of);
        surfaces.list[a].moves.meets(surfaces.list[b].moves, a == b)
            && [a, b] != [2, 3]
            && [a, b] != [3, 2]
    };
    pairs.retain(|pair| !pair.shares_a_vertex() && meet(pair));
    pairs.sort_unstable();
    pairs
}

/// The pairs that come near over a motion within `radius`.
fn near_pairs(all: &[Pair], motion: (&[Vec3], &[Vec3]), radius: f64) -> Vec<Pair> {
    near_pairs_at(all, motion, radius, |_| Pace::Common)
}

/// The near pairs with a pace for each pair.
fn near_pairs_at(
    all: &[Pair],
    (x0, x1): (&[Vec3], &[Vec3]),
    radius: f64,
    pace: impl Fn(&Pair) -> Pace,
) -> Vec<Pair> {
    let swept = |(x0, x1): (&Vec3, &Vec3)| Dop18::swept(x0, x1, 0.5 * radius);
    let vertices: Vec<Dop18> = x0.iter().zip(x1).map(swept).collect();
    let sweep = Sweep { x0, x1, radius, radii: Default::default() };
    let comes_near =
        |pair: &&Pair| near(pair, &vertices) && may_come_near(pair, &sweep, pace(pair));
    all.iter().filter(comes_near).copied().collect()
}

/// What candidates are sought for: pairs within `distance` at the start of the motion, and times
/// of impact.
fn collisions(
    pairs: &[Pair],
    (x0, x1): (&[Vec3], &[Vec3]),
    distance: f64,
) -> (Vec<Pair>, Vec<(Pair, f64)>) {
    let is_near = |pair: &&Pair| closest(pair.kind(), pair.gather(x0)).distance < distance;
    let impact = |pair: &Pair| {
        let (start, end) = (pair.gather(x0), pair.gather(x1));
        Some((*pair, time_of_impact(pair.kind(), &start, &end, 0.25 * distance)?))
    };
    (pairs.iter().filter(is_near).copied().collect(), pairs.iter().filter_map(impact).collect())
}

/// Triangles without a common vertex.
fn soup(count: u32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let rest = (0..3 * count).map(|v| Vec3::new((v / 3).into(), (v % 3).into(), (v % 2).into()));
    ((0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(), rest.collect())
}

/// A strip with a fin of two faces at an edge that has two faces already, and a flipped neighbour.
fn tangle() -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let faces = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [1, 2, 5], [2, 1, 6], [4, 3, 7], [5, 1, 8]];
    (faces.to_vec(), (0..9).map(|v| Vec3::new(v.into(), (v % 2).into(), (v % 3).into())).collect())
}

/// Two cloths whose vertices lie in the given patches, a rigid body in the last patch, and three
/// obstacles. Body and first obstacle are kept apart.
fn surfaces(patch_of: &[PatchId], patches: usize) -> Surfaces {
    let meshes = [
        (test_sheet(5), Moves::Deforms),
        (test_sheet(3), Moves::Deforms),
        (test_sheet(3), Moves::Rigid),
        (test_sheet(4), Moves::Prescribed),
        (soup(8), Moves::Prescribed),
        (tangle(), Moves::Prescribed),
    ];
    let mut surfaces = Surfaces::default();
    for ((faces, rest), moves) in meshes {
        let first = surfaces.vertex_count();
        let own = match moves {
            Moves::Deforms => patch_of[first..first + rest.len()].to_vec(),
            Moves::Rigid => vec![patches as PatchId - 1; rest.len()],
            Moves::Prescribed => Vec::new(),
        };
        let parts = (!own.is_empty()).then_some((own.as_slice(), patches));
        assert!(Topology::new(&faces).is_ok() || moves == Moves::Prescribed);
        let topology = Topology::of_any(&faces);
        let surface = Surface::new(first as u32, &faces, &topology, &rest, parts, moves);
        surfaces.list.push(surface);
    }
    surfaces.exclude([[3, 2]].into_iter());
    surfaces
}
const CLOTH_VERTICES: usize = 25 + 9;
const VERTICES: usize = CLOTH_VERTICES + 9 + 16 + 24 + 9;

fn crumpled() -> impl Strategy<Value = (Vec<Vec3>, Vec<Vec3>)> {
    let vector = || [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from);
    let motion = prop_oneof![Just(0.0), Just(0.01), Just(0.3)];
    let vectors = prop::collection::vec((vector(), vector()), VERTICES);
    (vectors, motion, prop_oneof![Just(0.1), Just(1.0)]).prop_map(|(vectors, motion, size)| {
        vectors.into_iter().map(|(x, v)| (x * size, x * size + v * motion)).unzip()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn pairs_found_are_those_of_a_search_over_all_pairs(
        (x0, x1) in crumpled(),
        patch_of in prop::collection::vec(0_u32..6, CLOTH_VERTICES),
        radius in prop_oneof![Just(1e-6), 0.001..0.1],
        strayed in prop::collection::vec(0..CLOTH_VERTICES as VertexId, 1..9),
    ) {
        let threads = Threads::new(1).unwrap();
        let whole = surfaces(&[0; CLOTH_VERTICES], 1);
        let all = all_pairs(&whole);
        let motion = (x0.as_slice(), x1.as_slice());
        let expected = near_pairs(&all, motion, radius);
        let distance = 0.99 * radius;
        prop_assert_eq!(collisions(&expected, motion, distance), collisions(&all, motion, distance));

        let cut = surfaces(&patch_of, 6);
        for (surfaces, patches) in [(&whole, 1), (&cut, 6)] {
            let mut finder = CandidateFinder::new(surfaces);
            let sweep = Sweep { x0: &x0, x1: &x1, radius, radii: Default::default() };
            finder.refit(&threads, surfaces, &sweep);
            let every = Vec::from_iter(0..patches);
            let (counters, found) = finder.share(surfaces, &sweep, &every);
            prop_assert_eq!(&found, &expected);

            let mut sum = TestCounters::default();
            for rank in 0..3 {
                let own = Vec::from_iter((0..patches).filter(|patch| patch % 3 == rank));
                sum.add(&finder.share(surfaces, &sweep, &own).0);
            }
            prop_assert_eq!(sum, counters);
        }

        // Some vertices take another way.
        let (predicted, strayed, mut x1) = (x1.clone(), BTreeSet::from_iter(strayed), x1);
        for &vertex in &strayed {
            x1[vertex as usize] = x0[CLOTH_VERTICES - 1 - vertex as usize];
        }
        let strayed = Vec::from_iter(strayed);
        // Then some of them, and others, may stop on their way.
        let stopped = [strayed[0], CLOTH_VERTICES as VertexId - 1];
        let may_stop = |pair: &Pair| pair.vertices.iter().any(|vertex| stopped.contains(vertex));
        let expected = near_pairs_at(&all, (&x0, &x1), radius, |pair| {
            if may_stop(pair) { Pace::Any } else { Pace::Common }
        });
        let sweep = Sweep { x0: &x0, x1: &x1, radius, radii: Default::default() };
        let mut sums = Vec::new();
        for ranks in [1, 3] {
            let (mut sum, mut found) = (TestCounters::default(), Vec::new());
            for rank in 0..ranks {
                let own = Vec::from_iter((0..6).filter(|patch| patch % ranks == rank));
                let mut finder = CandidateFinder::new(&cut);
                let before = Sweep { x0: &x0, x1: &predicted, radius, radii: Default::default() };
                finder.refit(&threads, &cut, &before);
                finder.share(&cut, &before, &own);
                finder.refit_strayed(&cut, &sweep, &strayed, Pace::Common);
                sum.add(&finder.share(&cut, &sweep, &own).0);
                finder.refit_strayed(&cut, &sweep, &stopped, Pace::Any);
                let (counters, pairs) = finder.share(&cut, &sweep, &own);
                sum.add(&counters);
                found.extend(pairs);
            }
            found.sort_unstable();
            prop_assert_eq!(&found, &expected);
            sums.push(sum);
        }
        prop_assert_eq!(sums[0], sums[1]);
    }
}

#[test]
fn an_obstacle_that_stops_or_starts_is_refitted() {
    let surfaces = surfaces(&[0; CLOTH_VERTICES], 1);
    let threads = Threads::new(2).unwrap();
    let all: Vec<Vec3> = surfaces
        .list
        .iter()
        .zip([0.0, 3.0, 20.0, 6.0, 9.0, 12.0])
        .flat_map(|(surface, x)| (0..surface.vertex_count).map(move |v| (v, x)))
        .map(|(v, x)| Vec3::new(x + 0.1 * (v % 5) as f64, 0.1 * (v / 5) as f64, 0.0))
        .collect();
    let moved = |by: f64| {
        let place =
            |(v, x): (usize, &Vec3)| if v < CLOTH_VERTICES { *x } else { x - Vec3::x() * by };
        Vec::from_iter(all.iter().enumerate().map(place))
    };
    let mut finder = CandidateFinder::new(&surfaces);
    let path = [(0.0, 0.0), (0.0, 0.0), (0.0, 6.0), (6.0, 6.0), (6.0, 6.0), (0.0, 0.0)];
    for (from, to) in path {
        let (x0, x1) = (moved(from), moved(to));
        let sweep = Sweep { x0: &x0, x1: &x1, radius: 0.01, radii: Default::default() };
        finder.refit(&threads, &surfaces, &sweep);
        let (_, mut found) = finder.share(&surfaces, &sweep, &[0]);
        assert_eq!(found, near_pairs(&all_pairs(&surfaces), (&x0, &x1), 0.01));
        found.retain(|pair| pair.vertices.iter().any(|&v| v as usize >= CLOTH_VERTICES));
        assert_eq!(found.is_empty(), to == 0.0);
    }
}
