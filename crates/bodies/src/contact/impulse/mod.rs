//! Impulses against collisions that the solve did not foresee.
//!
//! Source: Bridson, Fedkiw & Anderson 2002, adapted by Thomaszewski & Blochinger 2007 (section
//! 3.2). A totally inelastic impulse acts along the normal, and Coulomb friction is bounded by it.
//! If several impulses act on a unit, the largest one alone counts. With
//! `contact.response: Impulses` contacts are not part of the linear system: the same impulses, with
//! a repulsion, then answer near pairs too.

use crate::contact::distance::ContactDistance;
use crate::contact::friction::Friction;
use crate::contact::point::Contact;
use crate::contact::projection::NodeResponse;
use crate::contact::side::Dynamics;
use crate::contact::squeeze::Squeezed;
use cloth_collision::collision::ccd::{FALSE_REPORTS, time_of_round_impact};
use cloth_collision::collision::narrow::{Closest, closest};
use cloth_collision::collision::screen::{Pace, screen};
use cloth_collision::collision::{Pair, PairKind, Sweep};
use cloth_core::Vec3;
use cloth_core::linear::MAX_TERMS;

/// The largest number of continuous tests of one pair in a round. Two are common (a pair that
/// starts near and separates). A pair that needs more is left to the fail-safe.
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
    /// The fraction of this distance within which an approaching pair collides.
    pub separation: f64,
    /// Squeezed cloth. Its pairs collide within the same fraction of the gap at which their
    /// contacts aim.
    pub squeezed: &'a Squeezed,
    /// Coulomb's coefficients.
    pub friction: &'a Friction,
    /// What they are multiplied by in this step.
    pub friction_factor: f64,
}

/// Adds the responses of the `candidates` that collide to `responses`, and returns the number of
/// collisions. If no vertex of a pair has moved since the last call, and each unit with a response
/// has moved, the pair asks for no response now.
///
/// A pair collides if it comes within its separation while it approaches. Its impulse ends the
/// approach of the points that are closest at the time of impact, with the velocities of the whole
/// step. Friction slows the slip of these points by at most the coefficient of friction times this
/// change, and never reverses the slip.
pub fn impulses(
    candidates: &[Pair],
    ends: StepEnds,
    law: &CollisionLaw,
    responses: &mut Vec<NodeResponse>,
) -> u64 {
    let mut collisions = 0;
    let end_velocity = |node| ends.bodies.end_velocity(node);
    // Most pairs stay apart by this bound, and their own distance costs time.
    let most = law.separation * law.distance.distance_m;
    let (radius, radii) = (FALSE_REPORTS * most, law.distance.radii);
    let sweep = Sweep { x0: ends.x0, x1: ends.x1, radius, radii };
    screen(candidates, &sweep, Pace::Common, |pair| {
        let (x0, x1) = (pair.gather(ends.x0), pair.gather(ends.x1));
        let radius_m = radii.of_pair(&pair);
        if time_of_round_impact(pair.kind(), &x0, &x1, radius_m, most).is_none() {
            return;
        }
        let distance_m = law.distance.of(&pair, None);
        let aim_m = law.squeezed.least_m(&pair, &law.distance).unwrap_or(distance_m);
        let separation_m = law.separation * distance_m.min(aim_m);
        let apart_m = [radius_m, separation_m];
        let Some(at) = collision(pair.kind(), &x0, &x1, apart_m) else { return };
        let weights = at.weights;
        let relative = match radius_m > 0.0 {
            // The surface of a round side also turns.
            true => ends.bodies.sides(&pair, &weights, &at.normal).velocity(end_velocity),
            false => (0..4).map(|a| weights[a] * ((x1[a] - x0[a]) / ends.h)).sum(),
        };
        let stopped = Points { weights, normal: at.normal, relative };
        if answer(pair, &stopped, 0.0, &ends, law, responses) {
            collisions += 1;
        }
    });
    collisions
}

/// Fraction of the overlap of two sides that repulsion removes in a step.
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
        let sides = ends.bodies.sides(&contact.pair, &contact.weights, &contact.normal.into());
        let relative = sides.velocity(|node| ends.bodies.end_velocity(node));
        let (weights, normal) = (contact.weights, contact.normal.into());
        let points = Points { weights, normal, relative };
        answer(contact.pair, &points, parting, &ends, law, responses);
    }
}

/// Adds the responses of the nodes of `pair` to an impulse after which its points separate with
/// the speed `parting` (m/s). False if there are none.
fn answer(
    pair: Pair,
    points: &Points,
    parting: f64,
    ends: &StepEnds,
    law: &CollisionLaw,
    responses: &mut Vec<NodeResponse>,
) -> bool {
    let bodies = ends.bodies;
    let sides = bodies.sides(&pair, &points.weights, &points.normal);
    let inverse_mass = sides.inverse_mass(&points.normal, |node| bodies.inverse_mass(node));
    let friction = law.friction.of(&pair, &points.weights) * law.friction_factor;
    let Some(impulse) = inelastic(points, inverse_mass, friction, parting) else { return false };
    let mut changes = [(0, 0, Vec3::zeros()); MAX_TERMS];
    let terms = sides.terms();
    for (change, term) in changes.iter_mut().zip(terms) {
        let delta_u = bodies.inverse_mass(term.node).response(&term.jacobian, &impulse);
        *change = (bodies.unit(term.node), term.node, delta_u);
    }
    let changes = &changes[..terms.len()];
    let before = responses.len();
    for &(unit, node, delta_u) in changes {
        let of_unit = changes.iter().filter(|change| change.0 == unit);
        let size = of_unit.map(|(_, _, delta_u)| delta_u.norm_squared()).sum();
        responses.extend(NodeResponse::new(unit, node, pair, delta_u, size));
    }
    responses.len() > before
}

/// The closest points at the first time at which the pair is nearer than `separation_m` (m), beyond
/// the radii of its sides of `radius_m` in all (m), and approaches, on its way from `x0` to `x1`
/// (m). The continuous test may report a time at which it does not approach: it starts near, passes
/// just outside, or turns for long without coming nearer. The search then goes on from there, with
/// a smaller separation.
fn collision(
    kind: PairKind,
    x0: &[Vec3; 4],
    x1: &[Vec3; 4],
    [radius_m, separation_m]: [f64; 2],
) -> Option<Closest> {
    let (mut x, mut separation_m) = (*x0, separation_m);
    for _ in 0..MAX_RESTARTS {
        let time = time_of_round_impact(kind, &x, x1, radius_m, separation_m)?;
        x = std::array::from_fn(|a| x[a].lerp(&x1[a], time));
        let at = closest(kind, x);
        let approach: f64 = (0..4).map(|a| at.weights[a] * at.normal.dot(&(x1[a] - x0[a]))).sum();
        if approach < 0.0 {
            return Some(at);
        }
        separation_m = separation_m.min(0.5 * (at.distance - radius_m).max(0.0));
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

/// The inelastic impulse with friction (N s), after which the points separate with the speed
/// `parting` (m/s). None if they already do, or cannot move.
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
mod tests;
