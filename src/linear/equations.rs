//! The equations of one patch while they are being filled: rows of `A du = b`.

use crate::ids::{NONE, NodeId};
use crate::linear::block_csr::BlockStructure;
use crate::math::{Mat3, Vec3};

/// The rows of one patch. Bodies and contacts add to them in a fixed order.
pub struct PatchEquations<'a> {
    /// The node of each row.
    pub nodes: &'a [NodeId],
    first_row: usize,
    first_slot: usize,
    structure: BlockStructure<'a>,
    values: &'a mut [Mat3],
    rhs: &'a mut [Vec3],
}

impl<'a> PatchEquations<'a> {
    /// The rows of own patch `patch`, whose first one is `first_row`: its `nodes`, the piece of
    /// the matrix' `values` (kg) and of the right-hand side (N s). All blocks are made zero.
    pub fn new(
        patch: usize,
        first_row: usize,
        nodes: &'a [NodeId],
        structure: BlockStructure<'a>,
        values: &'a mut [Mat3],
        rhs: &'a mut [Vec3],
    ) -> Self {
        values.fill(Mat3::zeros());
        let first_slot = structure.block_offsets[patch] as usize;
        Self { nodes, first_row, first_slot, structure, values, rhs }
    }

    /// Sets the right-hand side (N s) and the diagonal block (kg) of a row of this patch.
    pub fn set(&mut self, row: usize, rhs: Vec3, block: Mat3) {
        self.rhs[row] = rhs;
        let slot = self.structure.diagonal(self.first_row + row) - self.first_slot;
        self.values[slot] = block;
    }

    /// Adds an element of N nodes. Each of its `rows` that is not [`NONE`] gets its part of the
    /// right-hand side, and `block(a, b)` at `slots[a][b]`. `rows` count from the patch's first
    /// row, `slots` from its first block.
    #[inline(always)]
    pub fn add<const N: usize>(
        &mut self,
        rows: &[u32; N],
        slots: &[[u32; N]; N],
        rhs: &[Vec3; N],
        block: impl Fn(usize, usize) -> Mat3,
    ) {
        for a in 0..N {
            if rows[a] != NONE {
                self.rhs[rows[a] as usize] += rhs[a];
                for (b, &slot) in slots[a].iter().enumerate() {
                    self.values[slot as usize] += block(a, b);
                }
            }
        }
    }

    /// Adds to the right-hand side alone.
    pub fn add_forces<const N: usize>(&mut self, rows: &[u32; N], rhs: &[Vec3; N]) {
        for a in 0..N {
            if rows[a] != NONE {
                self.rhs[rows[a] as usize] += rhs[a];
            }
        }
    }

    /// Adds to one row and its diagonal block, unless `row` is [`NONE`].
    pub fn add_diagonal(&mut self, row: u32, slot: u32, rhs: Vec3, block: Mat3) {
        if row != NONE {
            self.rhs[row as usize] += rhs;
            self.values[slot as usize] += block;
        }
    }

    /// The row of this patch that is the rank's own row `local`, if it is here.
    pub fn row(&self, local: u32) -> Option<usize> {
        let row = local.wrapping_sub(self.first_row as u32) as usize;
        (row < self.rhs.len()).then_some(row)
    }

    /// Adds to the right-hand side of a row.
    pub fn add_rhs(&mut self, row: usize, rhs: Vec3) {
        self.rhs[row] += rhs;
    }

    /// Adds the block that couples a row to the node `column`, which must be a neighbour in the
    /// graph of couplings.
    pub fn add_block(&mut self, row: usize, column: NodeId, block: Mat3) {
        let slot = self.structure.position(self.first_row + row, column);
        debug_assert!(slot.is_some(), "the graph couples the nodes of a side");
        if let Some(slot) = slot {
            self.values[slot - self.first_slot] += block;
        }
    }
}
