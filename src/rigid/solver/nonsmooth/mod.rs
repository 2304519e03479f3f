//! Non-smooth contact dynamics on many ranks: one communication a sweep, and sums.
//!
//! A contact is treated by one rank. The velocity of a body is a sum over all of its contacts, in
//! the order of (partner, feature). The owner of a body and the ranks that treat its contacts are
//! *involved* in it. They know all its contacts and get all their impulses, so each of them
//! computes the same velocity. If the owner summed the velocities and sent them back, it would
//! take two communications a sweep and as many bytes.
//!
//! The owner of the first body of a contact keeps its impulse, and sends it to the next owner with
//! the announcements. The impulses of a body that moved by more than its radius in the step are
//! forgotten, because the last owner might not know the body any more.
//!
//! | module | |
//! |---|---|
//! | [`problem`] | one contact and its impulse |
//! | `search` | when the sweeps end, and in which direction the impulses change |
//! | `involved` | which ranks are involved in which bodies, and what they tell each other |

mod involved;
pub mod problem;
mod search;

use bytemuck::{Pod, Zeroable};

use self::involved::{Announcement, BodyContact, Involved, NO_RANK, Starts, starts_of};
use self::problem::{ContactProblem, Impulse, driven};
use self::search::{Next, Progress, Search, length};
use crate::bounds;
use crate::error::Result;
use crate::math::Vec3;
use crate::ranks::ExactSums;
use crate::rigid::body::{Body, BodyId, Twist};
use crate::rigid::constraint::contact::Partner;
use crate::rigid::constraint::kept::KeptImpulse;
use crate::rigid::motion::Mobility;
use crate::rigid::solver::by_body::ByBody;
use crate::rigid::solver::{GRAIN, Solved, Solver, StepParts};
use crate::threads::EachPatch;

/// The buffers of non-smooth contact dynamics.
#[derive(Debug, Default)]
pub(super) struct Nonsmooth {
    sweeps: usize,
    /// One for each contact that this rank treats.
    problems: Vec<ContactProblem>,
    /// Announcements for other ranks. `received` has the announcements of other ranks.
    made: Vec<(u32, Announcement)>,
    received: Vec<(u32, Announcement)>,
    /// Contacts of the bodies that this rank is involved in, own bodies and copies.
    by_body: ByBody<BodyContact>,
    /// The impulses with which this rank's contacts begin.
    starts: Vec<Vec3>,
    /// Bodies by place.
    driven: Vec<Driven>,
    partners: Vec<Involved>,
    /// Impulses of other ranks' contacts, by rising rank.
    foreign: Vec<Impulse>,
    progress: Vec<Progress>,
}

/// A body during the sweeps.
#[derive(Debug, Clone, Copy)]
struct Driven {
    twist: Twist,
    mobility: Mobility,
}

/// What gives bodies their velocities.
#[derive(Debug, Clone, Copy)]
enum Driver {
    /// The forces and the impulses.
    Impulses,
    /// The directions in which the impulses change, alone.
    Directions,
}

impl Nonsmooth {
    /// A solver with at most `sweeps` sweeps a step.
    pub fn new(sweeps: u32) -> Self {
        Self { sweeps: sweeps as usize, ..Self::default() }
    }

    /// Fails if `sweeps` is out of its bounds. `at` names the response.
    pub fn check(sweeps: u32, at: &str) -> Result<()> {
        bounds::count(&format!("{at}.sweeps"), sweeps, bounds::MOST_SWEEPS, "")
    }
}

impl Solver for Nonsmooth {
    /// Two communications to find which bodies touch, one for the impulses to begin with, and for
    /// each sweep one and at most three all-reduces.
    fn solve(&mut self, step: &mut StepParts) -> Result<Solved> {
        self.announce_contacts(step)?;
        let constraints = self.by_body.len() as u64;
        self.reply_to_copies(step)?;
        self.make_problems(step);
        self.find_partners(step);
        self.exchange(step, |impulse| *impulse, |foreign, impulse| *foreign = impulse)?;
        let mut search = Search::default();
        loop {
            self.drive(step, Driver::Impulses);
            self.sweep(step);
            let (next, is_least) = search.next(self.progress(step), self.sweeps, step.world)?;
            if next == Next::Back {
                self.change(step, Impulse::go_back);
                break;
            }
            if is_least {
                self.change(step, Impulse::mark);
            }
            self.turn(step, if let Next::Turn(share) = next { share } else { 0.0 });
            self.exchange(step, |own| own.direction, |foreign, it| foreign.direction = it)?;
            let length = if let Next::Turn(_) = next { self.length(step)? } else { 1.0 };
            self.change(step, |impulse| impulse.advance(length));
            if next == Next::End {
                break;
            }
        }
        self.drive(step, Driver::Impulses);
        for (state, driven) in step.population.own_states_mut().iter_mut().zip(&self.driven) {
            state.twist = driven.twist;
        }
        self.keep(step);
        Ok(Solved { constraints, stopped: 0 })
    }
}

impl Nonsmooth {
    /// After: owners know all contacts of their bodies, and have the impulses of the last step.
    fn announce_contacts(&mut self, step: &mut StepParts) -> Result<()> {
        let StepParts { synchroniser, world, population, fixed, contacts, .. } = step;
        let (Self { made, received, by_body, .. }, kept) = (self, &mut *step.impulses);
        let (rank, bodies) = (synchroniser.region().rank(), population.bodies());
        made.clear();
        by_body.clear();
        let mut announce = |place: u32, touch: BodyContact| {
            if (place as usize) < population.own_count() {
                by_body.push(place, touch);
            } else {
                made.push((place, Announcement { touch, start: Vec3::zeros() }));
            }
        };
        for (contact, problem) in contacts.iter().zip(0u64..) {
            let first = bodies.at(contact.first as usize);
            let (place, id, centre) = match contact.second {
                Partner::Movable(place) => {
                    let body = bodies.at(place as usize);
                    (Some(place), body.id, body.state.position)
                }
                Partner::Fixed(place) => (None, fixed.bodies()[place as usize].id, contact.point),
            };
            let touch = |partner: BodyId, side: u64, arm: Vec3| {
                let (feature, slot) = (contact.feature, 2 * problem + side);
                BodyContact { partner, feature, rank, slot, arm }
            };
            let arm = contact.point - first.state.position;
            announce(contact.first, touch(id, 0, arm));
            if let Some(place) = place {
                let arm = contact.point - (centre + contact.shift);
                announce(place, touch(first.id, 1, arm));
            }
        }
        kept.retain(|kept| match population.place(kept.body) {
            Some(place) if place >= population.own_count() => {
                made.push((place as u32, Announcement::of_kept(kept)));
                false
            }
            known => known.is_some(),
        });
        received.clear();
        synchroniser.send_to_owners(*world, population, made, received)?;
        for &(place, Announcement { touch, start: impulse }) in &*received {
            if touch.rank == NO_RANK {
                let (body, BodyContact { partner, arm, .. }) =
                    (population.bodies().at(place as usize).id, touch);
                kept.push(KeptImpulse { body, partner, arm, impulse });
            } else {
                by_body.push(place, touch);
            }
        }
        // All impulses of one body come from one rank, in their order.
        kept.sort_by_key(|kept| kept.body);
        by_body.order(population.own_count());
        Ok(())
    }

    /// Before: owners know all contacts. After: all involved ranks know them, with the impulses to
    /// begin with.
    fn reply_to_copies(&mut self, step: &mut StepParts) -> Result<()> {
        let StepParts { synchroniser, world, population, contacts, .. } = step;
        let (Self { received, by_body, starts, .. }, kept) = (self, &*step.impulses);
        let rank = synchroniser.region().rank();
        let starts_of =
            |place: usize| starts_of(kept, population.bodies().at(place).id, by_body.of(place));
        let announcements = |place: usize, holder: u32| {
            let is_involved = by_body.of(place).any(|touch| touch.rank == holder);
            let starts = if is_involved { starts_of(place) } else { Starts::new() };
            let touches = by_body.of(place).zip(starts);
            touches.map(|(touch, start)| Announcement { touch: *touch, start })
        };
        received.clear();
        synchroniser.send_to_copies(*world, population, announcements, |place, announcement| {
            received.push((place, announcement));
        })?;
        starts.clear();
        starts.resize(contacts.len(), Vec3::zeros());
        for place in 0..population.own_count() {
            for (touch, start) in by_body.of(place).zip(starts_of(place)) {
                if touch.is_first_of(rank) {
                    starts[touch.problem()] = start;
                }
            }
        }
        for &(place, Announcement { touch, start }) in &*received {
            if touch.is_first_of(rank) {
                starts[touch.problem()] = start;
            }
            by_body.push(place, touch);
        }
        by_body.order(population.len());
        Ok(())
    }

    fn make_problems(&mut self, step: &StepParts) {
        let StepParts { threads, contacts, settings, materials, .. } = step;
        let Self { problems, by_body, starts, driven, .. } = self;
        let bodies = step.bodies();
        let pairs: Vec<_> = contacts.iter().zip(&*starts).collect();
        problems.clear();
        threads.collect(&pairs, GRAIN, problems, |pairs, problems| {
            problems.extend(pairs.iter().map(|&(contact, start)| {
                let sides = bodies.sides(contact, settings);
                let surface = materials.surface(sides[0].material, sides[1].material);
                let count = |place: u32| by_body.of(place as usize).len() as u32;
                let second = match contact.second {
                    Partner::Movable(place) => count(place),
                    Partner::Fixed(_) => 0,
                };
                let counts = [count(contact.first), second];
                ContactProblem::new(contact, &sides, &surface, counts, start, settings)
            }));
        });
        let of = |body: Body| Driven { twist: body.state.twist, mobility: Mobility::of(&body) };
        driven.clear();
        driven.extend(bodies.movable.iter().map(of));
    }

    fn find_partners(&mut self, step: &StepParts) {
        let Self { problems, by_body, foreign, partners, .. } = self;
        let rank = step.synchroniser.region().rank();
        let count = Involved::find(partners, by_body, rank, problems.len(), step.population);
        foreign.clear();
        foreign.resize(count, Impulse::zeroed());
    }

    /// After: the bodies that this rank is involved in have the velocities of `driver`.
    fn drive(&mut self, step: &StepParts, driver: Driver) {
        let Self { problems, by_body, foreign, driven: all, .. } = self;
        let states = step.population.bodies().states();
        let impulse = |touch: &BodyContact| {
            let own = problems.get(touch.problem()).map(ContactProblem::impulse);
            let impulse = own.unwrap_or_else(|| &foreign[touch.problem() - problems.len()]);
            let on_first = match driver {
                Driver::Impulses => impulse.value,
                Driver::Directions => impulse.direction,
            };
            (touch.arm, if touch.slot.is_multiple_of(2) { on_first } else { -on_first })
        };
        step.threads.for_each_patch(EachPatch(all), GRAIN, |place, body| {
            let body = &mut body.0[0];
            let touches = by_body.of(place);
            if touches.len() > 0 {
                let free = match driver {
                    Driver::Impulses => &states[place].twist,
                    Driver::Directions => &Twist::ZERO,
                };
                body.twist = driven(free, &body.mobility, touches.map(impulse));
            }
        });
    }

    /// Before: bodies have the velocities of the impulses. After: each contact of this rank knows
    /// how a sweep changes its impulse.
    fn sweep(&mut self, step: &StepParts) {
        let StepParts { threads, fixed, contacts, .. } = step;
        let Self { problems, driven, .. } = self;
        threads.for_each_patch(EachPatch(problems), GRAIN, |place, problem| {
            let contact = &contacts[place];
            let second = match contact.second {
                Partner::Movable(place) => &driven[place as usize].twist,
                Partner::Fixed(place) => &fixed.states()[place as usize].twist,
            };
            problem.0[0].sweep([&driven[contact.first as usize].twist, second]);
        });
    }

    /// What the last sweep did to the contacts of this rank.
    fn progress(&mut self, step: &StepParts) -> Progress {
        let Self { problems, progress, .. } = self;
        progress.clear();
        step.threads.collect(problems, GRAIN, progress, |problems, progress| {
            progress.push(Progress::of(problems.iter().map(ContactProblem::swept)));
        });
        let mut all = Progress::default();
        progress.iter().for_each(|part| all.add(part));
        all
    }

    /// Gives all contacts of this rank their directions. See [`ContactProblem::turn`].
    fn turn(&mut self, step: &StepParts, share: f64) {
        step.threads.for_each_patch(EachPatch(&mut self.problems), GRAIN, |_, problem| {
            problem.0[0].turn(share);
        });
    }

    /// The length of the change along the directions. After: bodies have the velocities of the
    /// directions.
    fn length(&mut self, step: &StepParts) -> Result<f64> {
        self.drive(step, Driver::Directions);
        let StepParts { threads, contacts, .. } = step;
        let Self { problems, driven, .. } = self;
        let mut parts: Vec<ExactSums<2>> = Vec::new();
        threads.collect_ranges(problems.len(), GRAIN, &mut parts, |range, parts| {
            let mut sums = ExactSums::default();
            for (problem, contact) in problems[range.clone()].iter().zip(&contacts[range]) {
                let second = match contact.second {
                    Partner::Movable(place) => &driven[place as usize].twist,
                    Partner::Fixed(_) => &Twist::ZERO,
                };
                let first = &driven[contact.first as usize].twist;
                sums.add(problem.along_direction([first, second]));
            }
            parts.push(sums);
        });
        let mut sums = ExactSums::default();
        parts.iter().for_each(|part| sums.add_sums(part));
        length(sums, step.world)
    }

    /// Calls `change` on all impulses that this rank knows.
    fn change(&mut self, step: &StepParts, change: impl Fn(&mut Impulse) + Sync) {
        let Self { problems, foreign, .. } = self;
        step.threads.for_each_patch(EachPatch(problems), GRAIN, |_, problem| {
            change(problem.0[0].impulse_mut());
        });
        foreign.iter_mut().for_each(change);
    }

    /// Sends `part` of the impulses of this rank's contacts to the ranks that need them. After:
    /// `apply` has set this part in `foreign`.
    fn exchange<T: Pod>(
        &mut self,
        step: &mut StepParts,
        part: impl Fn(&Impulse) -> T,
        apply: impl Fn(&mut Impulse, T),
    ) -> Result<()> {
        let Self { problems, foreign, partners, .. } = self;
        let ranks = |has: fn(&Involved) -> bool| -> Vec<u32> {
            partners.iter().filter(|partner| has(partner)).map(|partner| partner.rank).collect()
        };
        let receivers = ranks(|partner| !partner.sent.is_empty());
        let sources = ranks(|partner| !partner.received.is_empty());
        let at = |rank: u32| partners.binary_search_by_key(&rank, |partner| partner.rank);
        let parts = |rank: u32| {
            let sent = at(rank).map_or(&[][..], |at| &partners[at].sent);
            sent.iter().map(|&problem| part(problems[problem as usize].impulse()))
        };
        let mut slots = foreign.iter_mut();
        step.synchroniser.send_to_ranks(step.world, &receivers, &sources, parts, |_, arrived| {
            // They arrive by rising rank, and then in the order of its contacts. `foreign` has the
            // same order.
            if let Some(slot) = slots.next() {
                apply(slot, arrived);
            }
        })
    }

    /// Keeps the impulses of own bodies. Those of one body are in the order of (partner, feature).
    fn keep(&self, step: &mut StepParts) {
        let Self { problems, by_body, foreign, .. } = self;
        let (population, h_s) = (&*step.population, step.settings.step_s);
        let kept = &mut *step.impulses;
        kept.clear();
        for (place, body) in population.own().iter().enumerate() {
            if body.state.twist.linear.norm() * h_s > population.bounds()[place].radius {
                continue;
            }
            for touch in by_body.of(place).filter(|touch| touch.slot.is_multiple_of(2)) {
                let own = problems.get(touch.problem()).map(ContactProblem::impulse);
                let impulse =
                    own.unwrap_or_else(|| &foreign[touch.problem() - problems.len()]).value;
                if impulse != Vec3::zeros() {
                    let BodyContact { partner, arm, .. } = *touch;
                    kept.push(KeptImpulse { body: body.id, partner, arm, impulse });
                }
            }
        }
    }
}
