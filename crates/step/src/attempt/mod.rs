//! One attempt at a step, as a timed table of contents.

mod approach;
pub(crate) mod next;

use crate::attempt::approach::too_fast;
use crate::attempt::next::{Checked, Extent, Next, Stop, Tries};
use crate::contacts::active::ContactStage;
use crate::contacts::clearance::{Clearance, unclear};
use crate::contacts::impulses::{Collisions, ImpulseStage};
use crate::contacts::search::CandidateSearch;
use crate::contacts::squeeze::narrow;
use crate::model::Model;
use crate::report::{Counter, Phase, StepReport};
use crate::solve::rows::VelocityGather;
use crate::solve::seams;
use crate::solve::system::{StepSystem, SystemTerms};
use crate::solve::turned::{turned, unsolved};
use crate::state::accuracy::inaccurate;
use crate::state::context::{Context, ThisRank};
use crate::state::control::StepControl;
use crate::state::motion::StepMotion;
use crate::state::region::Region;
use crate::state::trouble::{Found, Rise, Trouble};
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
    /// The sizes that are allowed.
    pub control: &'a StepControl,
}

impl Stages {
    /// One step of the present size. Returns the trouble that ended it and what comes next, if it has
    /// failed. Then the state is that of the start. Only the pins that take hold in the step are
    /// captured in it, and its energy is known. The next attempt starts at the same time and uses both.
    pub fn attempt(
        &mut self,
        of: &Attempt,
        state: &mut State,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<Option<(Trouble, Next)>> {
        let Attempt { model, span, control, .. } = *of;
        let mut tries = Tries {
            with_impacts: !model.bodies.is_empty(),
            has_bodies: !model.bodies.is_empty(),
            has_history: span.scheme.has_history(),
            stiffens: model.cloth.elements.limit.acts(),
            ..Tries::none(*control)
        };
        loop {
            match self.attempt_with(tries, of, state, report, observer) {
                Ok(()) => return Ok(None),
                Err(Stop::Trouble(_, Next::WithoutImpacts)) => tries.with_impacts = false,
                Err(Stop::Trouble(found, next)) => return Ok(Some((found.trouble, next))),
                Err(Stop::Error(error)) => return Err(error),
            }
        }
    }

    /// One step, with or without impacts of bodies, and repairs of its solution.
    fn attempt_with(
        &mut self,
        mut tries: Tries,
        of: &Attempt,
        state: &mut State,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Checked {
        let Attempt { model, rank, span, .. } = *of;
        let here = &Context { model, rank, span, region: None, with_impacts: tries.with_impacts };
        // 1. State -> predicted motion; pins that take hold are captured in the state.
        report.time(Phase::Predict, |_| self.motion.predict(&rank.threads, model, state, span));
        tries.check(too_fast(model, &self.motion.start, span.scheme))?;
        // 2. Predicted motion -> candidates.
        self.search.find(here, &self.motion, report, observer)?;
        // 3 to 9. Candidates -> state.
        let mut done = self.solve_and_respond(here, &tries, state, report, observer);
        while let Err(Stop::Trouble(found, Next::Repair(extent))) = done {
            let region = region_of(model, extent, found.around);
            tries.repair(if region.is_whole() { Extent::All } else { Extent::Part });
            report.count(Counter::Repairs, 1);
            report.count(Counter::RepairedNodes, region.node_count() as u64);
            let here = &Context { region: Some(&region), ..*here };
            self.motion.repair(&rank.threads, model, span.scheme);
            self.search.follow(here, &mut self.motion, report, observer)?;
            done = self.solve_and_respond(here, &tries, state, report, observer);
        }
        done
    }

    /// Solves the step and responds to the collisions that the solve left. Before: candidates cover
    /// the predicted motion, or the solution to be repaired.
    fn solve_and_respond(
        &mut self,
        here: &Context,
        tries: &Tries,
        state: &mut State,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Checked {
        let Self { motion, search, contacts, system, .. } = self;
        // 3. Candidates, memories -> active contacts and their springs.
        report.time(Phase::Contacts, |report| {
            contacts.find(here, search.candidates(), motion, &state.contacts, report)
        })?;
        tries.check(narrow(here, contacts.squeezed()))?;
        // 4. Motion, springs -> linear system -> changes of the own nodes' velocities.
        report.time(Phase::Assembly, |_| {
            motion.find_joint_springs(here);
            assemble(here, motion, contacts.springs(), system)
        });
        let solved = report.time(Phase::Solve, |report| solve(here, motion, system, report))?;
        tries.check(unsolved(&solved))?;
        // 5. Changes -> motion of all bodies, memories of the contacts.
        report.time(Phase::AllGather, |_| {
            self.gather.velocities(here, system.delta_u(), motion)?;
            contacts.remember(here, motion)
        })?;
        let turned = report.time(Phase::Solve, |_| turned(here, motion, contacts.sharing()));
        tries.check(turned)?;
        tries.check(contacts.overloaded(here, motion)?)?;
        // 6. Candidates, contacts, motion -> motion without the collisions that the solve left.
        search.follow(here, motion, report, observer)?;
        let of = Collisions {
            candidates: search.candidates(),
            contacts: contacts.found(),
            squeezed: contacts.squeezed(),
        };
        tries.check(self.impulses.find(here, &of, motion, report)?)?;
        self.impulses.respond(here, &of, motion, report)?;
        // 7. Candidates, motion -> motion that keeps the clearance.
        search.follow(here, motion, report, observer)?;
        self.keep_clear(here, tries, report, observer)?;
        let Self { motion, contacts, system, .. } = self;
        bdf2::finish(here, contacts.springs(), motion, state.history.as_ref())?;
        tries.check(inaccurate(here, motion, state))?;
        // 8. Energies before and after, work -> balance.
        let balance = report.time(Phase::Advance, |_| {
            let before = energy_before(here, state, system)?;
            self.watch.balance(here, before, motion, contacts, system)
        })?;
        tries.check(energized(here, &balance, contacts)?)?;
        // 9. Motion, memories -> state.
        self.accept(here, &balance, state, report)?;
        Ok(())
    }

    /// Shortens the motion until no pair comes nearer than the clearance.
    fn keep_clear(
        &mut self,
        here: &Context,
        tries: &Tries,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Checked {
        let Self { motion, search, fail_safe, .. } = self;
        let mut clearance = Clearance::new(here.model, fail_safe);
        loop {
            let outcome = report
                .time(Phase::FailSafe, |_| clearance.shorten(here, search.candidates(), motion))?;
            tries.check(unclear(here.model, &outcome))?;
            if clearance.settle(here, &outcome, search, motion, report, observer)? {
                return Ok(());
            }
        }
    }

    /// Writes the end of the step into the state.
    fn accept(
        &mut self,
        here: &Context,
        balance: &StepBalance,
        state: &mut State,
        report: &mut StepReport,
    ) -> Result<()> {
        let Self { motion, contacts, system, .. } = self;
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
        Ok(())
    }
}

/// The nodes that a repair solves again because of trouble at the vertices `around`. If a rigid body
/// moves one of them, that is all: what stays takes up momentum, and a body has much of it.
fn region_of(model: &Model, extent: Extent, around: Vec<VertexId>) -> Region {
    let is_of_body = |&vertex: &VertexId| matches!(model.numbering.place(vertex), Place::Body(_));
    match extent {
        Extent::Part if !around.iter().any(is_of_body) => {
            Region::new(&model.graph, &model.numbering, &model.partition.patches, around)
        }
        _ => Region::whole(&model.graph, around),
    }
}

/// Energy that rises without work, and whether impacts of bodies end in the step. Collective.
fn energized(
    here: &Context,
    balance: &StepBalance,
    contacts: &ContactStage,
) -> Result<Option<Found>> {
    let Some(rise) = balance.rise(here.span) else { return Ok(None) };
    let by_impacts = here.with_impacts && rise.rises && contacts.has_impacts(here)?;
    Ok(Some(Found::new(Trouble::Energized(Rise { by_impacts, ..rise }))))
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
