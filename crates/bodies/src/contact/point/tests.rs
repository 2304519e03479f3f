//! Contacts of grids and single pairs, and which of them stay.

use proptest::prelude::*;

use super::*;
use cloth_collision::collision::Radii;
use cloth_core::VertexId;
use cloth_core::math::rotation;

const DISTANCE_M: f64 = 1e-3;

fn distance() -> ContactDistance<'static> {
    ContactDistance::alike(DISTANCE_M, Radii::default())
}

struct Grid {
    faces: Vec<[VertexId; 3]>,
    edges: Vec<[VertexId; 2]>,
}

/// `n` x `n` cells of `side_m` at height `y` from corner `at`, appended to `x`.
fn grid(x: &mut Vec<Vec3>, n: u32, side_m: f64, at: [f64; 2], y: f64) -> Grid {
    let (first, row) = (x.len() as u32, n + 1);
    let (mut faces, mut edges) = (Vec::new(), Vec::new());
    for i in 0..row {
        for j in 0..row {
            let [u, v] = [f64::from(i), f64::from(j)].map(|k| k * side_m);
            x.push(Vec3::new(at[0] + u, y, at[1] + v));
            let [a, b] = [first + i * row + j, first + (i + 1) * row + j];
            edges.extend((i < n).then_some([a, b]));
            edges.extend((j < n).then_some([a, a + 1]));
            if i < n && j < n {
                faces.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
                edges.push([a + 1, b]);
            }
        }
    }
    Grid { faces, edges }
}

/// All pairs between two grids; the second's vertices follow the first's.
fn all_pairs(first: &Grid, second: &Grid) -> Vec<Pair> {
    let vertices = |grid: &Grid| {
        let ids = || grid.edges.iter().flatten().copied();
        ids().min().unwrap_or(0)..=ids().max().unwrap_or(0)
    };
    let mut pairs = Vec::new();
    for (one, other) in [(first, second), (second, first)] {
        for vertex in vertices(one) {
            pairs.extend(other.faces.iter().map(|&face| Pair::vertex_face(vertex, face)));
        }
    }
    for &edge in &first.edges {
        pairs.extend(second.edges.iter().map(|&other| Pair::edge_edge(edge, other)));
    }
    pairs
}

/// A patch of 10 cm `height` above the middle of a larger plane, its vertices
/// not over the plane's except for a few just beside its edges.
fn patch_over_plane(height: f64) -> (Vec<Vec3>, Vec<Pair>) {
    let mut x = Vec::new();
    let patch = grid(&mut x, 5, 0.02, [0.0102, 0.0302], height);
    let plane = grid(&mut x, 7, 0.05, [-0.1, -0.1], 0.0);
    let pairs = all_pairs(&patch, &plane);
    (x, pairs)
}

fn minima(pairs: &[Pair], x0: &[Vec3], predicted: &[Vec3]) -> Vec<Contact> {
    let mut contacts = Vec::new();
    let distance = distance();
    find_contacts(pairs, x0, predicted, &distance, None, &mut contacts);
    local_minima(&contacts).into_iter().copied().collect()
}

#[test]
fn a_patch_on_a_plane_is_held_straight_up() {
    let (x, pairs) = patch_over_plane(0.5 * DISTANCE_M);
    let contacts = minima(&pairs, &x, &x);
    for contact in &contacts {
        let up = if contact.pair.vertices[0] < 36 { 1.0 } else { -1.0 };
        assert!((Vec3::from(contact.normal) - up * Vec3::y()).norm() < 1e-12, "{contact:?}");
        assert!((contact.gap_m - 0.5 * DISTANCE_M).abs() < 1e-15);
        assert_eq!(contact.kind(), ContactKind::Proximity);
    }
    for vertex in 0..36 {
        let of_it =
            |c: &&Contact| c.pair.kind() == PairKind::VertexFace && c.pair.vertices[0] == vertex;
        assert_eq!(contacts.iter().filter(of_it).count(), 1, "vertex {vertex}");
    }
    assert!(contacts.iter().any(|c| c.pair.kind() == PairKind::EdgeEdge));
}

proptest! {
    /// Two contacts now and then would shake what rests there. Between 1e-12 and 1e-9 m beside a
    /// corner, where weights are as small as `NO_WEIGHT`, there may be two.
    #[test]
    fn a_vertex_above_an_edge_or_a_corner_of_a_plane_has_one_contact(
        (along, smallness) in prop_oneof![
            (Just(0.0), prop_oneof![5..9_i32, 13..18_i32]),
            (1e-3..1.0f64, 5..18_i32),
        ],
        edge in prop::sample::select(vec![[0.0, 1.0], [1.0, 0.0], [1.0, -1.0]]),
        offset in prop::array::uniform2(prop_oneof![-1.0..-0.1f64, 0.1..1.0f64]),
        height in 0.1..0.9f64,
        axis in prop::array::uniform3(-1.0..1.0f64),
    ) {
        // The lowest number: else a face whose closest point is a corner may be left out.
        let mut x = vec![Vec3::zeros()];
        let plane = grid(&mut x, 2, 0.05, [-0.05, -0.05], 0.0);
        let offset = Vec3::new(offset[0], 0.0, offset[1]) * 10_f64.powi(-smallness);
        let foot = Vec3::new(edge[0], 0.0, edge[1]) * (0.05 * along) + offset;
        x[0] = foot + Vec3::y() * (height * DISTANCE_M);
        let turn = rotation(axis.into(), 100.0);
        x.iter_mut().for_each(|x| *x = turn * *x);
        let pairs = plane.faces.iter().map(|&face| Pair::vertex_face(0, face));
        let contacts = minima(&Vec::from_iter(pairs), &x, &x);
        prop_assert_eq!(contacts.len(), 1, "{:?}", contacts);
    }
}

/// A rank that owns a corner alone does not have all impacts of a vertex.
#[test]
fn impacts_do_not_decide_which_proximities_are_kept() {
    let (x, pairs) = patch_over_plane(0.5 * DISTANCE_M);
    let mut near = Vec::new();
    let distance = distance();
    find_contacts(&pairs, &x, &x, &distance, None, &mut near);
    let impacts = near.iter().filter(|it| it.pair.kind() == PairKind::VertexFace).map(|it| {
        let [vertex, a, b, c] = it.pair.vertices;
        // The next pair in order, with no face of the mesh.
        Contact { pair: Pair::vertex_face(vertex, [a, b, c + 1000]), kind: 2, ..*it }
    });
    let mixed = [near.clone(), impacts.collect()].concat();
    let count = near.len();
    let near = local_minima(&near);
    assert!(near.len() < count);
    let mut mixed = local_minima(&mixed);
    mixed.retain(|contact| contact.kind() == ContactKind::Proximity);
    assert_eq!(mixed, near);
}

#[test]
fn parting_pairs_stay_on_the_list() {
    let (x, pairs) = patch_over_plane(0.5 * DISTANCE_M);
    let mut parting = x.clone();
    parting[..36].iter_mut().for_each(|x| x.y += 0.1);
    assert_eq!(minima(&pairs, &x, &x), minima(&pairs, &x, &parting));
}

#[test]
fn a_falling_patch_is_caught_before_it_arrives() {
    let (x, pairs) = patch_over_plane(5.0 * DISTANCE_M);
    let mut falling = x.clone();
    falling[..36].iter_mut().for_each(|x| x.y -= 0.05);
    let contacts = minima(&pairs, &x, &falling);
    assert!(minima(&pairs, &x, &x).is_empty());
    for vertex in 0..36 {
        let holds = |c: &Contact| {
            c.pair.vertices[0] == vertex
                && c.kind() == ContactKind::Impact
                && (c.normal[1] - 1.0).abs() < 1e-9
                && (c.gap_m - 5.0 * DISTANCE_M).abs() < 1e-9
        };
        assert!(contacts.iter().any(holds), "vertex {vertex}");
    }
    assert!(contacts.iter().all(|c| c.gap_m >= DISTANCE_M));
}

#[test]
fn vertices_over_vertices_touch_once() {
    let mut x = Vec::new();
    let low = grid(&mut x, 3, 0.02, [0.0, 0.0], 0.0);
    let high = grid(&mut x, 3, 0.02, [0.0, 0.0], 0.5 * DISTANCE_M);
    let contacts = minima(&all_pairs(&low, &high), &x, &x);
    assert_eq!(contacts.len(), 16);
    assert!(contacts.iter().all(|c| c.normal == [0.0, -1.0, 0.0]));
}

#[test]
fn edges_that_cross_in_passing_have_the_normal_of_the_crossing() {
    // The upper edge comes from the side, so that at the start the closest
    // points are ends and the normal there is nearly horizontal.
    let x0 = [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [2.0, 0.01, 0.0], [3.0, 0.01, 0.0]];
    let x0 = x0.map(Vec3::from).to_vec();
    let mut end = x0.clone();
    end[2..].iter_mut().for_each(|x| *x += Vec3::new(-4.0, -0.015, 0.0));
    let contacts = minima(&[Pair::edge_edge([0, 1], [2, 3])], &x0, &end);
    assert_eq!(contacts.len(), 1);
    assert!((contacts[0].normal[1] + 1.0).abs() < 1e-9, "{contacts:?}");
}

/// Two impacts of one vertex on a flat face, as two solutions of a step find them: they differ
/// in their weights alone.
#[test]
fn which_of_two_impacts_of_a_pair_is_kept_does_not_depend_on_the_order() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
    let x0 = [vec![Vec3::new(0.2, 0.01, 0.2)], corners.to_vec()].concat();
    let pair = Pair::vertex_face(0, [1, 2, 3]);
    let impact = |along_m: f64| {
        let mut end = x0.clone();
        end[0] += Vec3::new(along_m, -0.02, 0.0);
        minima(&[pair], &x0, &end)[0]
    };
    let [one, other] = [[0.1, 0.3], [0.3, 0.1]].map(|ways| ways.map(impact));
    assert_eq!((one[0].gap_m, one[0].normal), (other[0].gap_m, other[0].normal));
    assert_ne!(one[0], other[0]);
    assert_eq!(local_minima(&one), local_minima(&other));
}

proptest! {
    #[test]
    fn local_minima_do_not_depend_on_the_order(seed in any::<[u64; 4]>()) {
        let mut x = Vec::new();
        let low = grid(&mut x, 3, 0.02, [0.0, 0.0], 0.0);
        let high = grid(&mut x, 3, 0.02, [0.0005, 0.0003], 0.4 * DISTANCE_M);
        let mut pairs = all_pairs(&low, &high);
        let expected = minima(&pairs, &x, &x);
        pairs.sort_by_key(|pair| {
            let mix = |hash: u64, (v, s): (&u32, &u64)| (hash ^ u64::from(*v)).wrapping_mul(s | 1);
            pair.vertices.iter().zip(&seed).fold(1, mix).rotate_left(32)
        });
        prop_assert_eq!(minima(&pairs, &x, &x), expected);
    }
}
