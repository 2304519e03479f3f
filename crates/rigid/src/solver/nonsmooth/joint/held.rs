//! The motions of a joint that are held in both directions, for a solver of all joints at once.

use crate::solver::nonsmooth::constraint::Answer;
use crate::solver::nonsmooth::islands::{HeldJoint, NO_BODY};
use crate::solver::nonsmooth::joint::JointConstraint;
use crate::solver::nonsmooth::joint::rows::{JointLaw, LIMIT, MOTOR, Motions, Rows};
use crate::{BodyId, Mobility, Twist};

impl JointConstraint {
    /// True if the limits hold the motion along or about x at one place, in both directions.
    fn is_held(&self) -> bool {
        let JointLaw { low, high, .. } = &self.law;
        low[0] < 0.0 && high[0] > 0.0 && self.limits[0] == self.limits[1]
    }

    /// True if it holds a motion.
    pub fn holds(&self) -> bool {
        (0..6).any(|row| self.place_of(row).is_some())
    }

    /// What [`Islands`](crate::solver::nonsmooth::islands::Islands) needs of it. `mobilities`
    /// are those of the parts of the bodies.
    pub fn held(&self, number: u32, bodies: [Option<(BodyId, Mobility)>; 2]) -> HeldJoint {
        let of = |side: usize| bodies[side].unwrap_or((NO_BODY, Mobility::NONE));
        HeldJoint {
            number: number.into(),
            bodies: [0, 1].map(|side| of(side).0),
            inverse_masses: [0, 1].map(|side| of(side).1.inverse_mass),
            inverse_inertias: [0, 1].map(|side| of(side).1.inverse_inertia),
            axes: self.law.axes,
            open: (0..6)
                .map(|row| self.openings[row].abs() * if row < 3 { 1.0 } else { self.lever })
                .fold(0.0, f64::max)
                / self.lever,
            arms: self.arms,
            soft: std::array::from_fn(|row| self.place_of(row).map_or(-1.0, |at| self.soft[at])),
        }
    }

    /// True if it has limits that do not hold its motion at one place, or a motor.
    pub fn has_bounds(&self) -> bool {
        let JointLaw { low, high, .. } = &self.law;
        let has = |row: usize| low[row] < 0.0 || high[row] > 0.0;
        has(1) || has(0) && !self.is_held()
    }

    /// The place of the impulse of a motion that is held in both directions: of a locked one, or of
    /// that along or about x between equal limits. None if the motion is free.
    pub(super) fn place_of(&self, row: usize) -> Option<usize> {
        match row {
            _ if self.locked[row] => Some(row),
            _ if self.along() == Some(row) && self.is_held() => Some(LIMIT),
            _ => None,
        }
    }

    /// How fast the held motions open more than they should, at these velocities of the bodies and
    /// with the impulse `value`. It is 0 for free motions.
    pub fn held_open(&self, value: &Rows, twists: [&Twist; 2]) -> Motions {
        let mut open = self.open(value, twists);
        if let Some(along) = self.along().filter(|_| self.is_held()) {
            let soft = self.soft[LIMIT] * value[LIMIT];
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
            Some(_) => self.targets[row],
            None => 0.0,
        })
    }

    /// How far the rigid held motions are open: m, rad.
    pub fn openings(&self) -> &Motions {
        &self.openings
    }

    /// [`JointConstraint::close_less`], by motion.
    pub fn close_less_by(&mut self, part: &Motions) {
        let mut rows = Rows::default();
        self.set_held(&mut rows, |row, _| part[row]);
        self.close_less(&rows);
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

    /// Sets the held motions of `proposed`. `value` gets the motion and its place.
    pub fn set_held(&self, proposed: &mut Rows, value: impl Fn(usize, usize) -> f64) {
        for row in 0..6 {
            if let Some(place) = self.place_of(row) {
                proposed[place] = value(row, place);
            }
        }
    }
}

impl Answer<JointConstraint> {
    /// The gradient of the held motions in the last sweep. It is 0 for free motions.
    pub fn held_gradient(&self) -> Motions {
        Motions::from_fn(|row, _| {
            self.constraint.place_of(row).map_or(0.0, |place| self.found.gradient[place])
        })
    }

    /// Replaces what the last sweep would change to hold the motions by `change`. The answer to its
    /// change along or about x stays.
    pub fn replace_held(&mut self, change: &Motions) {
        let (constraint, own) = (&self.constraint, &mut self.found.change);
        if !constraint.is_held() {
            let along = own[LIMIT] + own[MOTOR];
            own[..6].copy_from_slice((constraint.inverse * constraint.column * -along).as_slice());
        } else {
            *own = [0.0; 8];
        }
        for row in 0..6 {
            if let Some(place) = constraint.place_of(row) {
                own[place] += change[row];
            }
        }
    }

    /// Sets the held motions of `proposed` to the present impulses plus `change`.
    pub fn propose_held(&self, proposed: &mut Rows, change: &Motions) {
        let value = &self.impulse.value;
        self.constraint.set_held(proposed, |row, place| value[place] + change[row]);
    }
}
