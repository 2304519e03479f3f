//! When the sweeps end, and in which direction the impulses change.
//!
//! A sweep alone is a step of projected gradients. Its change `z` of the impulses is a good
//! direction, but not a good length: in a pile an error fades over many sweeps. Conjugate
//! gradients give both, here in their preconditioned flexible form (Notay 2000), with the sweep as
//! preconditioner:
//!
//! ```text
//! p <- z + b p         b = -g.(z - z_last) / (-g.z)_last
//! l <- in the cone, l + a p      a = -g.p / p.Ap
//! ```
//!
//! | symbol | |
//! |---|---|
//! | `g` | gradient of `E`: the relative velocity at a contact minus its target |
//! | `A` | change of `g` by the impulses |
//! | `E` | `l.Al / 2 + l.g(0)`: the change of kinetic energy by the impulses, if targets are 0 |
//!
//! The length `a` makes `E` least along `p`. The cone of friction may undo that: friction has no
//! energy, and contacts open. So if `E` rises, the search begins again with a sweep of length 1. If
//! the last sweep finds more energy and a larger error than before, it takes the impulses of least
//! energy. (Of less energy alone is not better: impulses that lift a sliding block have less.)
//! Silcowitz-Hansen, Niebe & Erleben 2010 use conjugate gradients for contacts too, but with length
//! 1, and begin again if the changes grow. With that rule the structures of
//! `tests/rigid_mechanics/structures.rs` need three times as many sweeps, or do not come to rest.
//!
//! **End.** Impulses are kept from step to step, so the next step must undo an error that this
//! step leaves. If it leaves a fixed speed, a structure at rest trembles for ever. So the sweeps
//! end only when they have removed a fixed part of the error with which this step began: then
//! structures come to rest, at any scale of speeds.

use cloth_core::{ExactSums, Result, World};

/// Errors of a constraint's velocity count as small below this part of the speed that the forces give
/// its bodies in a step.
const TOLERANCE: f64 = 0.01;

/// The part of the first sweep's error at which the sweeps may end.
const REDUCTION: f64 = 1e-3;

/// The part of that speed below which nothing is left: if all constraints are below, no further
/// sweep is made.
const NEGLIGIBLE: f64 = 1e-9;

/// The part of the speed of bodies that counts as large: of it `NEGLIGIBLE` is what rounding leaves.
pub const ROUNDED: f64 = 1e-14 / NEGLIGIBLE;

/// The part of the first sweep's error that rounding leaves.
const ROUNDING: f64 = 1e-13;

/// A change of the impulses whose `p.Ap` is below this part of `p.Pp` moves nothing: what rounding
/// leaves of bodies that constraints hold twice.
const SINGULAR: f64 = 1e-12;

/// What a sweep did to some constraints.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// `-g.z`, `-g.(z - z_last)` and `E` (J), squares of the errors of velocity (m^2/s^2), and
    /// numbers of constraints above [`TOLERANCE`] and above [`NEGLIGIBLE`].
    sums: ExactSums<6>,
}

/// What a sweep did to one constraint.
#[derive(Debug, Clone, Copy)]
pub struct Swept {
    /// `-g.z`, J.
    pub descent: f64,
    /// `-g.(z - z_last)`, J.
    pub conjugacy: f64,
    /// The part of `E`, J.
    pub energy: f64,
    /// Error of the velocity, m/s.
    pub error: f64,
    /// The speed that the forces give the bodies in a step, m/s.
    pub speed: f64,
}

impl Progress {
    /// The sums over constraints.
    pub fn of(changes: impl Iterator<Item = Swept>) -> Self {
        let (mut sums, mut large, mut left) = (ExactSums::default(), 0, 0);
        for Swept { descent, conjugacy, energy, error, speed } in changes {
            sums.add([descent, conjugacy, energy, error * error, 0.0, 0.0]);
            large += u32::from(error > TOLERANCE * speed);
            left += u32::from(error > NEGLIGIBLE * speed);
        }
        sums.add([0.0, 0.0, 0.0, 0.0, f64::from(large), f64::from(left)]);
        Self { sums }
    }

    /// Adds the sums over other constraints.
    pub fn add(&mut self, other: &Self) {
        self.sums.add_sums(&other.sums);
    }
}

/// What follows a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// The impulses change by `z`, and the sweeps end.
    End,
    /// The sweeps end with the impulses of least energy.
    Back,
    /// The search begins again: the impulses change by `z`.
    Restart,
    /// The direction is `z` plus this multiple of the last one.
    Conjugate(f64),
}

/// The search of one step.
#[derive(Debug, Default)]
pub struct Search {
    sweeps: usize,
    first_error: f64,
    /// `E` of the impulses of least energy, and their error as the sum of its squares.
    least_energy: f64,
    error_there: f64,
    last_energy: f64,
    last_descent: f64,
    /// `p.Pp` of the direction, where `P` is the matrix that a sweep inverts, J.
    square: f64,
}

impl Search {
    /// Number of sweeps so far.
    pub fn sweeps(&self) -> u64 {
        self.sweeps as u64
    }

    /// Counts a sweep with these sums of all ranks. Returns true if the impulses are right.
    fn is_done(&mut self, &[_, _, _, error, large, left]: &[f64; 6]) -> bool {
        if self.sweeps == 0 {
            self.first_error = error;
        }
        self.sweeps += 1;
        let is_below = |part: f64| error <= part * part * self.first_error;
        left == 0.0 || (large == 0.0 && is_below(REDUCTION)) || is_below(ROUNDING)
    }

    /// Counts a sweep in a search that does not look at the energy. Returns true if it ends: the
    /// impulses are right, or there were `most` sweeps. It is the same on all ranks.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn ends(&mut self, mut swept: Progress, most: usize, world: &dyn World) -> Result<bool> {
        let sums = swept.sums.all_reduce(world)?;
        Ok(self.is_done(&sums) || self.sweeps >= most)
    }

    /// What follows a sweep, and whether the impulses before it have the least energy so far. It is
    /// the same on all ranks. `most` is the largest number of sweeps.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn next(
        &mut self,
        mut swept: Progress,
        most: usize,
        world: &dyn World,
    ) -> Result<(Next, bool)> {
        let sums @ [descent, conjugacy, energy, error, ..] = swept.sums.all_reduce(world)?;
        if self.sweeps == 0 {
            (self.least_energy, self.last_energy) = (energy, energy);
            self.error_there = error;
        }
        let is_done = self.is_done(&sums);
        let is_least = energy <= self.least_energy;
        let next = if self.sweeps == most && !is_least && error > self.error_there {
            Next::Back
        } else if is_done || self.sweeps == most {
            Next::End
        } else if self.sweeps == 1 {
            Next::Conjugate(0.0)
        } else if energy > self.last_energy || self.last_descent <= 0.0 {
            Next::Restart
        } else {
            Next::Conjugate((conjugacy / self.last_descent).max(0.0))
        };
        if is_least {
            (self.least_energy, self.error_there) = (energy, error);
        }
        (self.last_energy, self.last_descent) = (energy, descent);
        // Along the last direction the gradient is 0, so `z.Pp_last` is too.
        let share = if let Next::Conjugate(share) = next { share } else { 0.0 };
        self.square = descent + share * share * self.square;
        Ok((next, is_least))
    }

    /// The length `a` of a change of the impulses along the direction. `products` has `-g.p` and
    /// `p.Ap` of the constraints of this rank, J. Constraints that say the same twice leave directions
    /// in which nothing moves: there both are rounding, and the length is that of a sweep.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn length(&self, mut products: ExactSums<2>, world: &dyn World) -> Result<f64> {
        let [descent, curvature] = products.all_reduce(world)?;
        let is_sound = descent > 0.0 && curvature > SINGULAR * self.square;
        Ok(if is_sound { descent / curvature } else { 1.0 })
    }
}
