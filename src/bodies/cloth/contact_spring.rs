//! Contacts as the linear system sees them.

use std::ops::Range;

use crate::ids::{NONE, VertexId};
use crate::linear::{Coupling, Couplings};
use crate::math::{Mat3, Vec3};
use crate::partition::{Layout, Partition, PatchIndex, StepGhosts};
use crate::ranks::Halo;

/// An implicit spring between two points, each a weighted sum of vertices.
///
/// With the relative velocity `u = sum_a w_a v_a` of the two points it exerts
/// `push - h C (u1 - u0)` on its first side at the end of the step, and the
/// opposite on its second; `C = stiffness`, N/m. Vertices that are not cloth
/// (ids from the vertex count on) move as they were told and take no force. A side
/// is a vertex, an edge or a face of one object; both may be of one cloth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSpring {
    /// The vertices of the first, then of the second side.
    pub vertices: [VertexId; 4],
    /// How many of them stand on the first side.
    pub first_side: usize,
    /// Their signed weights: the first side's sum to 1, the second's to -1.
    pub weights: [f64; 4],
    /// Stiffness between the two points, N/m, symmetric positive semidefinite.
    pub stiffness: Mat3,
    /// Force at the end of the step if the relative velocity stayed as it is, N.
    pub push: Vec3,
}

impl ContactSpring {
    /// The part of the right-hand side on vertex `a`, N s.
    pub fn rhs(&self, a: usize, h: f64) -> Vec3 {
        self.push * (h * self.weights[a])
    }

    /// The block that couples vertices `a` and `b`, kg.
    pub fn block(&self, a: usize, b: usize, h: f64) -> Mat3 {
        self.stiffness * (h * h * self.weights[a] * self.weights[b])
    }

    /// Its two sides, as ranges of vertices.
    pub fn sides(&self) -> [Range<usize>; 2] {
        [0..self.first_side, self.first_side..4]
    }

    /// Those vertices that are cloth and of any weight; [`NONE`] for the others.
    fn pushed(&self, cloth_vertices: usize) -> [VertexId; 4] {
        std::array::from_fn(|a| {
            let vertex = self.vertices[a];
            let pushed = self.weights[a] != 0.0 && (vertex as usize) < cloth_vertices;
            if pushed { vertex } else { NONE }
        })
    }
}

/// Where the contacts of a step stand in one rank's system: refilled every step,
/// without communication.
pub(super) struct ContactSprings {
    cloth_vertices: usize,
    ghosts: StepGhosts,
    /// Local index of each contact's vertices; [`NONE`] for those that take no part.
    pub places: Vec<[u32; 4]>,
    /// The contacts of each own patch.
    pub of_patch: PatchIndex,
}

impl ContactSprings {
    /// No contacts, and the exchange that is to bring their ghosts.
    pub fn new(partition: &Partition, layout: &Layout) -> (Self, Halo) {
        let ghosts = StepGhosts::new(partition, layout);
        let halo = ghosts.halo(layout);
        let contacts = Self {
            cloth_vertices: partition.patches.of_vertex.len(),
            ghosts,
            places: Vec::new(),
            of_patch: PatchIndex::new(&layout.patch_offsets),
        };
        (contacts, halo)
    }

    /// Takes the contacts of the next step. Every rank that owns a vertex that one
    /// pushes has it among its `contacts`. After: `halo` brings their ghosts too.
    pub fn refill(&mut self, contacts: &[ContactSpring], halo: &mut Halo) {
        let pushed = contacts.iter().map(|contact| contact.pushed(self.cloth_vertices));
        self.ghosts.refill(halo, pushed.clone());
        let ghosts = &self.ghosts;
        self.places.clear();
        self.places.extend(pushed.map(|vertices| vertices.map(|v| ghosts.local_index(v))));
        self.of_patch.fill(self.places.iter().copied());
    }

    /// Makes couplings of what the contacts couple across their sides.
    pub fn refill_couplings(&self, contacts: &[ContactSpring], h: f64, couplings: &mut Couplings) {
        let across = contacts.iter().zip(&self.places).map(|(contact, &places)| {
            let stiffness = contact.stiffness * (h * h);
            Coupling::new(&stiffness, contact.weights, places, contact.first_side)
        });
        couplings.refill(across, self.ghosts.len());
    }
}
