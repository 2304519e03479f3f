//! After the solve: impulses for what the contacts did not foresee, and the
//! fail-safe.

use crate::collision::stays_within;
use crate::contact::fail_safe::{Outcome, Paths, stopped_velocity};
use crate::contact::impulse::{CollisionLaw, Motion};
use crate::contact::settings::Response;
use crate::contact::{ContactKind, VertexResponse, impulses, max_project, repulsions};
use crate::error::Result;
use crate::math::Vec3;
use crate::ranks::message;
use crate::step::contacts::PAIRS_PER_CHUNK;
use crate::step::motion::Span;
use crate::step::report::{Counter, Measure, Phase, ROUNDS, StepReport};
use crate::step::simulation::Simulation;
use crate::step::trouble::Trouble;

/// Rounds of continuous tests and impulses after the solve; the tablecloth
/// needs none in most steps.
const IMPULSE_ROUNDS: usize = 10;

/// Nearest approach that the continuous tests allow, as a share of the contact
/// distance.
const SEPARATION: f64 = 0.25;

/// Part of its shortest edge that a vertex may lose to the fail-safe before the
/// step is redone.
const LOSS_LIMIT: f64 = 0.125;

impl Simulation<'_> {
    /// Impulses for collisions that the contacts in the system did not foresee:
    /// rounds of continuous tests, each answered by the largest impulse per vertex.
    pub(super) fn respond(&mut self, span: &Span, report: &mut StepReport) -> Result<()> {
        if self.model.settings.contact.response == Response::Impulses {
            report.time(Phase::Response, |_| self.find_repulsions(span));
            self.apply_responses(span, report)?;
        }
        for round in 0..=IMPULSE_ROUNDS {
            let collisions = report.time(Phase::Response, |_| self.find_impulses(span));
            if round == IMPULSE_ROUNDS {
                report.count(Counter::Unresolved, collisions);
                break;
            }
            report.count(Counter::Collisions, collisions);
            report.collisions_per_round[round.min(ROUNDS - 1)] += collisions;
            if !self.apply_responses(span, report)? {
                break;
            }
            report.count(Counter::ImpulseRounds, 1);
        }
        Ok(())
    }

    /// This rank's repulsions, the largest per vertex.
    fn find_repulsions(&mut self, span: &Span) {
        let mut responses = std::mem::take(&mut self.lists.responses);
        responses.clear();
        let (motion, law) = (self.response_motion(span), self.collision_law());
        let near =
            |contact: &&crate::contact::point::Contact| contact.kind() == ContactKind::Proximity;
        let contacts: Vec<_> = self.lists.found.iter().filter(near).copied().collect();
        repulsions(&contacts, &self.motion.v1, motion, &law, &mut responses);
        max_project(&mut responses);
        self.lists.responses = responses;
    }

    /// This rank's impulses, the largest per vertex; returns its collisions.
    fn find_impulses(&mut self, span: &Span) -> u64 {
        let mut responses = std::mem::take(&mut self.lists.responses);
        responses.clear();
        let (motion, law) = (self.response_motion(span), self.collision_law());
        let pairs = self.detector.candidates();
        let count =
            self.threads.collect(pairs, PAIRS_PER_CHUNK, &mut responses, |pairs, responses| {
                impulses(pairs, motion, &law, responses)
            });
        max_project(&mut responses);
        self.lists.responses = responses;
        count
    }

    /// Combines the responses of all ranks and applies them; false if there are none.
    fn apply_responses(&mut self, span: &Span, report: &mut StepReport) -> Result<bool> {
        report.time(Phase::Combination, |report| {
            self.lists.responses = message::all_gather_v(self.world, &self.lists.responses)?;
            max_project(&mut self.lists.responses);
            if self.world.rank() == 0 {
                self.measure_drift(report);
            }
            for response in &self.lists.responses {
                self.motion.push(response.vertex, Vec3::from(response.delta_v), span.h);
            }
            Ok(!self.lists.responses.is_empty())
        })
    }

    /// What the responses change in momentum and energy.
    fn measure_drift(&self, report: &mut StepReport) {
        let cloth = self.model.cloth.vertex_count() as u32;
        let mass = |response: &VertexResponse| self.model.cloth.masses[response.vertex as usize];
        let mut momentum = Vec3::zeros();
        for response in &self.lists.responses {
            let (change, v) =
                (Vec3::from(response.delta_v), self.motion.v1[response.vertex as usize]);
            if response.pair.vertices.iter().all(|&vertex| vertex < cloth) {
                momentum += change * mass(response);
            }
            let energy = mass(response) * change.dot(&(v + 0.5 * change));
            report.measure(Measure::ImpulseEnergy, energy);
        }
        report.measure(Measure::MomentumDrift, momentum.norm());
    }

    fn response_motion(&self, span: &Span) -> Motion<'_> {
        let motion = &self.motion;
        let inverse_masses = &motion.inverse_masses;
        Motion { x0: &motion.x0, x1: &motion.x1, inverse_masses, h: span.h }
    }

    fn collision_law(&self) -> CollisionLaw<'_> {
        let friction = self.law.friction;
        CollisionLaw { distance: self.contact_distance(), separation: SEPARATION, friction }
    }

    /// Shortens motions where surfaces would come nearer than the clearance.
    pub(super) fn fail_safe(
        &mut self,
        span: &Span,
        report: &mut StepReport,
    ) -> Result<Option<Trouble>> {
        if !self.model.settings.contact.fail_safe {
            return Ok(None);
        }
        let margin = self.margin();
        let motion = &mut self.motion;
        let (x0, path_end) = (&motion.x0, &motion.path_end);
        let paths = Paths {
            x0,
            inverse_masses: &motion.inverse_masses,
            delta_m: self.model.settings.contact.clearance_m,
        };
        let stays =
            |vertex: usize, x1: &Vec3| stays_within(&x0[vertex], &path_end[vertex], x1, margin);
        let (candidates, x1) = (self.detector.candidates(), &mut motion.x1);
        let outcome =
            self.fail_safe.run(self.world, &self.threads, candidates, &paths, &stays, x1)?;
        if let Some(conflict) = outcome.conflict {
            return Ok(Some(Trouble::Pinched(conflict)));
        }
        if let Some(too_near) = outcome.too_near {
            return Ok(Some(Trouble::TooNear(too_near)));
        }
        if self.can_halve(false) && self.loses_too_much(&outcome) {
            return Ok(Some(Trouble::Truncated));
        }
        self.record(&outcome, span, report);
        Ok(None)
    }

    fn loses_too_much(&self, outcome: &Outcome) -> bool {
        let limit = |vertex: u32| LOSS_LIMIT * self.model.shortest_edges[vertex as usize];
        outcome.truncated.iter().any(|truncation| truncation.lost_m > limit(truncation.vertex))
    }

    /// Velocities lose their part towards the planes that stopped them, and the
    /// fail-safe's work is counted.
    fn record(&mut self, outcome: &Outcome, span: &Span, report: &mut StepReport) {
        for stops in outcome.stops.chunk_by(|a, b| a.vertex == b.vertex) {
            let v = &mut self.motion.v1[stops[0].vertex as usize];
            *v = stopped_velocity(*v, stops, span.h);
        }
        report.count(Counter::FailSafePasses, outcome.per_pass.len() as u64);
        report.count(Counter::Truncated, outcome.truncated.len() as u64);
        report.count(Counter::Planes, outcome.planes);
        for (pass, truncated) in outcome.per_pass.iter().enumerate() {
            report.truncated_per_pass[pass.min(ROUNDS - 1)] += truncated;
        }
        if self.world.rank() == 0 {
            let lost = outcome.truncated.iter().map(|truncation| truncation.lost_m).sum();
            report.measure(Measure::PathLost, lost);
        }
        report.measure(Measure::Path, self.motion.path_length(&self.layout.own));
    }
}
