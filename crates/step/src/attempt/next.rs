//! What a step does about trouble: one table, a row for each kind. Stages report what they find and
//! know no remedy. This file alone knows what has been tried and what is left.

use crate::state::control::{Cause, StepControl};
use crate::state::trouble::{Found, Rise, Trouble};
use cloth_core::error::Error;

/// Repairs of one solution before the step is halved.
const MOST_REPAIRS: u32 = 6;

/// What comes after trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The attempt goes on with it: nothing that is left would remove it.
    GoOn,
    /// Another solve of the same step for a part of the nodes, from the last solution on. It has
    /// forces at the present angles of the edges, the contacts that were not foreseen, and stiffer
    /// contacts.
    Repair(Extent),
    /// The same step again. Impacts of bodies do not end within it.
    WithoutImpacts,
    /// A step of half the size.
    Halve(Cause),
    /// Whoever takes the room away waits, gives way or is passed.
    MakeRoom,
    /// Nothing is left: the run ends with an error.
    Fail,
}

/// The nodes of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those around the trouble.
    Part,
    /// All.
    All,
}

/// What has been tried at a step, and what is left.
#[derive(Clone, Copy)]
pub(crate) struct Tries {
    /// The present size and the sizes that are allowed.
    pub control: StepControl,
    /// Repairs that are left.
    pub repairs: u32,
    /// What the last solve was a repair of. None if it was the first one.
    pub repaired: Option<Extent>,
    /// Whether impacts of bodies end within the step.
    pub with_impacts: bool,
    pub has_bodies: bool,
    /// Whether the scheme has a history: it is not damped, so its first solve is iterated.
    pub has_history: bool,
    /// Whether cloth gets stiffer within a step, so that every solve is iterated.
    pub stiffens: bool,
}

/// What comes after `trouble`.
fn next(trouble: &Trouble, tries: &Tries) -> Next {
    let repair = (tries.repairs > 0).then_some(Next::Repair(Extent::Part));
    let halve = |cause| tries.can_halve(cause).then_some(Next::Halve(cause));
    match trouble {
        Trouble::Fast => halve(Cause::Speed).unwrap_or(Next::GoOn),
        Trouble::Squeezed(_) | Trouble::Pinched(_) => Next::MakeRoom,
        Trouble::NotConverged | Trouble::NotFinite | Trouble::TooNear(_) => {
            halve(Cause::Failure).unwrap_or(Next::Fail)
        }
        Trouble::Turned | Trouble::Truncated => {
            repair.or(halve(Cause::Failure)).unwrap_or(Next::GoOn)
        }
        Trouble::Overloaded | Trouble::Unforeseen => repair.unwrap_or(Next::GoOn),
        Trouble::Inaccurate => halve(Cause::Error).unwrap_or(Next::GoOn),
        Trouble::Energized(rise) if !tries.may_lower(rise) => Next::GoOn,
        Trouble::Energized(_) if tries.with_impacts => Next::WithoutImpacts,
        Trouble::Energized(_) if tries.may_iterate() => Next::Repair(Extent::All),
        Trouble::Energized(_) => Next::Halve(Cause::Rise),
    }
}

impl Tries {
    /// Before the first solve of a step.
    pub fn none(control: StepControl) -> Self {
        Self {
            control,
            repairs: MOST_REPAIRS,
            repaired: None,
            with_impacts: false,
            has_bodies: false,
            has_history: false,
            stiffens: false,
        }
    }

    /// After one more repair.
    pub fn repair(&mut self, extent: Extent) {
        (self.repairs, self.repaired) = (self.repairs - 1, Some(extent));
    }

    /// Goes on with what was `found`, or stops the attempt.
    pub fn check(&self, found: Option<Found>) -> Checked {
        let Some(found) = found else { return Ok(()) };
        match next(&found.trouble, self) {
            Next::GoOn => Ok(()),
            next => Err(Stop::Trouble(Box::new(found), next)),
        }
    }

    fn can_halve(&self, cause: Cause) -> bool {
        self.control.can_halve(cause)
    }

    /// Whether a rise may get smaller by another iteration of Newton's method for all nodes: after
    /// that of a part, with BDF2 once, and where cloth gets stiffer within a step as often as it takes.
    fn may_iterate(&self) -> bool {
        let is_first_of_all = match self.repaired {
            None => self.has_history,
            Some(extent) => extent == Extent::Part,
        };
        self.repairs > 0 && (is_first_of_all || self.stiffens)
    }

    /// Whether something is left that may make a rise smaller. A small rise counts only after a
    /// repair, or if many rose before it. After a repair of bodies it must not be tiny.
    fn may_lower(&self, rise: &Rise) -> bool {
        let was_repaired = match self.repaired {
            None => false,
            Some(Extent::Part) => true,
            Some(Extent::All) => !self.has_bodies || rise.is_large,
        };
        let is_small_one = rise.rises && was_repaired && self.control.can_halve_for_a_rise();
        rise.by_impacts
            || rise.rises && self.may_iterate()
            || (rise.is_fault || is_small_one) && self.can_halve(Cause::Failure)
            || rise.too_often && self.can_halve(Cause::Rise)
    }
}

/// An attempt goes on, or stops.
pub(crate) type Checked = Result<(), Stop>;

/// Why an attempt ends before its step does.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Trouble, and what comes next.
    Trouble(Box<Found>, Next),
    /// The run cannot go on.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::clock::TICKS_PER_STEP;
    use cloth_bodies::contact::fail_safe::{Conflict, TooNear};
    use cloth_collision::collision::Pair;

    fn pair() -> Pair {
        Pair::edge_edge([0, 1], [2, 3])
    }

    fn conflict() -> Conflict {
        let none = Vec::new;
        Conflict { pair: pair(), vertex: 0, crowded: none(), prescribed: none(), pushing: none() }
    }

    /// A control after as many failures as are allowed.
    fn smallest() -> StepControl {
        let mut control = StepControl::new();
        while control.shrink(Cause::Failure) {}
        control
    }

    /// What comes first, after all repairs, and with the smallest step too.
    fn course(trouble: &Trouble) -> [Next; 3] {
        let first = Tries::none(StepControl::new());
        let repaired = Tries { repairs: 0, repaired: Some(Extent::Part), ..first };
        let last = Tries { control: smallest(), ..repaired };
        [first, repaired, last].map(|tries| next(trouble, &tries))
    }

    #[test]
    fn each_trouble_has_its_row() {
        use Next::{Fail, GoOn, Halve, MakeRoom};
        let (part, failure) = (Next::Repair(Extent::Part), Halve(Cause::Failure));
        let too_near = TooNear { pair: pair(), gap_m: 0.0 };
        for (trouble, expected) in [
            (Trouble::Fast, [Halve(Cause::Speed); 3]),
            (Trouble::Squeezed(conflict()), [MakeRoom; 3]),
            (Trouble::NotConverged, [failure, failure, Fail]),
            (Trouble::NotFinite, [failure, failure, Fail]),
            (Trouble::Turned, [part, failure, GoOn]),
            (Trouble::Overloaded, [part, GoOn, GoOn]),
            (Trouble::Unforeseen, [part, GoOn, GoOn]),
            (Trouble::Pinched(conflict()), [MakeRoom; 3]),
            (Trouble::TooNear(too_near), [failure, failure, Fail]),
            (Trouble::Truncated, [part, failure, GoOn]),
            (Trouble::Inaccurate, [GoOn; 3]),
        ] {
            assert_eq!(course(&trouble), expected, "{trouble:?}");
        }
    }

    #[test]
    fn a_step_above_a_whole_one_is_halved_for_its_error() {
        let mut control = StepControl::new();
        control.enlarge(0, 2 * TICKS_PER_STEP);
        let tries = Tries::none(control);
        assert_eq!(next(&Trouble::Inaccurate, &tries), Next::Halve(Cause::Error));
    }

    #[test]
    fn a_rise_of_energy_has_its_rows() {
        let first = Tries::none(StepControl::new());
        let part = Tries { repairs: 5, repaired: Some(Extent::Part), ..first };
        let all = Tries { repaired: Some(Extent::All), ..part };
        let small = Rise { rises: true, ..Rise::default() };
        let fault = Rise { is_fault: true, is_large: true, ..small };
        let often = Rise { too_often: true, ..small };
        let (iterate, halve) = (Next::Repair(Extent::All), Next::Halve(Cause::Rise));
        let last = Tries { control: smallest(), ..all };
        for (row, (rise, tries, expected)) in [
            // A small one counts after a repair, and then all nodes are solved again.
            (small, first, Next::GoOn),
            (small, Tries { has_history: true, ..first }, iterate),
            (small, Tries { stiffens: true, ..first }, iterate),
            (small, part, iterate),
            (small, Tries { repairs: 0, ..part }, halve),
            (small, all, halve),
            (small, Tries { has_bodies: true, ..all }, Next::GoOn),
            // A fault and many small ones halve at once.
            (fault, first, halve),
            (often, first, halve),
            (fault, Tries { has_bodies: true, ..all }, halve),
            // Bodies that bounce do so after the step.
            (small, Tries { with_impacts: true, ..first }, Next::GoOn),
            (fault, Tries { with_impacts: true, ..first }, Next::WithoutImpacts),
            (
                Rise { by_impacts: true, ..small },
                Tries { with_impacts: true, ..all },
                Next::WithoutImpacts,
            ),
            // Many small ones halve further than a fault does.
            (fault, last, Next::GoOn),
            (often, last, halve),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(next(&Trouble::Energized(rise), &tries), expected, "row {row}");
        }
    }
}
