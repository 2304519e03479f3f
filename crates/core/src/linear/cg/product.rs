//! A product that begins while ghosts travel.

use crate::linear::matrix::{BlockMatrix, GRAIN};
use crate::linear::system::System;
use crate::linear::vectors::{Triple, fixed_in, project, rows_of};
use crate::{ByPatch, EachPatch, Result};

/// The product of the matrix and its couplings with a vector of either precision.
pub(super) struct Product<'a, T> {
    /// First row of each patch.
    pub offsets: &'a [u32],
    /// Own values.
    pub w: &'a mut [T],
    /// Own values, ghosts, step ghosts.
    pub u: &'a mut [T],
}

impl<T: Triple> Product<'_, T> {
    /// `w = A u`, zero for fixed rows, by the products of a patch `within` and `across`; calls
    /// `finish` with the sums and the rows of each patch. Patches without a free vertex are left
    /// out. Before: the ghosts of `u` are stale; after: they are those of their owners' `u`.
    pub fn run(
        self,
        system: &mut System,
        sums: &mut [[f64; 3]],
        within: impl Fn(&BlockMatrix, usize, &[T], &mut [T]) + Sync,
        across: impl Fn(&BlockMatrix, usize, &[T], &mut [T]) + Sync,
        finish: impl Fn(&mut [f64; 3], &[T], &[T]) + Sync,
    ) -> Result<()> {
        let Self { offsets, w, u } = self;
        system.halo.begin(system.world, u)?;
        let System { matrix, couplings, fixed, threads, .. } = *system;
        let joined = &*system.joined;
        let needs = |patch| matrix.structure().has_ghosts(patch) || couplings.needs_ghosts(patch);
        // What comes after the ghosts comes last in all patches, so that sums have one order.
        let rest = |patch: usize, u: &[T], w: &mut [T], sums: &mut [f64; 3]| {
            let rows = rows_of(offsets, patch);
            across(matrix, patch, u, w);
            couplings.multiply_add(patch, u, w);
            joined.multiply_add(patch, &u[rows.clone()], w);
            project(fixed_in(fixed, &rows), &rows, w);
            finish(sums, w, &u[rows]);
        };
        let is_idle = |patch| {
            let rows = rows_of(offsets, patch);
            fixed_in(fixed, &rows).len() == rows.len()
        };
        let (values, slices) = (&*u, (ByPatch::new(&mut *w, offsets), EachPatch(&mut *sums)));
        threads.for_each_patch(slices, GRAIN, |patch, (w, sums)| {
            if !is_idle(patch) {
                within(matrix, patch, &values[rows_of(offsets, patch)], w.data);
                if !needs(patch) {
                    rest(patch, values, w.data, &mut sums.0[0]);
                }
            }
        });
        system.halo.finish(system.world, u)?;
        if matrix.structure().has_any_ghosts() || couplings.needs_any_ghosts() {
            let (values, slices) = (&*u, (ByPatch::new(w, offsets), EachPatch(sums)));
            threads.for_each_patch(slices, GRAIN, |patch, (w, sums)| {
                if !is_idle(patch) && needs(patch) {
                    rest(patch, values, w.data, &mut sums.0[0]);
                }
            });
        }
        Ok(())
    }
}
