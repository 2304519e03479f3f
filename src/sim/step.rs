//! One step of one rank, as a timed table of contents.

use std::cmp::Ordering;

use crate::cloth::SolveOutcome;
use crate::cloth::inputs::StepInputs;
use crate::collision::{
    Contact, ContactKind, Pair, find_contacts, impulses, keep_local_minima, max_project, response,
    stays_within,
};
use crate::comm::{Tag, message};
use crate::error::{Error, Result};
use crate::ids::NONE;
use crate::linalg::End as CgEnd;
use crate::math::Vec3;
use crate::profile::{Counter, Phase, StepReport};
use crate::sim::clock::TICKS_PER_STEP;
use crate::sim::couple::{Bodies, StandingContact};
use crate::sim::motion::Span;
use crate::sim::simulation::Simulation;

/// Rounds of continuous tests and impulses after the solve; the tablecloth
/// needs none in most steps.
const IMPULSE_ROUNDS: usize = 10;

/// Nearest approach that the continuous tests allow, as a share of the contact
/// distance.
const SEPARATION: f64 = 0.25;

/// How far a vertex may stray from its predicted path before candidates are
/// sought again, as a share of the contact distance. On the tablecloth half of
/// it brings a second traversal in few steps, while candidates grow with it.
const MARGIN: f64 = 0.5;

/// Elementary pairs that a thread takes at a time, some 100 us of work.
const PAIRS_PER_CHUNK: usize = 512;

/// Why a step must be tried again at half its size.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    /// The residual stayed above the tolerance.
    NotConverged,
    /// A number was not finite.
    NotFinite,
}

/// Which end of the motion the bounds cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Predicted,
    Actual,
}

impl Simulation<'_> {
    /// Advances by one whole step. Where the solve fails, the step is done in
    /// smaller ones, at most `2^solver.max_halvings` times, which then grow again.
    ///
    /// # Errors
    /// [`Error::Step`] when the smallest step fails too, [`Error::Rank`] when
    /// another rank has failed.
    pub fn step(&mut self) -> Result<StepReport> {
        let mut report = StepReport::default();
        let end = (self.state.ticks / TICKS_PER_STEP + 1) * TICKS_PER_STEP;
        while self.state.ticks < end {
            match self.attempt(&mut report)? {
                None => self.grow_step(end),
                Some(trouble) => {
                    report.count(Counter::Halvings, 1);
                    self.halve_step(trouble)?;
                }
            }
        }
        if self.model.scene.output.energy {
            report.energy_j = self.total_energy()?;
        }
        Ok(report)
    }

    /// One step of the present size; the state changes only without trouble.
    fn attempt(&mut self, report: &mut StepReport) -> Result<Option<Trouble>> {
        let span = Span::new(&self.model, self.state.ticks, self.step_ticks);
        report.time(Phase::Predict, |_| self.predict(&span));
        report.time(Phase::Refit, |_| self.refit(End::Predicted));
        report.time(Phase::Tests, |report| self.collect_candidates(End::Predicted, report));
        report.time(Phase::Contacts, |report| self.find_contacts(&span, report))?;
        report.time(Phase::Assembly, |_| self.assemble(&span));
        let solved = report.time(Phase::Solve, |report| self.solve(report))?;
        if let Some(trouble) = trouble(&solved) {
            return Ok(Some(trouble));
        }
        report.time(Phase::AllGather, |_| self.gather_velocities(&span))?;
        report.time(Phase::Response, |report| self.respond(&span, report))?;
        report.time(Phase::Advance, |_| self.advance(&span));
        Ok(None)
    }

    fn predict(&mut self, span: &Span) {
        let pins = &self.model.cloth.pins;
        let (state, targets) = (&mut self.state, &mut self.lists.targets);
        pins.capture(&mut state.captured, &state.positions, span.t0_s);
        pins.targets(&state.captured, span.t0_s, span.t1_s, targets);
        self.motion.predict(&self.model, state, targets, span);
    }

    fn refit(&mut self, end: End) {
        let sweep = self.motion.sweep(end == End::Actual, self.radius());
        self.detector.refit(&self.threads, &self.model.surfaces, &sweep);
    }

    fn collect_candidates(&mut self, end: End, report: &mut StepReport) {
        let sweep = self.motion.sweep(end == End::Actual, self.radius());
        let (surfaces, patches) = (&self.model.surfaces, &self.layout.own_patches);
        let roots = &mut self.lists.roots;
        let mut counts = self.detector.root_tests(surfaces, &sweep, patches, roots);
        counts.add(&self.detector.collect(surfaces, &sweep, roots.iter().copied()));
        report.count(Counter::Tests, counts.tests);
        report.count(Counter::Candidates, counts.candidates);
    }

    /// The distance up to which pairs are candidates: that of contact, and the
    /// margin by which each side may stray from its predicted path.
    fn radius(&self) -> f64 {
        self.law.distance_m + 2.0 * self.margin()
    }

    fn margin(&self) -> f64 {
        MARGIN * self.law.distance_m
    }

    /// Turns candidates into contacts, hands them to the ranks that own their
    /// vertices, and makes springs of those that concern this rank.
    fn find_contacts(&mut self, span: &Span, report: &mut StepReport) -> Result<()> {
        let (lists, motion) = (&mut self.lists, &self.motion);
        let pairs = self.detector.candidates();
        let distance = self.law.distance_m;
        lists.found.clear();
        self.threads.collect(pairs, PAIRS_PER_CHUNK, &mut lists.found, |pairs, found| {
            find_contacts(pairs, &motion.x0, &motion.predicted, distance, found);
            0
        });
        let cloth = self.model.cloth.vertex_count() as u32;
        lists.found.retain(|contact| contact.pair.vertices.iter().any(|&v| v >= cloth));
        for contact in &lists.found {
            report.count(
                match contact.kind() {
                    ContactKind::Proximity => Counter::ProximityPairs,
                    ContactKind::Impact => Counter::PredictedImpacts,
                },
                1,
            );
        }
        let contacts = self.route_contacts()?;
        let bodies = Bodies {
            velocities: &self.motion.v0,
            inverse_masses: &self.motion.inverse_masses,
            fall: self.model.gravity() * span.h,
            h: span.h,
        };
        let (standing, springs) = contacts
            .iter()
            .filter_map(|contact| StandingContact::new(contact, &self.law, &self.state, &bodies))
            .unzip();
        self.lists.standing = standing;
        self.lists.springs = springs;
        Ok(())
    }

    /// The contacts of all ranks that touch an own vertex, by rising pair.
    fn route_contacts(&mut self) -> Result<Vec<Contact>> {
        let mut to_rank = vec![Vec::new(); self.world.size()];
        for contact in &self.lists.found {
            self.for_owners(&contact.pair, |owner| to_rank[owner].push(*contact));
        }
        let received = message::route(self.world, Tag::Contacts, &to_rank)?;
        let mut contacts: Vec<Contact> =
            received.into_iter().flat_map(|(_, contacts)| contacts).collect();
        keep_local_minima(&mut contacts);
        // The list of a contact that pushes an own vertex is whole here, so all
        // ranks that keep it agree; of others it may not be.
        contacts.retain(|contact| self.is_pushed_here(contact));
        Ok(contacts)
    }

    /// Calls `visit` with each rank that owns a cloth vertex of `pair`.
    fn for_owners(&self, pair: &Pair, mut visit: impl FnMut(usize)) {
        let cloth = self.model.cloth.vertex_count();
        let mut owners = [NONE; 4];
        for (a, &vertex) in pair.vertices.iter().enumerate() {
            if (vertex as usize) < cloth {
                let owner = self.model.partition.rank_of_vertex(vertex);
                if !owners.contains(&owner) {
                    owners[a] = owner;
                    visit(owner as usize);
                }
            }
        }
    }

    /// What the contacts remember of the step. A rank whose vertex a contact does
    /// not push now may find it pushed in the next step: every owner of a vertex
    /// of the pair is told.
    fn remember(&mut self, span: &Span) -> Result<()> {
        let mut to_rank = vec![Vec::new(); self.world.size()];
        for contact in &self.lists.standing {
            let memory = contact.memory(&self.motion.v1, span.h);
            if self.layout.own_index(memory.owner).is_some() {
                self.for_owners(&memory.pair, |owner| to_rank[owner].push(memory));
            }
        }
        let received = message::route(self.world, Tag::Contacts, &to_rank)?;
        let memories = &mut self.lists.memories;
        memories.clear();
        memories.extend(received.into_iter().flat_map(|(_, memories)| memories));
        memories.sort_unstable_by_key(|memory| memory.pair);
        Ok(())
    }

    /// Whether `contact` exerts a force on an own vertex.
    fn is_pushed_here(&self, contact: &Contact) -> bool {
        let mut sides = contact.pair.vertices.iter().zip(contact.weights);
        sides.any(|(&v, weight)| weight != 0.0 && self.layout.own_index(v).is_some())
    }

    fn assemble(&mut self, span: &Span) {
        let inputs = StepInputs {
            x: &self.state.positions,
            v: &self.state.velocities,
            h: span.h,
            gravity: self.model.gravity(),
            wind: self.model.wind(span.t1_s),
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

    /// Impulses for collisions that the contacts in the system did not foresee:
    /// rounds of continuous tests, each answered by the largest impulse per vertex.
    fn respond(&mut self, span: &Span, report: &mut StepReport) -> Result<()> {
        if self.motion.strayed(|x0, predicted, x1| stays_within(x0, predicted, x1, self.margin())) {
            report.count(Counter::Retraversals, 1);
            self.refit(End::Actual);
            self.collect_candidates(End::Actual, report);
        }
        for round in 0..=IMPULSE_ROUNDS {
            let collisions = self.find_impulses(span);
            self.lists.responses = message::all_gather_v(self.world, &self.lists.responses)?;
            max_project(&mut self.lists.responses);
            if self.lists.responses.is_empty() {
                break;
            }
            if round == IMPULSE_ROUNDS {
                report.count(Counter::Unresolved, collisions);
                break;
            }
            report.count(Counter::ImpulseRounds, 1);
            report.count(Counter::Collisions, collisions);
            for response in &self.lists.responses {
                self.motion.push(response.vertex, Vec3::from(response.delta_v), span.h);
            }
        }
        Ok(())
    }

    /// This rank's impulses, the largest per vertex; returns its collisions.
    fn find_impulses(&mut self, span: &Span) -> u64 {
        let motion = response::Motion {
            x0: &self.motion.x0,
            x1: &self.motion.x1,
            inverse_masses: &self.motion.inverse_masses,
            h: span.h,
        };
        let separation = SEPARATION * self.law.distance_m;
        let responses = &mut self.lists.responses;
        responses.clear();
        let pairs = self.detector.candidates();
        let cloth = self.model.cloth.vertex_count() as u32;
        let active = |pair: &Pair| pair.vertices.iter().any(|&v| v >= cloth);
        let count = impulses(pairs, active, motion, self.law.friction, separation, responses);
        max_project(responses);
        count
    }

    fn advance(&mut self, span: &Span) {
        std::mem::swap(&mut self.state.contacts, &mut self.lists.memories);
        self.motion.commit(&mut self.state, span.ticks);
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

    fn halve_step(&mut self, trouble: Trouble) -> Result<()> {
        let smallest = TICKS_PER_STEP >> self.model.scene.solver.max_halvings;
        let halved = self.step_ticks / 2;
        if halved < smallest.max(1) {
            return Err(self.step_error(trouble)?);
        }
        self.step_ticks = halved;
        Ok(())
    }

    /// The vertex that changed its velocity most in the failed solve, not finite
    /// before all others.
    fn worst_vertex(&self) -> Result<u32> {
        let size = |change: &Vec3| {
            let norm = change.norm();
            if norm.is_finite() { norm } else { f64::INFINITY }
        };
        let own = self.layout.own.iter().zip(self.integrator.delta_v());
        let mine: Vec<[f64; 2]> =
            own.map(|(&vertex, change)| [size(change), -f64::from(vertex)]).collect();
        let larger = |a: &[f64; 2], b: &[f64; 2]| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        let worst: Vec<_> = mine.into_iter().max_by(larger).into_iter().collect();
        let of_all = message::all_gather_v(self.world, &worst)?;
        Ok(of_all.into_iter().max_by(larger).map_or(0, |[_, vertex]| -vertex as u32))
    }

    fn step_error(&mut self, trouble: Trouble) -> Result<Error> {
        let scene = &self.model.scene;
        let step = self.state.ticks / TICKS_PER_STEP + 1;
        let vertex = self.worst_vertex()?;
        let (cause, remedy) = match trouble {
            Trouble::NotConverged => (
                format!(
                    "the linear solve did not reach a relative residual of {:e} in {} iterations, \
                     even at a step of {:.2e} s",
                    scene.solver.relative_residual,
                    scene.solver.max_iterations,
                    self.model.clock.seconds(self.step_ticks)
                ),
                "raise solver.max_iterations or steps_per_frame, or soften the fabric",
            ),
            Trouble::NotFinite => (
                "the solution is not finite, even at the smallest step".to_string(),
                "look for extreme values in material, transform or motion near that vertex",
            ),
        };
        Ok(Error::Step {
            frame: (step - 1) / u64::from(scene.steps_per_frame) + 1,
            step,
            vertex,
            cause,
            remedy: remedy.to_string(),
        })
    }
}

fn trouble(solved: &SolveOutcome) -> Option<Trouble> {
    match solved.cg.end {
        CgEnd::Converged => None,
        CgEnd::NotFinite => Some(Trouble::NotFinite),
        CgEnd::Iterations | CgEnd::Indefinite => Some(Trouble::NotConverged),
    }
}
