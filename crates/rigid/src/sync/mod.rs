//! Own bodies and their shadow copies, kept equal.
//!
//! The rank whose subdomain contains the centre of mass owns a body. A body is grown by its travel
//! and a margin. Every other rank whose subdomains the grown body reaches into holds a shadow copy.
//! Only owners move bodies.
//!
//! | module | |
//! |---|---|
//! | [`population`] | the bodies that a rank knows, and the other ranks that know them |
//! | [`limits`] | bounds of all bodies, and the subdomains that they allow |
//! | `encoding`, `mail` | messages, one to each partner in a communication |
//! | `methods` | the two ways of synchronisation |
//! | `watch` | bodies so deep inside of their subdomain that a synchronisation can skip them |
//! | `moves` | the actions on one body that both ways share |
//! | [`values`] | forces sent to the owners, velocities sent to the copies |
//! | [`checks`] | comparison of copies with their owners; count and hash of all bodies |
//!
//! # Messages
//!
//! A rank communicates with its neighbours and with the holders and owners of the bodies that it
//! knows. It never communicates with all ranks. Before each communication, both sides know that
//! there will be a message.
//!
//! | kind | to | content or meaning |
//! |---|---|---|
//! | new copy | a rank that the body newly reaches | geometry, material, state |
//! | update | each holder | state |
//! | load | each holder, if the load is not zero | force and torque of this step |
//! | remove | a holder | the copy is not needed, or the body was deleted |
//! | migrate | the new owner | the holders |
//! | owner changed | all other holders | the new owner |
//! | new holder | the owner | the rank that got a copy from the sender |
//! | dropped | the owner, neighbours | the sender dropped its copy |

pub mod checks;
mod encoding;
pub mod limits;
mod mail;
mod methods;
mod moves;
pub mod population;
#[cfg(test)]
mod tests;
pub mod values;
mod watch;

use std::ops::AddAssign;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

pub use self::limits::Limits;
use self::mail::Mail;
use self::population::Partners;
pub use self::population::{Link, Population};
use crate::domain::Region;
use cloth_core::{Result, Threads, World};

/// How shadow copies are kept equal to the bodies of their owners.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Synchronisation {
    /// One communication. `Limits::outreach` must be smaller than the smallest subdomain.
    #[default]
    NextNeighbour,
    /// Two communications. Bodies may be of any size.
    ShadowOwner,
}

/// Counts of one rank's communication.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Shadow copies that this rank sent to others.
    pub created: u64,
    /// Shadow copies that this rank dropped, or told others to drop.
    pub removed: u64,
    /// Duplicate copies received.
    pub twice: u64,
    /// Bodies that this rank gave to another owner.
    pub migrated: u64,
    /// Bodies that went into another subdomain. The sum over ranks does not depend on the number of
    /// ranks.
    pub crossed: u64,
    /// Bodies that left the domain and were deleted. The sum over ranks does not depend on the
    /// number of ranks.
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

/// Keeps the population of one rank consistent with those of the other ranks.
#[derive(Debug)]
pub struct Synchroniser {
    method: Synchronisation,
    region: Region,
    limits: Limits,
    partners: Partners,
    mail: Mail,
    traffic: Traffic,
    /// True if the watch list matches the current positions.
    looked: bool,
}

/// The parts of a rank that a stage of a synchronisation reads and changes.
struct Parts<'a> {
    region: &'a Region,
    limits: &'a Limits,
    partners: &'a Partners,
    population: &'a mut Population,
    mail: &'a mut Mail,
    traffic: &'a mut Traffic,
}

impl Synchroniser {
    /// The synchroniser of the rank of `region`. The neighbours of `region` must be those within
    /// [`Limits::reach`].
    pub fn new(method: Synchronisation, region: Region, limits: Limits) -> Self {
        let mail = Mail::new(region.rank() as usize);
        let (partners, traffic) = Default::default();
        Self { method, region, limits, partners, mail, traffic, looked: false }
    }

    /// The synchroniser of the same rank in another division. Its counts are those of this
    /// synchroniser plus `more`.
    pub fn moved(&self, region: Region, limits: Limits, more: Traffic) -> Self {
        let mut next = Self::new(self.method, region, limits);
        next.traffic = self.traffic;
        next.traffic += more;
        next
    }

    /// The subdomains of this rank.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The bounds of all bodies.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The counts since the last call of this function.
    pub fn take_traffic(&mut self) -> Traffic {
        std::mem::take(&mut self.traffic)
    }

    /// Time that this rank waited for messages since the last call of this function, s.
    pub fn take_waited_s(&mut self) -> f64 {
        std::mem::take(&mut self.mail.waited_s)
    }

    /// Brings all copies up to date and every body to its owner. All ranks call it.
    ///
    /// Before: own bodies have the new state, and each has moved by at most `Limits::motion` since
    /// the last synchronisation. Copies have the old state.
    ///
    /// After: positions are wrapped into the domain. The rank whose subdomain contains a body owns
    /// it. Every other rank that the body reaches into, grown by its travel and the margin, has a
    /// copy with the same bits. The owner knows these ranks, and they know the owner. Bodies beyond
    /// an open border are deleted and counted.
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

    /// Synchronises until all copies exist. All ranks call it after bodies were inserted.
    ///
    /// Before: every body is inserted on the rank of its subdomain and unknown to other ranks.
    /// After: the same as after [`Synchroniser::synchronise`]. Bodies given to
    /// [`Population::delete`] still exist.
    ///
    /// # Errors
    /// As [`Synchroniser::synchronise`].
    pub fn settle(&mut self, world: &dyn World, population: &mut Population) -> Result<()> {
        let doomed = std::mem::take(&mut population.doomed);
        let mut created = [1];
        while created != [0] {
            let before = self.traffic.created;
            self.synchronise(world, population)?;
            created = [(self.traffic.created - before) as i64];
            world.all_reduce_sum(&mut created)?;
        }
        population.doomed = doomed;
        Ok(())
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
            (Synchronisation::NextNeighbour, _) => methods::pack_neighbours(&mut parts),
            (Synchronisation::ShadowOwner, 0) => methods::pack_owners(&mut parts),
            (Synchronisation::ShadowOwner, _) => methods::pack_holders(&mut parts),
        }
    }

    /// Applies the messages of a stage. Before: all messages have arrived.
    fn unpack(&mut self, population: &mut Population) -> Result<()> {
        moves::unpack(&mut self.parts(population))?;
        // A rank without neighbours has no partners: it owns all bodies, or knows none.
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
