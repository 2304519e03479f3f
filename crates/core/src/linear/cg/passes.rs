//! The passes over the patches in an iteration: a product that begins while ghosts travel, and new
//! iterates with their preconditioned residual. The latter takes two passes if the levels of the
//! preconditioner are in use.

use std::ops::Range;

use crate::linear::cg::CgWorkspace;
use crate::linear::matrix::{BlockMatrix, GRAIN};
use crate::linear::system::{End, System};
use crate::linear::vectors::{Row, Triple, advance, dot, fixed_in, project, row, rows_of};
use crate::{ByPatch, EachPatch, Result, Vec3};

/// What a solve must reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Largest norm of the residual, N s.
    pub residual: f64,
    /// Largest `(r, M^-1 r)`, J.
    pub energy: f64,
}

/// How a pass in single precision went.
pub(super) struct Pass {
    pub end: End,
    pub iterations: usize,
    /// Whether the recurrence has reached the goal, and not only fallen as far as its digits go.
    pub reaches_goal: bool,
}

/// The numbers of an iteration that the next one needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recurrence {
    pub alpha: f64,
    pub gamma: f64,
}

impl Default for Recurrence {
    /// No iteration yet.
    fn default() -> Self {
        Self { alpha: f64::INFINITY, gamma: f64::INFINITY }
    }
}

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
