//! The system matrix of one rank: sparse rows of 3x3 blocks.
//!
//! Rows are the rank's own vertices in the parallel numbering. Columns are vertices
//! in the mesh's own numbering and sorted by it: a row is summed in the same order
//! on every rank. A second array holds the local index of each column, at which the
//! multiplied vector has its value.
//!
//! `sprs` checks and stores the structure, and carries the matrix to other code
//! ([`BlockCsr::to_triplets`]). The product is ours: it knows which rows need ghosts.

#[cfg(test)]
mod tests;

use std::ops::Range;

use sprs::{CsMatI, TriMat};

use crate::error::{Error, Result};
use crate::ids::VertexId;
use crate::math::{Mat3, Vec3};
use crate::partition::{Graph, Layout};
use crate::threads::{ByPatch, Threads};

/// Patches handed to a thread at a time.
pub(super) const GRAIN: usize = 2;

/// Which rows of a patch to multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Rows without a ghost column.
    Interior,
    /// Rows with a ghost column. Their ghosts must have arrived.
    Border,
}

/// A square matrix in compressed rows of 3x3 blocks, distributed by rows.
#[derive(Debug, Clone)]
pub struct BlockCsr {
    /// Structure and values; columns are [`VertexId`]s.
    blocks: CsMatI<Mat3, u32>,
    /// Local index of each block's column.
    columns: Vec<u32>,
    /// Position of each row's diagonal block.
    diagonal: Vec<u32>,
    /// First row of each patch.
    patch_offsets: Vec<u32>,
    /// First block of each patch.
    block_offsets: Vec<u32>,
    /// Rows of one kind in sequence, patch by patch.
    runs: Vec<(Rows, Range<u32>)>,
    /// First run of each patch.
    run_offsets: Vec<u32>,
}

/// The structure of a [`BlockCsr`] while its values are being filled.
#[derive(Clone, Copy)]
pub struct BlockStructure<'a> {
    offsets: &'a [u32],
    columns: &'a [VertexId],
    diagonal: &'a [u32],
    /// First block of each patch, and the number of blocks.
    pub block_offsets: &'a [u32],
}

impl BlockStructure<'_> {
    /// As [`BlockCsr::position`].
    pub fn position(&self, row: usize, column: VertexId) -> Option<usize> {
        let (start, end) = (self.offsets[row] as usize, self.offsets[row + 1] as usize);
        let at = self.columns[start..end].binary_search(&column).ok()?;
        Some(start + at)
    }

    /// As [`BlockCsr::diagonal`].
    pub fn diagonal(&self, row: usize) -> usize {
        self.diagonal[row] as usize
    }
}

impl BlockCsr {
    /// A zero matrix with a block for every coupling of `graph` and every vertex.
    ///
    /// # Errors
    /// When the matrix has more blocks than 32 bits can number, and [`Error::Internal`] when
    /// `graph` couples a vertex that `layout` does not know.
    pub fn new(layout: &Layout, graph: &Graph) -> Result<Self> {
        let mut offsets = vec![0];
        let mut ids: Vec<VertexId> = Vec::new();
        let mut diagonal = Vec::with_capacity(layout.own.len());
        for &row in &layout.own {
            let (below, above) = around(graph.neighbours(row), row);
            ids.extend_from_slice(below);
            diagonal.push(ids.len() as u32);
            ids.push(row);
            ids.extend_from_slice(above);
            offsets.push(ids.len() as u32);
        }
        if u32::try_from(ids.len()).is_err() {
            return Err(too_many_blocks());
        }
        let columns = ids.iter().map(|&v| layout.local_index(v));
        let columns = columns.collect::<Option<Vec<u32>>>().ok_or_else(|| {
            Error::internal("system matrix", "the layout lacks a vertex that the graph couples")
        })?;
        let block_offsets = layout.patch_offsets.iter().map(|&row| offsets[row as usize]).collect();
        let (runs, run_offsets) = runs(layout, &offsets, &columns);
        let values = vec![Mat3::zeros(); ids.len()];
        let shape = (layout.own.len(), graph.len());
        let blocks = CsMatI::try_new(shape, offsets, ids, values)
            .map_err(|(_, _, _, cause)| Error::internal("system matrix", cause))?;
        let patch_offsets = layout.patch_offsets.clone();
        Ok(Self { blocks, columns, diagonal, patch_offsets, block_offsets, runs, run_offsets })
    }

    /// Number of rows: the rank's own vertices.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of stored blocks.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// True if the rank owns no vertex.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// First row of each patch, and the number of rows.
    pub fn patch_offsets(&self) -> &[u32] {
        &self.patch_offsets
    }

    /// First block of each patch, and the number of blocks.
    pub fn block_offsets(&self) -> &[u32] {
        &self.block_offsets
    }

    /// Position among the values of the block of own row `row` and column vertex
    /// `column`; `None` if they do not couple. A binary search in the row.
    pub fn position(&self, row: usize, column: VertexId) -> Option<usize> {
        let blocks = self.row(row);
        let at = self.blocks.indices()[blocks.clone()].binary_search(&column).ok()?;
        Some(blocks.start + at)
    }

    /// Position of the diagonal block of own row `row`.
    pub fn diagonal(&self, row: usize) -> usize {
        self.diagonal[row] as usize
    }

    /// This rank's rows as single numbers in the mesh's own numbering, for other
    /// libraries and for checks: `3 n` x `3 n` for `n` vertices of the mesh, placed as
    /// [`add_block`] says. Rows of other ranks' vertices are empty, so the whole
    /// matrix is the sum over the ranks.
    pub fn to_triplets(&self) -> TriMat<f64> {
        let size = 3 * self.blocks.cols();
        let mut entries = TriMat::with_capacity((size, size), 9 * self.len());
        for (row, blocks) in self.blocks.outer_iterator().enumerate() {
            let row = self.blocks.indices()[self.diagonal(row)];
            for (column, block) in blocks.iter() {
                add_block(&mut entries, row, column as VertexId, block);
            }
        }
        entries
    }

    /// The values by position.
    pub fn values(&self) -> &[Mat3] {
        self.blocks.data()
    }

    /// The values by position, to be filled.
    pub fn values_mut(&mut self) -> &mut [Mat3] {
        self.blocks.data_mut()
    }

    /// The structure, and the values cut into one piece for each patch, which starts
    /// at the patch's entry of [`BlockStructure::block_offsets`].
    pub fn split_mut(&mut self) -> (BlockStructure<'_>, ByPatch<'_, Mat3>) {
        let (offsets, columns, values) = self.blocks.view_mut().into_raw_storage();
        let (diagonal, block_offsets) = (&self.diagonal[..], &self.block_offsets[..]);
        let structure = BlockStructure { offsets, columns, diagonal, block_offsets };
        (structure, ByPatch::new(values, block_offsets))
    }

    /// `w = A u` for all rows. `u` holds own values and ghosts, `w` own values.
    pub fn multiply(&self, threads: &Threads, u: &[Vec3], w: &mut [Vec3]) {
        let by_patch = ByPatch::new(w, &self.patch_offsets);
        threads.for_each_patch(by_patch, GRAIN, |patch, w| {
            self.multiply_patch(patch, Rows::Interior, u, w.data);
            self.multiply_patch(patch, Rows::Border, u, w.data);
        });
    }

    /// `w = A u` for one kind of rows of a patch; `w` is the patch's own piece.
    /// Before: for [`Rows::Border`], the ghosts in `u` are those of their owners' `u`.
    pub fn multiply_patch(&self, patch: usize, rows: Rows, u: &[Vec3], w: &mut [Vec3]) {
        self.each_run(patch, rows, w, |first, w| {
            self.sum_rows(self.values(), first, u, w);
        });
    }

    /// Calls `work` with each run of rows of one kind of a patch: the first row, and the run's
    /// part of `w`, the patch's own piece.
    pub(super) fn each_run(
        &self,
        patch: usize,
        rows: Rows,
        w: &mut [Vec3],
        work: impl Fn(usize, &mut [Vec3]),
    ) {
        let first = self.patch_offsets[patch];
        for (kind, run) in self.runs(patch) {
            if *kind == rows {
                let w = &mut w[(run.start - first) as usize..(run.end - first) as usize];
                work(run.start as usize, w);
            }
        }
    }

    /// Whether some row of `patch` has a ghost column.
    pub fn has_border(&self, patch: usize) -> bool {
        self.runs(patch).iter().any(|(kind, _)| *kind == Rows::Border)
    }

    /// Whether some row has a ghost column.
    pub fn has_any_border(&self) -> bool {
        self.runs.iter().any(|(kind, _)| *kind == Rows::Border)
    }

    /// Local columns and values of a row, in the mesh's order.
    pub(super) fn entries(&self, row: usize) -> impl Iterator<Item = (u32, &Mat3)> {
        let blocks = self.row(row);
        self.columns[blocks.clone()].iter().copied().zip(&self.values()[blocks])
    }

    /// The position of a row's first block.
    pub(super) fn row_start(&self, row: usize) -> u32 {
        self.offsets()[row]
    }

    /// The positions of a row's blocks.
    pub(super) fn row(&self, row: usize) -> Range<usize> {
        let offsets = self.offsets();
        offsets[row] as usize..offsets[row + 1] as usize
    }

    fn offsets(&self) -> &[u32] {
        self.blocks.indptr().into_raw_storage()
    }

    fn runs(&self, patch: usize) -> &[(Rows, Range<u32>)] {
        &self.runs[self.run_offsets[patch] as usize..self.run_offsets[patch + 1] as usize]
    }

    /// `w = A u` for `w.len()` rows from `first` on, with the `blocks` of all rows by position.
    /// Each of the nine entries of a block has its own sum: short chains of additions, few loads.
    pub(super) fn sum_rows<B: Block>(
        &self,
        blocks: &[B],
        first: usize,
        u: &[Vec3],
        w: &mut [Vec3],
    ) {
        let offsets = &self.offsets()[first..=first + w.len()];
        for (w, ends) in w.iter_mut().zip(offsets.windows(2)) {
            let row = ends[0] as usize..ends[1] as usize;
            let mut sums = [0.0; 9];
            for (block, &column) in blocks[row.clone()].iter().zip(&self.columns[row]) {
                let [x, y, z] = u[column as usize].data.0[0];
                let factors = [x, x, x, y, y, y, z, z, z];
                let entries = block.entries();
                for k in 0..9 {
                    sums[k] += entries[k] * factors[k];
                }
            }
            *w = Vec3::from_fn(|i, _| sums[i] + sums[i + 3] + sums[i + 6]);
        }
    }
}

/// A 3x3 block of either precision.
pub(super) trait Block {
    /// Its entries, column by column.
    fn entries(&self) -> [f64; 9];
}

impl Block for Mat3 {
    #[inline]
    fn entries(&self) -> [f64; 9] {
        std::array::from_fn(|k| self.data.0[k / 3][k % 3])
    }
}

impl Block for [f32; 9] {
    #[inline]
    fn entries(&self) -> [f64; 9] {
        self.map(f64::from)
    }
}

/// Adds the block of two vertices: component `i` of a vertex is row `3 vertex + i`,
/// component `j` of the other is column `3 vertex + j`, counted from 0. Entries of
/// one place are summed when the triplets are compressed.
pub fn add_block(entries: &mut TriMat<f64>, row: VertexId, column: VertexId, block: &Mat3) {
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        entries.add_triplet(3 * row as usize + i, 3 * column as usize + j, block[(i, j)]);
    }
}

/// The `neighbours` below and above `vertex`.
fn around(neighbours: &[VertexId], vertex: VertexId) -> (&[VertexId], &[VertexId]) {
    neighbours.split_at(neighbours.partition_point(|&v| v < vertex))
}

/// The rows of each patch as runs of rows with and without ghost columns.
fn runs(layout: &Layout, offsets: &[u32], columns: &[u32]) -> (Vec<(Rows, Range<u32>)>, Vec<u32>) {
    let own = layout.own.len() as u32;
    let kind = |row: u32| {
        let blocks = offsets[row as usize] as usize..offsets[row as usize + 1] as usize;
        let border = columns[blocks].iter().any(|&column| column >= own);
        if border { Rows::Border } else { Rows::Interior }
    };
    let mut runs: Vec<(Rows, Range<u32>)> = Vec::new();
    let mut run_offsets = vec![0];
    for patch in layout.patch_offsets.windows(2) {
        let first_run = runs.len();
        for row in patch[0]..patch[1] {
            match runs[first_run..].last_mut() {
                Some((same, run)) if *same == kind(row) => run.end = row + 1,
                _ => runs.push((kind(row), row..row + 1)),
            }
        }
        run_offsets.push(runs.len() as u32);
    }
    (runs, run_offsets)
}

fn too_many_blocks() -> Error {
    Error::input(
        "system matrix",
        "it has more blocks than 32 bits can number",
        "use a smaller mesh or more ranks",
    )
}
