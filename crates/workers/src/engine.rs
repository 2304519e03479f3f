//! What advances the bodies of a worker, and the joints that `Rapier` cannot have.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_core::report::Join;
use cloth_core::{Error, Result, Threads};
use cloth_rigid::constraint::joint::JointSettings;
use cloth_rigid::constraint::{KeptImpulse, KeptJoint};
use cloth_rigid::motion::{drift, precess};
use cloth_rigid::simulation::split_step::{Members, Middle, PartSolver};
use cloth_rigid::solver::Solved;
use cloth_rigid::{BodyId, BodyList, BodyState, Twist};

/// Advances the active bodies of a worker, as if there were no others.
pub trait WorkerEngine: Debug + Send {
    /// Sees all bodies at the start of a step, before its first half.
    fn begin(&mut self, _: BodyList) {}

    /// The second half of a step. `states` gets the states of the members at its end.
    ///
    /// # Errors
    /// If the engine cannot go on.
    fn advance(
        &mut self,
        middle: &Middle,
        of: &Members,
        threads: &Threads,
        states: &mut Vec<BodyState>,
    ) -> Result<Solved>;

    /// The residual of the last step ([`Solver::residual_m_s`]) at the constraints between bodies that
    /// satisfy `counts`, if `changes` are added to the velocities of the members. An engine may not
    /// know it.
    ///
    /// [`Solver::residual_m_s`]: cloth_rigid::solver::Solver::residual_m_s
    fn residual_m_s(
        &self,
        _: &Middle,
        _changes: &[Twist],
        _counts: &(dyn Fn(BodyId, BodyId) -> bool + Sync),
        _: &Threads,
    ) -> f64 {
        Join::Most.unknown()
    }

    /// The impulses of the last step, of contacts and of joints. An engine may know none.
    fn impulses(&self) -> (&[KeptImpulse], &[KeptJoint]) {
        (&[], &[])
    }
}

/// The solver of the domain runs.
#[derive(Debug)]
pub struct Own(pub PartSolver);

impl WorkerEngine for Own {
    fn advance(
        &mut self,
        middle: &Middle,
        of: &Members,
        threads: &Threads,
        states: &mut Vec<BodyState>,
    ) -> Result<Solved> {
        let solved = self.0.solve(middle, of, threads)?;
        let h = middle.model.settings.contacts.step_s;
        states.clear();
        let bodies = of.bodies.iter().map(|&place| middle.bodies.inertia(place as usize));
        states.extend(self.0.states().iter().zip(bodies).map(|(state, inertia)| {
            let mut state = *state;
            precess(&mut state, inertia, 0.5 * h);
            drift(&mut state, 0.5 * h);
            state
        }));
        Ok(solved)
    }

    fn residual_m_s(
        &self,
        middle: &Middle,
        changes: &[Twist],
        counts: &(dyn Fn(BodyId, BodyId) -> bool + Sync),
        threads: &Threads,
    ) -> f64 {
        self.0.residual_m_s(middle, changes, counts, threads)
    }

    fn impulses(&self) -> (&[KeptImpulse], &[KeptJoint]) {
        self.0.impulses()
    }
}

/// What advances the bodies of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineKind {
    /// The solver of the domain run.
    #[default]
    Own,
    /// The engine of the crate `rapier3d`. It needs the feature `rapier`.
    Rapier,
}

/// Fails if `Rapier` cannot have a joint. `at` names it.
///
/// # Errors
/// The field that is in the way.
pub fn check_joint(settings: &JointSettings, at: &str) -> Result<()> {
    let [low, high] = settings.range;
    if settings.kind != JointKind::Distance || low == high {
        return Ok(());
    }
    let (field, cause) = if low > 0.0 {
        ("kind.min_m", "`Rapier` has no least distance")
    } else if settings.compliance > 0.0 {
        ("compliance_m_per_n", "`Rapier` has no ropes that give way")
    } else {
        return Ok(());
    };
    let remedy = "leave it out, or write `engines: [Own]`";
    Err(Error::input(format!("{at}.{field}"), cause, remedy))
}
