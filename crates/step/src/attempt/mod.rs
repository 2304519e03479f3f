//! One attempt at a step, as a timed table of contents.

mod approach;

use crate::attempt::approach::is_too_fast;
use crate::contacts::active::ContactStage;
use crate::contacts::clearance::keep_clear;
use crate::contacts::impulses::{Collisions, ImpulseStage};
use crate::contacts::search::CandidateSearch;
use crate::contacts::squeeze::narrow;
use crate::model::Model;
use crate::report::{Counter, Phase, StepReport};
use crate::solve::rows::VelocityGather;
use crate::solve::seams;
use crate::solve::system::{StepSystem, SystemTerms};
use crate::solve::trouble::{Trouble, trouble_of, turned};
use crate::state::accuracy::is_inaccurate;
use crate::state::context::{Context, ThisRank};
use crate::state::control::{Cause, StepControl};
use crate::state::motion::StepMotion;
use crate::state::region::Region;
use crate::state::{Energy, State, bdf2};
use crate::time::clock::Span;
use crate::watch::{EnergyWatch, StepBalance, energy_of};
use cloth_bodies::bodies::Place;
use cloth_bodies::contact::ContactSpring;
use cloth_bodies::contact::fail_safe::FailSafe;
use cloth_collision::candidates::SearchObserver;
use cloth_core::error::Result;
use cloth_core::ids::VertexId;
use cloth_core::linear::CgReport;

/// Repairs of one solution before the step is halved.
const MOST_REPAIRS: u32 = 6;

/// The stages of a step, in their order. Each keeps what it reuses from step to step.
pub(crate) struct Stages {
    /// Positions and velocities in the present step.
    pub motion: StepMotion,
    pub search: CandidateSearch,
    pub contacts: ContactStage,
    pub system: StepSystem,
    pub gather: VelocityGather,
    pub impulses: ImpulseStage,
    pub fail_safe: FailSafe,
    /// The balance of energy, from step to step.
    pub watch: EnergyWatch,
}

/// What the attempts at a step are given.
pub(crate) struct Attempt<'a> {
    pub model: &'a Model,
    pub rank: &'a ThisRank<'a>,
    pub span: &'a Span,
    /// Tells whether the step may become smaller. If so, too large a turn or loss is trouble.
    pub control: &'a StepControl,
}

impl Stages {
    /// One step of the present size. If a further solve may remove the trouble of a solution, the
    /// solution is repaired first. After trouble the state is that of the start. Only the pins
    /// that take hold in the step are captured in it, and its energy is known. The next attempt
    /// starts at the same time and uses both.
    pub fn attempt(
        &mut self,
        of: &Attempt,
        state: &mut State,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<Option<Trouble>> {
        let with_impacts = !of.model.bodies.is_empty();
        let trouble = self.attempt_with(with_impacts, of, state, report, observer)?;
        match trouble {
            Some(Trouble::Energized) if with_impacts => {
                self.attempt_with(false, of, state, report, observer)
            }
            other => Ok(other),
        }
    }

    /// The same. Fast impacts of bodies end within the step, or do not.
    fn attempt_with(
        &mut self,
        with_impacts: bool,
        of: &Attempt,
        state: &mut State,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<Option<Trouble>> {
        let Attempt { model, rank, span, control } = *of;
        let here = &Context {
            model,
            rank,
            span,
            region: None,
            can_halve: control.can_halve(Cause::Failure),
            can_halve_for_a_rise: control.can_halve_for_a_rise(),
            can_halve_for_rises: control.can_halve(Cause::Rise),
            can_repair: true,
            with_impacts,
        };
        // 1. State -> predicted motion; pins that take hold are captured in the state.
        report.time(Phase::Predict, |_| self.motion.predict(&rank.threads, model, state, span));
        if control.can_halve(Cause::Speed) && is_too_fast(model, &self.motion, span.scheme) {
            return Ok(Some(Trouble::Fast));
        }
        // 2. Predicted motion -> candidates.
        self.search.find(here, &self.motion, report, observer)?;
        // 3 to 9. Candidates -> state.
        let (mut trouble, mut around) = self.solve_and_respond(here, state, report, observer)?;
        let mut may_widen = may_iterate(model, span, None);
        for repairs_left in (0..MOST_REPAIRS).rev() {
            let region = match &trouble {
                Some(Trouble::Energized) if with_impacts => break,
                Some(Trouble::Energized) if may_widen => Region::whole(&model.graph, Vec::new()),
                // What stays takes up momentum, and a body has much of it.
                Some(it) if it.is_repairable() && moves_body(model, &around) => {
                    Region::whole(&model.graph, around)
                }
                Some(it) if it.is_repairable() => {
                    Region::new(&model.graph, &model.numbering, &model.partition.patches, around)
                }
                _ => break,
            };
            may_widen = may_iterate(model, span, Some(&region));
            report.count(Counter::Repairs, 1);
            report.count(Counter::RepairedNodes, region.node_count() as u64);
            let (region, can_repair) = (Some(&region), repairs_left > 0);
            let here = &Context { region, can_repair, ..*here };
            self.motion.repair(&rank.threads, model, span.scheme);
            self.search.follow(here, &mut self.motion, report, observer)?;
            (trouble, around) = self.solve_and_respond(here, state, report, observer)?;
        }
        Ok(trouble)
    }

    /// Solves the step and responds to the collisions that the solve left. With trouble, returns
    /// the vertices that have it. Before: candidates cover the predicted motion, or the solution
    /// to be repaired.
    fn solve_and_respond(
        &mut self,
        here: &Context,
        state: &mut State,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<(Option<Trouble>, Vec<VertexId>)> {
        let Self { motion, search, contacts, system, .. } = self;
        // 3. Candidates, memories -> active contacts and their springs.
        report.time(Phase::Contacts, |report| {
            contacts.find(here, search.candidates(), motion, &state.contacts, report)
        })?;
        if let Some(conflict) = narrow(here, contacts.squeezed()) {
            return Ok((Some(Trouble::Squeezed(conflict)), Vec::new()));
        }
        // 4. Motion, springs -> linear system -> changes of the own nodes' velocities.
        report.time(Phase::Assembly, |_| {
            motion.find_joint_springs(here);
            assemble(here, motion, contacts.springs(), system)
        });
        let solved = report.time(Phase::Solve, |report| solve(here, motion, system, report))?;
        if let Some(trouble) = trouble_of(&solved) {
            return Ok((Some(trouble), Vec::new()));
        }
        // 5. Changes -> motion of all bodies, memories of the contacts.
        report.time(Phase::AllGather, |_| {
            self.gather.velocities(here, system.delta_u(), motion)?;
            contacts.remember(here, motion)
        })?;
        let turned = report.time(Phase::Solve, |_| turned(here, motion, contacts.sharing()));
        if !turned.is_empty() {
            return Ok((Some(Trouble::Turned), turned));
        }
        let overloaded = contacts.overloaded(here, motion)?;
        if !overloaded.is_empty() {
            return Ok((Some(Trouble::Overloaded), overloaded));
        }
        // 6. Candidates, contacts, motion -> motion without the collisions that the solve left.
        search.follow(here, motion, report, observer)?;
        let of = Collisions {
            candidates: search.candidates(),
            contacts: contacts.found(),
            squeezed: contacts.squeezed(),
        };
        let unforeseen = self.impulses.respond(here, &of, motion, report)?;
        if !unforeseen.is_empty() {
            return Ok((Some(Trouble::Unforeseen), unforeseen));
        }
        // 7. Candidates, motion -> motion that keeps the clearance.
        search.follow(here, motion, report, observer)?;
        let (trouble, around) =
            keep_clear(here, &mut self.fail_safe, search, motion, report, observer)?;
        if trouble.is_some() {
            return Ok((trouble, around));
        }
        bdf2::finish(here, contacts.springs(), motion, &state.history)?;
        if is_inaccurate(here, motion, state) {
            return Ok((Some(Trouble::Inaccurate), Vec::new()));
        }
        // 8. Energies before and after, work -> balance.
        let balance = report.time(Phase::Advance, |_| {
            let before = energy_before(here, state, system)?;
            self.watch.balance(here, before, motion, contacts, system)
        })?;
        if may_gain_less(here, &balance) || gains_by_impacts(here, &balance, contacts)? {
            return Ok((Some(Trouble::Energized), Vec::new()));
        }
        // 9. Motion, memories -> state.
        report.count(Counter::Held, u64::from(motion.someone_waits()));
        report.time(Phase::Advance, |report| {
            balance.note(here, motion, report);
            state.energy = Some(balance.after());
            motion.note_joints(here, report);
            seams::note(here, motion, report);
            contacts.accept(here, &mut state.contacts, report);
            motion.commit(&here.rank.threads, here.model, state, here.span);
        });
        let clamps = [here.span.t0_s, here.span.t1_s].map(|at_s| here.model.cloth.clamps.at(at_s));
        if clamps[0] != clamps[1] {
            // What takes hold or lets go changes the elastic energy, without work.
            let Energy { total_j, internal_j, .. } =
                energy_of(here.model, here.rank, state, system)?;
            state.energy = Some(Energy { total_j, internal_j, ..balance.after() });
        }
        Ok((None, Vec::new()))
    }
}

/// Whether a rigid body moves one of the vertices `around`.
fn moves_body(model: &Model, around: &[VertexId]) -> bool {
    let is_of_body = |&vertex: &VertexId| matches!(model.numbering.place(vertex), Place::Body(_));
    around.iter().any(is_of_body)
}

/// Whether a solution of `region`, or a first one, with a rise of energy gets another iteration of
/// Newton's method for all nodes: after that of a part, with BDF2 once, and where cloth gets stiff
/// within a step as often as it takes.
fn may_iterate(model: &Model, span: &Span, region: Option<&Region>) -> bool {
    let is_first_of_all = region.map_or(span.scheme.has_history(), |region| !region.is_whole());
    is_first_of_all || model.cloth.elements.limit.acts()
}

/// The energy at the start of the step. It is measured if the state does not have it. Collective.
fn energy_before(here: &Context, state: &mut State, system: &mut StepSystem) -> Result<Energy> {
    let energy = match state.energy {
        Some(energy) => energy,
        None => energy_of(here.model, here.rank, state, system)?,
    };
    state.energy = Some(energy);
    Ok(energy)
}

/// Whether energy rose without work, and a repair of all nodes or smaller steps may make the rise
/// smaller. A small rise counts only after a repair, or if many rose before it. After a repair of
/// bodies it must not be tiny.
fn may_gain_less(here: &Context, balance: &StepBalance) -> bool {
    let rises = balance.rises(here.span);
    let may_widen = may_iterate(here.model, here.span, here.region);
    let of_all = |region: &Region| region.is_whole() && !here.model.bodies.is_empty();
    let was_repaired = here.region.is_some_and(|region| !of_all(region) || balance.is_large());
    let for_a_rise = here.can_halve_for_a_rise && was_repaired && rises;
    let halves = here.can_halve && (balance.is_fault() || for_a_rise)
        || here.can_halve_for_rises && balance.rises_too_often(here.span);
    here.can_repair && may_widen && rises || halves
}

/// Whether energy rises without work in a step in which impacts of bodies end. Collective.
fn gains_by_impacts(
    here: &Context,
    balance: &StepBalance,
    contacts: &ContactStage,
) -> Result<bool> {
    Ok(here.with_impacts && balance.rises(here.span) && contacts.has_impacts(here)?)
}

fn assemble(
    here: &Context,
    motion: &StepMotion,
    springs: &[ContactSpring],
    system: &mut StepSystem,
) {
    let Context { model, rank, span, region, .. } = *here;
    let ahead_s = span.scheme.ahead_s(region.is_some());
    let base = motion.about();
    let terms = SystemTerms {
        scheme: span.scheme,
        inputs: &motion.inputs(model, span, base, ahead_s),
        first_changes: &motion.first_changes(),
        prescribed: &motion.prescribed_changes(base, span.scheme),
        bodies: motion.body_terms(model),
        contacts: springs,
        joints: &motion.joint_springs,
        region,
    };
    system.assemble(&rank.threads, model, &rank.layout, &terms);
}

fn solve(
    here: &Context,
    motion: &StepMotion,
    system: &mut StepSystem,
    report: &mut StepReport,
) -> Result<CgReport> {
    let positions = motion.about().x;
    let solved = system.solve(&*here.rank.world, &here.rank.threads, positions)?;
    let iterations = solved.iterations as u64;
    let (bytes, messages) = system.ghost_traffic();
    if here.region.is_none() {
        report.count(Counter::Solves, 1);
    }
    report.count(Counter::CgIterations, iterations);
    report.count(Counter::GhostBytes, iterations * bytes as u64);
    report.count(Counter::GhostMessages, iterations * messages as u64);
    Ok(solved)
}
