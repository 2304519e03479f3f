//! One step of one rank, as a timed table of contents.

use crate::bodies::cloth::SolveOutcome;
use crate::bodies::cloth::inputs::StepInputs;
use crate::contact::candidates::SearchObserver;
use crate::contact::settings::OnPinch;
use crate::error::Result;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::motion::Span;
use crate::step::report::{Counter, Phase, StepReport};
use crate::step::simulation::Simulation;
use crate::step::trouble::{Trouble, trouble_of};

impl Simulation<'_> {
    /// One step, as [`Simulation::step`], whose searches are watched by `observer`. The state
    /// and the report are the same for all observers. Collective.
    ///
    /// # Errors
    /// As for [`Simulation::step`], and those of the observer.
    pub fn step_observed(&mut self, observer: &mut dyn SearchObserver) -> Result<StepReport> {
        let mut report = StepReport::default();
        let end = (self.state.ticks / TICKS_PER_STEP + 1) * TICKS_PER_STEP;
        self.held = false;
        while self.state.ticks < end {
            match self.attempt(&mut report, observer)? {
                None => self.grow_step(end),
                Some(trouble) => self.retry(trouble, end, &mut report)?,
            }
        }
        if self.model.settings.energy {
            report.energy_j = self.total_energy()?;
        }
        Ok(report)
    }

    /// One step of the present size; the state changes only without trouble.
    fn attempt(
        &mut self,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<Option<Trouble>> {
        let span = Span::new(&self.model.clock, &self.state, self.step_ticks, self.held);
        report.time(Phase::Predict, |_| self.predict(&span));
        self.find_candidates(report, observer)?;
        report.time(Phase::Contacts, |report| self.find_contacts(&span, report))?;
        report.time(Phase::Assembly, |_| self.assemble(&span));
        let solved = report.time(Phase::Solve, |report| self.solve(report))?;
        if let Some(trouble) = trouble_of(&solved) {
            return Ok(Some(trouble));
        }
        report.time(Phase::AllGather, |_| self.gather_velocities(&span))?;
        if self.can_halve(false) && report.time(Phase::Solve, |_| self.turns_too_far()) {
            return Ok(Some(Trouble::Turned));
        }
        self.keep_candidates(report, observer)?;
        self.respond(&span, report)?;
        self.keep_candidates(report, observer)?;
        let trouble = report.time(Phase::FailSafe, |report| self.fail_safe(&span, report))?;
        if trouble.is_none() {
            report.count(Counter::Held, u64::from(self.held));
            report.time(Phase::Advance, |_| self.advance(&span));
        }
        Ok(trouble)
    }

    fn predict(&mut self, span: &Span) {
        let pins = &self.model.cloth.pins;
        let (state, targets) = (&mut self.state, &mut self.lists.targets);
        pins.capture(&mut state.captured, &state.positions, span.t0_s);
        pins.targets(&state.captured, span.t0_s, span.t1_s, targets);
        self.motion.predict(&self.model, state, targets, span);
    }

    fn assemble(&mut self, span: &Span) {
        let inputs = StepInputs {
            x: &self.state.positions,
            v: &self.state.velocities,
            h: span.h,
            gravity: self.model.gravity(),
            wind: self.model.wind(span.wind_s),
            contacts: &self.lists.springs,
            targets: &self.lists.targets,
        };
        self.integrator.assemble(&self.threads, &self.model.cloth, &self.layout, &inputs);
    }

    fn solve(&mut self, report: &mut StepReport) -> Result<SolveOutcome> {
        let solved = self.integrator.solve(self.world, &self.threads)?;
        let iterations = solved.cg.iterations as u64;
        let (bytes, messages) = self.integrator.ghost_traffic();
        report.count(Counter::Solves, 1);
        report.count(Counter::CgIterations, iterations);
        report.count(Counter::GhostBytes, iterations * bytes as u64);
        report.count(Counter::GhostMessages, iterations * messages as u64);
        report.count(Counter::ShiftedPatches, solved.shifted_patches as u64);
        Ok(solved)
    }

    /// After: `v1` and `x1` of all cloth vertices are whole on every rank, and
    /// the contacts know their forces.
    fn gather_velocities(&mut self, span: &Span) -> Result<()> {
        let velocities = &self.state.velocities;
        let changes = self.layout.own.iter().zip(self.integrator.delta_v());
        let own = &mut self.lists.own_velocities;
        own.clear();
        own.extend(changes.map(|(&vertex, change)| velocities[vertex as usize] + change));
        self.gather.to_all(self.world, own, self.motion.cloth_v1())?;
        self.motion.finish(&self.lists.targets, span.h);
        self.remember(span)?;
        Ok(())
    }

    fn advance(&mut self, span: &Span) {
        std::mem::swap(&mut self.state.contacts, &mut self.lists.memories);
        self.motion.commit(&mut self.state, span);
    }

    /// Makes the next attempt smaller, or lets obstacles and handles wait.
    fn retry(&mut self, trouble: Trouble, end: u64, report: &mut StepReport) -> Result<()> {
        report.count(trouble.counter(), 1);
        let pinched = matches!(trouble, Trouble::Pinched(_));
        if self.can_halve(pinched) {
            self.step_ticks /= 2;
            return Ok(());
        }
        let hold = self.model.settings.contact.on_pinch == OnPinch::Hold;
        if pinched && hold && !self.held {
            self.held = true;
            self.step_ticks = largest_step(self.state.ticks, end);
            return Ok(());
        }
        Err(self.step_error(&trouble)?)
    }

    /// Whether half the present step is allowed; pinched ones may be as small as time goes.
    pub(super) fn can_halve(&self, pinched: bool) -> bool {
        let smallest = TICKS_PER_STEP >> self.model.settings.solver.max_halvings;
        self.step_ticks / 2 >= if pinched { 1 } else { smallest.max(1) }
    }

    /// Doubles a halved step again where it fits.
    fn grow_step(&mut self, end: u64) {
        let doubled = 2 * self.step_ticks;
        let aligned = self.state.ticks.is_multiple_of(doubled);
        if self.state.ticks == end {
            self.step_ticks = TICKS_PER_STEP.min(if aligned { doubled } else { self.step_ticks });
        } else if aligned && self.state.ticks + doubled <= end {
            self.step_ticks = doubled;
        }
    }
}

/// The largest aligned step from `ticks` on that ends at `end` or before.
fn largest_step(ticks: u64, end: u64) -> u64 {
    let mut step = TICKS_PER_STEP;
    while !ticks.is_multiple_of(step) || ticks + step > end {
        step /= 2;
    }
    step
}
