//! The motions that joints hold, solved at once for all joints that hang together.
//!
//! The unknowns are the changes `v` of the velocities of bodies and the impulses `l` of the held
//! motions of joints. With `J`, which gives the motions of a joint from velocities, and the
//! softness `C`:
//!
//! ```text
//! M v - J^T l = 0
//! J v + C l = -g
//! ```
//!
//! The matrix `(M, -J^T; -J, -C)` is symmetric and quasi-definite (Vanderbei 1995), so elimination
//! needs no pivots ([`cloth_core::linear::direct`]). Bodies and joints are its blocks of six rows. A
//! chain or a tree costs as much as it has links (Baraff 1996).
//!
//! Bodies come before their joints. What is left then, `J M^-1 J^T + C`, is positive definite, and
//! elimination keeps its digits (as not in any order: Gill, Saunders & Shinnerl 1996, *On the
//! stability of Cholesky factorization for symmetric quasidefinite systems*). The order alone of
//! the fewest neighbours was tried: a grid of boxes that are fixed to each other flew apart.
//!
//! **Sweeps.** Beside contacts an island is one constraint of its bodies: contacts and island have
//! parts of a body's mass. So a sweep is a preconditioner as that of contacts alone.
//!
//! **Targets.** Joints aim at velocities `t` that close them. Where joints hold more than they need,
//! these contradict each other a little: foreseen motion is not exact, least of all in an impact. No
//! impulses reach such velocities; with `A = J M^-1 J^T`, those that nearly do have the energy
//! `t.t / (2 a)` in a motion with a small eigenvalue `a` of `A`. Sweeps would find them. (They did: a
//! rigid bridge that a ball hit gained 190 kJ, and came apart.) So targets are made smaller by what
//! softness leaves of them after one solve, once a step:
//!
//! ```text
//! (A + C) d = t
//! t <- t - C d
//! ```
//!
//! Sweeps then remove the error that softness leaves, and energy is at most `t.t / (8 C)`.
//!
//! **Ranks.** An island is solved by one rank, chosen by its number. All ranks send what they know
//! of joints to all.

mod island;

use bytemuck::Zeroable;

pub use self::island::{HeldJoint, NO_BODY};
use self::island::{Island, islands_of};
use crate::constraint::joint::Joint;
use crate::{BodyId, Mobility};
use cloth_core::linear::direct::factor::Part6;
use cloth_core::{EachPatch, Error, Result, Threads, World, message};

/// A joint that is open by more, beside the size of its bodies, and that others keep from closing,
/// ends the run.
const MOST_OPEN: f64 = 0.1;

/// The part of a vector of one joint in a message.
type Words = [f64; 6];

/// All joints that hold motions. The plan is the same on all ranks, and stays as long as the joints.
#[derive(Debug, Default)]
pub struct Islands {
    /// Numbers and bodies of all joints, by rising number.
    names: Vec<(u64, [BodyId; 2])>,
    islands: Vec<Island>,
    /// Numbers of joints, by the rank that knows them.
    counts: Vec<usize>,
    /// The place of each joint in the list by ranks.
    sorted: Vec<u32>,
    /// Numbers of joints by the rank that solves them, and the place of each in that list.
    solved: Vec<usize>,
    found: Vec<u32>,
    /// The least softness of the rigid motions of the joints of this rank.
    least: Vec<Part6>,
    /// True if a joint of a rank is open by more than [`MOST_OPEN`].
    is_open: bool,
}

/// The mobility of each part of a body that has `count` parts.
pub fn parts_of(mobility: &Mobility, count: u32) -> Mobility {
    let count = f64::from(count);
    Mobility {
        inverse_mass: mobility.inverse_mass * count,
        inverse_inertia: mobility.inverse_inertia * count,
    }
}

impl Islands {
    /// True if no joint holds a motion.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Takes the joints that this rank knows, in any order. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn begin(
        &mut self,
        own: &[HeldJoint],
        (world, threads): (&dyn World, &Threads),
    ) -> Result<()> {
        self.counts = message::all_counts(world, own.len())?;
        let mut all = vec![HeldJoint::zeroed(); self.counts.iter().sum()];
        message::all_gather_into(world, own, &self.counts, &mut all)?;
        self.sorted = (0..all.len() as u32).collect();
        self.sorted.sort_unstable_by_key(|&place| all[place as usize].number);
        let all: Vec<HeldJoint> = self.sorted.iter().map(|&place| all[place as usize]).collect();
        let names: Vec<_> = all.iter().map(|joint| (joint.number, joint.bodies)).collect();
        if names != self.names || self.solved.len() != world.size() {
            (self.names, self.islands) = (names, islands_of(&all));
            self.plan(world.size());
        }
        self.least = own.iter().map(HeldJoint::least_of_rigid).collect();
        self.is_open = all.iter().any(|joint| joint.open > MOST_OPEN);
        self.each_own(world, threads, |island| island.eliminate(&all));
        Ok(())
    }

    /// After: ranks know where the solutions are.
    fn plan(&mut self, ranks: usize) {
        self.solved = vec![0; ranks];
        self.found = vec![0; self.names.len()];
        let mut next = 0;
        for rank in 0..ranks {
            for island in self.islands.iter().skip(rank).step_by(ranks) {
                for &(joint, _) in &island.joints {
                    self.found[joint as usize] = next;
                    next += 1;
                }
                self.solved[rank] += island.joints.len();
            }
        }
    }

    /// Calls `work` for the islands that this rank solves, in parallel.
    fn each_own(
        &mut self,
        world: &dyn World,
        threads: &Threads,
        work: impl Fn(&mut Island) + Sync,
    ) {
        let mut own: Vec<_> =
            self.islands.iter_mut().skip(world.rank()).step_by(world.size()).collect();
        threads.for_each_patch(EachPatch(&mut own), 1, |_, island| work(&mut *island.0[0]));
    }

    /// The changes of the impulses of the held motions that open by `own` too fast, m/s and rad/s, in
    /// the order of [`Islands::begin`]. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn solve(
        &mut self,
        own: &[Part6],
        (world, threads): (&dyn World, &Threads),
    ) -> Result<Vec<Part6>> {
        let words: Vec<Words> = own.iter().map(|part| (*part).into()).collect();
        let mut open = vec![Words::default(); self.names.len()];
        message::all_gather_into(world, &words, &self.counts, &mut open)?;
        let sorted = std::mem::take(&mut self.sorted);
        self.each_own(world, threads, |island| {
            island.solve(|joint| open[sorted[joint as usize] as usize].into());
        });
        let solved = self.islands.iter().skip(world.rank()).step_by(world.size());
        let solved: Vec<Words> = solved.flat_map(Island::solution).collect();
        let mut all = vec![Words::default(); self.names.len()];
        message::all_gather_into(world, &solved, &self.solved, &mut all)?;
        let mut changes = vec![Part6::zeros(); own.len()];
        let first: usize = self.counts[..world.rank()].iter().sum();
        for (&place, &found) in sorted.iter().zip(&self.found) {
            if let Some(change) =
                (place as usize).checked_sub(first).and_then(|k| changes.get_mut(k))
            {
                *change = all[found as usize].into();
            }
        }
        self.sorted = sorted;
        Ok(changes)
    }

    /// The part of the velocities `missing` that impulses do not reach, of rigid motions. All ranks
    /// call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn unreached(
        &mut self,
        missing: &[Part6],
        step: (&dyn World, &Threads),
    ) -> Result<Vec<Part6>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let less: Vec<Part6> = missing.iter().map(|part| -part).collect();
        let impulses = self.solve(&less, step)?;
        Ok(impulses.iter().zip(&self.least).map(|(it, least)| it.component_mul(least)).collect())
    }

    /// The joints of this rank that are too far open because others keep them so, the worst one
    /// first. `openings` tells how far rigid motions are open. All ranks call it.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn contradicting(
        &mut self,
        openings: &[Part6],
        step: (&dyn World, &Threads),
    ) -> Result<Vec<usize>> {
        if !self.is_open {
            return Ok(Vec::new());
        }
        let kept = self.unreached(openings, step)?;
        let mut found: Vec<(f64, usize)> = Vec::new();
        for (place, (openings, kept)) in openings.iter().zip(&kept).enumerate() {
            // Softness makes angles comparable to lengths.
            let scaled = |row: usize| match self.least[place][row] {
                least if least > 0.0 => openings[row] / least,
                _ => 0.0,
            };
            let square: f64 = (0..6).map(|row| openings[row] * scaled(row)).sum();
            let stays: f64 = (0..6).map(|row| kept[row] * scaled(row)).sum();
            if square > 0.0 && stays > 0.9 * square {
                found.push((square, place));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(found.into_iter().map(|(_, place)| place).collect())
    }
}

/// The error that joints contradict each other. `joints` are their numbers, the worst one first.
pub fn contradiction(all: &[Joint], joints: &[u32]) -> Error {
    let others: Vec<String> = joints.iter().skip(1).take(4).map(u32::to_string).collect();
    let cause = match others.as_slice() {
        [] => "other joints keep it open".to_owned(),
        [other] => format!("joint {other} and it keep each other open"),
        _ => format!("joints {} and it keep each other open", others.join(", ")),
    };
    let name = joints.first().map_or_else(String::new, |&it| all[it as usize].name(it));
    let cause = format!("it cannot be closed: {cause}");
    Error::input(
        name,
        cause,
        "leave out one of them, give one a compliance, or place it where it fits",
    )
}
