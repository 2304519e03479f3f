//! Rigid motions at several scales, added to block Jacobi.
//!
//! A large cloth has soft motions that extend over many vertices, and block Jacobi finds them only
//! neighbour by neighbour. They are nearly rigid motions of parts of the cloth. So
//! ```text
//! M^-1 = D^-1 + sum over patches P A_P^-1 P^T + Q C Q^T
//! ```
//! where `D` has the diagonal blocks, the columns of `P` are the rigid motions of the eight
//! *aggregates* of a patch, `A_P = P^T A P` couples those of one patch, the columns of `Q` are the
//! rigid motions of all patches, and `C` is a V-cycle for `Q^T A Q` over groups of patches, groups
//! of those, and so on ([`level`]). The first sum needs no other rank; for the last term the sums
//! of the residual over all patches are gathered.
//!
//! Sources: Bramble, Pasciak & Xu 1990 (levels are added); Vanek, Mandel & Brezina 1996 (rigid
//! motions of aggregates). Everything follows from the mesh and from patch sums, so it has the same
//! bits on any number of ranks and threads.

mod aggregates;
mod group;
mod level;
#[cfg(test)]
mod tests;
mod tree;

use bytemuck::Pod;

use self::aggregates::Aggregates;
pub use self::aggregates::PatchSums;
use self::group::{Block6, GROUP, Motion, transposed};
use self::level::Level;
use self::tree::{Slot, Tree};
use crate::linear::matrix::BlockMatrix;
use crate::linear::vectors::Row;
use crate::partition::{Graph, Layout, Partition, PatchGraph, halves};
use crate::ranks::Halo;
use crate::{Result, Threads, Vec3, VertexId, World};

/// The mesh that a matrix belongs to.
pub struct Mesh<'a> {
    /// The rank's rows.
    pub layout: &'a Layout,
    /// All patches.
    pub partition: &'a Partition,
    /// The vertices that couple.
    pub graph: &'a Graph,
    /// Positions at rest of the vertices of cloth, m. Nodes after them belong to bodies.
    pub rest: &'a [Vec3],
}

impl Mesh<'_> {
    fn is_cloth(&self, vertex: VertexId) -> bool {
        (vertex as usize) < self.rest.len()
    }

    /// The aggregate of each of `vertices`, which are those of a patch.
    fn aggregates(&self, vertices: &[VertexId], is_cloth: bool) -> Vec<u8> {
        if !is_cloth {
            return vec![0; vertices.len()];
        }
        let rest: Vec<Vec3> = vertices.iter().map(|&v| self.rest[v as usize]).collect();
        halves(&rest, GROUP).into_iter().map(|part| part as u8).collect()
    }
}

/// What the levels of a system are made of.
pub struct Terms<'a> {
    /// All ranks.
    pub world: &'a dyn World,
    /// This rank's threads.
    pub threads: &'a Threads,
    /// The system.
    pub matrix: &'a BlockMatrix,
    /// The exchange of its ghosts.
    pub halo: &'a mut Halo,
    /// Own rows that cannot move, rising.
    pub fixed: &'a [u32],
    /// Positions of the vertices of the mesh, m. Those of own vertices are needed.
    pub positions: &'a [Vec3],
    /// Room for a value of each own row, ghost and step ghost.
    pub scratch: &'a mut [Row],
}

/// The levels of one rank.
pub struct Multilevel {
    aggregates: Aggregates,
    levels: Vec<Level>,
    counts: Counts,
    /// The node of the lowest level of each patch, in the order of a gather.
    nodes: Vec<u32>,
    /// Where each gathered block belongs.
    slots: Vec<Slot>,
    /// The node of each own patch.
    own_nodes: Vec<u32>,
    /// The sums of the residual over own patches, and over all in the order of a gather.
    own: Vec<Motion>,
    all: Vec<Motion>,
    /// Centres and blocks in the order of a gather.
    centres: Vec<Vec3>,
    blocks: Vec<Block6>,
}

/// Bytes that each rank gives to a gather.
#[derive(Default)]
struct Counts {
    centres: Vec<usize>,
    motions: Vec<usize>,
    blocks: Vec<usize>,
}

impl Multilevel {
    /// Room for the levels of `matrix`.
    pub fn new(matrix: &BlockMatrix, mesh: &Mesh) -> Self {
        let partition = mesh.partition;
        let patches = PatchGraph::new(mesh.graph, &partition.patches);
        let tree = Tree::new(mesh, patches.coupled());
        let (mut counts, mut nodes, mut slots) = (Counts::default(), Vec::new(), Vec::new());
        for rank in 0..partition.ranks {
            let before = (nodes.len(), slots.len());
            for patch in partition.patches_of(rank) {
                nodes.push(tree.node(patch));
                slots.extend(tree.slots(patches.coupled(), patch));
            }
            let (patches, blocks) = (nodes.len() - before.0, slots.len() - before.1);
            counts.centres.push(patches * size_of::<Vec3>());
            counts.motions.push(patches * size_of::<Motion>());
            counts.blocks.push(blocks * size_of::<Block6>());
        }
        let aggregates = Aggregates::new(matrix, mesh, patches.coupled());
        Self {
            levels: Level::all(&tree.leaves, &tree.pairs),
            counts,
            own_nodes: mesh.layout.own_patches.iter().map(|&patch| tree.node(patch)).collect(),
            own: vec![Motion::default(); aggregates.len()],
            all: vec![Motion::default(); nodes.len()],
            centres: vec![Vec3::zeros(); nodes.len()],
            blocks: vec![Block6::default(); slots.len()],
            nodes,
            slots,
            aggregates,
        }
    }

    /// Takes over the values of a matrix. Collective.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn factor(&mut self, terms: Terms) -> Result<()> {
        let Terms { world, threads, matrix, halo, fixed, positions, scratch } = terms;
        let own = matrix.rows();
        self.aggregates.place(threads, matrix, fixed, positions, &mut scratch[..own]);
        halo.begin(world, scratch)?;
        halo.finish(world, scratch)?;
        self.aggregates.factor(threads, matrix, scratch);
        let Self { aggregates, counts, centres, blocks, .. } = self;
        gather(world, &aggregates.centres, &counts.centres, centres)?;
        gather(world, &aggregates.blocks, &counts.blocks, blocks)?;
        if let Some(level) = self.levels.first_mut() {
            for (&node, centre) in self.nodes.iter().zip(&self.centres) {
                level.centres[node as usize] = *centre;
            }
            for (slot, block) in self.slots.iter().zip(&self.blocks) {
                match *slot {
                    Slot::Node(node) => level.diagonal[node as usize] = *block,
                    Slot::Pair(pair, false) => level.blocks[pair as usize] = *block,
                    Slot::Pair(pair, true) => level.blocks[pair as usize] = transposed(block),
                }
            }
        }
        Level::factor(&mut self.levels, threads);
        Ok(())
    }

    /// The sums of the residual `r` of own patch `patch`.
    pub fn sum(&self, patch: usize, r: &[Row]) -> PatchSums {
        self.aggregates.sum(patch, r)
    }

    /// Finds how all patches move. `sums` are those of the own patches. Collective.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn solve(&mut self, world: &dyn World, sums: &[PatchSums]) -> Result<()> {
        self.own.iter_mut().zip(sums).for_each(|(own, sums)| *own = sums.whole);
        gather(world, &self.own, &self.counts.motions, &mut self.all)?;
        if let Some(level) = self.levels.first_mut() {
            self.nodes.iter().zip(&self.all).for_each(|(&it, sum)| level.right[it as usize] = *sum);
        }
        Level::cycle(&mut self.levels);
        Ok(())
    }

    /// Adds to the rows `u` of own patch `patch` how they move. Before: [`Self::solve`].
    pub fn add_motions(&self, patch: usize, sums: &PatchSums, u: &mut [Row]) {
        let whole = &self.levels[0].solution[self.own_nodes[patch] as usize];
        self.aggregates.add_motions(patch, &sums.parts, whole, u);
    }
}

/// Concatenates what each rank gives. Allocates nothing.
fn gather<T: Pod>(world: &dyn World, own: &[T], counts: &[usize], all: &mut [T]) -> Result<()> {
    world.all_gather_v(bytemuck::cast_slice(own), counts, bytemuck::cast_slice_mut(all))
}
