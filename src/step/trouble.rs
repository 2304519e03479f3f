//! Why a step is redone, and the error when the smallest one fails.

use std::cmp::Ordering;

use crate::contact::fail_safe::{Conflict, TooNear};
use crate::error::{Error, Result};
use crate::ids::VertexId;
use crate::linear::End;
use crate::math::Vec3;
use crate::ranks::message;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::context::Context;
use crate::step::motion::StepMotion;
use crate::step::report::Counter;
use crate::step::simulation::Simulation;
use crate::step::system::SolveOutcome;

/// Why a step must be tried again at half its size.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Trouble {
    /// The residual stayed above the tolerance.
    NotConverged,
    /// A number was not finite.
    NotFinite,
    /// An edge of cloth turned too far for one linearisation of its forces.
    Turned,
    /// The fail-safe took away too much of a motion.
    Truncated,
    /// A contact is compressed too far.
    Overloaded,
    /// Surfaces collide that no contact holds apart.
    Unforeseen,
    /// Prescribed vertices leave cloth or a body no room.
    Pinched(Conflict),
    /// Prescribed bodies would leave cloth less room than its contacts need.
    Squeezed(Conflict),
    /// A pair ends nearer than the fail-safe promises.
    TooNear(TooNear),
    /// The energy rises without work.
    Energized,
    /// An obstacle approaches cloth too fast.
    Fast,
}

impl Trouble {
    /// Whether a further solve of the same step may mend it: with forces at the angles that the
    /// edges have now, with contacts that were not foreseen, with stiffer contacts.
    pub fn is_repairable(&self) -> bool {
        matches!(self, Self::Turned | Self::Truncated | Self::Overloaded | Self::Unforeseen)
    }

    /// The counter of a redo for this cause.
    pub fn counter(&self) -> Counter {
        match self {
            Self::NotConverged | Self::NotFinite => Counter::Halvings,
            Self::Turned => Counter::Turned,
            Self::Truncated
            | Self::Overloaded
            | Self::Unforeseen
            | Self::TooNear(_)
            | Self::Energized => Counter::Redone,
            Self::Pinched(_) | Self::Squeezed(_) => Counter::Pinches,
            Self::Fast => Counter::Fast,
        }
    }
}

/// What is wrong with a solve.
pub(super) fn trouble_of(solved: &SolveOutcome) -> Option<Trouble> {
    match solved.cg.end {
        End::Converged => None,
        End::NotFinite => Some(Trouble::NotFinite),
        End::Iterations | End::Indefinite => Some(Trouble::NotConverged),
    }
}

/// Angle by which an edge may turn in a step, rad. The forces of a step are linearised where it
/// starts: an edge that turns by `a` is stretched by about `a^2 / 2`, energy from nothing.
const TURN_LIMIT: f64 = 0.3;

/// The vertices of the edges of cloth that the solution turns too far for it to be trusted. None if
/// nothing can be tried in its place.
pub(super) fn turned_edges(here: &Context, motion: &StepMotion) -> Vec<VertexId> {
    if !here.is_strict() {
        return Vec::new();
    }
    let (x0, x1) = (motion.about().0, &motion.x1);
    let turned = here.model.edges.iter().filter(|&&[a, b]| {
        let [a, b] = [a as usize, b as usize];
        let (start, end) = (x0[b] - x0[a], x1[b] - x1[a]);
        let limit = TURN_LIMIT * TURN_LIMIT * start.norm_squared();
        let change = end - start;
        change.norm_squared() > limit
            && start.cross(&change).norm_squared() > limit * start.norm_squared()
    });
    turned.flatten().copied().collect()
}

impl Simulation<'_> {
    /// The error when the smallest step failed. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub(super) fn step_error(&self, trouble: &Trouble) -> Result<Error> {
        let settings = &self.model.settings;
        let step = self.state.ticks / TICKS_PER_STEP + 1;
        let frame = (step - 1) / u64::from(settings.steps_per_frame) + 1;
        let size_s = self.model.clock.seconds(self.state.control.ticks);
        let vertex = match trouble {
            Trouble::Pinched(conflict) | Trouble::Squeezed(conflict) => conflict.vertex,
            Trouble::TooNear(too_near) => too_near.pair.vertices[0],
            _ => self.worst_vertex()?,
        };
        let (cause, remedy) = match trouble {
            Trouble::NotConverged => (
                format!(
                    "the linear solve did not reach a relative residual of {:e} in {} iterations, \
                     even at a step of {size_s:.2e} s",
                    settings.solver.relative_residual, settings.solver.max_iterations,
                ),
                "raise solver.max_iterations or steps_per_frame, or soften the fabric",
            ),
            Trouble::NotFinite => (
                "the solution is not finite, even at the smallest step".to_string(),
                "look for extreme values in material, transform or motion near that vertex",
            ),
            Trouble::Turned
            | Trouble::Truncated
            | Trouble::Overloaded
            | Trouble::Unforeseen
            | Trouble::Energized
            | Trouble::Fast => (
                "motion is too fast, even at the smallest step".to_string(),
                "raise steps_per_frame",
            ),
            Trouble::TooNear(too_near) => (
                format!(
                    "two surfaces end {:.2e} m apart, nearer than the clearance of {:.2e} m",
                    too_near.gap_m, settings.contact.clearance_m
                ),
                "raise contact.clearance_m: positions are too large for it to be resolved",
            ),
            Trouble::Pinched(conflict) | Trouble::Squeezed(conflict) => {
                let (cause, remedy) = self.pinch_error(conflict, size_s);
                return Ok(Error::Step { frame, step, vertex, cause, remedy });
            }
        };
        Ok(Error::Step { frame, step, vertex, cause, remedy: remedy.to_string() })
    }

    /// The node that changed its velocity most in the last solve, one that is not finite before all
    /// others. A node of cloth has the number of its vertex. Collective.
    fn worst_vertex(&self) -> Result<u32> {
        let size = |change: &Vec3| {
            let norm = change.norm();
            if norm.is_finite() { norm } else { f64::INFINITY }
        };
        let own = self.rank.layout.own.iter().zip(self.stages.system.delta_u());
        let mine: Vec<[f64; 2]> =
            own.map(|(&vertex, change)| [size(change), -f64::from(vertex)]).collect();
        let larger = |a: &[f64; 2], b: &[f64; 2]| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        let worst: Vec<_> = mine.into_iter().max_by(larger).into_iter().collect();
        let of_all = message::all_gather_v(self.rank.world, &worst)?;
        Ok(of_all.into_iter().max_by(larger).map_or(0, |[_, vertex]| -vertex as u32))
    }
}
