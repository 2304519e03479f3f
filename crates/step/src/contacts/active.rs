//! From candidates to the active contacts of a step and their memories.

use std::iter::zip;

use crate::contacts::dynamics::MovingBodies;
use crate::contacts::sharing::sharing;
use crate::model::Model;
use crate::report::{Counter, Measure, StepReport};
use crate::solve::{attachments, followers, seams};
use crate::state::context::Context;
use crate::state::motion::StepMotion;
use crate::state::region::Region;
use crate::state::step_start::StepStart;
use crate::state::trouble::{Found, Trouble};
use crate::time::clock::TICKS_PER_STEP;
use cloth_bodies::bodies::Place;
use cloth_bodies::contact::settings::Response;
use cloth_bodies::contact::{
    ActiveContact, CONTACTS_PER_CHUNK, Contact, ContactDistance, ContactKind, ContactLaw,
    ContactMemory, ContactSpring, ContactStep, PrescribedMotion, Sharing, Sides, Squeezed, Touched,
    find_contacts, note_collisions,
};
use cloth_collision::collision::Pair;
use cloth_core::error::Result;
use cloth_core::ids::VertexId;
use cloth_core::ranks::message;

/// Elementary pairs that a thread takes at a time, some 100 us of work.
pub(crate) const PAIRS_PER_CHUNK: usize = 512;

/// The contact stage of one rank.
pub(crate) struct ContactStage {
    /// How contacts push and slide.
    pub law: ContactLaw,
    /// Contacts that this rank found.
    found: Vec<Contact>,
    /// Contacts that push this rank's nodes, by rising pair.
    active: Vec<ActiveContact>,
    /// The springs of the active contacts, in the same order, then those of attachments and followers,
    /// then those of seams.
    springs: Vec<ContactSpring>,
    /// Where those of seams begin.
    seams: usize,
    /// The memories of contacts that touch this rank's nodes, by rising pair.
    memories: Vec<ContactMemory>,
    /// Cloth that prescribed surfaces squeeze.
    squeezed: Squeezed,
    /// How many contacts share the mass of each body.
    sharing: Sharing,
}

impl ContactStage {
    pub fn new(model: &Model) -> Self {
        Self {
            law: law(model, model.clock.seconds(TICKS_PER_STEP)),
            found: Vec::new(),
            active: Vec::new(),
            springs: Vec::new(),
            seams: 0,
            memories: Vec::new(),
            squeezed: Squeezed::default(),
            sharing: Sharing::default(),
        }
    }

    /// Turns this rank's `candidates` into contacts, hands them to the ranks that own their nodes,
    /// and makes springs of the contacts that push own nodes. `memories` are those of the last
    /// step. Contacts are sought along the predicted motion. A repair adds the contacts along the
    /// motion of its solution, and uses the loads of that solution. Before: the motion is
    /// predicted, or to be repaired. After: [`Self::found`] and [`Self::springs`] are those of
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
        self.law = law(model, here.span.whole_s);
        let (region, end, loads) = match (here.region, motion.repaired()) {
            (Some(region), Some(solution)) => (Some(region), &solution.x, Some(&*self.memories)),
            _ => {
                found.clear();
                (None, &motion.start.predicted, None)
            }
        };
        let touched = match here.with_impacts {
            true => Some(Touched::new(&*here.rank.world, memories, &model.friction)?),
            false => None,
        };
        let touched = touched.as_ref();
        let before = found.len();
        here.rank.threads.collect(
            candidates,
            PAIRS_PER_CHUNK,
            found,
            |pairs, found| match region {
                None => find_contacts(pairs, &motion.start.x0, end, &distance, touched, found),
                Some(region) => {
                    let near = pairs.iter().filter(|pair| region.is_around(pair)).copied();
                    let near = Vec::from_iter(near);
                    find_contacts(&near, &motion.start.x0, end, &distance, touched, found);
                }
            },
        );
        if region.is_some() && !distance.radii.is_empty() {
            note_collisions(&mut found[before..], &motion.start.x0, end, &distance);
        }
        for contact in &found[before..] {
            let counter = match contact.kind() {
                ContactKind::Proximity => Counter::ProximityPairs,
                ContactKind::Impact => Counter::PredictedImpacts,
            };
            report.count(counter, 1);
            report.smallest_gap_m = report.smallest_gap_m.min(contact.gap_m);
        }
        if model.settings.contact.response == Response::Impulses {
            self.springs.clear();
            self.add_holds(here, motion);
            return Ok(());
        }
        let bodies = MovingBodies::new(model, motion);
        let (route, threads, radii) = (here.rank.route(), &here.rank.threads, distance.radii);
        let mut contacts = route.contacts(threads, found, &bodies, radii)?;
        let all = contacts.iter().map(|(contact, _)| contact);
        self.squeezed = squeezed(here, all, motion, &distance)?;
        for (contact, _) in &mut contacts {
            contact.distance_m = self.squeezed.aim_m(contact, &distance);
        }
        self.sharing = sharing(here, memories, &contacts, &bodies, &motion.start.fall)?;
        let step = ContactStep {
            law: &self.law,
            distance,
            friction: &model.friction,
            friction_factor: model.friction_factor(here.span.t1_s),
            bodies: &bodies,
            memories,
            loads,
            sharing: &self.sharing,
            touched,
            fall: motion.start.fall,
            h: here.span.scheme.step_s(),
        };
        let region = here.region;
        let in_region = |sides: &Sides| region.is_none_or(|region| touches(region, sides));
        let mut acting = (Vec::new(), Vec::new());
        here.rank.threads.collect(&contacts, CONTACTS_PER_CHUNK, &mut acting, |all, acting| {
            let within = all.iter().filter(|(_, sides)| in_region(sides));
            acting.extend(within.filter_map(|(it, sides)| ActiveContact::new(it, sides, &step)));
        });
        if let Some(region) = region {
            let kept =
                zip(&self.active, &self.springs).map(|(contact, spring)| (*contact, *spring));
            let mut all = Vec::with_capacity(self.active.len() + acting.0.len());
            all.extend(kept.filter(|(_, it)| !touches(region, &it.sides)));
            all.extend(zip(acting.0, acting.1));
            // Two runs by rising pair, which this sort merges.
            all.sort_by_key(|(contact, _)| *contact.pair());
            acting = all.into_iter().unzip();
        }
        (self.active, self.springs) = acting;
        self.add_holds(here, motion);
        Ok(())
    }

    /// Adds the springs that hold cloth to bodies, to skin and to cloth.
    fn add_holds(&mut self, here: &Context, motion: &StepMotion) {
        attachments::add(here, motion, &mut self.springs);
        followers::add(here, motion, &mut self.springs);
        self.seams = self.springs.len();
        seams::add(here, motion, &mut self.springs);
    }

    /// Contacts that this rank found.
    pub fn found(&self) -> &[Contact] {
        &self.found
    }

    /// Cloth that prescribed surfaces squeeze.
    pub fn squeezed(&self) -> &Squeezed {
        &self.squeezed
    }

    /// How many contacts share the mass of each body.
    pub fn sharing(&self) -> &Sharing {
        &self.sharing
    }

    /// The springs of the linear system: those of contacts, by rising pair, then those of what
    /// holds cloth.
    pub fn springs(&self) -> &[ContactSpring] {
        &self.springs
    }

    /// The springs of the contacts that this rank owns. Each contact has one owner.
    pub fn own_springs<'a>(&'a self, here: &'a Context) -> impl Iterator<Item = &'a ContactSpring> {
        let own = |contact: &ActiveContact| here.rank.layout.own_index(contact.owner()).is_some();
        let all = zip(&self.active, &self.springs);
        all.filter(move |(contact, _)| own(contact)).map(|(_, spring)| spring)
    }

    /// The springs of the followers that this rank owns.
    pub fn springs_of_followers<'a>(
        &'a self,
        here: &'a Context,
        motion: &'a StepMotion,
    ) -> impl Iterator<Item = &'a ContactSpring> {
        let is_own =
            |node| here.rank.layout.own_index(node).is_some() && motion.goes_with_skin(node);
        let others = self.springs[self.active.len()..self.seams].iter();
        others.filter(move |it| it.sides.terms().first().is_some_and(|term| is_own(term.node)))
    }

    /// Stores the memories of the active contacts. Before: velocities at its end are known.
    /// Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn remember(&mut self, here: &Context, motion: &StepMotion) -> Result<()> {
        let (bodies, memories) = (MovingBodies::new(here.model, motion), &mut self.memories);
        let (threads, acting) = (&here.rank.threads, (&*self.active, &*self.springs));
        let h = here.span.scheme.step_s();
        here.rank.route().memories(threads, acting, &bodies, h, memories)
    }

    /// Contacts that are compressed too far for their stiffness, and impacts of bodies whose friction
    /// is not Coulomb's. Before: contacts remember the solve. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn overloaded(&self, here: &Context, motion: &StepMotion) -> Result<Option<Found>> {
        let distance = contact_distance(here.model);
        let is_over = |it: &&ContactMemory| it.load().is_over(distance.wanted_m(&it.pair, None));
        let over = self.memories.iter().filter(is_over);
        let (bodies, h) = (MovingBodies::new(here.model, motion), here.span.scheme.step_s());
        // The bound of friction follows the last solve, so one repair finds it.
        let slips = zip(&self.active, &self.springs).filter(|(it, spring)| {
            here.region.is_none() && it.has_excess_friction(spring, &bodies, h)
        });
        let over = over.map(|memory| memory.pair).chain(slips.map(|(it, _)| *it.pair()));
        let vertices: Vec<_> = over.flat_map(|pair| pair.vertices).collect();
        let vertices = message::all_gather_v(&*here.rank.world, &vertices)?;
        Ok(Found::around(Trouble::Overloaded, vertices))
    }

    /// Whether impacts of bodies end in this step. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn has_impacts(&self, here: &Context) -> Result<bool> {
        let mine = self.active.iter().filter(|it| it.rebounds).count();
        Ok(message::all_counts(&*here.rank.world, mine)?.iter().any(|&count| count > 0))
    }

    /// The step is over: its memories replace those of the last step.
    pub fn accept(
        &mut self,
        here: &Context,
        memories: &mut Vec<ContactMemory>,
        report: &mut StepReport,
    ) {
        let own = |contact: &&ActiveContact| here.rank.layout.own_index(contact.owner()).is_some();
        let raised_j = self.active.iter().filter(own).map(ActiveContact::raised_j).sum();
        report.measure(Measure::StiffnessEnergy, raised_j);
        std::mem::swap(&mut self.memories, memories);
    }
}

/// The cloth that contacts of own nodes squeeze between prescribed surfaces. Collective.
fn squeezed<'a>(
    here: &Context,
    contacts: impl Iterator<Item = &'a Contact> + Clone,
    motion: &StepMotion,
    distance: &ContactDistance,
) -> Result<Squeezed> {
    let StepStart { prescribed, x0, predicted, .. } = &motion.start;
    let (model, rank) = (here.model, here.rank);
    let is_own = |vertex: VertexId| match model.numbering.place(vertex) {
        Place::Own(node) => rank.layout.own_index(node).is_some(),
        Place::Body(_) => false,
    };
    let of = PrescribedMotion { prescribed, x0, x1: predicted };
    Squeezed::find(&*rank.world, contacts, &of, is_own, distance)
}

/// Whether a contact pushes a node of `region`.
fn touches(region: &Region, sides: &Sides) -> bool {
    sides.terms().iter().any(|term| region.has(term.node))
}

/// The law of contacts in whole steps of `step_s` (s).
fn law(model: &Model, step_s: f64) -> ContactLaw {
    let longest_s = model.clock.seconds(model.clock.largest());
    ContactLaw::new([step_s, longest_s])
}

/// How far apart contacts keep the sides of a pair.
pub(super) fn contact_distance(model: &Model) -> ContactDistance<'_> {
    let (rest, cloth_ends, radii) = (&model.rest, &model.cloth_ends, model.surfaces.radii());
    let (distance_m, own) = (model.distances.most_m, model.distances.own.as_ref());
    ContactDistance { distance_m, own, rest, cloth_ends, radii }
}
