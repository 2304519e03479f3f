//! The error of a step: how far its bodies end from where one worker that has everything would have
//! them. It costs such a step, on rank 0.

use std::fmt::{Debug, Formatter};

use crate::impulses::rounds::Agreement;
use crate::sets::Sets;
use crate::settings::{Coupling, WorkerSettings};
use crate::worker::Worker;
use cloth_core::ranks::in_process;
use cloth_core::{Result, Threads, World};
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::{BodyState, RigidSimulation};

/// One worker that has everything, beside the others.
pub(super) struct Audit {
    worker: Worker,
    agreement: Agreement,
    /// Its own world.
    alone: Box<dyn World>,
    /// The states that it found for the end of the step, by place.
    ends: Vec<BodyState>,
}

impl Debug for Audit {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Audit").finish_non_exhaustive()
    }
}

impl Audit {
    /// For the bodies of `whole`.
    ///
    /// # Errors
    /// Never, as its engine takes all bodies.
    pub fn new(whole: &RigidSimulation<'static>) -> Result<Self> {
        let worker = Worker::new(0, &WorkerSettings::default(), whole)?;
        let (agreement, alone) = (Agreement::new(0..1), in_process::alone());
        Ok(Self { worker, agreement, alone, ends: Vec::new() })
    }

    /// Answers the constraints of the step, with the coupling of `settings`.
    ///
    /// # Errors
    /// If it cannot.
    pub fn answer(
        &mut self,
        middle: Middle,
        settings: &WorkerSettings,
        threads: &Threads,
    ) -> Result<()> {
        let count = middle.bodies.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by_key(|&place| middle.bodies.id(place as usize));
        let (sets, homes) = (Sets::of_bodies(vec![1; count], &order, 1), vec![0; count]);
        match settings.coupling {
            Coupling::States => {
                self.worker.activate(&middle, &sets, &homes);
                self.worker.advance(&middle, &sets, threads);
                self.worker.outcome()?;
                self.ends.resize(count, BodyState::AT_REST);
                for (&place, state) in order.iter().zip(&self.worker.states) {
                    self.ends[place as usize] = *state;
                }
            }
            Coupling::Impulses => {
                let ranks = (&*self.alone, threads);
                let sets = (&sets, &homes[..]);
                self.ends = self.agreement.reach(middle, sets, settings.local_sweeps, ranks)?.ends;
            }
        }
        Ok(())
    }

    /// The largest distance of a body from where one worker has it, m. `ends` has the states of the
    /// workers, by place.
    pub fn defect_m(&self, ends: &[BodyState]) -> f64 {
        let apart = self.ends.iter().zip(ends).map(|(a, b)| (a.position - b.position).norm());
        apart.fold(0.0, f64::max)
    }
}
