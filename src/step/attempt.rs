//! One step of one rank, as a timed table of contents.

use crate::bodies::cloth::inputs::StepInputs;
use crate::contact::ContactSpring;
use crate::contact::candidates::SearchObserver;
use crate::error::Result;
use crate::step::clearance::keep_clear;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::context::Context;
use crate::step::impulses::Collisions;
use crate::step::motion::{Span, StepMotion};
use crate::step::report::{Counter, Phase, StepReport};
use crate::step::simulation::Simulation;
use crate::step::state::State;
use crate::step::system::{SolveOutcome, StepSystem};
use crate::step::trouble::{Trouble, trouble_of, turns_too_far};

impl Simulation<'_> {
    /// One whole step like [`Simulation::step`]. The `observer` sees its searches. The state and
    /// the report are the same for all observers. Collective.
    ///
    /// # Errors
    /// As for [`Simulation::step`], and those of the observer.
    pub fn step_observed(&mut self, observer: &mut dyn SearchObserver) -> Result<StepReport> {
        let mut report = StepReport::default();
        let end = (self.state.ticks / TICKS_PER_STEP + 1) * TICKS_PER_STEP;
        self.control.held = false;
        self.watch.begin(&self.model, &self.rank, &self.state, &mut report)?;
        while self.state.ticks < end {
            let Some(trouble) = self.attempt(&mut report, observer)? else {
                self.control.grow(self.state.ticks, end);
                continue;
            };
            report.count(trouble.counter(), 1);
            let pinched = matches!(trouble, Trouble::Pinched(_));
            if !self.control.shrink(&self.model.settings, pinched, self.state.ticks, end) {
                return Err(self.step_error(&trouble)?);
            }
        }
        self.watch.end(&self.model, &self.rank, &self.state, &mut report)?;
        Ok(report)
    }

    /// One step of the present size. With trouble the state stays, except that pins which take hold
    /// in it are captured: the next attempt starts at the same time and finds them so.
    fn attempt(
        &mut self,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<Option<Trouble>> {
        let Self { model, rank, state, motion, search, contacts, system, control, .. } = self;
        let span = &Span::new(&model.clock, state, control.ticks, control.held);
        let here = &Context { model, rank, span };
        // 1. State -> predicted motion; pins that take hold are captured in the state.
        report.time(Phase::Predict, |_| motion.predict(model, state, span));
        // 2. Predicted motion -> candidates.
        search.find(here, motion, report, observer)?;
        // 3. Candidates, memories -> active contacts and their springs.
        report.time(Phase::Contacts, |report| {
            contacts.find(here, search.candidates(), motion, &state.contacts, report)
        })?;
        // 4. State, motion, springs -> linear system -> changes of the own nodes' velocities.
        report.time(Phase::Assembly, |_| assemble(here, state, motion, contacts.springs(), system));
        let solved = report.time(Phase::Solve, |report| solve(here, system, report))?;
        if let Some(trouble) = trouble_of(&solved) {
            return Ok(Some(trouble));
        }
        // 5. Changes -> motion of all bodies, memories of the contacts.
        report.time(Phase::AllGather, |_| {
            self.gather.velocities(here, state, system.delta_u(), motion)?;
            contacts.remember(here, motion)
        })?;
        let can_halve = control.can_halve(&model.settings, false);
        if can_halve && report.time(Phase::Solve, |_| turns_too_far(model, motion)) {
            return Ok(Some(Trouble::Turned));
        }
        // 6. Candidates, contacts, motion -> motion without the collisions that the solve left.
        search.follow(here, motion, report, observer)?;
        let friction = contacts.law.friction;
        let of =
            Collisions { candidates: search.candidates(), contacts: contacts.found(), friction };
        self.impulses.respond(here, &of, motion, report)?;
        // 7. Candidates, motion -> motion that keeps the clearance.
        search.follow(here, motion, report, observer)?;
        let (fail_safe, candidates) = (&mut self.fail_safe, search.candidates());
        let trouble = report.time(Phase::FailSafe, |report| {
            keep_clear(here, fail_safe, candidates, motion, can_halve, report)
        })?;
        // 8. Motion, memories -> state.
        if trouble.is_none() {
            report.count(Counter::Held, u64::from(control.held));
            report.time(Phase::Advance, |_| {
                contacts.swap_memories(&mut state.contacts);
                motion.commit(model, state, span);
                self.watch.accept(here, motion, contacts.springs(), system)
            })?;
        }
        Ok(trouble)
    }
}

fn assemble(
    here: &Context,
    state: &State,
    motion: &StepMotion,
    springs: &[ContactSpring],
    system: &mut StepSystem,
) {
    let Context { model, rank, span } = *here;
    let inputs = StepInputs {
        x: &state.positions,
        v: &state.velocities,
        h: span.h,
        gravity: model.gravity(),
        wind: model.wind(span.wind_s),
        targets: &motion.targets,
    };
    let bodies = motion.body_terms(model);
    system.assemble(&rank.threads, model, &rank.layout, &inputs, bodies, springs);
}

fn solve(here: &Context, system: &mut StepSystem, report: &mut StepReport) -> Result<SolveOutcome> {
    let solved = system.solve(here.rank.world, &here.rank.threads)?;
    let iterations = solved.cg.iterations as u64;
    let (bytes, messages) = system.ghost_traffic();
    report.count(Counter::Solves, 1);
    report.count(Counter::CgIterations, iterations);
    report.count(Counter::GhostBytes, iterations * bytes as u64);
    report.count(Counter::GhostMessages, iterations * messages as u64);
    report.count(Counter::ShiftedPatches, solved.shifted_patches as u64);
    Ok(solved)
}
