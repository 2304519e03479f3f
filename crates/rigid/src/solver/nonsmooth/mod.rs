//! Non-smooth contact dynamics on many ranks. A sweep takes one communication for each kind of
//! constraint, and sums.
//!
//! The velocity of a body is a sum over all of its constraints, kind by kind.
//!
//! | module | |
//! |---|---|
//! | [`constraint`] | what the sweeps need of a constraint |
//! | [`contact`] | one contact and its impulse; `contact::roll` with rolling resistance |
//! | [`joint`] | one joint and its impulse |
//! | `search` | when the sweeps end, and in which direction the impulses change |
//! | `group` | all constraints of one kind on one rank, with the messages about them |
//! | `announced` | what ranks send each other about the constraints of a body |
//! | [`islands`] | the motions that joints hold, solved at once |

pub mod announced;
pub mod constraint;
pub mod contact;
mod group;
pub mod islands;
pub mod joint;
pub mod search;

use self::constraint::{Answer, Applied, Change, Wrench};
use self::contact::Pressing;
use self::group::Group;
use self::islands::{Islands, contradiction, parts_of};
use self::joint::JointConstraint;
use self::search::{Next, Progress, Search};
use crate::constraint::joint::ActiveJoint;
use crate::constraint::{Between, Ends};
use crate::solver::{Answered, GRAIN, Solved, Solver, StepParts};
use crate::{Mobility, Twist};
use cloth_core::{EachPatch, ExactSums, Result, bounds};

/// The buffers of non-smooth contact dynamics.
#[derive(Debug)]
pub(super) struct Nonsmooth<C: Pressing> {
    sweeps: usize,
    contacts: Group<C>,
    joints: Group<JointConstraint>,
    islands: Islands,
    /// Velocities, inverses of mass and inertia, and numbers of constraints, by place.
    twists: Vec<Twist>,
    mobilities: Vec<Mobility>,
    counts: Vec<u32>,
}

/// Fails if `sweeps` is out of its bounds. `at` names the response.
pub(super) fn check(sweeps: u32, at: &str) -> Result<()> {
    bounds::count(&format!("{at}.sweeps"), sweeps, bounds::MOST_SWEEPS, "")
}

impl<C: Pressing> Nonsmooth<C> {
    /// A solver with at most `sweeps` sweeps a step.
    pub fn new(sweeps: u32) -> Self {
        let (contacts, joints, islands, twists, mobilities, counts) = Default::default();
        Self { sweeps: sweeps as usize, contacts, joints, islands, twists, mobilities, counts }
    }
}

impl<C: Pressing> Solver for Nonsmooth<C> {
    /// Two communications to find which bodies touch, one for the impulses to begin with, and one
    /// for each sweep; with joints twice as many. At most two all-reduces a sweep.
    fn solve(&mut self, step: &mut StepParts) -> Result<Solved> {
        let constraints = self.begin(step)?;
        let mut sweeps = self.search(step, self.sweeps)?;
        if !self.islands.is_empty() && sweeps < self.sweeps as u64 {
            // The velocities that close joints depend on these velocities.
            self.aim_joints(step, true);
            self.aim_at_what_is_reached(step)?;
            sweeps += self.search(step, self.sweeps - sweeps as usize)?;
        }
        self.update_velocities(step, Applied::Impulses);
        for (state, twist) in step.population.own_states_mut().iter_mut().zip(&self.twists) {
            state.twist = *twist;
        }
        let mut kept = std::mem::take(step.impulses);
        self.contacts.keep(step, &mut kept);
        *step.impulses = kept;
        if step.has_joints() {
            let mut kept = std::mem::take(step.joint_impulses);
            self.joints.keep(step, &mut kept);
            *step.joint_impulses = kept;
        }
        Ok(Solved { constraints, sweeps, stopped: 0 })
    }

    fn residual_m_s(&self, answered: &Answered) -> f64 {
        let twists = answered.twists.unwrap_or(&self.twists);
        let of_contacts = self.contacts.residual_m_s(answered, answered.contacts, twists);
        of_contacts.max(self.joints.residual_m_s(answered, answered.joints, twists))
    }

    fn twists(&self) -> &[Twist] {
        &self.twists
    }
}

impl<C: Pressing> Nonsmooth<C> {
    /// After: all involved ranks know the constraints of a body, with the impulses to begin with.
    /// Returns the number of constraints of own bodies.
    fn begin(&mut self, step: &mut StepParts) -> Result<u64> {
        let constraints = self.announce(step)?;
        self.count(step);
        self.begin_contacts(step)?;
        if step.has_joints() {
            self.begin_joints(step)?;
        }
        let bodies = step.population.bodies();
        self.twists.clear();
        self.twists.extend(bodies.states().iter().map(|state| state.twist));
        self.mobilities.clear();
        self.mobilities.extend(bodies.iter().map(|body| Mobility::of(&body)));
        if step.has_joints() {
            self.aim_joints(step, false);
            self.begin_islands(step)?;
            self.aim_at_what_is_reached(step)?;
        }
        Ok(constraints)
    }

    /// After: all involved ranks know the constraints of a body. Returns the number of constraints
    /// of own bodies.
    fn announce(&mut self, step: &mut StepParts) -> Result<u64> {
        let Self { contacts, joints, .. } = self;
        let mut kept = std::mem::take(step.impulses);
        let mut kept_joints = std::mem::take(step.joint_impulses);
        let mut count = contacts.announce_to_owners(step, step.contacts, &mut kept)?;
        if step.has_joints() {
            count += joints.announce_to_owners(step, step.joints, &mut kept_joints)?;
        }
        let others = step.has_joints().then(|| joints.by_body());
        contacts.reply_to_copies(step, step.contacts.len(), &kept, others)?;
        if step.has_joints() {
            let others = Some(contacts.by_body());
            joints.reply_to_copies(step, step.joints.len(), &kept_joints, others)?;
        }
        (*step.impulses, *step.joint_impulses) = (kept, kept_joints);
        Ok(count)
    }

    /// After: this rank knows the number of constraints of the bodies that it is involved in. All
    /// joints of a body count as one.
    fn count(&mut self, step: &StepParts) {
        let Self { contacts, joints, counts, .. } = self;
        let has_joints = step.has_joints();
        let of_joints = |place: usize| if has_joints { joints.count(place).min(1) } else { 0 };
        let count = |place: usize| (contacts.count(place) + of_joints(place)) as u32;
        counts.clear();
        counts.extend((0..step.population.len()).map(count));
    }

    fn begin_contacts(&mut self, step: &mut StepParts) -> Result<()> {
        let Self { contacts, joints, counts, .. } = self;
        let (bodies, materials, settings) = (step.bodies(), step.materials, step.settings);
        contacts.make(step.threads, step.contacts, |contact, start| {
            let ends = contact.ends();
            let sides = bodies.sides(&ends, &settings.gravity);
            let surface = materials.surface(sides[0].material, sides[1].material);
            let counts = counts_of(&ends, counts);
            C::new(contact, &sides, &surface, counts, start, settings)
        });
        let others = step.has_joints().then(|| joints.by_body());
        contacts.share_starts(step, others)
    }

    fn begin_joints(&mut self, step: &mut StepParts) -> Result<()> {
        let Self { contacts, joints, counts, .. } = self;
        let (bodies, settings) = (step.bodies(), step.settings);
        joints.make(step.threads, step.joints, |joint, start| {
            let sides = bodies.sides(&joint.ends, &settings.gravity);
            JointConstraint::new(joint, &sides, counts_of(&joint.ends, counts), start, settings)
        });
        joints.share_starts(step, Some(contacts.by_body()))
    }

    /// After: joints know the velocities that close them. These depend on how the bodies turn.
    /// `is_known` tells whether the impulses are those of this step.
    fn aim_joints(&mut self, step: &StepParts, is_known: bool) {
        self.update_velocities(step, Applied::Impulses);
        let Self { joints, twists, .. } = self;
        let (all, settings, fixed) = (step.all_joints, step.settings, step.fixed);
        let bodies = step.population.bodies();
        joints.for_each(step, step.joints, |joint, answer| {
            let of_model = &all.all()[joint.ends.number as usize];
            let curvature = |is_applied: bool| {
                let twist = |place: usize| match is_applied {
                    true => twists[place],
                    false => bodies.states()[place].twist,
                };
                let (states, inertias) = joint.movers(&bodies, fixed, twist);
                joint.curvature(of_model, &states, inertias, settings.step_s)
            };
            let applied = curvature(true);
            let curvature = if is_known { applied } else { foreseen(&curvature(false), &applied) };
            answer.constraint.aim(joint, &curvature, settings);
        });
    }

    /// Before: joints know the velocities that close them.
    ///
    /// # Errors
    /// If joints contradict each other.
    fn begin_islands(&mut self, step: &StepParts) -> Result<()> {
        let Self { joints, islands, mobilities, counts, .. } = self;
        let (bodies, threads) = (step.population.bodies(), (step.world, step.threads));
        let body = |place: u32| {
            let place = place as usize;
            (bodies.id(place), parts_of(&mobilities[place], counts[place]))
        };
        let all = step.joints.iter().zip(joints.answers()).filter(|it| it.1.constraint.holds());
        let held = all.clone().map(|(ActiveJoint { ends, .. }, answer)| {
            let bodies = [Some(body(ends.first)), ends.second.movable().map(body)];
            answer.constraint.held(ends.number, bodies)
        });
        islands.begin(&held.collect::<Vec<_>>(), threads)?;
        let openings =
            holding(joints.answers()).map(|it| *it.constraint.openings()).collect::<Vec<_>>();
        let stuck = islands.contradicting(&openings, threads)?;
        if !stuck.is_empty() {
            let numbers: Vec<u32> = all.map(|(joint, _)| joint.ends.number).collect();
            let stuck: Vec<u32> = stuck.into_iter().map(|place| numbers[place]).collect();
            return Err(contradiction(step.all_joints.all(), &stuck));
        }
        Ok(())
    }

    /// Before: joints know the velocities that close them. After: they aim at what impulses reach.
    fn aim_at_what_is_reached(&mut self, step: &StepParts) -> Result<()> {
        let Self { joints, islands, .. } = self;
        let missing: Vec<_> =
            holding(joints.answers()).map(|it| it.constraint.held_targets()).collect();
        let unreached = islands.unreached(&missing, (step.world, step.threads))?;
        let all = joints.answers_mut().iter_mut().filter(|it| it.constraint.holds());
        all.zip(&unreached).for_each(|(answer, part)| answer.constraint.close_less_by(part));
        Ok(())
    }

    /// Sweeps until the impulses are right, or their number is `most`. Returns the number of sweeps.
    fn search(&mut self, step: &mut StepParts, most: usize) -> Result<u64> {
        let mut search = Search::default();
        loop {
            self.update_velocities(step, Applied::Impulses);
            let (next, is_least) = search.next(self.sweep(step)?, most, step.world)?;
            if next == Next::Back {
                self.change(step, Change::GoBack);
                return Ok(search.sweeps());
            }
            if is_least {
                self.change(step, Change::Mark);
            }
            self.set_directions(step, if let Next::Conjugate(share) = next { share } else { 0.0 })?;
            let length = match next {
                Next::Conjugate(_) => self.length(step, &search)?,
                // Limits and motors are not counted among the constraints of a body.
                _ if step.has_joints() => self.length(step, &search)?.min(1.0),
                _ => 1.0,
            };
            self.change(step, Change::Advance(length));
            if next == Next::End {
                return Ok(search.sweeps());
            }
        }
    }

    /// After: the bodies that this rank is involved in have the velocities of `applied`.
    fn update_velocities(&mut self, step: &StepParts, applied: Applied) {
        let Self { contacts, joints, twists, mobilities, .. } = self;
        let (states, has_joints) = (step.population.bodies().states(), step.has_joints());
        step.threads.for_each_patch(EachPatch(twists), GRAIN, |place, twist| {
            let mut sum = Wrench::ZERO;
            let mut is_constrained = contacts.apply(place, applied, &mut sum);
            if has_joints {
                is_constrained |= joints.apply(place, applied, &mut sum);
            }
            if !is_constrained {
                return;
            }
            let free = match applied {
                Applied::Impulses => &states[place].twist,
                Applied::Directions => &Twist::ZERO,
            };
            twist.0[0] = *free;
            sum.add_to(&mut twist.0[0], &mobilities[place]);
        });
    }

    /// Before: bodies have the velocities of the impulses. After: each constraint of this rank
    /// knows how a sweep changes its impulse. Returns what the sweep did.
    fn sweep(&mut self, step: &StepParts) -> Result<Progress> {
        let Self { contacts, joints, islands, twists, .. } = self;
        contacts.sweep(step, step.contacts, twists);
        joints.sweep(step, step.joints, twists);
        if !islands.is_empty() {
            let open: Vec<_> = holding(joints.answers()).map(Answer::held_gradient).collect();
            let changes = islands.solve(&open, (step.world, step.threads))?;
            let all = joints.answers_mut().iter_mut().filter(|it| it.constraint.holds());
            all.zip(&changes).for_each(|(answer, change)| answer.replace_held(change));
        }
        let mut all = Progress::default();
        contacts.add_progress(step, &mut all);
        joints.add_progress(step, &mut all);
        Ok(all)
    }

    /// Gives all impulses their directions. After: all involved ranks know them.
    fn set_directions(&mut self, step: &mut StepParts, share: f64) -> Result<()> {
        self.contacts.set_directions(step, share)?;
        if step.has_joints() {
            self.joints.set_directions(step, share)?;
        }
        Ok(())
    }

    /// The length of the change along the directions. After: bodies have the velocities of the
    /// directions.
    fn length(&mut self, step: &StepParts, search: &Search) -> Result<f64> {
        self.update_velocities(step, Applied::Directions);
        let mut products = ExactSums::default();
        self.contacts.add_products(step, step.contacts, &self.twists, &mut products);
        self.joints.add_products(step, step.joints, &self.twists, &mut products);
        search.length(products, step.world)
    }

    /// Changes all impulses that this rank knows.
    fn change(&mut self, step: &StepParts, change: Change) {
        self.contacts.change(step, change);
        self.joints.change(step, change);
    }
}

/// The joints that hold a motion.
fn holding(all: &[Answer<JointConstraint>]) -> impl Iterator<Item = &Answer<JointConstraint>> {
    all.iter().filter(|answer| answer.constraint.holds())
}

/// The number of constraints of each body. It is 0 for a fixed one.
pub fn counts_of(ends: &Ends, counts: &[u32]) -> [u32; 2] {
    let count = |place: u32| counts[place as usize];
    [count(ends.first), ends.second.movable().map_or(0, count)]
}

/// The second-order part of the motion of a joint that is expected for this step: that of the
/// velocities `driven` by the impulses of the last step, where it differs little from that of the
/// `free` velocities. After an impact the impulses of the last step are no good guess.
pub fn foreseen(free: &[f64; 6], driven: &[f64; 6]) -> [f64; 6] {
    let norm = |part: usize, of: &dyn Fn(usize) -> f64| {
        (3 * part..3 * part + 3).map(|row| of(row) * of(row)).sum::<f64>()
    };
    // Translations and rotations apart, so that the axes of the joint do not matter.
    let is_close = [0, 1].map(|part| {
        norm(part, &|row| driven[row] - free[row]) <= 0.25 * norm(part, &|row| free[row])
    });
    std::array::from_fn(|row| if is_close[row / 3] { driven[row] } else { free[row] })
}
