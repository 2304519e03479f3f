//! Fast frictional dynamics on many ranks: one communication.
//!
//! | module | |
//! |---|---|
//! | [`constraint`] | what a contact asks of each of its bodies |
//! | [`local`] | the response of one body |
//!
//! [`cloth_core::linear::small_qp`] finds the least change of a velocity under their constraints.

pub mod constraint;
pub mod local;

use self::constraint::{FfdConstraint, constraints};
use self::local::BodyResponse;
use crate::constraint::Partner;
use crate::solver::by_body::ByBody;
use crate::solver::{GRAIN, Solved, Solver, StepParts};
use cloth_core::Result;
use cloth_core::linear::small_qp::Outcome;

/// Number of contacts whose constraints are made at once.
const BLOCK: usize = 64 * GRAIN;

/// The buffers of fast frictional dynamics.
#[derive(Debug, Default)]
pub(super) struct Ffd {
    /// Constraints of one block of contacts. They are made in blocks, because in dense scenes
    /// constraints are the largest part of the memory.
    found: Vec<(u32, FfdConstraint)>,
    /// Constraints on copies, to be sent to their owners.
    sent: Vec<(u32, FfdConstraint)>,
    received: Vec<(u32, FfdConstraint)>,
    by_body: ByBody<FfdConstraint>,
    /// Responses of the bodies of `by_body`, in its order.
    responses: Vec<BodyResponse>,
}

impl Solver for Ffd {
    fn solve(&mut self, step: &mut StepParts) -> Result<Solved> {
        // This solver keeps no impulses.
        step.impulses.clear();
        self.find_constraints(step);
        self.exchange_constraints(step)?;
        let Self { by_body, responses, .. } = self;
        let bodies = step.population.bodies();
        responses.clear();
        step.threads.collect(by_body.bodies(), GRAIN, responses, |places, responses| {
            responses.extend(places.iter().map(|&place| {
                local::respond(&bodies.at(place as usize), by_body.of(place as usize))
            }));
        });
        let states = step.population.own_states_mut();
        let constraints = by_body.len() as u64;
        let mut solved = Solved { constraints, ..Solved::default() };
        for (&place, response) in by_body.bodies().iter().zip(&*responses) {
            states[place as usize].twist = response.twist;
            solved.stopped += u64::from(response.outcome == Outcome::Infeasible);
        }
        Ok(solved)
    }
}

impl Ffd {
    /// After: `by_body` has the constraints on own bodies that this rank found, and `sent` the
    /// constraints on copies.
    fn find_constraints(&mut self, step: &StepParts) {
        let StepParts { threads, population, contacts, settings, .. } = step;
        let Self { found, sent, by_body, .. } = self;
        let bodies = step.bodies();
        by_body.clear();
        sent.clear();
        for block in contacts.chunks(BLOCK) {
            found.clear();
            threads.collect(block, GRAIN, found, |contacts, found| {
                for contact in contacts {
                    let Some((first, second)) = constraints(&bodies, contact, settings) else {
                        continue;
                    };
                    found.push((contact.first, first));
                    if let (Some(second), Partner::Movable(place)) = (second, contact.second) {
                        found.push((place, second));
                    }
                }
            });
            for &(place, constraint) in &*found {
                if (place as usize) < population.own_count() {
                    by_body.push(place, constraint);
                } else {
                    sent.push((place, constraint));
                }
            }
        }
    }

    /// After: `by_body` has all constraints on own bodies, in their order.
    fn exchange_constraints(&mut self, step: &mut StepParts) -> Result<()> {
        let StepParts { synchroniser, world, population, .. } = step;
        let Self { sent, received, by_body, .. } = self;
        received.clear();
        synchroniser.send_to_owners(*world, population, sent, received)?;
        received.iter().for_each(|&(place, constraint)| by_body.push(place, constraint));
        by_body.order(population.own_count());
        Ok(())
    }
}
