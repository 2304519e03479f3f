//! Impulses against collisions that the solve did not foresee.
//!
//! Source: Bridson, Fedkiw & Anderson 2002, adapted by Thomaszewski & Blochinger 2007 (section
//! 3.2). A totally inelastic impulse acts along the normal, and Coulomb friction is bounded by it.
//! If several impulses act on a unit, the largest one alone counts. With
//! `contact.response: Impulses` contacts are not part of the linear system: the same impulses, with
//! a repulsion, then answer near pairs too.

use crate::collision::ccd::time_of_impact;
use crate::collision::narrow::{Closest, closest};
use crate::collision::{Pair, PairKind};
use crate::contact::distance::ContactDistance;
use crate::contact::law::Friction;
use crate::contact::point::Contact;
use crate::contact::projection::NodeResponse;
use crate::contact::side::Dynamics;
use crate::linear::MAX_TERMS;
use crate::math::Vec3;

/// Most continuous tests of one pair in a round. Two are common (a pair that starts near and
/// parts). What needs more is left to the fail-safe.
const MAX_RESTARTS: u32 = 16;

/// The positions of all vertices at both ends of a step, and the bodies that move.
#[derive(Clone, Copy)]
pub struct StepEnds<'a> {
    /// Positions at the start of the step by vertex (m).
    pub x0: &'a [Vec3],
    /// Positions at its end (m).
    pub x1: &'a [Vec3],
    /// The velocities and masses of their nodes.
    pub bodies: &'a dyn Dynamics,
    /// Length of the step (s).
    pub h: f64,
}

/// When pairs collide, and how they slide.
#[derive(Debug, Clone, Copy)]
pub struct CollisionLaw<'a> {
    /// How far apart the sides of a pair are kept.
    pub distance: ContactDistance<'a>,
    /// The part of it within which an approaching pair collides.
    pub separation: f64,
    /// Coulomb's coefficients.
    pub friction: Friction,
}

/// Adds the responses of the `candidates` that collide to `responses`, and returns the number of
/// collisions.
///
/// A pair collides if it comes within its separation while it approaches. Its impulse ends the
/// approach of its closest points, those at the time of impact, with the velocities of the whole
/// step. It slows their slip by at most the coefficient of friction times as much, and never
/// reverses it.
pub fn impulses(
    candidates: &[Pair],
    ends: StepEnds,
    law: &CollisionLaw,
    responses: &mut Vec<NodeResponse>,
) -> u64 {
    let mut collisions = 0;
    for pair in candidates {
        let (x0, x1) = (pair.gather(ends.x0), pair.gather(ends.x1));
        // Most pairs stay apart by this bound, and their own distance costs time.
        let most = law.separation * law.distance.distance_m;
        if time_of_impact(pair.kind(), &x0, &x1, most).is_none() {
            continue;
        }
        let separation_m = law.separation * law.distance.of(pair);
        let Some(at) = collision(pair.kind(), &x0, &x1, separation_m) else { continue };
        let weights = at.weights;
        let relative = (0..4).map(|a| weights[a] * ((x1[a] - x0[a]) / ends.h)).sum();
        let stopped = Points { weights, normal: at.normal, relative };
        if answer(*pair, &stopped, 0.0, &ends, law, responses) {
            collisions += 1;
        }
    }
    collisions
}

/// Part of the overlap of two sides that repulsion takes back in a step.
const REPULSION: f64 = 0.1;

/// Adds to `responses` the repulsions of `contacts`, which are nearer than their distance at the
/// start of the step: impulses that end the approach and drive the sides apart by a tenth of the
/// overlap a step (Bridson, Fedkiw & Anderson 2002, section 7.2, with a spring so stiff that its
/// bound decides).
pub fn repulsions(
    contacts: &[Contact],
    ends: StepEnds,
    law: &CollisionLaw,
    responses: &mut Vec<NodeResponse>,
) {
    for contact in contacts {
        let parting = REPULSION * (contact.distance_m - contact.gap_m).max(0.0) / ends.h;
        let sides = ends.bodies.sides(&contact.pair, &contact.weights);
        let relative = sides.velocity(|node| ends.bodies.end_velocity(node));
        let (weights, normal) = (contact.weights, contact.normal.into());
        let points = Points { weights, normal, relative };
        answer(contact.pair, &points, parting, &ends, law, responses);
    }
}

/// Adds the responses of the nodes of `pair` to an impulse after which its points part at the speed
/// `parting` (m/s). False if no impulse is needed.
fn answer(
    pair: Pair,
    points: &Points,
    parting: f64,
    ends: &StepEnds,
    law: &CollisionLaw,
    responses: &mut Vec<NodeResponse>,
) -> bool {
    let bodies = ends.bodies;
    let sides = bodies.sides(&pair, &points.weights);
    let inverse_mass = sides.inverse_mass(&points.normal, |node| bodies.inverse_mass(node));
    let friction = law.friction.of(&pair);
    let Some(impulse) = inelastic(points, inverse_mass, friction, parting) else { return false };
    let mut changes = [(0, 0, Vec3::zeros()); MAX_TERMS];
    let terms = sides.terms();
    for (change, term) in changes.iter_mut().zip(terms) {
        let delta_u = bodies.inverse_mass(term.node).response(&term.jacobian, &impulse);
        *change = (bodies.unit(term.node), term.node, delta_u);
    }
    let changes = &changes[..terms.len()];
    for &(unit, node, delta_u) in changes {
        let of_unit = changes.iter().filter(|change| change.0 == unit);
        let size = of_unit.map(|(_, _, delta_u)| delta_u.norm_squared()).sum();
        responses.extend(NodeResponse::new(unit, node, pair, delta_u, size));
    }
    true
}

/// The closest points at the first time at which the pair is nearer than `separation_m` (m) and
/// approaches, on its way from `x0` to `x1` (m). The continuous test may report a time at which it
/// does not approach: it starts near, passes just outside, or turns for long without coming nearer.
/// The search then goes on from there, with a smaller separation.
fn collision(kind: PairKind, x0: &[Vec3; 4], x1: &[Vec3; 4], separation_m: f64) -> Option<Closest> {
    let (mut x, mut separation_m) = (*x0, separation_m);
    for _ in 0..MAX_RESTARTS {
        let time = time_of_impact(kind, &x, x1, separation_m)?;
        x = std::array::from_fn(|a| x[a].lerp(&x1[a], time));
        let at = closest(kind, x);
        let approach: f64 = (0..4).map(|a| at.weights[a] * at.normal.dot(&(x1[a] - x0[a]))).sum();
        if approach < 0.0 {
            return Some(at);
        }
        separation_m = separation_m.min(0.5 * at.distance);
    }
    None
}

/// Two points of a pair that touch.
struct Points {
    weights: [f64; 4],
    normal: Vec3,
    /// The velocity of the first point relative to the second, m/s.
    relative: Vec3,
}

/// The inelastic impulse with friction (N s), after which the points part at the speed `parting`
/// (m/s). None if they do already or cannot move.
///
/// An impulse `p` changes the relative velocity of the points by `p inverse_mass` (1/kg).
fn inelastic(points: &Points, inverse_mass: f64, friction: f64, parting: f64) -> Option<Vec3> {
    let relative = points.relative;
    let approach = -relative.dot(&points.normal);
    let change = approach + parting;
    if !(change > 0.0 && inverse_mass > 0.0) {
        return None;
    }
    let slip = relative + approach * points.normal;
    let speed = slip.norm();
    let stopped = if speed > 0.0 { (friction * change / speed).min(1.0) } else { 0.0 };
    Some((change * points.normal - stopped * slip) / inverse_mass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::side::tests::PointMasses;
    use proptest::prelude::*;

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

    fn law(friction: f64, separation_m: f64) -> CollisionLaw<'static> {
        CollisionLaw {
            distance: ContactDistance { distance_m: separation_m, rest: &[], cloth_ends: &[] },
            separation: 1.0,
            friction: Friction { cloth: friction, obstacle: friction, cloth_vertices: 0 },
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
            let found = impulses(&[pair(kind)], ends, &law(0.0, 1e-3), &mut responses);
            prop_assert_eq!(found, 1);
            prop_assert!(!responses.is_empty());
        }
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
        let found = impulses(&[pair], ends, &law(friction, 1e-4), &mut responses);
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
}
