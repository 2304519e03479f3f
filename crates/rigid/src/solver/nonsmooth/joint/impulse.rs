//! The impulse of a joint.

use bytemuck::{Pod, Zeroable};

use crate::solver::nonsmooth::joint::rows::Motions;
use crate::solver::nonsmooth::problem::{Impulse, Wrench};
use cloth_core::math::{Mat3, Vec3};

/// The numbers of an impulse: six motions, the limits, the motor.
pub type Rows = [f64; 8];
/// The place of the limits and of the motor among them.
pub const LIMIT: usize = 6;
pub const MOTOR: usize = 7;

/// The impulse of a joint on its first body.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct JointImpulse {
    /// The axes of the joint in space.
    pub(super) axes: Mat3,
    pub(super) value: Rows,
    pub(super) direction: Rows,
    /// The value of least energy in this step.
    pub(super) best: Rows,
    /// The range of the impulses of limits and motor.
    pub(super) low: [f64; 2],
    pub(super) high: [f64; 2],
    /// The motion that limits and motor act on: 0, 3, or 6 if there is none.
    pub(super) along: u64,
}

impl Impulse for JointImpulse {
    type Value = Rows;

    fn value(&self) -> &Rows {
        &self.value
    }

    fn value_mut(&mut self) -> &mut Rows {
        &mut self.value
    }

    fn direction(&self) -> &Rows {
        &self.direction
    }

    fn direction_mut(&mut self) -> &mut Rows {
        &mut self.direction
    }

    fn act(&self, value: &Rows, sign: f64, arm: &Vec3, sum: &mut Wrench) {
        let mut rows = Motions::from_column_slice(&value[..6]);
        if let Some(row) = rows.get_mut(self.along as usize) {
            *row += value[LIMIT] + value[MOTOR];
        }
        let force = self.axes * rows.fixed_rows::<3>(0) * sign;
        let torque = self.axes * rows.fixed_rows::<3>(3) * sign;
        sum.linear += force;
        sum.angular += arm.cross(&force) + torque;
    }

    fn advance(&mut self, length: f64) {
        for (value, direction) in self.value.iter_mut().zip(&self.direction) {
            *value += length * direction;
        }
        for (row, (low, high)) in self.low.iter().zip(&self.high).enumerate() {
            self.value[LIMIT + row] = self.value[LIMIT + row].clamp(*low, *high);
        }
    }

    fn mark(&mut self) {
        self.best = self.value;
    }

    fn go_back(&mut self) {
        self.value = self.best;
    }
}
