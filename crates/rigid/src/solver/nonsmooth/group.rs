//! All constraints of one kind on one rank, with the messages about them.
//!
//! A constraint is treated by one rank. The velocity of a body is a sum over all of its
//! constraints. The owner of a body and the ranks that treat its constraints are *involved* in it.
//! They know all its constraints and get all their impulses, so each of them computes the same
//! velocity. If the owner summed the velocities and sent them back, it would take two
//! communications a sweep and as many bytes.
//!
//! The owner of the first body of a constraint keeps its impulse, and sends it to the next owner
//! with the announcements. The impulses of a body that moved by more than its radius in the step
//! are forgotten, because the last owner might not know the body any more.

use bytemuck::{Pod, Zeroable};

use crate::constraint::{Between, Ends, Partner};
use crate::solver::by_body::ByBody;
use crate::solver::nonsmooth::announced::{
    Announcement, BodyConstraint, Involved, Kept, NO_RANK, StartOf, Starts, starts_of, touches,
};
use crate::solver::nonsmooth::constraint::{
    Answer, Applied, Change, Constraint, Impulse, Value, Wrench, add_all, keep,
};
use crate::solver::nonsmooth::search::Progress;
use crate::solver::{Answered, GRAIN, StepParts};
use crate::{FixedBodies, Twist};
use cloth_core::{EachPatch, ExactSums, Result, Threads};

/// The law and the first value of an impulse, in a message.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
struct First<L, V> {
    law: L,
    value: V,
}

/// All constraints of one kind on one rank.
#[derive(Debug)]
pub(super) struct Group<C: Constraint> {
    /// One for each constraint that this rank treats.
    answers: Vec<Answer<C>>,
    /// Announcements for other ranks. `received` has the announcements of other ranks.
    made: Vec<(u32, Announcement<StartOf<C::Kept>>)>,
    received: Vec<(u32, Announcement<StartOf<C::Kept>>)>,
    /// Constraints of the bodies that this rank is involved in, own bodies and copies.
    by_body: ByBody<BodyConstraint>,
    /// The impulses with which this rank's constraints begin.
    starts: Vec<StartOf<C::Kept>>,
    partners: Vec<Involved>,
    /// Impulses of other ranks' constraints, by rising rank.
    foreign: Vec<(C::Law, Impulse<Value<C>>)>,
    progress: Vec<Progress>,
}

impl<C: Constraint> Default for Group<C> {
    fn default() -> Self {
        let (answers, made, received, by_body) = Default::default();
        let (starts, partners, foreign, progress) = Default::default();
        Self { answers, made, received, by_body, starts, partners, foreign, progress }
    }
}

impl<C: Constraint> Group<C> {
    /// The constraints of the body at `place`. Valid after [`Group::reply_to_copies`].
    pub fn count(&self, place: usize) -> usize {
        self.by_body.of(place).len()
    }

    /// The constraints of the bodies that this rank is involved in.
    pub fn by_body(&self) -> &ByBody<BodyConstraint> {
        &self.by_body
    }

    /// One communication. After: owners know all constraints of their bodies, and have the impulses
    /// of the last step. Returns the number of constraints of own bodies.
    pub fn announce_to_owners(
        &mut self,
        step: &mut StepParts,
        found: &[impl Between],
        kept: &mut Vec<C::Kept>,
    ) -> Result<u64> {
        let StepParts { synchroniser, world, population, fixed, .. } = step;
        let Self { made, received, by_body, .. } = self;
        let (rank, bodies) = (synchroniser.region().rank(), population.bodies());
        made.clear();
        by_body.clear();
        let mut announce = |place: u32, touch: BodyConstraint| {
            if (place as usize) < population.own_count() {
                by_body.push(place, touch);
            } else {
                made.push((place, Announcement { touch, start: StartOf::<C::Kept>::zeroed() }));
            }
        };
        for (ends, place) in found.iter().map(Between::ends).zip(0..) {
            let [touch, other] = touches(&ends, &bodies, fixed, rank, place);
            announce(ends.first, touch);
            if let Some(place) = ends.second.movable() {
                announce(place, other);
            }
        }
        kept.retain(|kept| match population.place(kept.body()) {
            Some(place) if place >= population.own_count() => {
                let touch = BodyConstraint { rank: NO_RANK, ..kept.touch() };
                made.push((place as u32, Announcement { touch, start: kept.start() }));
                false
            }
            known => known.is_some(),
        });
        received.clear();
        synchroniser.send_to_owners(*world, population, made, received)?;
        for &(place, Announcement { touch, start }) in &*received {
            if touch.rank == NO_RANK {
                kept.push(C::Kept::of(population.bodies().id(place as usize), &touch, &start));
            } else {
                by_body.push(place, touch);
            }
        }
        // All impulses of one body come from one rank, in their order.
        kept.sort_by_key(Kept::body);
        by_body.order(population.own_count());
        Ok(by_body.len() as u64)
    }

    /// One communication. Before: owners know all constraints, also the `others` of another kind.
    /// After: all involved ranks know those of this kind, with the impulses to begin with. This
    /// rank treats `count` of them.
    pub fn reply_to_copies(
        &mut self,
        step: &mut StepParts,
        count: usize,
        kept: &[C::Kept],
        others: Option<&ByBody<BodyConstraint>>,
    ) -> Result<()> {
        let StepParts { synchroniser, world, population, .. } = step;
        let Self { received, by_body, starts, .. } = self;
        let rank = synchroniser.region().rank();
        let starts_of =
            |place: usize| starts_of(kept, population.bodies().id(place), by_body.of(place));
        let announcements = |place: usize, holder: u32| {
            let has = |all: &ByBody<BodyConstraint>| all.of(place).any(|it| it.rank == holder);
            let is_involved = has(by_body) || others.is_some_and(has);
            let starts = if is_involved { starts_of(place) } else { Starts::new() };
            let touches = by_body.of(place).zip(starts);
            touches.map(|(touch, start)| Announcement { touch: *touch, start })
        };
        received.clear();
        synchroniser.send_to_copies(*world, population, announcements, |place, announcement| {
            received.push((place, announcement));
        })?;
        starts.clear();
        starts.resize(count, Zeroable::zeroed());
        for place in 0..population.own_count() {
            for (touch, start) in by_body.of(place).zip(starts_of(place)) {
                if touch.is_first_of(rank) {
                    starts[touch.place()] = start;
                }
            }
        }
        for &(place, Announcement { touch, start }) in &*received {
            if touch.is_first_of(rank) {
                starts[touch.place()] = start;
            }
            by_body.push(place, touch);
        }
        by_body.order(population.len());
        Ok(())
    }

    /// Makes the answers; `make` gets a constraint with the impulse to begin with.
    pub fn make<F: Sync>(
        &mut self,
        threads: &Threads,
        found: &[F],
        make: impl Fn(&F, &StartOf<C::Kept>) -> Answer<C> + Sync,
    ) {
        let Self { answers, starts, .. } = self;
        let pairs: Vec<_> = found.iter().zip(&*starts).collect();
        answers.clear();
        threads.collect(&pairs, GRAIN, answers, |pairs, answers| {
            answers.extend(pairs.iter().map(|&(found, start)| make(found, start)));
        });
    }

    /// One communication. `others` are the constraints of another kind. After: all involved ranks
    /// have the impulses to begin with.
    pub fn share_starts(
        &mut self,
        step: &mut StepParts,
        others: Option<&ByBody<BodyConstraint>>,
    ) -> Result<()> {
        let Self { answers, by_body, foreign, partners, .. } = self;
        let rank = step.synchroniser.region().rank();
        Involved::find(partners, [Some(by_body), others], rank, step.population);
        let count = Involved::place(partners, by_body, rank, answers.len());
        foreign.clear();
        foreign.resize(count, (C::Law::zeroed(), Impulse::new(Zeroable::zeroed())));
        let own = |own: &Answer<C>| First { law: *own.constraint.law(), value: own.impulse.value };
        self.exchange(step, own, |foreign, First { law, value }| {
            *foreign = (law, Impulse::new(value));
        })
    }

    /// The impulse of a constraint of a body, and its law.
    #[inline]
    fn impulse(&self, touch: &BodyConstraint) -> (&C::Law, &Impulse<Value<C>>) {
        match self.answers.get(touch.place()) {
            Some(own) => (own.constraint.law(), &own.impulse),
            None => {
                let (law, impulse) = &self.foreign[touch.place() - self.answers.len()];
                (law, impulse)
            }
        }
    }

    /// Adds what `applied` does to the body at `place`, in the order of (partner, number). Returns
    /// false if the body has no constraint.
    pub fn apply(&self, place: usize, applied: Applied, sum: &mut Wrench) -> bool {
        add_all(self.by_body.of(place), sum, |touch| {
            let (law, impulse) = self.impulse(touch);
            (law, impulse.of(applied))
        })
    }

    /// Calls `apply` with each constraint of this rank and its answer.
    pub fn for_each<F: Sync>(
        &mut self,
        step: &StepParts,
        found: &[F],
        apply: impl Fn(&F, &mut Answer<C>) + Sync,
    ) {
        step.threads.for_each_patch(EachPatch(&mut self.answers), GRAIN, |place, answer| {
            apply(&found[place], &mut answer.0[0]);
        });
    }

    /// The constraints of this rank.
    pub fn answers(&self) -> &[Answer<C>] {
        &self.answers
    }

    /// The constraints of this rank, to be changed.
    pub fn answers_mut(&mut self) -> &mut [Answer<C>] {
        &mut self.answers
    }

    /// Before: bodies have the velocities of the impulses. After: each constraint of this rank
    /// knows how a sweep changes its impulse.
    pub fn sweep<F: Between + Sync>(&mut self, step: &StepParts, found: &[F], twists: &[Twist]) {
        self.for_each(step, found, |found, answer| {
            answer.sweep(both(&found.ends(), twists, step.fixed));
        });
    }

    /// Adds what the last sweep did to `all`.
    pub fn add_progress(&mut self, step: &StepParts, all: &mut Progress) {
        let Self { answers, progress, .. } = self;
        progress.clear();
        step.threads.collect(answers, GRAIN, progress, |answers, progress| {
            progress.push(Progress::of(answers.iter().map(Answer::swept)));
        });
        progress.iter().for_each(|part| all.add(part));
    }

    /// The largest error at the constraints that count, m/s, if bodies have these velocities.
    pub fn residual_m_s<F: Between + Sync>(
        &self,
        answered: &Answered,
        found: &[F],
        twists: &[Twist],
    ) -> f64 {
        let mut parts = Vec::new();
        answered.threads.collect_ranges(found.len(), GRAIN, &mut parts, |range, parts| {
            let all = self.answers[range.clone()].iter().zip(&found[range]);
            let all = all.map(|(answer, found)| (answer, found.ends()));
            let errors = all.filter(|(_, ends)| (answered.counts)(ends)).map(|(answer, ends)| {
                let twists = both(&ends, twists, answered.fixed);
                answer.constraint.error_m_s(&answer.impulse.value, twists)
            });
            parts.push(errors.fold(0.0, f64::max));
        });
        parts.into_iter().fold(0.0, f64::max)
    }

    /// Gives all constraints of this rank their directions, and sends them to the ranks that need
    /// them. See [`Answer::set_direction`].
    pub fn set_directions(&mut self, step: &mut StepParts, share: f64) -> Result<()> {
        step.threads.for_each_patch(EachPatch(&mut self.answers), GRAIN, |_, answer| {
            answer.0[0].set_direction(share);
        });
        self.exchange(step, |own| own.impulse.direction, |foreign, it| foreign.1.direction = it)
    }

    /// Adds `-g.p` and `p.Ap` of the constraints of this rank, J. Before: bodies have the
    /// velocities of the directions.
    pub fn add_products<F: Between + Sync>(
        &self,
        step: &StepParts,
        found: &[F],
        twists: &[Twist],
        all: &mut ExactSums<2>,
    ) {
        let (answers, mut parts) = (&self.answers, Vec::<ExactSums<2>>::new());
        step.threads.collect_ranges(answers.len(), GRAIN, &mut parts, |range, parts| {
            let mut sums = ExactSums::default();
            for (answer, found) in answers[range.clone()].iter().zip(&found[range]) {
                let ends = found.ends();
                let twist = |place: u32| &twists[place as usize];
                let second = ends.second.movable().map_or(&Twist::ZERO, twist);
                sums.add(answer.along_direction([twist(ends.first), second]));
            }
            parts.push(sums);
        });
        parts.iter().for_each(|part| all.add_sums(part));
    }

    /// Changes all impulses that this rank knows.
    pub fn change(&mut self, step: &StepParts, change: Change) {
        let Self { answers, foreign, .. } = self;
        step.threads.for_each_patch(EachPatch(answers), GRAIN, |_, answer| {
            answer.0[0].change(change);
        });
        foreign.iter_mut().for_each(|(law, impulse)| impulse.change(law, change));
    }

    /// Sends `part` of the answers to this rank's constraints to the ranks that need them. After:
    /// `apply` has set this part in `foreign`.
    fn exchange<T: Pod>(
        &mut self,
        step: &mut StepParts,
        part: impl Fn(&Answer<C>) -> T,
        apply: impl Fn(&mut (C::Law, Impulse<Value<C>>), T),
    ) -> Result<()> {
        let Self { answers, foreign, partners, .. } = self;
        let ranks = |has: fn(&Involved) -> bool| -> Vec<u32> {
            partners.iter().filter(|partner| has(partner)).map(|partner| partner.rank).collect()
        };
        let receivers = ranks(|partner| !partner.sent.is_empty());
        let sources = ranks(|partner| !partner.received.is_empty());
        let at = |rank: u32| partners.binary_search_by_key(&rank, |partner| partner.rank);
        let parts = |rank: u32| {
            let sent = at(rank).map_or(&[][..], |at| &partners[at].sent);
            sent.iter().map(|&place| part(&answers[place as usize]))
        };
        let mut slots = foreign.iter_mut();
        step.synchroniser.send_to_ranks(step.world, &receivers, &sources, parts, |_, arrived| {
            // They arrive by rising rank, and then in the order of its constraints. `foreign` has
            // the same order.
            if let Some(slot) = slots.next() {
                apply(slot, arrived);
            }
        })
    }

    /// Keeps the impulses of own bodies. Those of one body are in the order of (partner, number).
    pub fn keep(&self, step: &StepParts, kept: &mut Vec<C::Kept>) {
        let (population, h_s) = (&*step.population, step.settings.step_s);
        kept.clear();
        for (place, body) in population.own().iter().enumerate() {
            if body.state.twist.linear.norm() * h_s > population.bounds()[place].radius {
                continue;
            }
            let value = |touch: &BodyConstraint| &self.impulse(touch).1.value;
            keep::<C>(body.id, self.by_body.of(place), value, kept);
        }
    }
}

/// The velocities of both bodies of a constraint.
fn both<'a>(ends: &Ends, twists: &'a [Twist], fixed: &'a FixedBodies) -> [&'a Twist; 2] {
    let second = match ends.second {
        Partner::Movable(place) => &twists[place as usize],
        Partner::Fixed(place) => &fixed.state_at(place).twist,
    };
    [&twists[ends.first as usize], second]
}
