//! Own bodies and their shadow copies, kept in step.
//!
//! A body belongs to the rank whose subdomain contains its centre of mass. Each rank whose
//! subdomains it reaches into, grown by its travel and a margin, holds a shadow copy. Only owners
//! move bodies.
//!
//! | module | |
//! |---|---|
//! | [`population`] | the bodies that a rank knows, and who else holds them |
//! | `encoding`, `mail` | messages, one to each partner in a communication |
//! | `next_neighbour`, `shadow_owner` | two ways of synchronisation |
//! | `watch` | which bodies are so deep inside of their subdomain that nothing is to be done |
//! | `moves` | what both do with one of the other bodies |
//! | [`values`] | forces to the owners, velocities to the copies |
//! | `redistribute` | bodies to the owners of a new division |
//! | [`checks`] | copies against their owners; count and hash of all bodies |
//!
//! # Messages
//!
//! A rank communicates with its neighbours and with those that hold or own bodies with it, never
//! with all. Before each communication both sides know that there will be a message.
//!
//! | kind | to | |
//! |---|---|---|
//! | new copy | a rank that the body newly reaches | geometry, material, state |
//! | update | each holder | state |
//! | load | each holder, if there is any | force and torque of this step |
//! | remove | a holder | the copy is not needed, or the body is gone |
//! | migrate | the new owner | the holders |
//! | owner changed | all other holders | the new owner |
//! | new holder | the owner | who got a copy from the sender |
//! | dropped | the owner, neighbours | the sender dropped its copy |

pub mod checks;
mod encoding;
mod mail;
mod moves;
mod next_neighbour;
pub mod population;
mod redistribute;
mod shadow_owner;
#[cfg(test)]
mod tests;
pub mod values;
mod watch;

pub use self::population::{Link, Population};

use std::ops::AddAssign;

use self::mail::Mail;
use self::population::Partners;
use crate::error::{Error, Place, Result};
use crate::ranks::World;
use crate::rigid::body::BodyId;
use crate::rigid::broad::Bound;
use crate::rigid::domain::{Region, Subdomains};
use crate::rigid::horizon::Horizon;
use crate::threads::Threads;

/// How shadow copies are kept in step with their owners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronisation {
    /// One communication. No body reaches further than a subdomain is wide ([`Limits::outreach`]).
    NextNeighbour,
    /// Two communications. Bodies may be of any size.
    ShadowOwner,
}

/// Bounds that hold for all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The largest radius of a ball about the centre of mass that holds a body, m.
    pub largest_radius: f64,
    /// A quarter of the smallest width of a body, m.
    pub body_motion: f64,
    /// That, or half of the smallest width of a subdomain, m: no body moves further between two
    /// synchronisations, of which a step has two.
    pub motion: f64,
    /// Copies are held where a body grown by its travel and this comes, m (`dx` in Iglberger &
    /// Rüde).
    pub margin: f64,
    /// How far ahead contacts are found.
    pub horizon: Horizon,
    /// True if copies are held where a body may travel at most, not where it does. So it is where
    /// subdomains are smaller than the smallest body: a travel that grows would reach too far at
    /// once.
    pub holds_ahead: bool,
}

impl Limits {
    /// The limits of the same bodies in another division.
    pub fn within(&self, subdomains: &Subdomains) -> Self {
        let edge = subdomains.smallest_edge();
        // Nothing passes a whole subdomain in a step.
        let motion = self.body_motion.min(0.5 * edge);
        Self { motion, holds_ahead: motion + self.horizon.most_m > edge, ..*self }
    }

    /// How far a body can reach beyond the place of its centre at the last synchronisation, m.
    pub fn outreach(&self) -> f64 {
        self.largest_radius + self.margin + self.horizon.most_travel() + self.motion
    }

    /// The radius of a body's ball, with all that it is grown by where copies are held, m.
    pub fn held(&self, bound: &Bound) -> f64 {
        bound.radius + self.ahead(bound.travel) + self.margin
    }

    /// The part of that which changes with the velocity, of a body with this `travel` (m), m.
    fn ahead(&self, travel: f64) -> f64 {
        if self.holds_ahead { self.horizon.most_travel() } else { travel }
    }

    /// How near a subdomain must be to count as a neighbour, m.
    ///
    /// # Errors
    /// If bodies are too large for the synchronisation, or would touch themselves.
    pub fn reach(&self, method: Synchronisation, subdomains: &Subdomains) -> Result<f64> {
        let radius = self.largest_radius + self.margin + self.horizon.most_travel();
        subdomains.domain().check_radius(radius)?;
        let (reach, edge) = (radius + self.motion, subdomains.smallest_edge());
        match method {
            Synchronisation::ShadowOwner if self.spread() <= edge => Ok(self.spread()),
            Synchronisation::ShadowOwner => Err(Error::input(
                "domain.method",
                format!(
                    "the smallest edge of a subdomain is {edge} m, but bodies may reach {} m further \
                     in each step (motion and travel)",
                    self.spread()
                ),
                "use fewer subdomains",
            )),
            Synchronisation::NextNeighbour if reach < edge => Ok(reach),
            Synchronisation::NextNeighbour if subdomains.count() == 1 => Ok(edge),
            Synchronisation::NextNeighbour => Err(Error::input(
                "synchronisation",
                format!(
                    "with NextNeighbour no body may reach further than a subdomain is wide, but the \
                     largest one reaches {reach} m (radius {} m, travel, margin and motion) and the \
                     smallest edge is {edge} m",
                    self.largest_radius
                ),
                "use `synchronisation: ShadowOwner`, or fewer subdomains",
            )),
        }
    }

    /// How much further a body can reach than at the last synchronisation, m.
    fn spread(&self) -> f64 {
        self.motion + if self.holds_ahead { 0.0 } else { self.horizon.most_m }
    }

    /// Fails if a body moved further than allowed since the last synchronisation. Also if `moved`
    /// is not a number.
    fn check_motion(&self, id: BodyId, moved: f64) -> Result<()> {
        if moved <= self.motion {
            return Ok(());
        }
        Err(Error::input(
            Place::Body(id),
            format!(
                "moved {moved} m in half a step, more than {} m: a quarter of the smallest width of a \
                 body, or half of that of a subdomain",
                self.motion
            ),
            "raise `steps_per_frame`, or use slower or larger bodies",
        ))
    }
}

/// What was communicated, on one rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Shadow copies that this rank had others create.
    pub created: u64,
    /// Copies that this rank dropped or had others drop.
    pub removed: u64,
    /// Copies that came although they were there.
    pub twice: u64,
    /// Bodies given to another rank.
    pub migrated: u64,
    /// Bodies that went to another subdomain. The sum over ranks does not depend on their number.
    pub crossed: u64,
    /// Bodies that left the domain and were deleted. As `crossed`.
    pub left: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        let Self { messages, bytes, created, removed, twice, migrated, crossed, left } = other;
        self.messages += messages;
        self.bytes += bytes;
        self.created += created;
        self.removed += removed;
        self.twice += twice;
        self.migrated += migrated;
        self.crossed += crossed;
        self.left += left;
    }
}

/// Keeps the population of one rank in step with those of the others.
#[derive(Debug)]
pub struct Synchroniser {
    method: Synchronisation,
    region: Region,
    limits: Limits,
    partners: Partners,
    mail: Mail,
    traffic: Traffic,
    /// True if the watches are those of the positions.
    looked: bool,
}

/// What the stages of a synchronisation work on.
struct Parts<'a> {
    region: &'a Region,
    limits: &'a Limits,
    partners: &'a Partners,
    population: &'a mut Population,
    mail: &'a mut Mail,
    traffic: &'a mut Traffic,
}

impl Synchroniser {
    /// For the rank of `region`, which was built with [`Limits::reach`].
    pub fn new(method: Synchronisation, region: Region, limits: Limits) -> Self {
        let mail = Mail::new(region.rank() as usize);
        let (partners, traffic) = Default::default();
        Self { method, region, limits, partners, mail, traffic, looked: false }
    }

    /// The subdomains of this rank.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The bounds of all bodies.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What was communicated since the last call of this function.
    pub fn take_traffic(&mut self) -> Traffic {
        std::mem::take(&mut self.traffic)
    }

    /// Time in which this rank waited for messages since the last call of this function, s.
    pub fn take_waited_s(&mut self) -> f64 {
        std::mem::take(&mut self.mail.waited_s)
    }

    /// Brings all copies up to date and every body to its owner. All ranks call it.
    ///
    /// Before: own bodies are those of the new state, at any position up to `Limits::motion` from
    /// the last one; copies are those of the old state. After: positions are wrapped into the
    /// domain. Each body is owned by the rank whose subdomain contains it. Each rank that it
    /// reaches into, grown by its travel and the margin, has a copy with the same bits; the owner
    /// knows these ranks, and they know the owner. Bodies beyond an open border are deleted and
    /// counted.
    ///
    /// # Errors
    /// If a body moved too far, or a rank fails.
    pub fn synchronise(&mut self, world: &dyn World, population: &mut Population) -> Result<()> {
        for stage in 0..self.stages() {
            self.pack(stage, population)?;
            self.mail.exchange(world, &mut self.traffic)?;
            self.unpack(population)?;
        }
        Ok(())
    }

    /// Synchronises until all copies have spread. All ranks call it, once bodies have been
    /// inserted.
    ///
    /// Before: every body is inserted on the rank of its subdomain, and unknown to others. After:
    /// as after [`Synchroniser::synchronise`].
    ///
    /// # Errors
    /// As [`Synchroniser::synchronise`].
    pub fn settle(&mut self, world: &dyn World, population: &mut Population) -> Result<()> {
        loop {
            let before = self.traffic.created;
            self.synchronise(world, population)?;
            let mut created = [(self.traffic.created - before) as i64];
            world.all_reduce_sum(&mut created)?;
            if created == [0] {
                return Ok(());
            }
        }
    }

    /// Number of communications in a synchronisation.
    fn stages(&self) -> usize {
        match self.method {
            Synchronisation::NextNeighbour => 1,
            Synchronisation::ShadowOwner => 2,
        }
    }

    /// Writes the messages of a stage.
    fn pack(&mut self, stage: usize, population: &mut Population) -> Result<()> {
        if stage == 0 && !std::mem::take(&mut self.looked) {
            self.watch(population, &Threads::INLINE, |_, _, _| ());
            self.looked = false;
        }
        let method = self.method;
        let mut parts = self.parts(population);
        match (method, stage) {
            (Synchronisation::NextNeighbour, _) => next_neighbour::pack(&mut parts),
            (Synchronisation::ShadowOwner, 0) => shadow_owner::pack_owners(&mut parts),
            (Synchronisation::ShadowOwner, _) => shadow_owner::pack_holders(&mut parts),
        }
    }

    /// Does what the messages of a stage say. Before: all have arrived.
    fn unpack(&mut self, population: &mut Population) -> Result<()> {
        moves::unpack(&mut self.parts(population))?;
        // A rank without neighbours has all bodies, or none.
        if !self.region.neighbours().is_empty() {
            self.partners.find(population);
        }
        Ok(())
    }

    fn parts<'a>(&'a mut self, population: &'a mut Population) -> Parts<'a> {
        let Self { region, limits, partners, mail, traffic, .. } = self;
        Parts { region, limits, partners, population, mail, traffic }
    }
}
