//! Fast frictional dynamics on many ranks: one communication.

use super::GRAIN;
use crate::error::Result;
use crate::rigid::contact::{Bodies, Constraint, Partner};
use crate::rigid::report::RigidReport;
use crate::rigid::response::ByBody;
use crate::rigid::response::ffd::{self, Response};
use crate::rigid::response::qp::Outcome;
use crate::rigid::simulation::RigidSimulation;
use crate::rigid::state::State;

/// Contacts whose constraints are made at once.
const BLOCK: usize = 64 * GRAIN;

/// The buffers of fast frictional dynamics.
#[derive(Debug, Default)]
pub(in crate::rigid::simulation) struct Ffd {
    /// Of some contacts at a time: in dense scenes constraints are the largest part of the memory.
    found: Vec<(u32, Constraint)>,
    /// Those on copies, for their owners.
    sent: Vec<(u32, Constraint)>,
    received: Vec<(u32, Constraint)>,
    by_body: ByBody<Constraint>,
    /// Of the bodies of `by_body`.
    responses: Vec<Response>,
}

impl RigidSimulation<'_> {
    /// Communication 3. After: own bodies have their velocities after the response.
    pub(super) fn respond_ffd(&mut self, report: &mut RigidReport) -> Result<()> {
        // It begins with none.
        self.state.impulses.clear();
        self.find_constraints();
        self.exchange_constraints()?;
        let Self { threads, state, ffd, .. } = self;
        let State { population, .. } = state;
        let Ffd { by_body, responses, .. } = ffd;
        let bodies = population.bodies();
        responses.clear();
        threads.collect(by_body.bodies(), GRAIN, responses, |places, responses| {
            responses.extend(places.iter().map(|&place| {
                ffd::respond(&bodies.at(place as usize), by_body.of(place as usize))
            }));
        });
        let states = population.own_states_mut();
        for (&place, response) in by_body.bodies().iter().zip(&*responses) {
            states[place as usize].twist = response.twist;
            report.stopped += u64::from(response.outcome == Outcome::Infeasible);
        }
        report.constraints = by_body.len() as u64;
        Ok(())
    }

    /// After: `by_body` has the constraints of own bodies that this rank found, and `sent` those of
    /// copies.
    fn find_constraints(&mut self) {
        let Self { model, threads, state, fixed, contacts, ffd, .. } = self;
        let State { population, .. } = state;
        let Ffd { found, sent, by_body, .. } = ffd;
        let settings = &model.settings.contacts;
        let bodies = Bodies { movable: population.bodies(), fixed, materials: &model.materials };
        by_body.clear();
        sent.clear();
        for block in contacts.chunks(BLOCK) {
            found.clear();
            threads.collect(block, GRAIN, found, |contacts, found| {
                for contact in contacts {
                    let Some((first, second)) = bodies.constraints(contact, settings) else {
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

    /// After: `by_body` has all constraints of own bodies, in their order.
    fn exchange_constraints(&mut self) -> Result<()> {
        let Self { synchroniser, world, state, ffd, .. } = self;
        let State { population, .. } = state;
        let Ffd { sent, received, by_body, .. } = ffd;
        received.clear();
        synchroniser.to_owners(*world, population, sent, received)?;
        received.iter().for_each(|&(place, constraint)| by_body.push(place, constraint));
        by_body.order(population.own_count());
        Ok(())
    }
}
