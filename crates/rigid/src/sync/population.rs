//! The bodies that one rank knows, and the other ranks that know each of them.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

use crate::broad::Bound;
use crate::domain::SubdomainId;
use crate::domain::region::Ranks;
use crate::sync::Limits;
use crate::table::{BodyTable, Rest};
use crate::{Body, BodyId, BodyList, BodyState, Load};
use cloth_core::math::MixHasher;
use cloth_core::{Error, Result, Vec3};

/// The ranks that know a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The owner.
    pub owner: u32,
    /// For an own body, all ranks that hold a copy. For a copy with shadow owners, the neighbouring
    /// ranks known to hold a copy. The list is rising and does not contain the owner.
    pub ranks: Ranks,
}

/// The place of an own body in its subdomain after its last motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Spot {
    /// The body has no copies. Grown by travel and margin, it reaches into no other subdomain and
    /// across no periodic border. Most bodies are inside.
    Inside,
    /// The body is not inside, but its centre is in the same subdomain as before.
    Near,
    /// The synchronisation must find the place of the body.
    Unknown,
}

/// The columns of own bodies.
pub(super) struct OwnParts<'a> {
    pub states: &'a mut [BodyState],
    pub rest: Rest<'a>,
    pub bounds: &'a mut [Bound],
    pub homes: &'a [SubdomainId],
    pub spots: &'a mut [Spot],
    pub rooms: &'a mut [f32],
    pub links: &'a [Link],
}

/// Number of spots that are examined at once.
const BLOCK: usize = 8;

/// Own bodies, then shadow copies, in no particular order. A place is an index into both lists.
#[derive(Debug, Clone, Default)]
pub struct Population {
    table: BodyTable,
    /// The bounds of the bodies at the last synchronisation.
    bounds: Vec<Bound>,
    /// For own bodies, the subdomains of their centres at the last synchronisation.
    homes: Vec<SubdomainId>,
    spots: Vec<Spot>,
    /// For own bodies that are inside, a lower bound of the distance that the surface may move
    /// before the body is no longer inside, m.
    rooms: Vec<f32>,
    links: Vec<Link>,
    /// Number of own bodies.
    own: usize,
    places: HashMap<BodyId, u32, BuildHasherDefault<MixHasher>>,
    /// Own bodies that the next synchronisation deletes everywhere.
    pub(super) doomed: BTreeSet<BodyId>,
    spare: Vec<u32>,
}

impl Population {
    /// Own bodies, then shadow copies.
    pub fn bodies(&self) -> BodyList<'_> {
        self.table.bodies()
    }

    /// Own bodies.
    pub fn own(&self) -> BodyList<'_> {
        self.bodies().range(0..self.own)
    }

    /// The states of own bodies.
    pub fn own_states_mut(&mut self) -> &mut [BodyState] {
        self.own_mut().0
    }

    /// The states of own bodies, and the bodies without their states.
    pub fn own_mut(&mut self) -> (&mut [BodyState], Rest<'_>) {
        let (states, rest) = self.table.parts_mut();
        (&mut states[..self.own], rest)
    }

    /// Shadow copies.
    pub fn copies(&self) -> BodyList<'_> {
        self.bodies().range(self.own..self.len())
    }

    /// Sets the load of a body.
    pub fn set_load(&mut self, place: usize, load: Load) {
        self.table.set_load(place, load);
    }

    /// Removes all loads.
    pub fn clear_loads(&mut self) {
        self.table.clear_loads();
    }

    /// The links of all bodies, by place.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The bounding ball and the travel of each body at the last synchronisation, by place.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The places of own bodies that are not `Spot::Inside`, rising.
    pub fn near_borders(&self) -> impl Iterator<Item = usize> {
        let block = |(block, spots): (usize, &'_ [Spot])| {
            // Most blocks have no such body.
            let len = if *spots == [Spot::Inside; BLOCK] { 0 } else { spots.len() };
            block * BLOCK..block * BLOCK + len
        };
        let blocks = self.spots[..self.own].chunks(BLOCK).enumerate().flat_map(block);
        blocks.filter(|&place| self.spots[place] != Spot::Inside)
    }

    /// Number of own bodies, whose places come first.
    pub fn own_count(&self) -> usize {
        self.own
    }

    /// Number of own bodies and copies.
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// True if this rank knows no body.
    pub fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The place of a body. None if this rank does not know it.
    pub fn place(&self, id: BodyId) -> Option<usize> {
        self.places.get(&id).map(|&place| place as usize)
    }

    /// Adds an own body of rank `rank` that no rank knows yet. Its position must be wrapped into
    /// the domain. `radius` is that of its bounding ball (m), and `home` is the subdomain of its
    /// centre.
    ///
    /// # Errors
    /// If this rank already knows a body of this id.
    pub fn insert(&mut self, body: Body, radius: f64, home: SubdomainId, rank: u32) -> Result<()> {
        let bound = Bound { centre: body.state.position, radius, travel: 0.0 };
        self.push(body, bound, Link { owner: rank, ranks: Ranks::new() })?;
        let place = self.promote(self.len() - 1);
        self.homes[place] = home;
        Ok(())
    }

    /// Deletes an own body and its copies at the next synchronisation. Until then the body stays.
    /// Returns false if it is not an own body.
    pub fn delete(&mut self, id: BodyId) -> bool {
        let is_own = self.place(id).is_some_and(|place| place < self.own);
        if is_own {
            self.doomed.insert(id);
        }
        is_own
    }

    /// The ids of own bodies that the next synchronisation deletes, rising.
    pub fn doomed(&self) -> impl Iterator<Item = BodyId> {
        self.doomed.iter().copied()
    }

    pub(super) fn link_mut(&mut self, place: usize) -> &mut Link {
        &mut self.links[place]
    }

    pub(super) fn home(&self, place: usize) -> SubdomainId {
        self.homes[place]
    }

    pub(super) fn home_mut(&mut self, place: usize) -> &mut SubdomainId {
        &mut self.homes[place]
    }

    pub(super) fn spot(&self, place: usize) -> Spot {
        self.spots[place]
    }

    /// Makes the next synchronisation examine the body.
    pub(super) fn look_at(&mut self, place: usize) {
        self.spots[place] = Spot::Unknown;
    }

    /// Marks the body as synchronised at its present position. Returns its position (m) at the
    /// synchronisation before.
    pub(super) fn mark(&mut self, place: usize, limits: &Limits) -> Vec3 {
        let now = self.bound(place, limits);
        std::mem::replace(&mut self.bounds[place], now).centre
    }

    pub(super) fn own_parts(&mut self) -> OwnParts<'_> {
        let own = self.own;
        let (states, rest) = self.table.parts_mut();
        OwnParts {
            states: &mut states[..own],
            rest,
            bounds: &mut self.bounds[..own],
            homes: &self.homes[..own],
            spots: &mut self.spots[..own],
            rooms: &mut self.rooms[..own],
            links: &self.links[..own],
        }
    }

    /// The places of own bodies near borders. They are falling, so that bodies may be removed in
    /// this order. The caller gives the list back to [`Population::reuse`].
    pub(super) fn watched(&mut self) -> Vec<u32> {
        let mut places = std::mem::take(&mut self.spare);
        places.clear();
        places.extend(self.near_borders().map(|place| place as u32));
        places.reverse();
        places
    }

    pub(super) fn reuse(&mut self, places: Vec<u32>) {
        self.spare = places;
    }

    /// Sets the state of a body and updates its bound.
    pub(super) fn set_state(&mut self, place: usize, state: BodyState, limits: &Limits) {
        self.table.states_mut()[place] = state;
        self.bounds[place] = self.bound(place, limits);
    }

    /// The bound of a body at its present position.
    fn bound(&self, place: usize, limits: &Limits) -> Bound {
        let bodies = self.table.bodies();
        let (state, radius) = (&bodies.states()[place], self.bounds[place].radius);
        limits.horizon.bound(state, bodies.swing(place, radius), radius)
    }

    /// Adds a body after the last copy.
    fn push(&mut self, body: Body, bound: Bound, link: Link) -> Result<()> {
        if self.places.insert(body.id, self.len() as u32).is_some() {
            return Err(Error::internal("bodies of a rank", format!("body {} twice", body.id)));
        }
        self.bounds.push(bound);
        self.homes.push(0);
        self.spots.push(Spot::Unknown);
        self.rooms.push(0.0);
        self.table.push(body);
        self.links.push(link);
        Ok(())
    }

    /// The place of a body. An unknown body is added as a shadow copy of a body of rank `owner`.
    pub(super) fn place_or_copy(&mut self, body: Body, bound: Bound, owner: u32) -> Result<usize> {
        if let Some(place) = self.place(body.id) {
            return Ok(place);
        }
        self.push(body, bound, Link { owner, ranks: Ranks::new() })?;
        Ok(self.len() - 1)
    }

    /// Turns a copy into an own body. Returns its new place.
    pub(super) fn promote(&mut self, place: usize) -> usize {
        self.swap(place, self.own);
        self.own += 1;
        self.own - 1
    }

    /// Turns an own body into a copy. Returns its new place.
    pub(super) fn demote(&mut self, place: usize) -> usize {
        self.own -= 1;
        self.swap(place, self.own);
        self.own
    }

    /// Forgets a body. The places of bodies before it do not change.
    pub(super) fn remove(&mut self, place: usize) {
        let place = if place < self.own { self.demote(place) } else { place };
        self.swap(place, self.len() - 1);
        self.bounds.pop();
        self.homes.pop();
        self.spots.pop();
        self.rooms.pop();
        self.links.pop();
        if let Some(body) = self.table.pop() {
            self.places.remove(&body.id);
        }
    }

    /// Reorders own bodies: the body at place `order[k]` moves to place `k`.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        debug_assert_eq!(order.len(), self.own);
        // The permutation is applied cycle by cycle. The entry of a finished place is the place
        // itself.
        let mut order = order.to_vec();
        for start in 0..order.len() {
            let mut to = start;
            loop {
                let from = std::mem::replace(&mut order[to], to as u32) as usize;
                if from == start {
                    break;
                }
                self.swap_all(to, from);
                to = from;
            }
        }
        let bodies = self.table.bodies();
        for place in 0..self.own {
            self.places.insert(bodies.at(place).id, place as u32);
        }
    }

    /// Swaps two bodies in all lists, but leaves `places` unchanged.
    fn swap_all(&mut self, a: usize, b: usize) {
        self.table.swap(a, b);
        self.links.swap(a, b);
        self.bounds.swap(a, b);
        self.homes.swap(a, b);
        self.spots.swap(a, b);
        self.rooms.swap(a, b);
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        self.swap_all(a, b);
        for place in [a, b] {
            self.places.insert(self.table.bodies().at(place).id, place as u32);
        }
    }
}

/// The ranks that share bodies with this rank. Only a synchronisation changes them.
#[derive(Debug, Clone, Default)]
pub(super) struct Partners {
    /// The ranks that hold copies of own bodies, rising.
    pub holders: Vec<u32>,
    /// The ranks that own the bodies of this rank's copies, rising.
    pub owners: Vec<u32>,
    /// The places of own bodies that have copies, rising.
    pub shared: Vec<u32>,
}

impl Partners {
    /// Finds the partners anew.
    pub(super) fn find(&mut self, population: &Population) {
        self.holders.clear();
        self.owners.clear();
        self.shared.clear();
        for place in population.near_borders() {
            let ranks = &population.links[place].ranks;
            if !ranks.is_empty() {
                self.shared.push(place as u32);
                ranks.iter().for_each(|&rank| include(&mut self.holders, rank));
            }
        }
        let copies = &population.links[population.own..];
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
