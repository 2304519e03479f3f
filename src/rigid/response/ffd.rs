//! Fast frictional dynamics: the response of one body to its constraints (Kaufman, Edmunds & Pai
//! 2005; Iglberger & Rüde 2009, algorithm 2).
//!
//! In the metric of the body's mass matrix `M` the new velocity is the nearest to the old one that
//! meets all constraints:
//!
//! ```text
//! phi_tau = argmin (phi - phi_minus)^T M (phi - phi_minus)   with   N . phi >= d + s  for all contacts
//! r       = phi_tau - phi_minus
//! phi_plus = phi_minus + (1 + e) r + delta
//! ```
//!
//! The printed algorithm has `r = phi_minus - phi_tau`; with that sign restitution would pull
//! bodies together. `e` is the mean of the contacts' restitution, weighted by how far each is violated.
//! If no velocity meets all constraints, the body stops.
//!
//! **Friction.** The method as published bounds the *change of velocity* `delta` at each of several
//! sampled tangents by `mu` times that of the normal. A sphere's surface gives way to a tangential
//! impulse 3.5 times as easily as to a normal one, so that such a sphere would slip although its
//! weight holds it. It also brakes the absolute velocity, so that a body could not ride on
//! another. Here the *impulse* is bounded, as in Coulomb's law: the multiplier of the normal row is its
//! impulse `u`, and two tangents, the first one along the slip, get multipliers up to
//! `mu (1 + e) u`, which bring the slip against the common tangential velocity of both bodies to
//! zero if they can. Normals and tangents are solved together, because friction at the foot of a
//! box tips it. (A second pass bounds friction by the normal impulses of the first one.)

use nalgebra::UnitQuaternion;
use smallvec::SmallVec;

use crate::math::Vec3;
use crate::rigid::body::{Body, Twist};
use crate::rigid::contact::Constraint;
use crate::rigid::motion::is_isotropic;
use crate::rigid::response::qp::{self, INLINE, Outcome, Row, Vec6};

/// Passes with friction for a body that is not a sphere.
const FRICTION_PASSES: usize = 2;

/// The velocity of a body after its response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// The new velocity.
    pub twist: Twist,
    /// If its constraints could be met. The body stops if they contradict each other.
    pub outcome: Outcome,
}

/// The response of `body` to its `constraints`, in the order of (partner, feature).
pub fn respond<'a>(
    body: &Body,
    constraints: impl ExactSizeIterator<Item = &'a Constraint> + Clone,
) -> Response {
    let metric = Metric::new(body);
    let before = body.state.twist;
    let mut rows: SmallVec<[Row; INLINE]> = SmallVec::new();
    let (mut weights, mut restitution) = (0.0, 0.0);
    for constraint in constraints.clone() {
        let Constraint { arm, normal, common, .. } = constraint;
        let missing = (common - before.at(arm)).dot(normal);
        weights += missing.max(0.0);
        restitution += constraint.restitution * missing.max(0.0);
        let a = metric.row(arm, normal);
        let b = missing + constraint.separation;
        let high = if constraint.gives_way > 0.0 { body.mass * b.max(0.0) } else { f64::INFINITY };
        rows.push(Row { a, b, low: 0.0, high });
    }
    if weights > 0.0 {
        restitution /= weights;
    }
    let normal = qp::solve(&rows);
    if normal.outcome == Outcome::Infeasible {
        return Response { twist: Twist::ZERO, outcome: Outcome::Infeasible };
    }
    let mut change = normal.y;
    let mut outcome = normal.outcome;
    if constraints.clone().any(|constraint| constraint.friction > 0.0) {
        let friction = Friction { metric: &metric, before: &before, bounce: 1.0 + restitution };
        let solution = friction.solve(&mut rows, constraints, &normal);
        change = solution.y;
        outcome = solution.outcome;
    }
    qp::add_scaled(&mut change, restitution, &normal.y);
    let change = metric.twist(&change);
    let twist =
        Twist { angular: before.angular + change.angular, linear: before.linear + change.linear };
    Response { twist, outcome }
}

struct Friction<'a> {
    metric: &'a Metric,
    before: &'a Twist,
    /// `1 + e`.
    bounce: f64,
}

impl Friction<'_> {
    /// Solves for normals and tangents together. `rows` are those of the normals, and `normal` is
    /// their solution.
    fn solve<'a>(
        &self,
        rows: &mut SmallVec<[Row; INLINE]>,
        constraints: impl ExactSizeIterator<Item = &'a Constraint> + Clone,
        normal: &qp::Solution,
    ) -> qp::Solution {
        let contacts = rows.len();
        let mut found = normal.clone();
        // A sphere's tangents do not act on the normal of the same contact.
        let alone = contacts == 1 && matches!(self.metric.frame, None);
        for _ in 0..if alone { 1 } else { FRICTION_PASSES } {
            rows.truncate(contacts);
            let after = self.metric.twist(&found.y);
            for (constraint, &impulse) in constraints.clone().zip(&found.multipliers) {
                let reach = constraint.friction * self.bounce * impulse;
                if reach > 0.0 {
                    self.tangents(constraint, &after, reach, rows);
                }
            }
            let next = qp::solve(rows);
            if next.outcome == Outcome::Infeasible {
                break;
            }
            found = next;
        }
        found
    }

    /// Adds the two tangents of a contact; `change` is that of the velocity by the last pass.
    fn tangents(
        &self,
        constraint: &Constraint,
        change: &Twist,
        reach: f64,
        rows: &mut SmallVec<[Row; INLINE]>,
    ) {
        let Constraint { arm, normal, common, .. } = constraint;
        let slip = common - self.before.at(arm);
        let left = slip - change.at(arm);
        let left = left - normal * left.dot(normal);
        let length = left.norm();
        let along = if length > 1e-9 * slip.norm() { left / length } else { perpendicular(normal) };
        for tangent in [along, normal.cross(&along)] {
            let a = self.metric.row(arm, &tangent);
            rows.push(Row { a, b: slip.dot(&tangent), low: -reach, high: reach });
        }
    }
}

/// A unit vector across the unit vector `normal`.
pub fn perpendicular(normal: &Vec3) -> Vec3 {
    let axis = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    normal.cross(&axis).normalize()
}

/// The square root of the mass matrix: twists as vectors whose length is that of the metric.
struct Metric {
    /// Inverse square roots of mass and moments.
    mass: f64,
    moments: Vec3,
    /// The body's own frame, unless all axes are principal ones.
    frame: Option<UnitQuaternion<f64>>,
}

impl Metric {
    fn new(body: &Body) -> Self {
        Self {
            mass: 1.0 / body.mass.sqrt(),
            moments: body.inertia.map(|moment| 1.0 / moment.sqrt()),
            frame: (!is_isotropic(&body.inertia)).then_some(body.state.rotation),
        }
    }

    /// The dual twist of `direction` at `arm`.
    fn row(&self, arm: &Vec3, direction: &Vec3) -> Vec6 {
        let turn = arm.cross(direction);
        let turn = self.frame.map_or(turn, |frame| frame.inverse_transform_vector(&turn));
        let (turn, push) = (turn.component_mul(&self.moments), direction * self.mass);
        [turn.x, turn.y, turn.z, push.x, push.y, push.z]
    }

    /// The twist of a vector.
    fn twist(&self, y: &Vec6) -> Twist {
        let turn = Vec3::new(y[0], y[1], y[2]).component_mul(&self.moments);
        Twist {
            angular: self.frame.map_or(turn, |frame| frame.transform_vector(&turn)),
            linear: Vec3::new(y[3], y[4], y[5]) * self.mass,
        }
    }
}
