//! The bodies that one rank knows, and what it knows of the other holders of each.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::error::{Error, Result};
use crate::math::{Vec3, mix};
use crate::rigid::body::{Body, BodyId, State};
use crate::rigid::domain::SubdomainId;
use crate::rigid::domain::region::Ranks;

/// What a rank knows of a body beside the [`Body`].
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Radius of the smallest ball about the centre of mass that holds the body, m.
    pub radius: f64,
    /// Where the body was when it was last synchronised, m.
    pub synchronised: Vec3,
    /// The subdomain of its centre then. Of an own body.
    pub home: SubdomainId,
    /// True only of an own body that reached, grown by the margin, into no other subdomain then and
    /// across no periodic border, and has no copies. Most bodies are so.
    pub inside: bool,
    /// The rank that owns it.
    pub owner: u32,
    /// Of an own body: all ranks that hold a copy. Of a copy: neighbouring ranks that are known to
    /// hold the body, without the owner. Rising.
    pub ranks: Ranks,
}

/// Own bodies, then shadow copies, in no particular order. A place is an index into both lists.
#[derive(Debug, Clone, Default)]
pub struct Population {
    bodies: Vec<Body>,
    links: Vec<Link>,
    /// Number of own bodies.
    own: usize,
    places: HashMap<BodyId, u32, BuildHasherDefault<MixHasher>>,
    /// Own bodies that the next synchronisation deletes everywhere.
    pub(super) doomed: Vec<BodyId>,
}

impl Population {
    /// Own bodies, then copies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The same. Before the next synchronisation only own bodies may change.
    pub fn bodies_mut(&mut self) -> &mut [Body] {
        &mut self.bodies
    }

    /// Own bodies.
    pub fn own(&self) -> &[Body] {
        &self.bodies[..self.own]
    }

    /// Own bodies.
    pub fn own_mut(&mut self) -> &mut [Body] {
        &mut self.bodies[..self.own]
    }

    /// Shadow copies.
    pub fn copies(&self) -> &[Body] {
        &self.bodies[self.own..]
    }

    /// What is known of each body, by place.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Number of own bodies, whose places come first.
    pub fn own_count(&self) -> usize {
        self.own
    }

    /// Number of own bodies and copies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// True if this rank knows no body.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Where a body is in the lists.
    pub fn place(&self, id: BodyId) -> Option<usize> {
        self.places.get(&id).map(|&place| place as usize)
    }

    /// Adds an own body that no rank knows yet. Its position is wrapped.
    ///
    /// # Errors
    /// If this rank knows a body of this id.
    pub fn insert(&mut self, body: Body, radius: f64, home: SubdomainId, rank: u32) -> Result<()> {
        let ranks = Ranks::new();
        let (synchronised, inside) = (body.state.position, false);
        let link = Link { radius, synchronised, home, inside, owner: rank, ranks };
        self.push(body, link)?;
        self.promote(self.len() - 1);
        Ok(())
    }

    /// Deletes an own body at the next synchronisation, with all its copies. Until then it stays.
    /// False if it is not an own body.
    pub fn delete(&mut self, id: BodyId) -> bool {
        let is_own = self.place(id).is_some_and(|place| place < self.own);
        if is_own && !self.doomed.contains(&id) {
            self.doomed.push(id);
        }
        is_own
    }

    pub(super) fn link_mut(&mut self, place: usize) -> &mut Link {
        &mut self.links[place]
    }

    /// A new state; nothing acts on the body.
    pub(super) fn set_state(&mut self, place: usize, state: State) {
        let body = &mut self.bodies[place];
        (body.state, body.force, body.torque) = (state, Vec3::zeros(), Vec3::zeros());
    }

    /// Adds a body behind the last copy.
    pub(super) fn push(&mut self, body: Body, link: Link) -> Result<()> {
        if self.places.insert(body.id, self.len() as u32).is_some() {
            return Err(Error::internal("bodies of a rank", format!("body {} twice", body.id)));
        }
        self.bodies.push(body);
        self.links.push(link);
        Ok(())
    }

    /// The place of a body; it becomes a copy of the body of rank `owner` unless it is known.
    pub(super) fn place_or_copy(&mut self, body: Body, radius: f64, owner: u32) -> Result<usize> {
        if let Some(place) = self.place(body.id) {
            return Ok(place);
        }
        let (synchronised, ranks) = (body.state.position, Ranks::new());
        let link = Link { radius, synchronised, home: 0, inside: false, owner, ranks };
        self.push(body, link)?;
        Ok(self.len() - 1)
    }

    /// Makes a copy an own body. Returns its new place.
    pub(super) fn promote(&mut self, place: usize) -> usize {
        self.swap(place, self.own);
        self.own += 1;
        self.own - 1
    }

    /// Makes an own body a copy. Returns its new place.
    pub(super) fn demote(&mut self, place: usize) -> usize {
        self.own -= 1;
        self.swap(place, self.own);
        self.own
    }

    /// Forgets a body. The places of bodies before it do not change.
    pub(super) fn remove(&mut self, place: usize) {
        let place = if place < self.own { self.demote(place) } else { place };
        self.swap(place, self.len() - 1);
        self.links.pop();
        if let Some(body) = self.bodies.pop() {
            self.places.remove(&body.id);
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        self.bodies.swap(a, b);
        self.links.swap(a, b);
        for place in [a, b] {
            self.places.insert(self.bodies[place].id, place as u32);
        }
    }
}

/// Who shares bodies with a rank. It changes in a synchronisation alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Partners {
    /// The ranks that hold copies of own bodies, rising.
    pub holders: Vec<u32>,
    /// The ranks that own the copies, rising.
    pub owners: Vec<u32>,
    /// The places of own bodies with copies.
    pub shared: Vec<u32>,
}

impl Partners {
    /// Brings them up to date.
    pub(super) fn find(&mut self, population: &Population) {
        self.holders.clear();
        self.owners.clear();
        self.shared.clear();
        let (own, copies) = population.links.split_at(population.own);
        for (link, place) in own.iter().zip(0..).filter(|(link, _)| !link.ranks.is_empty()) {
            self.shared.push(place);
            link.ranks.iter().for_each(|&rank| include(&mut self.holders, rank));
        }
        copies.iter().for_each(|link| include(&mut self.owners, link.owner));
    }
}

/// Adds `rank` to a rising list.
pub(super) fn include(ranks: &mut Vec<u32>, rank: u32) {
    if let Err(at) = ranks.binary_search(&rank) {
        ranks.insert(at, rank);
    }
}

impl Link {
    pub(super) fn add_rank(&mut self, rank: u32) {
        if let Err(at) = self.ranks.binary_search(&rank) {
            self.ranks.insert(at, rank);
        }
    }

    pub(super) fn remove_rank(&mut self, rank: u32) {
        if let Ok(at) = self.ranks.binary_search(&rank) {
            self.ranks.remove(at);
        }
    }
}

/// Hashes an id with [`mix`]. Nothing depends on the order of the map.
#[derive(Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value.wrapping_add(0x9e37_79b9_7f4a_7c15));
    }
}
