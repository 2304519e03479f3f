//! One joint and its impulse.
//!
//! The impulse has eight numbers: one for each of the six relative motions (0 if the motion is
//! free), one of the limits and one of the motor. Force and torque act at the first point of the
//! joint on both bodies, so momentum and angular momentum are kept.
//!
//! | symbol | |
//! |---|---|
//! | `l` | the eight numbers, N s and N m s |
//! | `u` | velocity of the first body at the point, seen from the second: six numbers |
//! | `K` | change of `u` by a unit impulse on the parts of the bodies: `c_1 K_1 + c_2 K_2` |
//! | `e` | how far the joint is open: m, rad |
//! | `q` | the part of the motion of second order in the velocities, as a speed |
//!
//! ```text
//! rigid:      u = -b e / h - q                            (b: the fraction that a step corrects)
//! compliant:  u + l c / (h (h + d c)) = -(e + h q) / (h + d c)    (implicit Euler)
//! ```
//!
//! With compliance `c` and damping `d`, the force is `-(e / c + d u)` at the end of the step. A step
//! ends in the middle of the next one, so without `q` a pendulum would swing outwards and be pulled
//! back: it would lose energy. `q` is taken from the velocities with the impulses that the step
//! begins with, which are those of the last step. If it is far from that of the velocities without
//! impulses, the latter counts: after an impact a wrong guess would open the joint, and so grow. When
//! the impulses of this step are found, `q` is taken from their velocities, and the sweeps go on.
//!
//! A sweep solves the locked motions of a joint together. Motor and limits come first, with the
//! locked motions eliminated. Then the motions that all joints hold are solved at once
//! ([`islands`](crate::solver::nonsmooth::islands)).
//!
//! | module | |
//! |---|---|
//! | [`rows`] | its impulse, and the numbers that do not change during the sweeps |
//! | `held` | the motions held in both directions, for a solver of all joints at once |

mod held;
pub mod rows;

use bytemuck::Zeroable;

use self::rows::{JointLaw, LIMIT, MOTOR, Mat6, Motions, Rows};
use crate::constraint::joint::ActiveJoint;
use crate::constraint::{ContactSettings, KeptJoint, Side};
use crate::solver::nonsmooth::announced::{BodyConstraint, Kept};
use crate::solver::nonsmooth::constraint::{Answer, Constraint, Found, Law};
use crate::solver::nonsmooth::search::{ROUNDED, Swept};
use crate::{BodyId, Twist};
use cloth_core::Vec3;

/// A joint and its impulse. It stays with the rank that treats the joint.
#[derive(Debug, Clone, Copy)]
pub struct JointConstraint {
    law: JointLaw,
    arms: [Vec3; 2],
    locked: [bool; 6],
    /// The inverse of `K` for the locked motions, with their compliance. Other rows are 0.
    inverse: Mat6,
    /// The column of `K` for the motion along or about x, in the rows of the locked motions.
    column: Motions,
    /// The change of this motion by a unit impulse along it, with the locked motions held.
    inverse_effective_mass: f64,
    /// What compliance adds to the velocities of the locked motions and the limits.
    soft: [f64; 7],
    /// Velocities of the locked motions, and the least and the largest velocity of the limits.
    targets: Motions,
    limits: [f64; 2],
    /// Speed of the motor.
    motor_speed: f64,
    /// A length that makes angles comparable to lengths, m.
    lever: f64,
    /// The speed that counts as large, m/s.
    speed: f64,
    /// How far rigid held motions are open: m, rad.
    openings: Motions,
    /// The speed of its points, at most, m/s.
    moving: f64,
    /// `u` without impulses, and before the last sweep.
    free: Motions,
    velocity: Motions,
    /// The error of the velocity that the last sweep found, m/s.
    error: f64,
}

impl JointConstraint {
    /// A joint of two bodies with the velocities before the response. `counts` has the number of
    /// constraints of each body (any number for a fixed one). `start` is the impulse to begin with.
    pub fn new(
        joint: &ActiveJoint,
        sides: &[Side; 2],
        counts: [u32; 2],
        start: &Rows,
        settings: &ContactSettings,
    ) -> Answer<Self> {
        let ActiveJoint { pose, settings: of_joint, ends, .. } = joint;
        let arms = [0, 1].map(|side| ends.point - sides[side].centre);
        let (axes, h) = (pose.axes, settings.step_s);
        let mut matrix = Mat6::zeros();
        for side in 0..2 {
            matrix += rows::inverse_effective_mass(&sides[side].mobility, &arms[side], &axes)
                * f64::from(counts[side]);
        }
        let (locked, along) = (of_joint.kind.locked(), of_joint.kind.along().row());
        let soft = rows::softness(of_joint, h);
        let inverse = rows::locked_inverse(&matrix, &locked, &soft);
        let mut column = Motions::zeros();
        let mut rest = 1.0;
        if let Some(along) = along {
            let is_locked = |row: usize| if locked[row] { matrix[(row, along)] } else { 0.0 };
            column = Motions::from_fn(|row, _| is_locked(row));
            rest = matrix[(along, along)] - column.dot(&(inverse * column)) + soft[LIMIT];
        }
        let (low, high) = rows::impulse_range(of_joint, h);
        let law = JointLaw { axes, low, high, along: along.unwrap_or(6) as u64 };
        let mut constraint = Self {
            law,
            arms,
            locked,
            inverse,
            column,
            inverse_effective_mass: rest,
            soft,
            targets: Motions::zeros(),
            limits: [0.0; 2],
            motor_speed: of_joint.motor.map_or(0.0, |motor| motor.speed),
            lever: rows::lever(sides),
            speed: 0.0,
            openings: Motions::zeros(),
            moving: 0.0,
            free: Motions::zeros(),
            velocity: Motions::zeros(),
            error: 0.0,
        };
        constraint.free = constraint.relative([&sides[0].twist, &sides[1].twist]);
        let forces = sides[0].acceleration.norm().max(sides[1].acceleration.norm());
        constraint.speed = h * forces;
        let of_side = |side: usize| {
            let Twist { linear, angular } = &sides[side].twist;
            linear.norm() + angular.norm() * arms[side].norm()
        };
        constraint.moving = of_side(0).max(of_side(1));
        Answer::new(constraint, law.allowed(*start))
    }

    /// Sets the velocities that close the joint. `curvature` is the second-order part `q` of the
    /// motion.
    pub fn aim(&mut self, joint: &ActiveJoint, curvature: &[f64; 6], settings: &ContactSettings) {
        self.targets = rows::targets(joint, curvature, settings);
        self.limits = rows::limits(joint, curvature, settings);
        self.openings = Motions::from_fn(|row, _| match self.place_of(row) {
            Some(place) if self.soft[place] > 0.0 => 0.0,
            Some(LIMIT) => joint.excess(),
            Some(_) => joint.pose.motion[row],
            None => 0.0,
        });
        let speed = self.size(&(self.free - self.targets)).max(ROUNDED * self.moving);
        self.speed = self.speed.max(speed);
    }

    /// `u` for these velocities of the bodies.
    fn relative(&self, twists: [&Twist; 2]) -> Motions {
        let linear = twists[0].at(&self.arms[0]) - twists[1].at(&self.arms[1]);
        let angular = twists[0].angular - twists[1].angular;
        let (linear, angular) = (self.law.axes.tr_mul(&linear), self.law.axes.tr_mul(&angular));
        Motions::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
    }

    /// How fast the locked motions open more than they should, at these velocities of the bodies
    /// and with the impulse `value`: the gradient of a sweep. It is 0 for free motions.
    fn open(&self, value: &Rows, twists: [&Twist; 2]) -> Motions {
        let velocity = self.relative(twists);
        Motions::from_fn(|row, _| match self.locked[row] {
            true => velocity[row] + self.soft[row] * value[row] - self.targets[row],
            false => 0.0,
        })
    }

    /// The largest velocity of the locked motions in `velocity`, m/s. Angles count by the lever.
    fn size(&self, velocity: &Motions) -> f64 {
        let size = |row: usize| {
            let unit = if row < 3 { 1.0 } else { self.lever };
            if self.locked[row] { velocity[row].abs() * unit } else { 0.0 }
        };
        (0..6).map(size).fold(0.0, f64::max)
    }

    /// The error of velocity, m/s, if the locked motions `open` too fast, and a sweep changes the
    /// impulses of limits and motor like this.
    fn error(&self, open: &Motions, changes: [f64; 2]) -> f64 {
        let unit = if self.law.along == 3 { self.lever } else { 1.0 };
        let along = changes.map(|change| change.abs() * self.inverse_effective_mass * unit);
        self.size(open).max(along[0]).max(along[1])
    }

    /// The motion that limits and motor act on.
    fn along(&self) -> Option<usize> {
        (self.law.along < 6).then_some(self.law.along as usize)
    }

    /// The velocity at which limits hold, for an impulse of this sign.
    fn limit(&self, impulse: f64, velocity: f64) -> f64 {
        match impulse.partial_cmp(&0.0) {
            Some(std::cmp::Ordering::Greater) => self.limits[0],
            Some(std::cmp::Ordering::Less) => self.limits[1],
            _ => velocity.max(self.limits[0]).min(self.limits[1]),
        }
    }

    /// The changes of the impulses of limits and motor in a sweep, if the locked motions leave the
    /// velocity `velocity` along x.
    fn along_changes(&self, value: &Rows, mut velocity: f64) -> [f64; 2] {
        let JointLaw { low, high, .. } = &self.law;
        let old = [value[LIMIT], value[MOTOR]];
        let mut new = old;
        if high[1] > 0.0 {
            let applied = old[1] - (velocity - self.motor_speed) / self.inverse_effective_mass;
            new[1] = applied.clamp(low[1], high[1]);
            velocity += self.inverse_effective_mass * (new[1] - old[1]);
        }
        if low[0] < 0.0 || high[0] > 0.0 {
            velocity += self.soft[LIMIT] * old[0];
            let [least, largest] =
                self.limits.map(|limit| old[0] - (velocity - limit) / self.inverse_effective_mass);
            new[0] = if least > 0.0 { least } else { largest.min(0.0) };
        }
        [new[0] - old[0], new[1] - old[1]]
    }
}

impl Constraint for JointConstraint {
    type Law = JointLaw;
    type Kept = KeptJoint;

    const HAS_ROWS: bool = true;

    fn law(&self) -> &JointLaw {
        &self.law
    }

    fn start(value: &Rows, _: &BodyConstraint) -> Rows {
        *value
    }

    fn sweep(&mut self, value: &Rows, twists: [&Twist; 2]) -> [Rows; 2] {
        self.velocity = self.relative(twists);
        let open = self.open(value, twists);
        let [mut gradient, mut change] = [Rows::default(); 2];
        let mut left = open;
        if let Some(along) = self.along() {
            let held = self.velocity[along] - self.column.dot(&(self.inverse * open));
            let [limit, motor] = self.along_changes(value, held);
            (change[LIMIT], change[MOTOR]) = (limit, motor);
            left += self.column * (limit + motor);
        }
        let locked = -(self.inverse * left);
        change[..6].copy_from_slice(locked.as_slice());
        gradient[..6].copy_from_slice(open.as_slice());
        if let Some(along) = self.along() {
            let (u, l) = (self.velocity[along], value[LIMIT]);
            let w = u + self.soft[LIMIT] * l;
            let sign = if l == 0.0 { change[LIMIT] } else { l };
            let limit = w - self.limit(sign, w);
            gradient[LIMIT] = if limit.is_finite() { limit } else { 0.0 };
            gradient[MOTOR] = u - self.motor_speed;
        }
        self.error = self.error(&open, [change[LIMIT], change[MOTOR]]);
        [gradient, change]
    }

    fn error_m_s(&self, value: &Rows, twists: [&Twist; 2]) -> f64 {
        let open = self.open(value, twists);
        let changes = self.along().map_or([0.0; 2], |along| {
            let held = self.column.dot(&(self.inverse * open));
            self.along_changes(value, self.relative(twists)[along] - held)
        });
        self.error(&open, changes)
    }

    fn arms(&self) -> &[Vec3; 2] {
        &self.arms
    }

    fn product(&self, a: &Rows, b: &Rows) -> f64 {
        self.inverse_effective_mass * (a[LIMIT] * b[LIMIT] + a[MOTOR] * b[MOTOR])
    }

    fn swept(&self, value: &Rows, found: &Found<Rows>) -> Swept {
        let Found { gradient, change, last } = found;
        let free = |row: usize| match (row, self.along()) {
            (0..6, _) => self.free[row] - self.targets[row],
            // An impulse of the limits that is not zero has the same target before and after.
            (_, Some(along)) => {
                gradient[row] - self.velocity[along] + self.free[along]
                    - if row == LIMIT { self.soft[LIMIT] * value[LIMIT] } else { 0.0 }
            }
            (_, None) => 0.0,
        };
        let energy = |row: usize| 0.5 * value[row] * (gradient[row] + free(row));
        let descent = -(0..8).map(|row| gradient[row] * change[row]).sum::<f64>();
        let before = last.iter().zip(gradient).map(|(last, gradient)| last * gradient).sum::<f64>();
        Swept {
            descent,
            conjugacy: before + descent,
            energy: (0..8).map(energy).sum(),
            error: self.error,
            speed: self.speed,
        }
    }

    fn along_direction(&self, g: &Rows, direction: &Rows, twists: [&Twist; 2]) -> [f64; 2] {
        let velocity = self.relative(twists);
        let row = |row: usize| match (row, self.along()) {
            (0..6, _) => velocity[row] + self.soft[row] * direction[row],
            (LIMIT, Some(along)) => velocity[along] + self.soft[LIMIT] * direction[LIMIT],
            (_, Some(along)) => velocity[along],
            (_, None) => 0.0,
        };
        [
            -(0..8).map(|i| g[i] * direction[i]).sum::<f64>(),
            (0..8).map(|i| row(i) * direction[i]).sum(),
        ]
    }
}

impl Kept for KeptJoint {
    type Start = Rows;

    fn body(&self) -> BodyId {
        self.body
    }

    fn start(&self) -> Rows {
        self.impulse
    }

    fn touch(&self) -> BodyConstraint {
        BodyConstraint { number: self.joint as u32, ..BodyConstraint::zeroed() }
    }

    fn of(body: BodyId, touch: &BodyConstraint, impulse: &Rows) -> Self {
        Self { body, joint: touch.number.into(), impulse: *impulse }
    }

    fn find(kept: &[&Self], touch: &BodyConstraint) -> Option<usize> {
        kept.iter().position(|kept| kept.joint == u64::from(touch.number))
    }
}
