//! The system matrix of one rank: symmetric, in 3x3 blocks, with half of them stored.
//!
//! A product reads each block once, and memory sets its pace. So blocks beside the diagonal are in
//! single precision, and those within a patch are stored once for both of their places
//! ([`BlockStructure`]). The diagonal is in double precision. It is not given: the *sums* of the
//! rows are,
//! ```text
//! D_i = S_i - sym sum_{j != i} A_ij
//! ```
//! with the blocks as they are stored. Their skew parts are not rounded ([`super::block`]). So the
//! product with a translation is exact: elements, whose rows sum to zero, exert no force on cloth
//! that moves as a whole, and momentum and free fall are exact.
//!
//! Rows are the rank's own vertices in the parallel numbering.

mod product;
mod structure;
#[cfg(test)]
mod tests;

use sprs::TriMat;
use wide::f32x4;

use self::structure::Place;
pub use self::structure::{BlockStructure, PairSlot};
use crate::linear::block::Block;
use crate::linear::symmetric3::Symmetric3;
use crate::linear::vectors::LANES;
use crate::partition::{Graph, Layout};
use crate::{ByPatch, Mat3, Result, Vec3, VertexId};

/// Patches handed to a thread at a time.
pub(super) const GRAIN: usize = 2;

/// The blocks of a group: xx, xy, xz, yy, yz, zz of the symmetric parts, then the axes.
pub type Group = [f32x4; 9];

/// The diagonal blocks of a slice: xx, xy, xz, yy, yz, zz.
pub(super) type DiagonalGroup = [f32x4; 6];

/// A symmetric matrix of 3x3 blocks, distributed by rows.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    structure: BlockStructure,
    groups: Vec<Group>,
    /// By row: its sum while the matrix is being filled, then its diagonal block.
    diagonal: Vec<Symmetric3>,
    /// The diagonal in single precision, by slice of the rows.
    narrow: Vec<DiagonalGroup>,
}

/// The values of one patch while they are being filled.
pub struct PatchValues<'a> {
    pub(super) groups: &'a mut [Group],
    pub(super) diagonal: &'a mut [Symmetric3],
    narrow: &'a mut [DiagonalGroup],
}

/// The values of all patches, to be cut.
pub type ValuesByPatch<'a> =
    (ByPatch<'a, Group>, ByPatch<'a, Symmetric3>, ByPatch<'a, DiagonalGroup>);

impl BlockMatrix {
    /// A zero matrix with a block for every coupling of `graph` and every vertex.
    ///
    /// # Errors
    /// When the matrix has more blocks than 32 bits can number, and
    /// [`crate::error::Error::Internal`] when `graph` couples a vertex that `layout` does not know.
    pub fn new(layout: &Layout, graph: &Graph) -> Result<Self> {
        let structure = BlockStructure::new(layout, graph)?;
        let count = |offsets: &[u32]| offsets.last().map_or(0, |&last| last as usize);
        Ok(Self {
            groups: vec![Group::default(); count(&structure.group_offsets)],
            diagonal: vec![Symmetric3::default(); layout.own.len()],
            narrow: vec![DiagonalGroup::default(); count(&structure.within_offsets)],
            structure,
        })
    }

    /// The matrix with these blocks of row and column vertex, for tests and other programs. Blocks
    /// that mirror each other must be each other's transpose.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_blocks(
        layout: &Layout,
        graph: &Graph,
        block: impl Fn(VertexId, VertexId) -> Mat3,
    ) -> Result<Self> {
        let mut matrix = Self::new(layout, graph)?;
        for patch in 0..layout.own_patches.len() {
            let rows = layout.patch_offsets[patch]..layout.patch_offsets[patch + 1];
            let (structure, mut all) = matrix.split_mut();
            let (values, first) = (PatchValues::of(structure, patch, &mut all), rows.start);
            for row in rows {
                let vertex = layout.own[row as usize];
                let sum = &mut values.diagonal[(row - first) as usize];
                sum.add(&block(vertex, vertex));
                for &other in graph.neighbours(vertex) {
                    let block = block(vertex, other);
                    sum.add(&block);
                    let column = layout.local_index(other);
                    let slot = column.and_then(|column| structure.slot(patch, row, column));
                    slot.into_iter()
                        .for_each(|slot| add_to(values.groups, slot, Block::of(&block).narrow()));
                }
            }
            values.finish(structure, patch);
        }
        Ok(matrix)
    }

    /// Number of rows: the rank's own vertices.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of blocks, with those that are stored as the mirror of another.
    pub fn len(&self) -> u64 {
        (0..self.patch_offsets().len() - 1).map(|patch| self.structure.blocks_of(patch)).sum()
    }

    /// True if the rank owns no vertex.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Bytes that a product in single precision reads of the matrix.
    pub fn bytes(&self) -> usize {
        let group = size_of::<Group>() + size_of::<[u32; LANES]>();
        self.groups.len() * group + size_of_val(&self.narrow[..])
    }

    /// First row of each patch, and the number of rows.
    pub fn patch_offsets(&self) -> &[u32] {
        &self.structure.patch_offsets
    }

    /// Where its blocks are.
    pub fn structure(&self) -> &BlockStructure {
        &self.structure
    }

    /// The diagonal blocks by row, kg.
    pub(super) fn diagonal(&self) -> &[Symmetric3] {
        &self.diagonal
    }

    /// The diagonal block of a row, counted within `patch`.
    pub(super) fn diagonal_of(&self, patch: usize, row: usize) -> Mat3 {
        self.diagonal[self.structure.patch_offsets[patch] as usize + row].matrix()
    }

    /// First slice of the rows of each patch, and the number of slices.
    pub(super) fn slice_offsets(&self) -> &[u32] {
        &self.structure.within_offsets
    }

    /// The blocks within `patch` below the diagonal: row and column, counted within the patch, and
    /// the block.
    pub(super) fn within(&self, patch: usize) -> impl Iterator<Item = (u32, u32, Mat3)> + '_ {
        let places = self.structure.places_within(patch);
        let block = |it: &Place| block_of(&self.groups[it.group as usize], it.lane).matrix();
        places.map(move |it| (it.row, it.column, block(&it)))
    }

    /// The blocks across of `patch`: row, counted within the patch, local index of the column, and
    /// the block.
    pub(super) fn across(&self, patch: usize) -> impl Iterator<Item = (u32, u32, Mat3)> + '_ {
        let places = self.structure.places_across(patch);
        let block = |it: &Place| block_of(&self.groups[it.group as usize], it.lane).matrix();
        places.map(move |it| (it.row, it.column, block(&it)))
    }

    /// The vertex of each local index: own vertices, then ghosts.
    pub(super) fn vertices(&self) -> &[VertexId] {
        &self.structure.vertices
    }

    /// The structure, and the values cut into one piece for each patch.
    pub fn split_mut(&mut self) -> (&BlockStructure, ValuesByPatch<'_>) {
        let structure = &self.structure;
        let groups = ByPatch::new(&mut self.groups, &structure.group_offsets);
        let diagonal = ByPatch::new(&mut self.diagonal, &structure.patch_offsets);
        let narrow = ByPatch::new(&mut self.narrow, &structure.within_offsets);
        (structure, (groups, diagonal, narrow))
    }

    /// This rank's rows as single numbers in the mesh's own numbering, for other libraries and for
    /// checks: `3 n` x `3 n` for `n` vertices of the mesh, placed as [`add_block`] says. Rows of
    /// other ranks' vertices are empty, so the whole matrix is the sum over the ranks.
    pub fn to_triplets(&self) -> TriMat<f64> {
        let size = 3 * self.structure.mesh_vertices;
        let mut entries = TriMat::with_capacity((size, size), 9 * self.len() as usize);
        let vertex = |local: u32| self.structure.vertices[local as usize];
        for (row, block) in (0..).zip(&self.diagonal) {
            add_block(&mut entries, vertex(row), vertex(row), &block.matrix());
        }
        for (patch, ends) in self.patch_offsets().windows(2).enumerate() {
            let first = ends[0];
            for (row, column, block) in self.within(patch) {
                let [row, column] = [row, column].map(|it| vertex(first + it));
                add_block(&mut entries, row, column, &block);
                add_block(&mut entries, column, row, &block.transpose());
            }
            for (row, column, block) in self.across(patch) {
                add_block(&mut entries, vertex(first + row), vertex(column), &block);
            }
        }
        entries
    }
}

impl<'a> PatchValues<'a> {
    /// The piece of one patch, of values that begin with the first patch.
    fn of(structure: &BlockStructure, patch: usize, all: &'a mut ValuesByPatch) -> Self {
        let range = |offsets: &[u32]| offsets[patch] as usize..offsets[patch + 1] as usize;
        Self {
            groups: &mut all.0.data[range(&structure.group_offsets)],
            diagonal: &mut all.1.data[range(&structure.patch_offsets)],
            narrow: &mut all.2.data[range(&structure.within_offsets)],
        }
    }

    /// The piece of one patch.
    pub fn new((groups, diagonal, narrow): ValuesByPatch<'a>) -> Self {
        Self { groups: groups.data, diagonal: diagonal.data, narrow: narrow.data }
    }

    /// Makes all values zero.
    pub(super) fn clear(&mut self) {
        self.groups.fill(Group::default());
        self.diagonal.fill(Symmetric3::default());
    }

    /// After: the diagonal has blocks, and no more the sums of rows.
    pub(super) fn finish(self, structure: &BlockStructure, patch: usize) {
        let Self { groups, diagonal, narrow } = self;
        let first = structure.group_offsets[patch];
        let slices = structure.within(patch).iter().map(|slice| (slice, true));
        let slices = slices.chain(structure.across(patch).iter().map(|slice| (slice, false)));
        for (slice, is_within) in slices {
            let groups = &groups[(slice.groups.start - first) as usize..];
            for (group, columns) in groups.iter().zip(structure.columns(&slice.groups)) {
                for lane in 0..slice.count.min(LANES) {
                    let part = block_of(group, lane).symmetric;
                    diagonal[slice.rows[lane] as usize].subtract(&part);
                    // The mirrored block has the same symmetric part. Where there is no block, the
                    // entries are zero.
                    if is_within {
                        diagonal[columns[lane] as usize].subtract(&part);
                    }
                }
            }
        }
        for (slice, narrow) in diagonal.chunks(LANES).zip(narrow) {
            *narrow = Symmetric3::lanes(slice);
        }
    }
}

/// Adds a block ([`Block::narrow`]) at a slot of a patch, which counts from the first group of the
/// patch.
#[inline(always)]
pub(super) fn add_to(groups: &mut [Group], slot: u32, block: [f32; 9]) {
    let (group, lane) = (slot as usize / LANES, slot as usize % LANES);
    let entries: &mut [f32; 9 * LANES] = bytemuck::must_cast_mut(&mut groups[group]);
    for k in 0..9 {
        entries[LANES * k + lane] += block[k];
    }
}

/// One block of a group.
#[inline(always)]
fn block_of(group: &Group, lane: usize) -> Block {
    let entries: &[f32; 9 * LANES] = bytemuck::must_cast_ref(group);
    let entry = |k: usize| f64::from(entries[LANES * k + lane]);
    let symmetric = [entry(0), entry(1), entry(2), entry(3), entry(4), entry(5)];
    Block { symmetric: Symmetric3::new(symmetric), axis: Vec3::new(entry(6), entry(7), entry(8)) }
}

/// Adds the block of two vertices: component `i` of a vertex is row `3 vertex + i`,
/// component `j` of the other is column `3 vertex + j`, counted from 0. Entries of
/// one place are summed when the triplets are compressed.
pub fn add_block(entries: &mut TriMat<f64>, row: VertexId, column: VertexId, block: &Mat3) {
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        entries.add_triplet(3 * row as usize + i, 3 * column as usize + j, block[(i, j)]);
    }
}
