//! The motions of a joint that are held in both directions, for a solver of all joints at once.

use crate::rigid::body::Twist;
use crate::rigid::solver::nonsmooth::joint::JointProblem;
use crate::rigid::solver::nonsmooth::joint::impulse::{JointImpulse, LIMIT, Rows};
use crate::rigid::solver::nonsmooth::joint::rows::{Mat6, Motions};

impl JointProblem {
    /// True if the limits hold the motion along or about x at one place, in both directions.
    fn is_held(&self) -> bool {
        let JointImpulse { low, high, .. } = &self.impulse;
        low[0] < 0.0 && high[0] > 0.0 && self.limits[0] == self.limits[1]
    }

    /// True if it has limits that do not hold its motion at one place, or a motor.
    pub fn has_bounds(&self) -> bool {
        let JointImpulse { low, high, .. } = &self.impulse;
        let has = |row: usize| low[row] < 0.0 || high[row] > 0.0;
        has(1) || has(0) && !self.is_held()
    }

    /// The place of the impulse of a motion that is held in both directions: of a locked one, or of
    /// that along or about x between equal limits. None if the motion is free.
    fn place_of(&self, row: usize) -> Option<usize> {
        match row {
            _ if self.locked[row] => Some(row),
            _ if self.along() == Some(row) && self.is_held() => Some(LIMIT),
            _ => None,
        }
    }

    /// The matrices that give the held motions from the linear and angular velocities of both
    /// bodies. Rows of free motions are 0.
    pub fn blocks(&self) -> [Mat6; 2] {
        let across = self.impulse.axes.transpose();
        [0, 1].map(|side| {
            let axes = if side == 0 { across } else { -across };
            let mut block = Mat6::zeros();
            block.fixed_view_mut::<3, 3>(0, 0).copy_from(&axes);
            let turn = -(axes * self.arms[side].cross_matrix());
            block.fixed_view_mut::<3, 3>(0, 3).copy_from(&turn);
            block.fixed_view_mut::<3, 3>(3, 3).copy_from(&axes);
            let free = (0..6).filter(|&row| self.place_of(row).is_none());
            free.for_each(|row| block.row_mut(row).fill(0.0));
            block
        })
    }

    /// What compliance adds to the velocity of each held motion by a unit impulse. None for free
    /// motions.
    pub fn softness(&self) -> [Option<f64>; 6] {
        std::array::from_fn(|row| self.place_of(row).map(|place| self.soft[place]))
    }

    /// How fast the held motions open more than they should, at these velocities of the bodies and
    /// with the present impulses. It is 0 for free motions.
    pub fn held_open(&self, twists: [&Twist; 2]) -> Motions {
        let mut open = self.open(twists);
        if let Some(along) = self.along().filter(|_| self.is_held()) {
            let soft = self.soft[LIMIT] * self.impulse.value[LIMIT];
            open[along] = self.relative(twists)[along] + soft - self.limits[0];
        }
        open
    }

    /// The velocities that close the rigid held motions. They are 0 for free motions, and for those
    /// with compliance: springs aim at no place.
    pub fn held_targets(&self) -> Motions {
        Motions::from_fn(|row, _| match self.place_of(row) {
            Some(place) if self.soft[place] > 0.0 => 0.0,
            Some(LIMIT) => self.limits[0],
            Some(place) => self.targets[place],
            None => 0.0,
        })
    }

    /// Takes `part` from the velocities that close the held motions.
    pub fn close_less(&mut self, part: &Rows) {
        for place in [0, 1, 2, 3, 4, 5].map(|row| self.place_of(row)).into_iter().flatten() {
            match place {
                LIMIT => self.limits.iter_mut().for_each(|limit| *limit -= part[LIMIT]),
                _ => self.targets[place] -= part[place],
            }
        }
    }

    /// Sets the held motions of `proposed` to the present impulses plus `change`.
    pub fn propose_held(&self, proposed: &mut Rows, change: &Motions) {
        self.set_held(proposed, |row, place| self.impulse.value[place] + change[row]);
    }

    /// Sets the held motions of `proposed`. `value` gets the motion and its place.
    pub fn set_held(&self, proposed: &mut Rows, value: impl Fn(usize, usize) -> f64) {
        for row in 0..6 {
            if let Some(place) = self.place_of(row) {
                proposed[place] = value(row, place);
            }
        }
    }
}
