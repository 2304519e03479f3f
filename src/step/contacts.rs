//! From candidates to the active contacts of a step, and what they remember of it.

use crate::collision::Pair;
use crate::contact::settings::Response;
use crate::contact::{
    ActiveContact, Contact, ContactDistance, ContactKind, ContactLaw, ContactMemory, ContactSpring,
    ContactStep, find_contacts,
};
use crate::error::Result;
use crate::step::clock::TICKS_PER_STEP;
use crate::step::context::Context;
use crate::step::model::Model;
use crate::step::motion::StepMotion;
use crate::step::report::{Counter, StepReport};

/// Elementary pairs that a thread takes at a time, some 100 us of work.
pub(super) const PAIRS_PER_CHUNK: usize = 512;

/// The contacts of one rank in a step.
pub(super) struct ContactStage {
    /// How contacts push and slide.
    pub law: ContactLaw,
    /// Contacts that this rank found.
    found: Vec<Contact>,
    /// Contacts that push its nodes, by rising pair.
    active: Vec<ActiveContact>,
    /// The springs of the active contacts, in the same order.
    springs: Vec<ContactSpring>,
    /// What contacts that touch its nodes remember of the step, by rising pair.
    memories: Vec<ContactMemory>,
}

impl ContactStage {
    pub fn new(model: &Model) -> Self {
        let (settings, clock) = (&model.settings.contact, &model.clock);
        let cloth = model.numbering.cloth() as u32;
        Self {
            law: ContactLaw::new(settings, cloth, clock.seconds(TICKS_PER_STEP)),
            found: Vec::new(),
            active: Vec::new(),
            springs: Vec::new(),
            memories: Vec::new(),
        }
    }

    /// Turns this rank's `candidates` into contacts, hands them to the ranks that own their nodes,
    /// and makes springs of those that push own nodes. `memories` are those of the last step.
    /// Before: the motion is predicted. After: [`Self::found`] and [`Self::springs`] are those of
    /// this step. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn find(
        &mut self,
        here: &Context,
        candidates: &[Pair],
        motion: &StepMotion,
        memories: &[ContactMemory],
        report: &mut StepReport,
    ) -> Result<()> {
        let (model, found) = (here.model, &mut self.found);
        let distance = contact_distance(model);
        found.clear();
        here.rank.threads.collect(candidates, PAIRS_PER_CHUNK, found, |pairs, found| {
            find_contacts(pairs, &motion.x0, &motion.predicted, &distance, found);
        });
        for contact in &*found {
            let counter = match contact.kind() {
                ContactKind::Proximity => Counter::ProximityPairs,
                ContactKind::Impact => Counter::PredictedImpacts,
            };
            report.count(counter, 1);
            report.smallest_gap_m = report.smallest_gap_m.min(contact.gap_m);
        }
        if model.settings.contact.response == Response::Impulses {
            return Ok(());
        }
        let bodies = motion.dynamics(model);
        let contacts = here.route().contacts(found, &bodies)?;
        let step = ContactStep {
            law: &self.law,
            bodies: &bodies,
            memories,
            fall: motion.fall,
            h: here.span.h,
        };
        let active = contacts
            .iter()
            .filter_map(|(contact, sides)| ActiveContact::new(contact, sides, &step));
        (self.active, self.springs) = active.unzip();
        Ok(())
    }

    /// Contacts that this rank found.
    pub fn found(&self) -> &[Contact] {
        &self.found
    }

    /// The springs of the linear system, by rising pair.
    pub fn springs(&self) -> &[ContactSpring] {
        &self.springs
    }

    /// Keeps what the contacts remember of the step. Before: velocities at its end are known.
    /// Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn remember(&mut self, here: &Context, motion: &StepMotion) -> Result<()> {
        let (bodies, memories) = (motion.dynamics(here.model), &mut self.memories);
        here.route().memories(&self.active, &self.springs, &bodies, here.span.h, memories)
    }

    /// Exchanges the memories of this step for those of the last one.
    pub fn swap_memories(&mut self, memories: &mut Vec<ContactMemory>) {
        std::mem::swap(&mut self.memories, memories);
    }
}

/// How far apart the sides of pairs are kept.
pub(super) fn contact_distance(model: &Model) -> ContactDistance<'_> {
    let (rest, cloth_ends) = (&model.rest, &model.cloth_ends);
    ContactDistance { distance_m: model.settings.contact.distance_m, rest, cloth_ends }
}
