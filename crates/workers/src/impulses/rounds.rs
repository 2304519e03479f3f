//! The rounds of a step, on all ranks.

use bytemuck::Pod;

use crate::impulses::ImpulseWorker;
use crate::impulses::constraints::ImpulseValue;
use crate::report::WorkerReport;
use crate::sets::Sets;
use cloth_core::linear::direct::factor::Part6;
use cloth_core::{EachPatch, ExactSums, Result, Threads, World, message};
use cloth_rigid::constraint::{Between, KeptImpulse, KeptJoint};
use cloth_rigid::record::{state_of, state_words};
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::solver::nonsmooth::constraint::{Answer, Change};
use cloth_rigid::solver::nonsmooth::islands::{Islands, contradiction};
use cloth_rigid::solver::nonsmooth::search::{Next, Progress, Search};
use cloth_rigid::{BodyState, Response};

/// The workers of a rank that agree on impulses.
#[derive(Debug, Default)]
pub struct Agreement {
    workers: Vec<ImpulseWorker>,
    islands: Islands,
}

impl Agreement {
    /// The workers with these numbers.
    pub fn new(numbers: impl Iterator<Item = usize>) -> Self {
        Self { workers: numbers.map(ImpulseWorker::new).collect(), ..Self::default() }
    }

    /// What they did in the last step.
    pub fn reports(&self) -> impl Iterator<Item = WorkerReport> {
        self.workers.iter().map(|worker| worker.report)
    }
}

/// What all ranks know after the rounds of a step.
#[derive(Debug)]
pub struct Agreed {
    /// The states of all bodies at the end of the step, by place.
    pub ends: Vec<BodyState>,
    /// The impulses that the next step begins with.
    pub impulses: Vec<KeptImpulse>,
    /// Those of joints.
    pub joint_impulses: Vec<KeptJoint>,
    /// Number of rounds.
    pub rounds: u64,
    /// The largest error of velocity that they leave at a constraint of this rank's workers, m/s.
    pub residual_m_s: f64,
}

impl Agreement {
    /// The rounds of a step. All ranks call it. `homes` has the home of each place.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn reach(
        &mut self,
        middle: Middle,
        (sets, homes): (&Sets, &[u8]),
        local_sweeps: u32,
        (world, threads): (&dyn World, &Threads),
    ) -> Result<Agreed> {
        let Self { workers, islands } = self;
        // Without joints the search of the domain run takes less time.
        let has_joints = !middle.model.joints.is_empty();
        let local_sweeps = if has_joints { local_sweeps } else { 0 };
        let owners = Owners::new(&middle, homes, sets.count());
        let mut rounds = Rounds { middle, owners, world, threads, workers, islands, local_sweeps };
        rounds.begin(sets, homes)?;
        let most = match middle.model.settings.response {
            Response::Nonsmooth { sweeps } => sweeps as usize,
            Response::Ffd => 1,
        };
        let count = rounds.search(most)?;
        let residuals = rounds.each_of(|worker| vec![worker.residual_m_s(middle.fixed)]);
        let residual_m_s = residuals.into_iter().fold(0.0, f64::max);
        let ends = rounds.ends(sets, homes)?;
        let (impulses, joint_impulses) = rounds.keep(count)?;
        Ok(Agreed { ends, impulses, joint_impulses, rounds: count, residual_m_s })
    }
}

/// The largest acceleration: a round goes at most this many times further, plus one.
const MOST_SHARE: f64 = 4.0;

/// What a rank needs in the rounds of a step.
struct Rounds<'a> {
    middle: Middle<'a>,
    owners: Owners,
    world: &'a dyn World,
    threads: &'a Threads,
    workers: &'a mut Vec<ImpulseWorker>,
    islands: &'a mut Islands,
    local_sweeps: u32,
}

/// Where the values of constraints are in a list by their owners.
struct Owners {
    contacts: Vec<u32>,
    joints: Vec<u32>,
}

impl Rounds<'_> {
    /// After: workers know their constraints, with the impulses to begin with.
    fn begin(&mut self, sets: &Sets, homes: &[u8]) -> Result<()> {
        let (middle, is_split) = (self.middle, self.local_sweeps == 0);
        self.each(|worker| {
            worker.report.seconds = 0.0;
            worker.begin(&middle, sets, homes, is_split);
        });
        self.exchange(ImpulseValue::Present)?;
        self.each(|worker| worker.aim(&middle, false));
        if self.has_joints() {
            let held = self.each_of(|worker| worker.held_joints(&middle));
            self.islands.begin(&held, (self.world, self.threads))?;
            self.check_open()?;
            self.aim_at_what_is_reached()?;
        }
        Ok(())
    }

    /// Rounds until the impulses are right, or there were `most`. Returns their number.
    fn search(&mut self, most: usize) -> Result<u64> {
        let mut count = self.search_once(most)?;
        if !self.islands.is_empty() && count < most as u64 {
            let middle = self.middle;
            self.each(|worker| worker.aim(&middle, true));
            self.aim_at_what_is_reached()?;
            count += self.search_once(most - count as usize)?;
        }
        self.each(|worker| worker.update_velocities(ImpulseValue::Present));
        Ok(count)
    }

    fn search_once(&mut self, most: usize) -> Result<u64> {
        let mut search = Search::default();
        match self.local_sweeps {
            0 => self.search_by_sweeps(&mut search, most)?,
            _ => self.search_by_rounds(&mut search, most)?,
        }
        Ok(search.sweeps())
    }

    /// The search of the domain run, over rounds.
    fn search_by_sweeps(&mut self, search: &mut Search, most: usize) -> Result<()> {
        loop {
            self.each(|worker| worker.update_velocities(ImpulseValue::Present));
            let (next, is_least) = search.next(self.round()?, most, self.world)?;
            if next == Next::Back {
                self.each(|worker| worker.change(Change::GoBack));
                return Ok(());
            }
            if is_least {
                self.each(|worker| worker.change(Change::Mark));
            }
            let share = if let Next::Conjugate(share) = next { share } else { 0.0 };
            self.each(|worker| worker.set_directions(share));
            self.exchange(ImpulseValue::Direction)?;
            let length = match next {
                Next::Conjugate(_) => self.length(search)?,
                _ if self.has_joints() => self.length(search)?.min(1.0),
                _ => 1.0,
            };
            self.each(|worker| worker.change(Change::Advance(length)));
            if next == Next::End {
                return Ok(());
            }
        }
    }

    /// Each round changes the impulses nearly to their end, so their energy needs no look. Two
    /// rounds tell how far the next one should go.
    fn search_by_rounds(&mut self, search: &mut Search, most: usize) -> Result<()> {
        loop {
            self.each(|worker| worker.update_velocities(ImpulseValue::Present));
            let ends = search.ends(self.round()?, most, self.world)?;
            let share = if ends || search.sweeps() == 1 { 0.0 } else { self.share()? };
            self.each(|worker| worker.accelerate(share));
            self.exchange(ImpulseValue::Direction)?;
            self.each(|worker| worker.change(Change::Advance(1.0)));
            if ends {
                return Ok(());
            }
        }
    }

    /// The share `g` of Anderson's acceleration with one step of memory (Anderson 1965).
    fn share(&mut self) -> Result<f64> {
        let mut sums = ExactSums::default();
        self.workers
            .iter_mut()
            .for_each(|worker| worker.timed(|worker| worker.add_changes(&mut sums)));
        let [product, square] = sums.all_reduce(self.world)?;
        let share = product / square;
        Ok(if share.is_finite() { share.clamp(-MOST_SHARE, 0.5) } else { 0.0 })
    }

    fn has_joints(&self) -> bool {
        !self.middle.model.joints.is_empty()
    }

    /// Before: members have the velocities of the impulses. After: each owner knows how its
    /// impulses change.
    fn round(&mut self) -> Result<Progress> {
        let (middle, sweeps) = (self.middle, self.local_sweeps);
        if sweeps > 0 {
            self.each(|worker| worker.solve_alone(&middle, sweeps));
        }
        let is_at_once = !self.islands.is_empty();
        if is_at_once && sweeps > 0 {
            self.solve_joints()?;
        }
        self.each(|worker| worker.sweep(&middle));
        if is_at_once && sweeps == 0 {
            let open = self.each_of(|worker| worker.held(Answer::held_gradient));
            self.solve(&open, ImpulseWorker::replace_held)?;
        }
        self.each(|worker| worker.find_progress(sweeps > 0));
        let mut all = Progress::default();
        self.workers.iter().for_each(|worker| all.add(&worker.progress));
        Ok(all)
    }

    /// # Errors
    /// If joints contradict each other.
    fn check_open(&mut self) -> Result<()> {
        let middle = self.middle;
        let openings = self.each_of(|worker| worker.held(|it| *it.constraint.openings()));
        let stuck = self.islands.contradicting(&openings, (self.world, self.threads))?;
        if stuck.is_empty() {
            return Ok(());
        }
        let numbers = self.each_of(|worker| worker.held_numbers(&middle));
        let stuck: Vec<u32> = stuck.into_iter().map(|place| numbers[place]).collect();
        Err(contradiction(middle.model.joints.all(), &stuck))
    }

    /// After: joints aim only at velocities that impulses reach.
    fn aim_at_what_is_reached(&mut self) -> Result<()> {
        let missing = self.each_of(|worker| worker.held(|it| it.constraint.held_targets()));
        let unreached = self.islands.unreached(&missing, (self.world, self.threads))?;
        self.hand_out(&unreached, ImpulseWorker::propose_unreached);
        self.exchange(ImpulseValue::Proposed)?;
        self.each(ImpulseWorker::close_less);
        Ok(())
    }

    /// Before: workers alone have proposed impulses. After: those of the held motions of joints
    /// are exact for the other ones.
    fn solve_joints(&mut self) -> Result<()> {
        let middle = self.middle;
        self.each(|worker| worker.propose_held_again());
        self.exchange(ImpulseValue::Proposed)?;
        let open = self.each_of(|worker| worker.held_open(middle.fixed));
        self.solve(&open, ImpulseWorker::propose_held)
    }

    /// Solves the held motions of all joints, which open by `open`. `end` gets the changes of the
    /// impulses of a worker.
    fn solve(&mut self, open: &[Part6], end: impl Fn(&mut ImpulseWorker, &[Part6])) -> Result<()> {
        let changes = self.islands.solve(open, (self.world, self.threads))?;
        self.hand_out(&changes, end);
        Ok(())
    }

    /// Calls `work` for each worker of this rank with its part of `values`, by rising worker.
    fn hand_out(&mut self, mut values: &[Part6], work: impl Fn(&mut ImpulseWorker, &[Part6])) {
        for worker in self.workers.iter_mut() {
            let (own, rest) = values.split_at(worker.holding().count().min(values.len()));
            worker.timed(|worker| work(worker, own));
            values = rest;
        }
    }

    /// The length of the change along the directions.
    fn length(&mut self, search: &Search) -> Result<f64> {
        self.each(|worker| worker.update_velocities(ImpulseValue::Direction));
        let mut products = ExactSums::default();
        self.workers
            .iter_mut()
            .for_each(|worker| worker.timed(|worker| worker.add_products(&mut products)));
        search.length(products, self.world)
    }

    /// The states of all bodies at the end of the step, by place.
    fn ends(&self, sets: &Sets, homes: &[u8]) -> Result<Vec<BodyState>> {
        let h = self.middle.model.settings.contacts.step_s;
        let own: Vec<_> = self
            .workers
            .iter()
            .flat_map(|worker| worker.ends(h))
            .map(|state| state_words(&state))
            .collect();
        let all = message::all_gather_v(self.world, &own)?;
        let mut ends = vec![BodyState::AT_REST; homes.len()];
        let home = (0..sets.count()).flat_map(|worker| {
            let is_home = move |body: &&u32| usize::from(homes[**body as usize]) == worker;
            sets.members(worker).iter().filter(is_home)
        });
        home.zip(&all).for_each(|(&body, words)| ends[body as usize] = state_of(words));
        Ok(ends)
    }

    /// The impulses that the next step begins with, on all ranks. `rounds` is the number of rounds.
    fn keep(&mut self, rounds: u64) -> Result<(Vec<KeptImpulse>, Vec<KeptJoint>)> {
        let (mut impulses, mut joints) = (Vec::new(), Vec::new());
        for worker in self.workers.iter_mut() {
            worker.report.sweeps = rounds;
            worker.keep(&self.middle, &mut impulses, &mut joints);
        }
        let impulses = message::all_gather_v(self.world, &impulses)?;
        Ok((impulses, message::all_gather_v(self.world, &joints)?))
    }

    /// Calls `work` for each worker of this rank, in parallel.
    fn each(&mut self, work: impl Fn(&mut ImpulseWorker) + Sync) {
        self.threads
            .for_each_patch(EachPatch(self.workers), 1, |_, worker| worker.0[0].timed(&work));
    }

    /// [`Rounds::each`] with results, by rising worker.
    fn each_of<T: Send>(&mut self, work: impl Fn(&mut ImpulseWorker) -> Vec<T> + Sync) -> Vec<T> {
        let mut found = Vec::new();
        found.resize_with(self.workers.len(), Vec::new);
        let slices = (EachPatch(self.workers), EachPatch(&mut found));
        self.threads.for_each_patch(slices, 1, |_, (worker, found)| {
            found.0[0] = worker.0[0].timed(&work);
        });
        found.into_iter().flatten().collect()
    }

    /// All owners send all workers the values of their constraints.
    fn exchange(&mut self, which: ImpulseValue) -> Result<()> {
        let own = self.each_of(|worker| worker.contacts.sent(which).collect());
        let contacts = gather(self.world, &own, &self.owners.contacts)?;
        let own = self.each_of(|worker| worker.joints.sent(which).collect());
        let joints = gather(self.world, &own, &self.owners.joints)?;
        self.each(|worker| {
            worker.contacts.receive(which, &contacts);
            worker.joints.receive(which, &joints);
        });
        Ok(())
    }
}

impl Owners {
    fn new(middle: &Middle, homes: &[u8], workers: usize) -> Self {
        Self {
            contacts: slots(middle.contacts, homes, workers),
            joints: slots(middle.joints, homes, workers),
        }
    }
}

/// The values of all constraints by their places. `own` are those of this rank.
fn gather<T: Pod>(world: &dyn World, own: &[T], slots: &[u32]) -> Result<Vec<T>> {
    if slots.is_empty() {
        return Ok(Vec::new());
    }
    let all = message::all_gather_v(world, own)?;
    Ok(slots.iter().map(|&slot| all[slot as usize]).collect())
}

/// The place of each constraint in a list by rising owner.
fn slots(all: &[impl Between], homes: &[u8], workers: usize) -> Vec<u32> {
    let owner = |constraint: &_| usize::from(homes[Between::ends(constraint).first as usize]);
    let mut next = vec![0; workers + 1];
    all.iter().for_each(|constraint| next[owner(constraint) + 1] += 1);
    (0..workers).for_each(|worker| next[worker + 1] += next[worker]);
    let slot = |constraint: &_| {
        let slot = &mut next[owner(constraint)];
        *slot += 1;
        *slot - 1
    };
    all.iter().map(slot).collect()
}
