//! From candidates to the contacts that stand in the linear system.

use crate::collision::Pair;
use crate::contact::candidates::{SearchObserver, SearchOver, collect_shared};
use crate::contact::settings::Response;
use crate::contact::spring::{Bodies, StandingContact};
use crate::contact::{Contact, ContactDistance, ContactKind, find_contacts, keep_local_minima};
use crate::error::{Error, Result};
use crate::ids::NONE;
use crate::ranks::{Tag, message};
use crate::step::motion::Span;
use crate::step::report::{Counter, Phase, StepReport};
use crate::step::simulation::Simulation;

/// How far a vertex may stray from its predicted path before candidates are
/// sought again, as a share of the contact distance. On the tablecloth half of
/// it brings a second traversal in few steps, while candidates grow with it.
const MARGIN: f64 = 0.5;

/// Elementary pairs that a thread takes at a time, some 100 us of work.
pub(super) const PAIRS_PER_CHUNK: usize = 512;

impl Simulation<'_> {
    /// One traversal over the predicted motion: all pairs that come near, as long
    /// as every vertex stays within its margin.
    pub(super) fn find_candidates(
        &mut self,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<()> {
        let (sweep, surfaces) = (self.motion.sweep(self.radius()), &self.model.surfaces);
        report.time(Phase::Refit, |_| self.detector.refit(&self.threads, surfaces, &sweep));
        self.collect_candidates(report, observer)
    }

    /// Seeks the candidates of the vertices that have left the paths along which they
    /// were sought again, along the actual ones. All ranks decide alike: they know all
    /// positions.
    pub(super) fn keep_candidates(
        &mut self,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<()> {
        let margin = self.margin();
        let strayed = report.time(Phase::Refit, |_| self.motion.follow_strayed(margin));
        if strayed.is_empty() {
            return Ok(());
        }
        report.count(Counter::Retraversals, 1);
        report.count(Counter::Strayed, strayed.len() as u64);
        let (sweep, surfaces) = (self.motion.sweep(self.radius()), &self.model.surfaces);
        report.time(Phase::Refit, |_| self.detector.refit_strayed(surfaces, &sweep, &strayed));
        self.collect_candidates(report, observer)
    }

    fn collect_candidates(
        &mut self,
        report: &mut StepReport,
        observer: &mut dyn SearchObserver,
    ) -> Result<()> {
        let (sweep, surfaces) = (self.motion.sweep(self.radius()), &self.model.surfaces);
        self.processors.trace_tasks(observer.traces_tasks());
        let executed = report.time(Phase::Tests, |report| {
            let (own, roots) = (&self.layout.own_patches, &mut self.lists.roots);
            let mut counts = self.detector.root_tests(surfaces, &sweep, own, roots);
            let (here, processors) = ((self.world, &self.threads), &mut self.processors);
            let over = (surfaces, &sweep);
            counts.add(&collect_shared(here, processors, &mut self.detector, over, roots)?);
            report.count(Counter::Tests, counts.tests);
            report.test_hash = report.test_hash.wrapping_add(counts.hash);
            report.count(Counter::Candidates, counts.candidates);
            Ok::<_, Error>(counts)
        })?;
        observer.searched(&SearchOver {
            world: self.world,
            processors: &self.processors,
            executed,
            detector: &self.detector,
            surfaces,
            sweep,
        })
    }

    /// Within what distance along the paths pairs are candidates, m.
    fn radius(&self) -> f64 {
        self.law.distance_m + 2.0 * self.margin()
    }

    pub(super) fn margin(&self) -> f64 {
        MARGIN * self.law.distance_m
    }

    pub(super) fn contact_distance(&self) -> ContactDistance<'_> {
        let (rest, cloth_ends) = (&self.model.rest, &self.model.cloth_ends);
        ContactDistance { distance_m: self.law.distance_m, rest, cloth_ends }
    }

    /// Turns candidates into contacts, hands them to the ranks that own their
    /// vertices, and makes springs of those that concern this rank.
    pub(super) fn find_contacts(&mut self, span: &Span, report: &mut StepReport) -> Result<()> {
        let mut found = std::mem::take(&mut self.lists.found);
        let (motion, distance) = (&self.motion, self.contact_distance());
        let pairs = self.detector.candidates();
        found.clear();
        self.threads.collect(pairs, PAIRS_PER_CHUNK, &mut found, |pairs, found| {
            find_contacts(pairs, &motion.x0, &motion.predicted, &distance, found);
            0
        });
        self.lists.found = found;
        for contact in &self.lists.found {
            report.count(
                match contact.kind() {
                    ContactKind::Proximity => Counter::ProximityPairs,
                    ContactKind::Impact => Counter::PredictedImpacts,
                },
                1,
            );
        }
        if self.model.settings.contact.response == Response::Impulses {
            return Ok(());
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
    pub(super) fn remember(&mut self, span: &Span) -> Result<()> {
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
}
