//! Contacts as the linear system sees them.

use crate::contact::side::{Dynamics, Sides};
use cloth_core::linear::{Coupling, Couplings, Jacobian, MAX_TERMS, PatchEquations};
use cloth_core::partition::{Layout, Partition, PatchIndex, StepGhosts};
use cloth_core::ranks::Halo;
use cloth_core::{Mat3, NONE, NodeId, Vec3};

/// An implicit spring between the two points of a contact.
///
/// Let `u = sum_i J_i u_i` be the relative velocity of the two points and `C` its stiffness (N/m).
/// At the end of the step, with the relative velocity `u1`, it exerts `push - h C (u1 - velocity)`
/// on its first side and the opposite on its second. Prescribed nodes take no force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSpring {
    /// The two points.
    pub sides: Sides,
    /// Stiffness between the two points, N/m, symmetric positive semidefinite.
    pub stiffness: Mat3,
    /// Relative velocity about which the step is linearised, m/s.
    pub velocity: Vec3,
    /// Force at the end of the step if the relative velocity stays at `velocity`, N.
    pub push: Vec3,
    /// The part of its force that has lasted for two steps, N.
    pub lasting: Vec3,
}

impl ContactSpring {
    /// The force (N) on its first side at the end of a step of `h` (s), at which its points have
    /// the relative velocity `velocity` (m/s).
    pub fn force(&self, velocity: Vec3, h: f64) -> Vec3 {
        self.push - self.stiffness * (velocity - self.velocity) * h
    }

    /// Its nodes that move one of the points. `nodes` is the number of all nodes. [`NONE`] stands
    /// for a term of weight zero and for an obstacle vertex.
    fn pushed(&self, nodes: usize) -> [NodeId; MAX_TERMS] {
        let mut pushed = [NONE; MAX_TERMS];
        for (pushed, term) in pushed.iter_mut().zip(self.sides.terms()) {
            if !is_without_weight(&term.jacobian) && (term.node as usize) < nodes {
                *pushed = term.node;
            }
        }
        pushed
    }
}

/// The lowest node that takes a force of a contact between `sides`; [`NONE`] if there is none.
pub fn lowest_pushed(sides: &Sides, bodies: &dyn Dynamics) -> NodeId {
    let pushed = sides.terms().iter().filter(|term| {
        !is_without_weight(&term.jacobian) && !bodies.inverse_mass(term.node).is_zero()
    });
    pushed.map(|term| term.node).min().unwrap_or(NONE)
}

/// Whether a term moves nothing.
pub(super) fn is_without_weight(jacobian: &Jacobian) -> bool {
    *jacobian == Jacobian::Weight(0.0)
}

/// The places of a step's contacts in one rank's system. They are refilled every step, without
/// communication.
pub struct ContactSprings {
    /// Number of nodes of all ranks.
    nodes: usize,
    ghosts: StepGhosts,
    /// Local index of each contact's nodes. [`NONE`] stands for those that take no part.
    places: Vec<[u32; MAX_TERMS]>,
    /// The contacts of each own patch.
    of_patch: PatchIndex,
}

impl ContactSprings {
    /// No contacts yet, and the exchange for their ghosts.
    pub fn new(partition: &Partition, layout: &Layout) -> (Self, Halo) {
        let ghosts = StepGhosts::new(partition, layout);
        let halo = ghosts.halo(layout);
        let contacts = Self {
            nodes: partition.patches.of_vertex.len(),
            ghosts,
            places: Vec::new(),
            of_patch: PatchIndex::new(&layout.patch_offsets),
        };
        (contacts, halo)
    }

    /// Takes the contacts of the next step. Before: the `contacts` of every rank include all that
    /// push an own node. After: `halo` also exchanges their ghosts.
    pub fn refill(&mut self, contacts: &[ContactSpring], halo: &mut Halo) {
        let pushed = contacts.iter().map(|contact| contact.pushed(self.nodes));
        self.ghosts.refill(halo, pushed.clone());
        let ghosts = &self.ghosts;
        self.places.clear();
        self.places.extend(pushed.map(|nodes| nodes.map(|node| ghosts.local_index(node))));
        self.of_patch.fill(self.places.iter().copied());
    }

    /// Makes the couplings of the contacts across their sides, in a step of `h` (s).
    pub fn refill_couplings(&self, contacts: &[ContactSpring], h: f64, couplings: &mut Couplings) {
        couplings.clear(self.ghosts.len());
        for (contact, places) in contacts.iter().zip(&self.places) {
            let mut terms = [(NONE, Jacobian::Weight(0.0)); MAX_TERMS];
            let all = contact.sides.terms();
            for (out, (&place, term)) in terms.iter_mut().zip(places.iter().zip(all)) {
                *out = (place, term.jacobian);
            }
            couplings.add(&Coupling {
                stiffness: contact.stiffness * (h * h),
                terms: &terms[..all.len()],
                first_side: contact.sides.first_side(),
            });
        }
        couplings.finish();
    }

    /// Adds the `contacts` of own patch `patch` to its rows, in a step of `h` (s): forces, and
    /// blocks within a side. A share of the lasting forces comes later. The matrix couples the
    /// nodes within a side; nodes across the sides are coupled by couplings.
    pub fn add_to(
        &self,
        patch: usize,
        contacts: &[ContactSpring],
        [h, late_share]: [f64; 2],
        rows: &mut PatchEquations,
    ) {
        for &item in self.of_patch.of(patch) {
            let (contact, places) = (&contacts[item as usize], &self.places[item as usize]);
            let (terms, middle) = (contact.sides.terms(), contact.sides.first_side());
            let now = contact.push - contact.lasting * late_share;
            for side in [0..middle, middle..terms.len()] {
                for a in side.clone() {
                    let Some(row) = rows.row(places[a]) else { continue };
                    rows.add_rhs(row, terms[a].jacobian.transpose_times(&now, h));
                    for b in side.clone().filter(|&b| places[b] != NONE) {
                        let other = &terms[b].jacobian;
                        let block = terms[a].jacobian.block(&contact.stiffness, other, h * h);
                        rows.add_block(row, places[b], block);
                    }
                }
            }
        }
    }
}
