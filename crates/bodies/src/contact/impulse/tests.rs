//! Impulses of single pairs, and rounds of them.

use std::cell::Cell;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::contact::projection::max_project;
use crate::contact::side::tests::PointMasses;
use crate::contact::side::{InverseMass, Sides};
use cloth_core::NodeId;

const H: f64 = 1e-3;

fn vector() -> impl Strategy<Value = Vec3> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(Vec3::from)
}

fn vectors() -> impl Strategy<Value = [Vec3; 4]> {
    [vector(), vector(), vector(), vector()]
}

fn kind() -> impl Strategy<Value = PairKind> {
    prop_oneof![Just(PairKind::VertexFace), Just(PairKind::EdgeEdge)]
}

fn pair(kind: PairKind) -> Pair {
    match kind {
        PairKind::VertexFace => Pair::vertex_face(0, [1, 2, 3]),
        PairKind::EdgeEdge => Pair::edge_edge([0, 1], [2, 3]),
    }
}

static NOTHING: LazyLock<Squeezed> = LazyLock::new(Squeezed::default);

/// The same coefficient of friction for all pairs.
fn alike(mu: f64) -> Friction {
    Friction { cloth: mu, obstacle: mu, ..Friction::default() }
}

fn law(friction: &Friction, separation_m: f64) -> CollisionLaw<'_> {
    CollisionLaw {
        distance: ContactDistance::alike(separation_m, Default::default()),
        separation: 1.0,
        squeezed: &NOTHING,
        friction,
        friction_factor: 1.0,
    }
}

fn relative(at: &Closest, velocities: &[Vec3; 4]) -> Vec3 {
    (0..4).map(|a| at.weights[a] * velocities[a]).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn an_impulse_stops_the_approach_keeps_momentum_and_never_reverses_slip(
        kind in kind(),
        x in vectors(),
        v in vectors(),
        masses in [0.1..10.0, 0.1..10.0, 0.1..10.0, 0.1..10.0f64],
        friction in prop_oneof![Just(0.0), Just(10.0), 0.0..1.0f64],
    ) {
        let at = closest(kind, x);
        let before = relative(&at, &v);
        let points = Points { weights: at.weights, normal: at.normal, relative: before };
        let inverse_mass = (0..4).map(|a| at.weights[a].powi(2) / masses[a]).sum();
        let impulse = inelastic(&points, inverse_mass, friction, 0.0);
        prop_assert_eq!(impulse.is_some(), before.dot(&at.normal) < 0.0);
        if let Some(impulse) = impulse {
            let changes: [_; 4] = std::array::from_fn(|a| impulse * at.weights[a] / masses[a]);
            let after = relative(&at, &std::array::from_fn(|a| v[a] + changes[a]));
            prop_assert!(after.dot(&at.normal).abs() < 1e-12);
            let momentum: Vec3 = (0..4).map(|a| masses[a] * changes[a]).sum();
            prop_assert!(momentum.norm() < 1e-12);

            let approach = -before.dot(&at.normal);
            let slip = before + approach * at.normal;
            let expected = (slip.norm() - friction * approach).max(0.0);
            prop_assert!((after.norm() - expected).abs() < 1e-12);
            prop_assert!(after.dot(&slip) >= -1e-12);
        }
    }

    #[test]
    fn what_would_pass_through_is_stopped(
        kind in kind(),
        meeting in vectors(),
        v in vectors(),
        time in 0.05..0.95f64,
    ) {
        // All four vertices meet the other side at `time`, whatever they do.
        let at = closest(kind, meeting);
        let shift = at.distance * at.normal;
        let side = pair(kind).first_side();
        let at_time = |a: usize| if a < side { meeting[a] - shift } else { meeting[a] };
        let x0: [_; 4] = std::array::from_fn(|a| at_time(a) - time * v[a]);
        let x1: [_; 4] = std::array::from_fn(|a| at_time(a) + (1.0 - time) * v[a]);
        prop_assume!(closest(kind, x0).distance > 1e-2);
        let ends = StepEnds { x0: &x0, x1: &x1, bodies: &PointMasses(&[1.0; 4]), h: H };
        let mut responses = Vec::new();
        let found = impulses(&[pair(kind)], ends, &law(&alike(0.0), 1e-3), &mut responses);
        prop_assert_eq!(found, 1);
        prop_assert!(!responses.is_empty());
    }
}

/// Vertices `2 i` and `2 i + 1` follow node `i`. Nodes `2 j` and `2 j + 1` are one unit.
struct Twins<'a>(&'a [f64]);

impl Dynamics for Twins<'_> {
    fn sides(&self, pair: &Pair, weights: &[f64; 4], _: &Vec3) -> Sides {
        Sides::of_weights(&pair.vertices.map(|vertex| vertex / 2), weights, pair.first_side())
    }

    fn velocity(&self, _: NodeId) -> Vec3 {
        Vec3::zeros()
    }

    fn expected_velocity(&self, _: NodeId) -> Vec3 {
        Vec3::zeros()
    }

    fn continued_velocity(&self, _: NodeId) -> Vec3 {
        Vec3::zeros()
    }

    fn end_velocity(&self, _: NodeId) -> Vec3 {
        Vec3::zeros()
    }

    fn inverse_mass(&self, node: NodeId) -> InverseMass {
        InverseMass::Scalar(self.0[node as usize])
    }

    fn body(&self, _: NodeId) -> Option<usize> {
        None
    }

    fn unit(&self, node: NodeId) -> NodeId {
        node / 2 * 2
    }
}

/// All pairs between faces of three successive vertices.
fn all_pairs(vertices: u32) -> Vec<Pair> {
    let faces = || (0..vertices / 3).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]);
    let edges = || faces().flat_map(|[a, b, c]| [[a, b], [a, c], [b, c]]);
    let apart = |a: &[u32], b: &[u32]| a[0] / 3 != b[0] / 3;
    let of_faces = faces().flat_map(|face| {
        let others = (0..vertices).filter(move |&vertex| apart(&[vertex], &face));
        others.map(move |vertex| Pair::vertex_face(vertex, face))
    });
    let of_edges = edges().flat_map(|first| {
        let others = edges().filter(move |second| first < *second && apart(&first, second));
        others.map(move |second| Pair::edge_edge(first, second))
    });
    of_faces.chain(of_edges).collect()
}

#[test]
fn later_rounds_that_test_what_has_moved_are_those_that_test_all() {
    const VERTICES: usize = 36;
    let rounds = Cell::new(0);
    proptest!(ProptestConfig::with_cases(200), |(
        x0 in prop::collection::vec(vector(), VERTICES),
        v in prop::collection::vec(vector(), VERTICES / 2),
        inverse_masses in prop::collection::vec(prop_oneof![Just(0.0), 0.1..10.0], VERTICES / 2),
    )| {
        let (bodies, all) = (Twins(&inverse_masses), all_pairs(VERTICES as u32));
        let friction = alike(0.3);
        let law = law(&friction, 1e-2);
        let mut u: Vec<Vec3> = v.iter().map(|v| v * 0.3).collect();
        let mut retested = all.clone();
        for _ in 0..12 {
            let x1: Vec<Vec3> = x0.iter().enumerate().map(|(a, x)| x + u[a / 2]).collect();
            let ends = StepEnds { x0: &x0, x1: &x1, bodies: &bodies, h: 1.0 };
            let [mut of_all, mut responses] = [Vec::new(), Vec::new()];
            let counts = [
                impulses(&all, ends, &law, &mut of_all),
                impulses(&retested, ends, &law, &mut responses),
            ];
            prop_assert_eq!(counts[0], counts[1]);
            [&mut of_all, &mut responses].into_iter().for_each(max_project);
            prop_assert_eq!(&of_all, &responses);
            if responses.is_empty() {
                break;
            }
            let mut moved = [false; VERTICES];
            for response in &responses {
                u[response.node as usize] += Vec3::from(response.delta_u);
                moved[2 * response.unit as usize..][..4].fill(true);
            }
            retested = all.iter().filter(|pair| pair.has_any(&moved)).copied().collect();
            rounds.set(rounds.get() + usize::from(retested.len() < all.len()));
        }
    });
    let rounds = rounds.get();
    assert!(rounds > 100, "only {rounds} rounds left a pair out");
}

/// A vertex at `height` over a fixed face, moving by `step`.
fn dropped(height: f64, step: Vec3, friction: f64) -> (u64, Vec<NodeResponse>) {
    let x0 = [
        Vec3::new(0.0, height, 0.0),
        -Vec3::x() - Vec3::z(),
        2.0 * Vec3::z(),
        Vec3::x() - Vec3::z(),
    ];
    let mut x1 = x0;
    x1[0] += step;
    let bodies = PointMasses(&[4.0, 0.0, 0.0, 0.0]);
    let ends = StepEnds { x0: &x0, x1: &x1, bodies: &bodies, h: H };
    let mut responses = Vec::new();
    let pair = Pair::vertex_face(0, [1, 2, 3]);
    let found = impulses(&[pair], ends, &law(&alike(friction), 1e-4), &mut responses);
    (found, responses)
}

#[test]
fn a_vertex_on_a_fixed_face_takes_all_of_the_impulse() {
    let (found, responses) = dropped(0.001, Vec3::new(0.003, -0.002, 0.0), 0.5);
    assert_eq!((found, responses.len()), (1, 1));
    let expected = Vec3::new(-1.0, 2.0, 0.0);
    assert!((Vec3::from(responses[0].delta_u) - expected).norm() < 1e-12, "{responses:?}");
}

#[test]
fn a_pair_already_near_is_answered_only_if_it_approaches() {
    assert_eq!(dropped(5e-5, -1e-5 * Vec3::y(), 0.0).0, 1);
    assert_eq!(dropped(5e-5, 1e-5 * Vec3::y(), 0.0), (0, Vec::new()));
    assert_eq!(dropped(5e-5, 1e-2 * Vec3::x(), 0.0), (0, Vec::new()));
}
