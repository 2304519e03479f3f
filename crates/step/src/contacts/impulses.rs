//! After the solve: impulses for what the contacts did not foresee.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::contacts::active::{PAIRS_PER_CHUNK, contact_distance};
use crate::contacts::dynamics::MovingBodies;
use crate::report::{Counter, Measure, Phase, ROUNDS, StepReport};
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use crate::state::trouble::{Found, Trouble};
use cloth_bodies::contact::impulse::CollisionLaw;
use cloth_bodies::contact::settings::Response;
use cloth_bodies::contact::{
    Contact, ContactKind, NodeResponse, Squeezed, StepEnds, impulses, max_project, repulsions,
};
use cloth_collision::collision::Pair;
use cloth_core::error::{Error, Result};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;
use cloth_core::ranks::message;

/// Rounds of continuous tests and impulses after the solve. The tablecloth needs none in most
/// steps.
const IMPULSE_ROUNDS: usize = 10;

/// Nearest approach that the continuous tests allow, as a share of the contact distance.
const SEPARATION: f64 = 0.25;

/// The responses to the collisions of one rank.
#[derive(Default)]
pub(crate) struct ImpulseStage {
    responses: Vec<NodeResponse>,
    /// Whether the last responses moved each vertex.
    moved: Vec<bool>,
    /// The candidates that a later round tests again.
    retested: Vec<Pair>,
}

/// What a round of impulses is made from.
pub(crate) struct Collisions<'a> {
    /// Pairs that this rank found.
    pub candidates: &'a [Pair],
    /// Contacts that this rank found.
    pub contacts: &'a [Contact],
    /// Cloth that is squeezed.
    pub squeezed: &'a Squeezed,
}

impl ImpulseStage {
    /// Finds the collisions of the `motion`, and the largest impulse on each unit that ends them. With
    /// [`Response::Impulses`] it is moved by its repulsions first. Before: the candidates of all ranks
    /// cover the motion. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn find(
        &mut self,
        here: &Context,
        of: &Collisions,
        motion: &mut StepMotion,
        report: &mut StepReport,
    ) -> Result<Option<Found>> {
        if here.model.settings.contact.response == Response::Impulses {
            report.time(Phase::Response, |_| self.find_repulsions(here, of, motion));
            report.time(Phase::Combination, |report| {
                self.combine(here)?;
                self.apply(here, motion, report);
                Ok::<_, Error>(())
            })?;
        }
        self.find_in_round(0, here, of, motion, report)?;
        let collide = self.responses.iter().flat_map(|response| response.pair.vertices);
        Ok(Found::around(Trouble::Unforeseen, collide.collect()))
    }

    /// Changes the end of the `motion` by the impulses that [`Self::find`] found, then by rounds of
    /// further ones. Collective.
    ///
    /// A later round tests only the candidates with a vertex that the last responses moved. No other
    /// pair can collide. The response of a pair depends on the motion of its own vertices alone, so
    /// without a change it is the same again. Had there been one, a unit of the pair would have got
    /// it, or a larger one, and would have moved.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn respond(
        &mut self,
        here: &Context,
        of: &Collisions,
        motion: &mut StepMotion,
        report: &mut StepReport,
    ) -> Result<()> {
        for round in 1..=IMPULSE_ROUNDS {
            if self.responses.is_empty() {
                break;
            }
            report.time(Phase::Combination, |report| self.apply(here, motion, report));
            report.count(Counter::ImpulseRounds, 1);
            self.find_in_round(round, here, of, motion, report)?;
        }
        Ok(())
    }

    /// The collisions of a `round`. Those after the last round stay.
    fn find_in_round(
        &mut self,
        round: usize,
        here: &Context,
        of: &Collisions,
        motion: &StepMotion,
        report: &mut StepReport,
    ) -> Result<()> {
        let collisions = report.time(Phase::Response, |_| {
            if round > 0 {
                self.find_retested(here, of.candidates);
            }
            self.find_impulses(here, of, round > 0, motion)
        });
        if round == IMPULSE_ROUNDS {
            report.count(Counter::Unresolved, collisions);
            return Ok(());
        }
        report.count(Counter::Collisions, collisions);
        report.collisions_per_round[round.min(ROUNDS - 1)] += collisions;
        report.time(Phase::Combination, |_| self.combine(here))
    }

    /// This rank's repulsions, the largest on each unit.
    fn find_repulsions(&mut self, here: &Context, of: &Collisions, motion: &StepMotion) {
        let near = |contact: &&Contact| contact.kind() == ContactKind::Proximity;
        let contacts: Vec<_> = of.contacts.iter().filter(near).copied().collect();
        let bodies = MovingBodies::new(here.model, motion);
        let h = here.span.scheme.step_s();
        let ends = StepEnds { x0: &motion.start.x0, x1: &motion.x1, bodies: &bodies, h };
        self.responses.clear();
        repulsions(&contacts, ends, &law(here, of), &mut self.responses);
        max_project(&mut self.responses);
    }

    /// Finds the `candidates` with a vertex that the last responses moved.
    fn find_retested(&mut self, here: &Context, candidates: &[Pair]) {
        let Self { responses, moved, retested } = self;
        let numbering = &here.model.numbering;
        moved.clear();
        moved.resize(numbering.vertices(), false);
        for response in responses.iter() {
            match numbering.body_of_node(response.node) {
                None => {
                    let vertex = numbering.skin_vertex(response.node).unwrap_or(response.node);
                    moved[vertex as usize] = true;
                }
                Some(body) => {
                    let vertices = numbering.bodies()[body].vertices.clone();
                    moved[vertices.start as usize..vertices.end as usize].fill(true);
                }
            }
        }
        retested.clear();
        here.rank.threads.collect(candidates, PAIRS_PER_CHUNK, retested, |pairs, retested| {
            retested.extend(pairs.iter().filter(|pair| pair.has_any(moved)));
        });
    }

    /// This rank's impulses, the largest on each unit, of all candidates or of those to be tested
    /// `again`. Returns the number of its collisions.
    fn find_impulses(
        &mut self,
        here: &Context,
        of: &Collisions,
        again: bool,
        motion: &StepMotion,
    ) -> u64 {
        let (law, bodies) = (law(here, of), MovingBodies::new(here.model, motion));
        let h = here.span.scheme.step_s();
        let ends = StepEnds { x0: &motion.start.x0, x1: &motion.x1, bodies: &bodies, h };
        let Self { responses, retested, .. } = self;
        let candidates = if again { retested } else { of.candidates };
        responses.clear();
        let threads = &here.rank.threads;
        let count = AtomicU64::new(0);
        threads.collect(candidates, PAIRS_PER_CHUNK, responses, |pairs, responses| {
            count.fetch_add(impulses(pairs, ends, &law, responses), Ordering::Relaxed);
        });
        max_project(responses);
        count.into_inner()
    }

    /// Brings the largest response on each unit of all ranks to every rank. Collective.
    fn combine(&mut self, here: &Context) -> Result<()> {
        self.responses = message::all_gather_v(&*here.rank.world, &self.responses)?;
        max_project(&mut self.responses);
        Ok(())
    }

    /// Applies the responses.
    fn apply(&self, here: &Context, motion: &mut StepMotion, report: &mut StepReport) {
        if here.rank.world.rank() == 0 {
            self.measure_drift(here, motion, report);
        }
        for response in &self.responses {
            let delta_u = Vec3::from(response.delta_u);
            motion.push(here.model, response.node, delta_u, here.span.scheme);
        }
    }

    /// Measures what the responses change in the energy of cloth and bodies, and in the momentum of
    /// pairs of which nothing belongs to an obstacle. Before: they are not applied yet.
    fn measure_drift(&self, here: &Context, motion: &StepMotion, report: &mut StepReport) {
        let (numbering, masses) = (&here.model.numbering, &here.model.cloth.masses);
        let of_bodies = motion.body_terms(here.model);
        let mut momentum = Vec3::zeros();
        for response in &self.responses {
            let (change, u) = (Vec3::from(response.delta_u), motion.u1[response.node as usize]);
            let mean = u + 0.5 * change;
            let (impulse, energy) =
                match (masses.get(response.node as usize), of_bodies.of(response.node)) {
                    (Some(&mass), _) => (change * mass, mass * change.dot(&mean)),
                    (None, Some(terms)) => {
                        let impulse = terms.mass[0] * change;
                        (impulse, impulse.dot(&mean))
                    }
                    (None, None) => continue,
                };
            let is_free = |&vertex: &VertexId| (vertex as usize) < numbering.free_vertices();
            // The first node of a body is the velocity of its centre. Others have no momentum.
            if response.pair.vertices.iter().all(is_free) && numbering.is_first(response.node) {
                momentum += impulse;
            }
            report.measure(Measure::ImpulseEnergy, energy);
        }
        report.measure(Measure::MomentumDrift, momentum.norm());
    }
}

fn law<'a>(here: &Context<'a>, of: &Collisions<'a>) -> CollisionLaw<'a> {
    CollisionLaw {
        distance: contact_distance(here.model),
        separation: SEPARATION,
        squeezed: of.squeezed,
        friction: &here.model.friction,
        friction_factor: here.model.friction_factor(here.span.t1_s),
    }
}
