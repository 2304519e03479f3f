//! The equations of one patch while they are being filled: rows of `A du = b`.

use crate::linear::block::Block;
use crate::linear::matrix::{BlockStructure, PairSlot, PatchValues, ValuesByPatch, add_to};
use crate::linear::symmetric3::Symmetric3;
use crate::{Mat3, NONE, NodeId, Vec3};

/// The rows of one patch. Bodies and contacts add to them in a fixed order.
pub struct PatchEquations<'a> {
    /// The node of each row.
    pub nodes: &'a [NodeId],
    patch: usize,
    first_row: u32,
    structure: &'a BlockStructure,
    values: PatchValues<'a>,
    rhs: &'a mut [Vec3],
}

impl<'a> PatchEquations<'a> {
    /// The rows of own patch `patch`, whose first one is `first_row`: its `nodes`, its piece of
    /// the matrix' `values` (kg) and of the right-hand side (N s). All blocks are made zero.
    pub fn new(
        patch: usize,
        first_row: usize,
        nodes: &'a [NodeId],
        structure: &'a BlockStructure,
        values: ValuesByPatch<'a>,
        rhs: &'a mut [Vec3],
    ) -> Self {
        let mut values = PatchValues::new(values);
        values.clear();
        Self { nodes, patch, first_row: first_row as u32, structure, values, rhs }
    }

    /// Sets the right-hand side (N s) and the sum of the blocks (kg, symmetric) of a row of this
    /// patch.
    pub fn set(&mut self, row: usize, rhs: Vec3, sum: Mat3) {
        self.rhs[row] = rhs;
        self.values.diagonal[row] = Symmetric3::of(&sum);
    }

    /// Adds the block ([`Block::narrow`], kg) of two vertices of an element, whose blocks sum to zero
    /// in each row. The diagonal follows from that.
    #[inline(always)]
    pub fn add_pair(&mut self, slot: PairSlot, block: &[f32; 9]) {
        if let Some((slot, sign)) = slot.slot() {
            let [xx, xy, xz, yy, yz, zz, x, y, z] = *block;
            let [x, y, z] = [sign ^ x.to_bits(), sign ^ y.to_bits(), sign ^ z.to_bits()];
            let [x, y, z] = [f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)];
            add_to(self.values.groups, slot, [xx, xy, xz, yy, yz, zz, x, y, z]);
        }
    }

    /// Adds to the right-hand side. `rows` count from the patch's first row; those that are
    /// [`NONE`] are left out.
    #[inline(always)]
    pub fn add_forces<const N: usize>(&mut self, rows: &[u32; N], rhs: &[Vec3; N]) {
        for a in 0..N {
            if rows[a] != NONE {
                self.rhs[rows[a] as usize] += rhs[a];
            }
        }
    }

    /// Adds to one row and its diagonal block, unless `row` is [`NONE`].
    pub fn add_diagonal(&mut self, row: u32, rhs: Vec3, block: Mat3) {
        if row != NONE {
            self.rhs[row as usize] += rhs;
            self.values.diagonal[row as usize].add(&block);
        }
    }

    /// The row of this patch that is the rank's own row `local`, if it is here.
    pub fn row(&self, local: u32) -> Option<usize> {
        let row = local.wrapping_sub(self.first_row) as usize;
        (row < self.rhs.len()).then_some(row)
    }

    /// Multiplies the right-hand side of all rows of this patch by `factor`.
    pub fn scale_rhs(&mut self, factor: f64) {
        if factor != 1.0 {
            self.rhs.iter_mut().for_each(|rhs| *rhs *= factor);
        }
    }

    /// Adds to the right-hand side of a row.
    pub fn add_rhs(&mut self, row: usize, rhs: Vec3) {
        self.rhs[row] += rhs;
    }

    /// Adds the block that couples a row to the local column `column`, which must be that of a
    /// neighbour in the graph of couplings or of the row itself.
    pub fn add_block(&mut self, row: usize, column: u32, block: Mat3) {
        self.values.diagonal[row].add(&block);
        let row = self.first_row + row as u32;
        if let Some(slot) = self.structure.slot(self.patch, row, column) {
            add_to(self.values.groups, slot, Block::of(&block).narrow());
        }
    }

    /// After: the patch can be multiplied.
    pub fn finish(self) {
        self.values.finish(self.structure, self.patch);
    }
}
