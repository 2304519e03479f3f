//! How accurate a step is, where its size follows from that (symbols as in [`crate::time::scheme`]).
//!
//! The error of a position is estimated from the difference of two schemes: of Euler's from the
//! trapezoidal rule, of BDF2 from the extrapolation of the last step (Milne's device; Hairer,
//! Norsett & Wanner 1993, section III.7). What counts is the root mean square over the vertices of
//! a patch, the largest of all patches: a mean over all cloth would hide a small part that moves.

use crate::model::Model;
use crate::state::State;
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use crate::state::trouble::{Found, Trouble};

/// Share of the largest error that a step of twice the size may be expected to have.
const MARGIN: f64 = 0.7;

/// Too large an error of the step that ends with `motion`, from `state`. It is noted in `motion`, for
/// [`may_double`]. The same on every rank.
pub(crate) fn inaccurate(here: &Context, motion: &mut StepMotion, state: &State) -> Option<Found> {
    let most_m = here.model.settings.steps_per_frame.error_m()?;
    motion.error_m = error_m(here, motion, state);
    (motion.error_m > most_m).then(|| Found::new(Trouble::Inaccurate))
}

/// The largest root mean square of the error over the free vertices of a patch, m.
fn error_m(here: &Context, motion: &StepMotion, state: &State) -> f64 {
    let (patches, scheme) = (&here.model.partition.patches, here.span.scheme);
    let of_patch = |patch| {
        let (mut sum, mut count) = (0.0, 0.0);
        let cloth = patches.vertices(patch).iter().map(|&vertex| vertex as usize);
        for vertex in cloth.filter(|&vertex| motion.start.inverse_masses.get(vertex) > Some(&0.0)) {
            let u = [&motion.start.u0[vertex], &motion.u1[vertex]];
            sum += scheme.error_m(u, state.history.as_ref().map(|it| it.at(vertex))).powi(2);
            count += 1.0;
        }
        f64::sqrt(sum / f64::max(count, 1.0))
    };
    (0..patches.len() as u32).map(of_patch).fold(0.0, f64::max)
}

/// Whether the step after `motion`, which has `ticks`, may be twice as large.
pub(crate) fn may_double(model: &Model, motion: &StepMotion, ticks: u64) -> bool {
    let Some(most_m) = model.settings.steps_per_frame.error_m() else { return false };
    let growth = f64::from(2 << model.settings.solver.integrator.order());
    2 * ticks <= model.clock.largest()
        && !motion.repairs
        && motion.error_m * growth <= MARGIN * most_m
}
