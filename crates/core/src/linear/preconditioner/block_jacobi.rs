//! Block Jacobi: the inverse of each row's diagonal block.

use crate::linear::matrix::{BlockMatrix, DiagonalGroup, GRAIN};
use crate::linear::symmetric3::Symmetric3;
use crate::linear::vectors::{LANES, Row, by_component, by_row, fixed_in, rows_of};
use crate::{ByPatch, Threads};

/// The inverse diagonal blocks, by slice of the rows.
pub struct BlockJacobi {
    inverse: Vec<DiagonalGroup>,
    patch_offsets: Vec<u32>,
    slice_offsets: Vec<u32>,
}

impl BlockJacobi {
    /// Room for the blocks of `matrix`.
    pub fn new(matrix: &BlockMatrix) -> Self {
        let slice_offsets = matrix.slice_offsets().to_vec();
        let slices = slice_offsets.last().map_or(0, |&last| last as usize);
        Self {
            inverse: vec![DiagonalGroup::default(); slices],
            patch_offsets: matrix.patch_offsets().to_vec(),
            slice_offsets,
        }
    }

    /// Takes over the diagonal of `matrix`, but for patches all of whose rows are `fixed`.
    pub fn factor(&mut self, threads: &Threads, matrix: &BlockMatrix, fixed: &[u32]) {
        let offsets = &self.patch_offsets;
        let inverse = ByPatch::new(&mut self.inverse, &self.slice_offsets);
        threads.for_each_patch(inverse, GRAIN, |patch, inverse| {
            let rows = rows_of(offsets, patch);
            if fixed_in(fixed, &rows).len() == rows.len() {
                return;
            }
            let diagonal = &matrix.diagonal()[rows];
            for (slice, inverse) in diagonal.chunks(LANES).zip(inverse.data) {
                let mut blocks = [Symmetric3::default(); LANES];
                blocks.iter_mut().zip(slice).for_each(|(to, block)| *to = block.inverse());
                *inverse = Symmetric3::lanes(&blocks);
            }
        });
    }

    /// `u = D^-1 r` for the rows of `patch`.
    pub fn apply(&self, patch: usize, r: &[Row], u: &mut [Row]) {
        let inverse = &self.inverse[self.slice_offsets[patch] as usize..];
        let ((r, r_last), (u, u_last)) = (r.as_chunks(), u.as_chunks_mut());
        for ((r, u), inverse) in r.iter().zip(u).zip(inverse) {
            *u = product(inverse, *r);
        }
        if let Some(inverse) = inverse.get(r.len()) {
            let mut last = [Row::ZERO; LANES];
            last[..r_last.len()].copy_from_slice(r_last);
            u_last.copy_from_slice(&product(inverse, last)[..r_last.len()]);
        }
    }
}

/// The products of four rows with their blocks.
#[inline(always)]
fn product(inverse: &DiagonalGroup, rows: [Row; LANES]) -> [Row; LANES] {
    let ([xx, xy, xz, yy, yz, zz], [x, y, z]) = (*inverse, by_component(rows));
    by_row([xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec3;
    use crate::linear::test_systems::{grid, noise3, springs};
    use crate::linear::vectors::{Triple, row};
    use crate::partition::Layout;

    #[test]
    fn the_diagonal_blocks_are_inverted() {
        let (graph, partition) = grid(7, 6, 9, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = springs(&layout, &graph, 0.5);
        let mut jacobi = BlockJacobi::new(&matrix);
        jacobi.factor(&Threads::new(2).unwrap(), &matrix, &[]);
        for patch in 0..layout.own_patches.len() {
            let rows =
                layout.patch_offsets[patch] as usize..layout.patch_offsets[patch + 1] as usize;
            let r: Vec<Vec3> = rows.clone().map(|row| noise3(row as u64)).collect();
            let narrow: Vec<Row> = r.iter().map(row).collect();
            let mut u = vec![Row::ZERO; r.len()];
            jacobi.apply(patch, &narrow, &mut u);
            for ((row, r), u) in rows.zip(&r).zip(&u) {
                assert!((matrix.diagonal()[row].times(&u.wide()) - r).norm() < 1e-6);
            }
        }
    }
}
