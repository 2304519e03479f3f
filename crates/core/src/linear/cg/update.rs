//! New iterates and their preconditioned residual, in one pass over each patch, or in two if the
//! levels of the preconditioner are in use.

use std::ops::Range;

use crate::linear::cg::CgWorkspace;
use crate::linear::matrix::GRAIN;
use crate::linear::system::System;
use crate::linear::vectors::{Row, advance, dot, fixed_in, project, row, rows_of};
use crate::{ByPatch, EachPatch, Result, Vec3};

/// The rows of a patch in the vectors of the iteration.
struct Rows<'a> {
    /// Whether all are fixed.
    are_fixed: bool,
    residual: &'a [Vec3],
    w: &'a [Row],
    p: &'a mut [Row],
    s: &'a mut [Row],
    e: &'a mut [Row],
    r: &'a mut [Row],
    u: &'a [Row],
}

impl CgWorkspace {
    /// `r` from the residual, divided by `scale`, and `u = M^-1 r`. No direction yet. After: the
    /// ghosts of `u` are stale.
    pub(super) fn begin(&mut self, system: &mut System, scale: f64) -> Result<()> {
        self.pass(system, |Rows { residual, p, s, e, r, .. }| {
            for (r, residual) in r.iter_mut().zip(residual) {
                *r = row(&(residual / scale));
            }
            [p, s, e].into_iter().for_each(|vector| vector.fill(Row::ZERO));
            true
        })
    }

    /// The last line of the algorithm. After: the ghosts of `u` are stale.
    pub(super) fn update(&mut self, system: &mut System, alpha: f64, beta: f64) -> Result<()> {
        let (alpha, beta) = (alpha as f32, beta as f32);
        self.pass(system, |Rows { are_fixed, w, p, s, e, r, u, .. }| {
            if !are_fixed {
                advance(p, u, e, beta, alpha);
                advance(s, w, r, beta, -alpha);
            }
            !are_fixed
        })
    }

    /// Calls `change` with the rows of each patch. If that returns true, `u = M^-1 r` follows.
    fn pass(&mut self, system: &mut System, change: impl Fn(Rows) -> bool + Sync) -> Result<()> {
        let (w, residual, offsets) = (&self.w, &self.residual, &self.patch_offsets);
        let (own, fixed) = (self.r.len(), system.fixed);
        let (jacobi, levels) = system.preconditioner.parts();
        let (levels, joined) = (levels.as_deref(), &*system.joined);
        let slices = (
            ByPatch::new(&mut self.p, offsets),
            ByPatch::new(&mut self.s, offsets),
            ByPatch::new(&mut self.e, offsets),
            ByPatch::new(&mut self.r, offsets),
            ByPatch::new(&mut self.u[..own], offsets),
            (EachPatch(&mut self.sums), EachPatch(&mut self.patch_sums)),
        );
        system.threads.for_each_patch(slices, GRAIN, |patch, (p, s, e, r, u, (sums, of_parts))| {
            let rows = rows_of(offsets, patch);
            let fixed = fixed_in(fixed, &rows);
            let goes_on = change(Rows {
                are_fixed: fixed.len() == rows.len(),
                residual: &residual[rows.clone()],
                w: &w[rows.clone()],
                p: p.data,
                s: s.data,
                e: e.data,
                r: r.data,
                u: u.data,
            });
            if goes_on {
                jacobi.apply(patch, r.data, u.data);
                joined.apply(patch, r.data, u.data);
                sums.0[0] = products(fixed, &rows, r.data, u.data);
                if let Some(levels) = levels {
                    of_parts.0[0] = levels.sum(patch, r.data);
                }
            }
        });
        self.add_levels(system)
    }

    /// Adds what the levels of the preconditioner contribute to `u`, if they are in use. Before:
    /// the sums of the residual over the parts of each patch are known.
    fn add_levels(&mut self, system: &mut System) -> Result<()> {
        let (_, Some(levels)) = system.preconditioner.parts() else { return Ok(()) };
        levels.solve(system.world, &self.patch_sums)?;
        let (levels, offsets, fixed, r) = (&*levels, &self.patch_offsets, system.fixed, &self.r);
        let (own, of_parts) = (r.len(), &self.patch_sums);
        let slices = (ByPatch::new(&mut self.u[..own], offsets), EachPatch(&mut self.sums));
        system.threads.for_each_patch(slices, GRAIN, |patch, (u, sums)| {
            let rows = rows_of(offsets, patch);
            let fixed = fixed_in(fixed, &rows);
            if fixed.len() < rows.len() {
                levels.add_motions(patch, &of_parts[patch], u.data);
                sums.0[0] = products(fixed, &rows, &r[rows.clone()], u.data);
            }
        });
        Ok(())
    }
}

/// Sets the `fixed` rows of `u` to zero. Returns `(r, u)`, zero for `(w, u)`, and `(r, r)` of a
/// patch.
fn products(fixed: &[u32], rows: &Range<usize>, r: &[Row], u: &mut [Row]) -> [f64; 3] {
    project(fixed, rows, u);
    [dot(r, u), 0.0, dot(r, r)]
}
