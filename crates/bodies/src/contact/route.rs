//! Contacts go to the ranks that own their nodes.

use std::borrow::Cow;

use crate::contact::law::ActiveContact;
use crate::contact::memory::ContactMemory;
use crate::contact::point::{Contact, local_minima};
use crate::contact::round_minima::round_minima;
use crate::contact::side::{Dynamics, Sides};
use crate::contact::spring::{ContactSpring, is_without_weight};
use cloth_collision::collision::{Pair, Radii};
use cloth_core::linear::MAX_TERMS;
use cloth_core::partition::{Layout, Partition};
use cloth_core::ranks::Tag;
use cloth_core::{NONE, NodeId, Result, Threads, World, message};

/// Contacts that a thread takes at a time, some 50 us of work.
pub const CONTACTS_PER_CHUNK: usize = 128;

/// The owners of the nodes of contacts.
#[derive(Clone, Copy)]
pub struct Route<'a> {
    /// All ranks.
    pub world: &'a dyn World,
    /// The owners of all nodes.
    pub partition: &'a Partition,
    /// This rank's nodes.
    pub layout: &'a Layout,
}

impl Route<'_> {
    /// Hands the contacts that this rank `found` to the owners of their nodes. Returns the
    /// contacts of all ranks that push an own node, by rising pair, each with its sides.
    /// `radii` are those of round surfaces. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn contacts(
        &self,
        threads: &Threads,
        found: &[Contact],
        bodies: &dyn Dynamics,
        radii: Radii,
    ) -> Result<Vec<(Contact, Sides)>> {
        let sides = |contact: &Contact| {
            bodies.sides(&contact.pair, &contact.weights, &contact.normal.into())
        };
        let contacts = self.at_owners(found, sides)?;
        // If a contact pushes an own node, all contacts of its vertices are here, so all ranks
        // that keep it agree. For other contacts some may be missing.
        let minima = round_minima(&contacts, local_minima(&contacts), &radii);
        let layout = self.layout;
        let mut pushing = Vec::with_capacity(minima.len());
        threads.collect(&minima, CONTACTS_PER_CHUNK, &mut pushing, |minima, pushing| {
            let with_sides = minima.iter().map(|&contact| (*contact, sides(contact)));
            pushing.extend(with_sides.filter(|(_, sides)| pushes_own_node(sides, layout)));
        });
        Ok(pushing)
    }

    /// The memories of the `active` contacts, with their `springs`, of a step of `h` (s), by
    /// rising pair. A contact may push a node in the next step that it does not push now, so every
    /// owner of a node of the contact gets the memory. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn memories(
        &self,
        threads: &Threads,
        (active, springs): (&[ActiveContact], &[ContactSpring]),
        bodies: &dyn Dynamics,
        h: f64,
        memories: &mut Vec<ContactMemory>,
    ) -> Result<()> {
        memories.clear();
        threads.collect_ranges(active.len(), CONTACTS_PER_CHUNK, memories, |range, memories| {
            let all = active[range.clone()].iter().zip(&springs[range]);
            memories.extend(all.map(|(contact, spring)| contact.memory(&spring.sides, bodies, h)));
        });
        if self.world.size() == 1 {
            return Ok(());
        }
        let mut to_rank = vec![Vec::new(); self.world.size()];
        for (memory, spring) in memories.iter().zip(springs).filter(|(own, _)| self.owns(own)) {
            self.for_owners(&spring.sides, |owner| to_rank[owner].push(*memory));
        }
        let received = message::route(self.world, Tag::Contacts, &to_rank)?;
        memories.clear();
        memories.extend(received.into_iter().flat_map(|(_, memories)| memories));
        memories.sort_unstable_by_key(|memory| memory.pair);
        Ok(())
    }

    /// Hands the `memories` of the last step to the owners of their contacts' nodes in the
    /// partition `to`. `nodes_of` gives all nodes of a pair, and may give more. Before: the owners
    /// in this partition hold the memories. After: the owners in `to` hold them, by rising pair.
    /// Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn hand_over<I: Iterator<Item = NodeId>>(
        &self,
        to: &Partition,
        nodes_of: impl Fn(&Pair) -> I,
        memories: &mut Vec<ContactMemory>,
    ) -> Result<()> {
        let nodes = to.patches.of_vertex.len();
        let mut to_rank = vec![Vec::new(); self.world.size()];
        // Several ranks hold the same memory: one of them sends it.
        for memory in memories.iter().filter(|memory| self.owns(memory)) {
            let own = nodes_of(&memory.pair).filter(|&node| (node as usize) < nodes);
            let mut owners: Vec<u32> = own.map(|node| to.rank_of_vertex(node)).collect();
            owners.sort_unstable();
            owners.dedup();
            owners.iter().for_each(|&owner| to_rank[owner as usize].push(*memory));
        }
        let received = message::route(self.world, Tag::Contacts, &to_rank)?;
        memories.clear();
        memories.extend(received.into_iter().flat_map(|(_, memories)| memories));
        memories.sort_unstable_by_key(|memory| memory.pair);
        Ok(())
    }

    /// The contacts of all ranks that touch an own node. Collective.
    fn at_owners<'a>(
        &self,
        found: &'a [Contact],
        sides: impl Fn(&Contact) -> Sides,
    ) -> Result<Cow<'a, [Contact]>> {
        if self.world.size() == 1 {
            return Ok(Cow::Borrowed(found));
        }
        let mut to_rank = vec![Vec::new(); self.world.size()];
        for contact in found {
            self.for_owners(&sides(contact), |owner| to_rank[owner].push(*contact));
        }
        let received = message::route(self.world, Tag::Contacts, &to_rank)?;
        Ok(Cow::Owned(received.into_iter().flat_map(|(_, contacts)| contacts).collect()))
    }

    fn owns(&self, memory: &ContactMemory) -> bool {
        self.layout.own_index(memory.owner).is_some()
    }

    /// Calls `visit` with each rank that owns a node of `sides`.
    fn for_owners(&self, sides: &Sides, mut visit: impl FnMut(usize)) {
        let nodes = self.partition.patches.of_vertex.len();
        let mut owners = [NONE; MAX_TERMS];
        for (a, term) in sides.terms().iter().enumerate() {
            if (term.node as usize) < nodes {
                let owner = self.partition.rank_of_vertex(term.node);
                if !owners.contains(&owner) {
                    owners[a] = owner;
                    visit(owner as usize);
                }
            }
        }
    }
}

/// Whether a contact exerts a force on an own node.
fn pushes_own_node(sides: &Sides, layout: &Layout) -> bool {
    let mut terms = sides.terms().iter().filter(|term| !is_without_weight(&term.jacobian));
    terms.any(|term| layout.own_index(term.node).is_some())
}
