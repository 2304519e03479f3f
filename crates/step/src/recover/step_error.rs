//! The error of a step whose smallest attempt failed.

use std::cmp::Ordering;

use crate::model::settings::MOST_ITERATIONS;
use crate::recover::failed::Failed;
use crate::recover::pinch::pinch_error;
use crate::solve::system::StepSystem;
use crate::state::context::ThisRank;
use crate::state::trouble::Trouble;
use crate::time::clock::TICKS_PER_STEP;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::ranks::message;

/// The error after an attempt that `failed` with `trouble`. It names the vertex of the trouble, or
/// the `worst` vertex if the trouble has none.
pub(crate) fn step_error(failed: &Failed, trouble: &Trouble, worst: u32) -> Error {
    let (settings, size_s) = (&failed.model.settings, failed.span().duration_s);
    let step = failed.state.ticks / TICKS_PER_STEP + 1;
    let frame = (step - 1) / u64::from(settings.steps_per_frame.at_most()) + 1;
    let vertex = match trouble {
        Trouble::Pinched(conflict) | Trouble::Squeezed(conflict) => conflict.vertex,
        Trouble::TooNear(too_near) => too_near.pair.vertices[0],
        _ => worst,
    };
    let (cause, remedy) = match trouble {
        Trouble::NotConverged => (
            format!(
                "the linear solve did not reach a relative residual of {:e} in {} iterations, \
                 even at a step of {size_s:.2e} s",
                settings.solver.relative_residual, MOST_ITERATIONS,
            ),
            "raise steps_per_frame, or soften the fabric",
        ),
        Trouble::NotFinite => (
            "the solution is not finite, even at the smallest step".to_string(),
            "look for extreme values in material, transform or motion near that vertex",
        ),
        Trouble::Turned
        | Trouble::Truncated
        | Trouble::Overloaded
        | Trouble::Unforeseen
        | Trouble::Energized(_)
        | Trouble::Fast
        | Trouble::Inaccurate => {
            ("motion is too fast, even at the smallest step".to_string(), "raise steps_per_frame")
        }
        Trouble::TooNear(too_near) => (
            format!(
                "two surfaces end {:.2e} m apart, nearer than the clearance of {:.2e} m",
                too_near.gap_m, settings.contact.clearance_m
            ),
            "raise contact.clearance_m: positions are too large for it to be resolved",
        ),
        Trouble::Pinched(conflict) | Trouble::Squeezed(conflict) => {
            let (cause, remedy) = pinch_error(failed, conflict);
            return Error::Step { frame, step, vertex, cause, remedy };
        }
    };
    Error::Step { frame, step, vertex, cause, remedy: remedy.to_string() }
}

/// The node whose velocity changed most in the last solve. A change that is not finite counts as
/// the largest. A node of cloth has the number of its vertex. Collective.
///
/// # Errors
/// When another rank has failed.
pub(crate) fn worst_vertex(rank: &ThisRank, system: &StepSystem) -> Result<u32> {
    let size = |change: &Vec3| {
        let norm = change.norm();
        if norm.is_finite() { norm } else { f64::INFINITY }
    };
    let own = rank.layout.own.iter().zip(system.delta_u());
    let mine: Vec<[f64; 2]> =
        own.map(|(&vertex, change)| [size(change), -f64::from(vertex)]).collect();
    let larger = |a: &[f64; 2], b: &[f64; 2]| a.partial_cmp(b).unwrap_or(Ordering::Equal);
    let worst: Vec<_> = mine.into_iter().max_by(larger).into_iter().collect();
    let of_all = message::all_gather_v(&*rank.world, &worst)?;
    Ok(of_all.into_iter().max_by(larger).map_or(0, |[_, vertex]| -vertex as u32))
}
