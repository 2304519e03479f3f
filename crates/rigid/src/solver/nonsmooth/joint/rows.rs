//! The impulse of a joint, and the numbers of a joint that do not change during the sweeps.

use bytemuck::{Pod, Zeroable};
use nalgebra::{SMatrix, SVector};

use crate::Mobility;
use crate::constraint::joint::{ActiveJoint, JointSettings, Motor};
use crate::constraint::{ContactSettings, Side};
use crate::solver::nonsmooth::constraint::{Law, Wrench};
use cloth_bodies::bodies::joints::kind::Along;
use cloth_core::{Mat3, Vec3};

/// A matrix of the six relative motions.
pub type Mat6 = SMatrix<f64, 6, 6>;
/// A number for each of the six relative motions.
pub type Motions = SVector<f64, 6>;

/// `K` of a body: the change of `u` by a unit impulse at `arm` (m), along and about the axes.
pub fn inverse_effective_mass(mobility: &Mobility, arm: &Vec3, axes: &Mat3) -> Mat6 {
    let (cross, inverse) = (arm.cross_matrix(), mobility.inverse_inertia);
    let linear = Mat3::from_diagonal_element(mobility.inverse_mass) - cross * inverse * cross;
    let coupling = -(cross * inverse);
    let own = |matrix: Mat3| axes.tr_mul(&(matrix * axes));
    let mut all = Mat6::zeros();
    all.fixed_view_mut::<3, 3>(0, 0).copy_from(&own(linear));
    all.fixed_view_mut::<3, 3>(0, 3).copy_from(&own(coupling));
    all.fixed_view_mut::<3, 3>(3, 0).copy_from(&own(coupling.transpose()));
    all.fixed_view_mut::<3, 3>(3, 3).copy_from(&own(inverse));
    all
}

/// The inverse of `matrix` for the locked motions, with their compliance.
pub fn locked_inverse(matrix: &Mat6, locked: &[bool; 6], soft: &[f64; 7]) -> Mat6 {
    let has = |row: usize, column: usize| locked[row] && locked[column];
    let mut restricted = Mat6::from_fn(|row, column| match has(row, column) {
        true => matrix[(row, column)],
        false => f64::from(row == column),
    });
    (0..6).for_each(|row| restricted[(row, row)] += if locked[row] { soft[row] } else { 0.0 });
    let inverse = restricted.cholesky().map_or(Mat6::zeros(), |factor| factor.inverse());
    Mat6::from_fn(|row, column| if has(row, column) { inverse[(row, column)] } else { 0.0 })
}

/// `c / (h (h + d c))` of the six motions and the limits. Limits of an angle or of a slider are
/// rigid.
pub fn softness(joint: &JointSettings, h: f64) -> [f64; 7] {
    let soft = |c: f64, d: f64| c / (h * (h + d * c));
    let linear = soft(joint.compliance, joint.damping);
    let angular = soft(joint.turn_compliance, joint.turn_damping);
    let limits = if joint.is_range_compliant() { linear } else { 0.0 };
    [linear, linear, linear, angular, angular, angular, limits]
}

/// The velocity that closes a joint that is open by `e`, with the second-order part `q`. See the
/// head of the folder.
fn closing(e: f64, q: f64, soft: [f64; 2], part: f64, h: f64) -> f64 {
    let [compliance, damping] = soft;
    if compliance > 0.0 { -(e + h * q) / (h + damping * compliance) } else { -part * e / h - q }
}

/// The velocities of the six motions that close a joint. `curvature` is the second-order part `q`.
pub fn targets(joint: &ActiveJoint, curvature: &[f64; 6], settings: &ContactSettings) -> Motions {
    let ActiveJoint { settings: of_joint, pose, .. } = joint;
    let JointSettings { compliance, damping, turn_compliance, turn_damping, .. } = *of_joint;
    let (part, h) = (settings.penetration_correction, settings.step_s);
    Motions::from_fn(|row, _| {
        let soft = if row < 3 { [compliance, damping] } else { [turn_compliance, turn_damping] };
        closing(pose.motion[row], curvature[row], soft, part, h)
    })
}

/// The least and the largest velocity along or about x that keep the motion in its range. A motion
/// in the range may go to its end. One outside is corrected.
pub fn limits(joint: &ActiveJoint, curvature: &[f64; 6], settings: &ContactSettings) -> [f64; 2] {
    let Some(along) = joint.settings.kind.along().row() else { return [0.0; 2] };
    let ([low, high], h) = (joint.settings.range, settings.step_s);
    let JointSettings { compliance, damping, .. } = joint.settings;
    let soft = if joint.settings.is_range_compliant() { [compliance, damping] } else { [0.0; 2] };
    let (at, q) = (joint.pose.motion[along], curvature[along]);
    let end = |end: f64, is_outside: bool| {
        let part = if is_outside { settings.penetration_correction } else { 1.0 };
        if end.is_finite() { closing(at - end, q, soft, part, h) } else { end }
    };
    [end(low, at < low || low == high), end(high, at > high || low == high)]
}

/// The ranges of the impulses of limits and motor.
pub fn impulse_range(joint: &JointSettings, h: f64) -> ([f64; 2], [f64; 2]) {
    let has_motion = joint.kind.along() != Along::Nothing;
    let pushes = |end: f64, most: f64| if has_motion && end.is_finite() { most } else { 0.0 };
    let [low, high] = joint.range;
    let most = match joint.motor {
        Some(Motor { most, .. }) if has_motion => most * h,
        _ => 0.0,
    };
    ([pushes(high, f64::NEG_INFINITY), -most], [pushes(low, f64::INFINITY), most])
}

/// The radius of gyration of the bodies, m.
pub fn lever(sides: &[Side; 2]) -> f64 {
    let [mass, inertia] = [
        sides.iter().map(|side| side.mobility.inverse_mass).sum::<f64>(),
        sides.iter().map(|side| side.mobility.inverse_inertia.trace() / 3.0).sum(),
    ];
    (mass / inertia).sqrt()
}

/// The numbers of an impulse: six motions, the limits, the motor.
pub type Rows = [f64; 8];
/// The place of the limits among them.
pub const LIMIT: usize = 6;
/// The place of the motor among them.
pub const MOTOR: usize = 7;

/// What the impulse of a joint on its first body can be.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct JointLaw {
    /// The axes of the joint in space.
    pub(super) axes: Mat3,
    /// The range of the impulses of limits and motor.
    pub(super) low: [f64; 2],
    pub(super) high: [f64; 2],
    /// The motion that limits and motor act on: 0, 3, or 6 if there is none.
    pub(super) along: u64,
}

impl Law for JointLaw {
    type Value = Rows;

    fn apply(&self, value: &Rows, sign: f64, arm: &Vec3, sum: &mut Wrench) {
        let mut rows = Motions::from_column_slice(&value[..6]);
        if let Some(row) = rows.get_mut(self.along as usize) {
            *row += value[LIMIT] + value[MOTOR];
        }
        let force = self.axes * rows.fixed_rows::<3>(0) * sign;
        let torque = self.axes * rows.fixed_rows::<3>(3) * sign;
        sum.linear += force;
        sum.angular += arm.cross(&force) + torque;
    }

    fn allowed(&self, mut value: Rows) -> Rows {
        for (row, (low, high)) in self.low.iter().zip(&self.high).enumerate() {
            value[LIMIT + row] = value[LIMIT + row].clamp(*low, *high);
        }
        value
    }
}
