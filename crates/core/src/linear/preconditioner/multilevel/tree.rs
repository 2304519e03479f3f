//! The patches as leaves of a binary tree, so that patches of one branch are near each other.

use crate::linear::preconditioner::multilevel::Mesh;
use crate::partition::{Graph, halves};
use crate::{PatchId, Vec3};

/// The nodes of the lowest level: the patches in the order of the leaves.
pub struct Tree {
    /// The leaf of each node, rising. Some leaves have none.
    pub leaves: Vec<u32>,
    /// Nodes that couple: each pair rising, in rising order.
    pub pairs: Vec<[u32; 2]>,
    node_of: Vec<u32>,
}

/// The place of a block in the lowest level.
#[derive(Debug, Clone, Copy)]
pub enum Slot {
    /// That of a node.
    Node(u32),
    /// The number of a pair, and whether its nodes come in the other order.
    Pair(u32, bool),
}

impl Tree {
    /// The tree of all patches of `mesh`, by their rest shapes. `coupled` are the patches that
    /// couple.
    pub fn new(mesh: &Mesh, coupled: &Graph) -> Self {
        let patches = &mesh.partition.patches;
        let centre = |patch: PatchId| {
            let vertices = patches.vertices(patch);
            let known = vertices.iter().filter_map(|&v| mesh.rest.get(v as usize));
            known.sum::<Vec3>() / vertices.len() as f64
        };
        let all = 0..patches.len() as PatchId;
        let centres: Vec<Vec3> = all.clone().map(centre).collect();
        let leaf_of = halves(&centres, patches.len().next_power_of_two());
        let mut order: Vec<PatchId> = all.clone().collect();
        order.sort_unstable_by_key(|&patch| leaf_of[patch as usize]);
        let mut node_of = vec![0; patches.len()];
        order.iter().zip(0..).for_each(|(&patch, node)| node_of[patch as usize] = node);
        let mut tree = Self {
            leaves: order.iter().map(|&patch| leaf_of[patch as usize]).collect(),
            pairs: Vec::new(),
            node_of,
        };
        let couples = all.flat_map(|patch| later(coupled, patch).map(move |other| [patch, other]));
        tree.pairs = couples.map(|pair| tree.pair(pair)).collect();
        tree.pairs.sort_unstable();
        tree
    }

    /// The node of `patch`.
    pub fn node(&self, patch: PatchId) -> u32 {
        self.node_of[patch as usize]
    }

    /// The places of what couples `patch` to itself and to each of the [`later`] patches.
    pub fn slots(&self, coupled: &Graph, patch: PatchId) -> impl Iterator<Item = Slot> {
        let of_pairs = later(coupled, patch).filter_map(move |other| {
            let place = self.pairs.binary_search(&self.pair([patch, other])).ok()? as u32;
            Some(Slot::Pair(place, self.node(patch) > self.node(other)))
        });
        std::iter::once(Slot::Node(self.node(patch))).chain(of_pairs)
    }

    fn pair(&self, patches: [PatchId; 2]) -> [u32; 2] {
        let [a, b] = patches.map(|patch| self.node(patch));
        [a.min(b), a.max(b)]
    }
}

/// The patches of a higher number that couple to `patch`, rising.
pub fn later(coupled: &Graph, patch: PatchId) -> impl Iterator<Item = PatchId> {
    coupled.neighbours(patch).iter().copied().filter(move |&other| other > patch)
}
