//! The friction spring of a contact in a step (symbols as in [`super::law`]).
//!
//! Source: docs/methods.md, section 8 (ours).

use cloth_core::{Mat3, Vec3};

/// The slip that is expected after a step is at least this fraction of the slip without a change
/// of velocity, because a large deceleration may be noise.
const LEAST_AHEAD: f64 = 0.5;

/// Slower slip of bodies counts as none, m/s.
pub(super) const LEAST_SLIP_M_PER_S: f64 = 1e-3;

/// The largest error of the friction of an impact of bodies, as a share of it.
pub(super) const FRICTION_ERROR: f64 = 0.05;

/// The friction spring at `slip`, the stretch (m) that it would have after the step if nothing
/// changed its velocity: force against the slip (N) and stiffness (N/m). `ahead` (m) is its stretch
/// if its velocity changes as in the last step.
///
/// It sticks as long as Coulomb's `bound` (N) carries it. Beyond that it slides, and one of two
/// forms gives the bound. The secant form gives it at the slip that is expected after the step,
/// stops a slow slip within the step, and cannot turn it back. The Newton form has the bound itself
/// as its force, and stiffness only across the slip: it is as exact as the normal force, but
/// overshoots slow slip. It is used where the bound changes the slip by less than a tenth in the
/// step. `compliance` (m/N) is the change of slip by a force.
///
/// Free fall is not part of the slip. Several contacts carry a vertex, and each of them would
/// allow all of the fall; then the vertex creeps (5 mm/s at 15 degrees and mu 0.3).
pub fn friction_spring(
    slip: Vec3,
    ahead: Vec3,
    normal: Vec3,
    [stiffness, bound]: [f64; 2],
    compliance: f64,
) -> (Vec3, Mat3) {
    let plane = Mat3::identity() - normal * normal.transpose();
    let now = slip.norm();
    let along = if now > 0.0 { slip / now } else { slip };
    let expected = ahead.dot(&along).max(LEAST_AHEAD * now);
    if expected * stiffness <= bound {
        return (slip * stiffness, plane * stiffness);
    }
    let secant = bound / expected;
    if expected > 10.0 * bound * compliance {
        return (along * bound, (plane - along * along.transpose()) * secant);
    }
    (slip * secant, plane * secant)
}

/// The part of `vector` across the unit vector `normal`.
pub(super) fn tangential(vector: Vec3, normal: Vec3) -> Vec3 {
    vector - normal * normal.dot(&vector)
}
