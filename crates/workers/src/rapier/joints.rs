//! Joints, as Rapier has them.

use std::f64::consts::PI;

use rapier3d_f64::prelude::{
    GenericJoint, JointAxesMask, JointLimits, JointMotor, MotorModel, SpringCoefficients,
};

use crate::rapier::shapes::pose;
use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_rigid::constraint::joint::{Joint, JointSettings, Motor};

/// Damping of a motor by the mass that it moves, 1/s. Rapier has no motors that reach their speed at
/// once; this one is off by 1e-9 of the change in a substep of a millisecond.
const MOTOR_DAMPING: f64 = 1e12;

/// The joint. Rapier sees the second body from the first, so its first body is our second.
///
/// Rigid motions are locked, with this softness. Motions that give way have a motor that holds them
/// at 0: a spring.
pub fn made(joint: &Joint, softness: SpringCoefficients<f64>) -> GenericJoint {
    let settings = &joint.settings;
    let [first, second] = joint.frames.each_ref().map(|it| pose(&it.point, &it.rotation));
    let mut made = GenericJoint {
        local_frame1: second,
        local_frame2: first,
        contacts_enabled: settings.collide,
        softness,
        ..GenericJoint::default()
    };
    if settings.kind == JointKind::Distance {
        hold_distance(&mut made, settings);
        return made;
    }
    for row in (0..6).filter(|&row| settings.kind.locked()[row]) {
        let (compliance, damping) = match row {
            0..3 => (settings.compliance, settings.damping),
            _ => (settings.turn_compliance, settings.turn_damping),
        };
        if compliance > 0.0 {
            drive(&mut made, row, spring(0.0, compliance, damping));
        } else {
            made.locked_axes |= axis(row);
        }
    }
    let Some(row) = settings.kind.along().row() else { return made };
    if settings.range.iter().any(|end| end.is_finite()) {
        limit(&mut made, row, settings.range);
    }
    if let Some(Motor { speed, most }) = settings.motor {
        let motor = JointMotor {
            target_vel: speed,
            damping: MOTOR_DAMPING,
            max_force: most,
            model: MotorModel::AccelerationBased,
            ..JointMotor::default()
        };
        drive(&mut made, row, motor);
    }
    made
}

/// The softness of rigid joints whose error falls to 1/e in a step of `h_s` seconds. By default Rapier
/// closes it in a substep. Blended states are open by more than a solver leaves, and bodies would be
/// flung together so fast that a chain on three workers comes apart.
pub fn slow(h_s: f64) -> SpringCoefficients<f64> {
    // With such a damping ratio a joint does not give way.
    let ratio = 1e3;
    SpringCoefficients::new(ratio / (PI * h_s), ratio)
}

/// A rope, or a rod. A rigid rod is as stiff as other rigid joints.
fn hold_distance(made: &mut GenericJoint, settings: &JointSettings) {
    let [low, high] = settings.range;
    made.coupled_axes = JointAxesMask::LIN_AXES;
    if low != high {
        limit(made, 0, settings.range);
    } else if settings.compliance > 0.0 {
        drive(made, 0, spring(high, settings.compliance, settings.damping));
    } else {
        let rate = made.softness.angular_frequency();
        let rod = JointMotor {
            target_pos: high,
            stiffness: rate * rate,
            damping: 2.0 * made.softness.damping_ratio * rate,
            model: MotorModel::AccelerationBased,
            ..JointMotor::default()
        };
        drive(made, 0, rod);
    }
}

/// A spring with a place of rest (m or rad), a compliance and a damping.
fn spring(rest: f64, compliance: f64, damping: f64) -> JointMotor {
    JointMotor {
        target_pos: rest,
        stiffness: 1.0 / compliance,
        damping,
        model: MotorModel::ForceBased,
        ..JointMotor::default()
    }
}

fn axis(row: usize) -> JointAxesMask {
    JointAxesMask::from_bits_truncate(1 << row)
}

fn drive(made: &mut GenericJoint, row: usize, motor: JointMotor) {
    made.motor_axes |= axis(row);
    made.motors[row] = motor;
}

fn limit(made: &mut GenericJoint, row: usize, [min, max]: [f64; 2]) {
    made.limit_axes |= axis(row);
    made.limits[row] = JointLimits { min, max, impulse: 0.0 };
}
