//! Fast frictional dynamics: the response of one body to its constraints (Kaufman, Edmunds & Pai
//! 2005; Iglberger & Rüde 2009, algorithm 2).
//!
//! In the metric of the body's mass matrix `M`, the new velocity is the one nearest to the old
//! velocity that meets all constraints:
//!
//! ```text
//! phi_tau = argmin (phi - phi_minus)^T M (phi - phi_minus)   with   N . phi >= d + s  for all contacts
//! r       = phi_tau - phi_minus
//! phi_plus = phi_minus + (1 + e) r + delta
//! ```
//!
//! The printed algorithm has `r = phi_minus - phi_tau`; with that sign restitution would pull
//! bodies together. `e` is the mean of the contacts' restitution, weighted by how much each
//! constraint is violated. If no velocity meets all constraints, the body stops.
//!
//! **Friction.** The method as published bounds the *change of velocity* `delta` at each of
//! several sampled tangents by `mu` times that of the normal. A sphere's surface gives way to a
//! tangential impulse 3.5 times as easily as to a normal one, so with this bound a sphere would
//! slip although its weight holds it. The published method also brakes the absolute velocity, so a
//! body could not ride on another one. Here the *impulse* is bounded, as in Coulomb's law. The
//! multiplier of a normal row is its impulse `u`. Two tangents, the first one along the slip, get
//! multipliers up to `mu (1 + e) u`. If these suffice, they make the slip against the common
//! tangential velocity of both bodies zero. Normals and tangents are solved together, because
//! friction at the foot of a box tips it. The bound uses `u` of a solution for the normals alone.
//!
//! **Impacts on fixed and movable bodies in one step.** If none of a body's contacts is at rest,
//! the contacts with movable partners are solved first, because the partners solve for the same
//! impulses. Then the fixed bodies throw the body back. When both were solved together, such
//! impacts were the only ones that changed the energy of a thin elastic gas (0.1 % of 216 balls).
//! Three movable bodies that meet in one step still do not keep energy.
//!
//! **Piles.** A body feels the load above it only through overlaps. In a pile of `n` layers the
//! overlap is about `n g h^2 / correction`, and bodies quiver with `n g h`. Both become smaller
//! with the step. A larger correction makes stacks of boxes fall over. For piles at rest use
//! [`crate::solver::nonsmooth`].
//!
//! **Bodies between others.** A movable partner gives no more impulse than is needed to stop the
//! whole body. Without this bound, a body between two others that approach each other nearly
//! head-on would leave sideways at many times their speed, and piles would explode. Fixed bodies
//! give any impulse.

use nalgebra::UnitQuaternion;

use crate::solver::by_body::OfContact;
use crate::solver::ffd::constraint::FfdConstraint;
use crate::{Body, BodyId, Twist};
use cloth_bodies::bodies::rigid::is_isotropic;
use cloth_core::Vec3;
use cloth_core::linear::small_qp::{self, ConstraintRow, Outcome, Program, Vec6};
use cloth_core::math::perpendicular;

/// The velocity of a body after its response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyResponse {
    /// The new velocity.
    pub twist: Twist,
    /// Whether its constraints could be met. If they contradict each other, the body stops. After
    /// an unfinished solve it has the velocity that was reached.
    pub outcome: Outcome,
}

impl OfContact for FfdConstraint {
    fn key(&self) -> (BodyId, u64) {
        (self.partner, self.feature)
    }
}

/// The response of `body` to its `constraints`, in the order of (partner, feature).
pub fn respond<'a>(
    body: &Body,
    constraints: impl Iterator<Item = &'a FfdConstraint> + Clone,
) -> BodyResponse {
    let (movable, fixed) =
        (|c: &&FfdConstraint| c.gives_way > 0.0, |c: &&FfdConstraint| c.gives_way == 0.0);
    let are_impacts = constraints.clone().all(|constraint| constraint.restitution > 0.0);
    if are_impacts
        && constraints.clone().any(|c| movable(&c))
        && constraints.clone().any(|c| fixed(&c))
    {
        let first = respond_at_once(body, constraints.clone().filter(movable));
        let mut body = *body;
        body.state.twist = first.twist;
        let second = respond_at_once(&body, constraints.filter(fixed));
        return BodyResponse { outcome: first.outcome.max(second.outcome), ..second };
    }
    respond_at_once(body, constraints)
}

fn respond_at_once<'a>(
    body: &Body,
    constraints: impl Iterator<Item = &'a FfdConstraint> + Clone,
) -> BodyResponse {
    let metric = Metric::new(body);
    let before = body.state.twist;
    let mut program = Program::default();
    let (mut weights, mut restitution) = (0.0, 0.0);
    for constraint in constraints.clone() {
        let FfdConstraint { arm, normal, common, .. } = constraint;
        let missing = (common - before.at(arm)).dot(normal);
        weights += missing.max(0.0);
        restitution += constraint.restitution * missing.max(0.0);
        let b = missing + constraint.separation;
        let high = if constraint.gives_way > 0.0 { body.mass * b.max(0.0) } else { f64::INFINITY };
        program.add(ConstraintRow { a: metric.row(arm, normal), b, low: 0.0, high });
    }
    if weights > 0.0 {
        restitution /= weights;
    }
    let mut outcome = program.solve();
    if outcome == Outcome::Infeasible {
        return BodyResponse { twist: Twist::ZERO, outcome };
    }
    let normal = program.change();
    let mut change = normal;
    if constraints.clone().any(|constraint| constraint.friction > 0.0) {
        let after = metric.twist(&normal);
        for (i, constraint) in constraints.enumerate() {
            let reach = constraint.friction * (1.0 + restitution) * program.multiplier(i);
            if reach > 0.0 {
                let tangents = tangents(&metric, constraint, &before, &after, reach);
                tangents.into_iter().for_each(|row| program.add(row));
            }
        }
        match program.solve() {
            // Friction contradicts the normals, so only the normals count.
            Outcome::Infeasible => {}
            other => (outcome, change) = (other, program.change()),
        }
    }
    small_qp::add_scaled(&mut change, restitution, &normal);
    let change = metric.twist(&change);
    let twist =
        Twist { angular: before.angular + change.angular, linear: before.linear + change.linear };
    BodyResponse { twist, outcome }
}

/// The two tangents of a contact with friction up to `reach` (N s). `change` is the change of the
/// velocity by the normals alone.
fn tangents(
    metric: &Metric,
    constraint: &FfdConstraint,
    before: &Twist,
    change: &Twist,
    reach: f64,
) -> [ConstraintRow; 2] {
    let FfdConstraint { arm, normal, common, .. } = constraint;
    let slip = common - before.at(arm);
    let left = slip - change.at(arm);
    let left = left - normal * left.dot(normal);
    let length = left.norm();
    let along = if length > 1e-9 * slip.norm() { left / length } else { perpendicular(normal) };
    let row = |tangent: &Vec3| ConstraintRow {
        a: metric.row(arm, tangent),
        b: slip.dot(tangent),
        low: -reach,
        high: reach,
    };
    [row(&along), row(&normal.cross(&along))]
}

/// The square root of the mass matrix. It turns twists into vectors whose length is the norm of
/// the metric.
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

    /// The row for a motion along `direction` at `arm`: its dual twist in the metric.
    #[inline]
    fn row(&self, arm: &Vec3, direction: &Vec3) -> Vec6 {
        let turn = arm.cross(direction);
        let turn = self.frame.map_or(turn, |frame| frame.inverse_transform_vector(&turn));
        let (turn, push) = (turn.component_mul(&self.moments), direction * self.mass);
        [turn.x, turn.y, turn.z, push.x, push.y, push.z]
    }

    /// The twist that belongs to the vector `y`.
    fn twist(&self, y: &Vec6) -> Twist {
        let turn = Vec3::new(y[0], y[1], y[2]).component_mul(&self.moments);
        Twist {
            angular: self.frame.map_or(turn, |frame| frame.transform_vector(&turn)),
            linear: Vec3::new(y[3], y[4], y[5]) * self.mass,
        }
    }
}
