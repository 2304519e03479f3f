//! Preconditioned conjugate gradients with one reduction per iteration, in single precision.
//!
//! Source: Chronopoulos & Gear 1989; the parallel setting is that of Thomaszewski
//! & Blochinger 2007, section 4.1, Algorithm 1. With `u = M^-1 r`, `w = A u`:
//! ```text
//! gamma = (r, u)   delta = (w, u)   rho = (r, r)            one all-reduce
//! beta  = gamma / gamma'            alpha = gamma / (delta - beta gamma / alpha')
//! p = u + beta p   s = w + beta s   e += alpha p   r -= alpha s   u = M^-1 r
//! ```
//! (a prime marks the previous iteration). The ghosts of `u` travel while the
//! blocks that need none are multiplied; the last line is one pass over each patch.
//!
//! Every number that a decision or a step length depends on is a
//! sum of patch sums in [`ExactSums`], so the iterates have the same bits on any
//! number of ranks and threads.
//!
//! Fixed vertices are projected out (Baraff & Witkin 1998, section 5.3, all three
//! directions at once): their residual and search direction are zero, their
//! value is the one that `x` starts with. A patch without a free vertex costs nothing.
//!
//! The vectors of the iteration are in single precision, and solve for the error `e` of `x`. The
//! residual `b - A x` at the start is in double precision. A solve that asks for more digits than
//! single precision has begins again from there (iterative refinement, Wilkinson 1963).

mod passes;
#[cfg(test)]
mod tests;

use crate::linear::cg::passes::{Goal, Pass, Product, Recurrence};
use crate::linear::matrix::GRAIN;
use crate::linear::preconditioner::{PatchSums, Terms};
use crate::linear::system::{CgReport, End, System, Tolerance};
use crate::linear::vectors::{Row, Triple, dot, fixed_in, project, rows_of};
use crate::math::power_of_two_below;
use crate::partition::Layout;
use crate::{Blocks, ByPatch, EachPatch, ExactSums, Result, Vec3, World};

/// The smallest factor by which a residual falls in single precision before the true one is found
/// again.
const DEEPEST: f64 = 1e-4;

/// The iteration goes on to this fraction of its goal, since the true residual is a little larger.
const SHARE: f64 = 0.98;

/// The vectors of the iteration, reused from solve to solve.
#[derive(Debug, Clone)]
pub struct CgWorkspace {
    patch_offsets: Vec<u32>,
    /// The solution: own values, ghosts, step ghosts.
    x: Vec<Vec3>,
    /// `b - A x`.
    residual: Vec<Vec3>,
    /// Preconditioned residual: own values, ghosts, step ghosts.
    u: Vec<Row>,
    /// Number of own values and ghosts, without step ghosts.
    len_with_ghosts: usize,
    w: Vec<Row>,
    r: Vec<Row>,
    p: Vec<Row>,
    s: Vec<Row>,
    e: Vec<Row>,
    /// Per patch: (r, u), (w, u), (r, r).
    sums: Vec<[f64; 3]>,
    /// Sums of the residual over parts of each patch, for the levels of the preconditioner.
    patch_sums: Vec<PatchSums>,
}

impl CgWorkspace {
    /// Room for systems on `layout`.
    pub fn new(layout: &Layout) -> Self {
        let own = vec![Row::ZERO; layout.own.len()];
        Self {
            patch_offsets: layout.patch_offsets.clone(),
            x: vec![Vec3::zeros(); layout.len_with_ghosts()],
            residual: vec![Vec3::zeros(); layout.own.len()],
            u: vec![Row::ZERO; layout.len_with_ghosts()],
            len_with_ghosts: layout.len_with_ghosts(),
            w: own.clone(),
            r: own.clone(),
            p: own.clone(),
            s: own.clone(),
            e: own,
            sums: vec![[0.0; 3]; layout.own_patches.len()],
            patch_sums: vec![PatchSums::default(); layout.own_patches.len()],
        }
    }

    /// Solves `A x = rhs` from the start vector `x`; both hold own values. Allocates
    /// nothing unless there are more step ghosts than ever.
    ///
    /// # Errors
    /// If a rank fails. A solve that does not converge is no error: see [`CgReport::end`].
    pub fn solve(
        &mut self,
        system: &mut System,
        rhs: &[Vec3],
        x: &mut [Vec3],
        tolerance: Tolerance,
    ) -> Result<CgReport> {
        self.make_room(system);
        let [norm_squared, _, mass] = self.free_rhs(system, rhs, x)?;
        let reference = norm_squared.sqrt();
        let goal = Goal {
            residual: tolerance.relative_residual * reference.max(tolerance.least_reference),
            energy: tolerance.velocity_m_per_s.powi(2) * mass,
        };
        let [norm_squared, most_energy, _] = self.true_residual(system, rhs, x)?;
        let final_residual = norm_squared.sqrt();
        let mut report = CgReport { end: End::Converged, iterations: 0, reference, final_residual };
        // No diagonal block is smaller than the mass of its node: there may be no need to factor.
        if !(final_residual <= goal.residual && most_energy <= goal.energy) {
            system.preconditioner.factor(system.threads, system.matrix, system.fixed);
            system.joined.factor(system.matrix);
            self.refine(system, rhs, x, goal, tolerance.max_iterations, &mut report)?;
        }
        Ok(report)
    }

    /// Makes the error at most `goal`, in as many passes as that takes.
    fn refine(
        &mut self,
        system: &mut System,
        rhs: &[Vec3],
        x: &mut [Vec3],
        goal: Goal,
        max_iterations: usize,
        report: &mut CgReport,
    ) -> Result<()> {
        loop {
            let start = report.final_residual;
            let most = self.prepare(system, report.iterations, max_iterations)?;
            let pass = self.improve(system, x, start, goal, most)?;
            report.iterations += pass.iterations;
            report.end = pass.end;
            // After some iterations only rounding makes a curvature negative.
            let is_indefinite = pass.end == End::Indefinite && pass.iterations == 0;
            if is_indefinite && system.preconditioner.refuse_levels() {
                continue;
            }
            if pass.end == End::NotFinite || is_indefinite {
                return Ok(());
            }
            report.final_residual = self.true_residual(system, rhs, x)?[0].sqrt();
            let has_converged = pass.end == End::Converged && pass.reaches_goal;
            if has_converged && report.final_residual <= goal.residual {
                return Ok(());
            }
            if report.iterations == max_iterations {
                report.end = End::Iterations;
                return Ok(());
            }
        }
    }

    /// Factors the levels of the preconditioner, if their time has come after `done` iterations.
    /// Returns the number of iterations until then, or of all that are left.
    fn prepare(&mut self, system: &mut System, done: usize, most: usize) -> Result<usize> {
        match system.preconditioner.iterations_before() {
            Some(before) if done < before => return Ok(before.min(most) - done),
            Some(_) if self.has_many_couplings(system)? => {
                system.preconditioner.refuse_levels();
            }
            Some(_) => system.preconditioner.factor_levels(Terms {
                world: system.world,
                threads: system.threads,
                matrix: system.matrix,
                halo: system.halo,
                fixed: system.fixed,
                positions: system.positions,
                scratch: &mut self.u,
            })?,
            None => {}
        }
        Ok(most - done)
    }

    /// Whether couplings outside of the matrix have more sides, each counted for every patch that
    /// it touches, than there are nodes. The levels do not know what they couple, and then need
    /// more iterations than block Jacobi. Collective.
    fn has_many_couplings(&self, system: &System) -> Result<bool> {
        let sides: usize = (0..self.sums.len()).map(|it| system.couplings.sides_of(it)).sum();
        let mut sums = [sides as i64, self.r.len() as i64];
        system.world.all_reduce_sum(&mut sums)?;
        Ok(sums[0] > sums[1])
    }

    fn make_room(&mut self, system: &System) {
        let length = self.len_with_ghosts + system.couplings.step_ghosts();
        self.u.resize(length, Row::ZERO);
        self.x.resize(length, Vec3::zeros());
    }

    /// Adds to `x` what conjugate gradients in single precision find, until they reach `goal` or
    /// the residual has fallen far from `start`. Before: the residual is that of `x`, and its norm
    /// is `start`.
    fn improve(
        &mut self,
        system: &mut System,
        x: &mut [Vec3],
        start: f64,
        goal: Goal,
        max_iterations: usize,
    ) -> Result<Pass> {
        let least = DEEPEST * start;
        // A power of two, so that it rounds nothing.
        let scale = power_of_two_below(start.max(f64::MIN_POSITIVE));
        self.begin(system, scale)?;
        let (mut iterations, mut last) = (0, Recurrence::default());
        let (end, reaches_goal) = loop {
            self.multiply(system)?;
            let [gamma, delta, rho] = self.reduce(system.world)?;
            let residual = rho.sqrt() * scale;
            // Zero in the first iteration, and so is the correction of delta.
            let beta = gamma / last.gamma;
            let curvature = delta - beta * gamma / last.alpha;
            let alpha = gamma / curvature;
            let reaches_goal =
                residual <= SHARE * goal.residual && gamma * scale * scale <= goal.energy;
            if !(gamma + delta + rho).is_finite() {
                break (End::NotFinite, false);
            } else if reaches_goal || residual <= least {
                break (End::Converged, reaches_goal);
            } else if iterations == max_iterations {
                break (End::Iterations, false);
            } else if gamma <= 0.0 || curvature <= 0.0 {
                break (End::Indefinite, false);
            }
            last = Recurrence { alpha, gamma };
            self.update(system, alpha, beta)?;
            iterations += 1;
        };
        system.threads.for_each_patch(Blocks::of_vertices(x), 1, |block, x| {
            let errors = &self.e[block * x.size..];
            x.items.iter_mut().zip(errors).for_each(|(x, e)| *x += e.wide() * scale);
        });
        Ok(Pass { end, iterations, reaches_goal })
    }

    /// `A x - b` for the own vertices, zero for those that are fixed. Before: a solve of the same
    /// system. Collective.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn residuals(
        &mut self,
        system: &mut System,
        rhs: &[Vec3],
        x: &[Vec3],
        residuals: &mut Vec<Vec3>,
    ) -> Result<()> {
        self.true_residual(system, rhs, x)?;
        residuals.clear();
        residuals.extend(self.residual.iter().map(|residual| -residual));
        Ok(())
    }

    /// The residual for the right-hand side of the free vertices: `b - A x` with the
    /// values of the fixed vertices in `x`, and zero elsewhere.
    fn free_rhs(&mut self, system: &mut System, rhs: &[Vec3], x: &[Vec3]) -> Result<[f64; 3]> {
        self.x[..x.len()].fill(Vec3::zeros());
        self.residual.fill(Vec3::zeros());
        if system.any_fixed {
            system.fixed.iter().for_each(|&row| self.x[row as usize] = x[row as usize]);
            self.multiply_wide(system)?;
        }
        self.subtract_from(system, rhs)
    }

    /// Finds the residual `r` at `x`. Returns `(r, r)`, `(r, m^-1 r)` with the masses of the free
    /// nodes, and their sum.
    fn true_residual(&mut self, system: &mut System, rhs: &[Vec3], x: &[Vec3]) -> Result<[f64; 3]> {
        system.threads.copy(x, &mut self.x[..x.len()]);
        self.multiply_wide(system)?;
        self.subtract_from(system, rhs)
    }

    /// Subtracts the product that the residual holds from `rhs`. Returns what
    /// [`Self::true_residual`] does.
    fn subtract_from(&mut self, system: &System, rhs: &[Vec3]) -> Result<[f64; 3]> {
        let (offsets, System { fixed, masses, .. }) = (&self.patch_offsets, system);
        let slices = (ByPatch::new(&mut self.residual, offsets), EachPatch(&mut self.sums));
        system.threads.for_each_patch(slices, GRAIN, |patch, (residual, sums)| {
            let rows = rows_of(offsets, patch);
            let fixed = fixed_in(fixed, &rows);
            sums.0[0] = [0.0; 3];
            if fixed.len() == rows.len() {
                residual.data.fill(Vec3::zeros());
                return;
            }
            residual.data.iter_mut().zip(&rhs[rows.clone()]).for_each(|(w, b)| *w = b - *w);
            project(fixed, &rows, residual.data);
            for (r, mass) in residual.data.iter().zip(&masses[rows]) {
                let squared = r.norm_squared();
                let more = [squared, squared / mass, *mass];
                sums.0[0].iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
            sums.0[0][2] -= fixed.iter().map(|&row| masses[row as usize]).sum::<f64>();
        });
        self.reduce(system.world)
    }

    /// `w = A u` and each patch's `(w, u)`. Before: the ghosts of `u` are stale;
    /// after: they are those of their owners' `u`.
    fn multiply(&mut self, system: &mut System) -> Result<()> {
        let product = Product { offsets: &self.patch_offsets, w: &mut self.w, u: &mut self.u };
        let sums = &mut self.sums;
        product.run(
            system,
            sums,
            |matrix, patch, u, w| matrix.multiply_within(patch, u, w),
            |matrix, patch, u, w| matrix.multiply_across(patch, u, w),
            |sums, w, u| sums[1] = dot(w, u),
        )
    }

    /// The residual becomes `A x`, in double precision.
    fn multiply_wide(&mut self, system: &mut System) -> Result<()> {
        let product =
            Product { offsets: &self.patch_offsets, w: &mut self.residual, u: &mut self.x };
        let sums = &mut self.sums;
        product.run(
            system,
            sums,
            |matrix, patch, u, w| matrix.multiply_within_wide(patch, u, w),
            |matrix, patch, u, w| matrix.multiply_across_wide(patch, u, w),
            |_, _, _| {},
        )
    }

    /// `(r, u)`, `(w, u)` and `(r, r)` over all ranks.
    fn reduce(&self, world: &dyn World) -> Result<[f64; 3]> {
        let mut sums = ExactSums::default();
        self.sums.iter().for_each(|&patch| sums.add(patch));
        sums.all_reduce(world)
    }
}
