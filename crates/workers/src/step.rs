//! One step of a simulation by workers.

use std::time::Instant;

use bytemuck::{Pod, Zeroable};

use crate::homes::{Loads, PERIOD};
use crate::impulses::rounds::Agreed;
use crate::published::{Constrained, PublishedSets};
use crate::sets::Sets;
use crate::settings::{Coupling, WorkerSettings};
use crate::simulation::{WorkerSimulation, workers};
use crate::weights::{Weights, blended};
use crate::worker::{Worker, edge};
use cloth_core::partition::Graph;
use cloth_core::report::Join;
use cloth_core::{EachPatch, Result, Threads, Vec3, World, message};
use cloth_rigid::constraint::joint::ActiveJoint;
use cloth_rigid::constraint::{Between, Contact, KeptImpulse, KeptJoint, Partner};
use cloth_rigid::record::{StateWords, state_of, state_words};
use cloth_rigid::simulation::split_step::Middle;
use cloth_rigid::{BodyId, BodyState, Phase, RigidReport};

impl WorkerSimulation<'_> {
    /// Advances all bodies by one step. All ranks call it.
    ///
    /// # Errors
    /// If a body moves too far or passes through another one, or a rank fails.
    pub fn step(&mut self) -> Result<RigidReport> {
        let mut report = RigidReport::default();
        let bodies = self.whole.population().bodies();
        self.workers.iter_mut().for_each(|worker| worker.engine.begin(bodies));
        // 1. The first half, on all ranks alike.
        self.timed(&mut report, Phase::Motion, |it| it.whole.begin_step())?;
        // 2. Each rank finds the contacts of the bodies whose homes it has.
        self.timed(&mut report, Phase::Contacts, Self::find_constraints)?;
        report.contacts = self.whole.contacts().len() as u64;
        self.timed(&mut report, Phase::Synchronisation, Self::share_contacts)?;
        // 3. Who has which bodies active, on all ranks alike. Then each worker alone.
        self.timed(&mut report, Phase::Response, Self::balance)?;
        let homes = self.timed(&mut report, Phase::Response, Self::activate);
        if let Some(audit) = &mut self.audit {
            audit.answer(self.whole.middle(), &self.settings, &self.threads)?;
        }
        match self.settings.coupling {
            Coupling::States => {
                self.timed(&mut report, Phase::Response, Self::advance)?;
                // 4. All ranks learn all states, and blend those of shared bodies alike.
                let ends = self.timed(&mut report, Phase::Synchronisation, |it| it.blend())?;
                report.defect_m = self.defect_m(&ends);
                report.residual_m_s =
                    self.timed(&mut report, Phase::Response, |it| it.residual_m_s(&ends));
                self.timed(&mut report, Phase::Synchronisation, |it| it.join(&ends))?;
            }
            // 4. All ranks learn all impulses, round by round.
            Coupling::Impulses => {
                let agreed = self.timed(&mut report, Phase::Response, |it| it.agree(&homes))?;
                report.defect_m = self.defect_m(&agreed.ends);
                (report.sweeps, report.residual_m_s) = (agreed.rounds, agreed.residual_m_s);
                self.timed(&mut report, Phase::Response, |it| {
                    it.whole.end_step(&agreed.ends, agreed.impulses, agreed.joint_impulses)
                })?;
            }
        }
        self.count(&mut report);
        Ok(report)
    }

    fn timed<T>(
        &mut self,
        report: &mut RigidReport,
        phase: Phase,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let start = Instant::now();
        let result = work(self);
        report.seconds[phase as usize] += start.elapsed().as_secs_f64();
        report.waited_s[phase as usize] += self.world.take_waited_s();
        result
    }

    fn find_constraints(&mut self) -> Result<()> {
        let own = self.own();
        let Self { whole, homes, .. } = self;
        whole.find_constraints_of(|id| own.contains(&usize::from(homes[id as usize])))
    }

    /// After: all ranks know all contacts.
    fn share_contacts(&mut self) -> Result<()> {
        let all = all_contacts(&self.world, &self.whole.middle())?;
        self.whole.set_contacts(all);
        Ok(())
    }

    /// After: homes have moved, and workers are cut or joined, if it is time.
    fn balance(&mut self) -> Result<()> {
        let WorkerSettings { count, growth, .. } = self.settings;
        if !self.settings.moves_homes() || !self.whole.steps().is_multiple_of(PERIOD) {
            return Ok(());
        }
        let loads = Loads::new(&self.whole.middle(), self.count, growth);
        let mut homes: Vec<u8> = loads.ids.iter().map(|&id| self.homes[id as usize]).collect();
        let count = loads.balance(count.target(), &mut homes)?;
        loads.ids.iter().zip(homes).for_each(|(&id, home)| self.homes[id as usize] = home);
        // Bodies that have left.
        self.homes
            .iter_mut()
            .filter(|home| usize::from(**home) >= count)
            .for_each(|home| *home = 0);
        self.resize(count)
    }

    /// After: there are `count` workers, and this rank has its own. They are new ones: `Own` and
    /// `Impulses` find all that they need in the state of all bodies.
    pub(super) fn resize(&mut self, count: usize) -> Result<()> {
        if count != self.count {
            self.count = count;
            (self.workers, self.agreement) = workers(&self.settings, self.own(), &self.whole)?;
        }
        Ok(())
    }

    /// After: sets and weights belong to the constraints of this step, and each worker of this rank
    /// knows its constraints. Returns the home of each place.
    fn activate(&mut self) -> Vec<u8> {
        let middle = self.whole.middle();
        let count = middle.bodies.len();
        let id = |place: u32| middle.bodies.id(place as usize);
        let homes: Vec<u8> =
            (0..count as u32).map(|place| self.homes[id(place) as usize]).collect();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by_key(|&place| id(place));
        self.ids = (0..count as u32).map(id).collect();
        let contacts: Vec<[u32; 2]> = middle.contacts.iter().filter_map(edge).collect();
        let joints: Vec<[u32; 2]> = middle.joints.iter().filter_map(edge).collect();
        let edges = contacts.iter().chain(&joints);
        let graph = Graph::from_cliques(count, edges.map(|edge| &edge[..]));
        let WorkerSettings { growth, .. } = self.settings;
        let count = self.count;
        self.sets = match &mut self.published {
            None => Sets::new(&graph, &homes, &order, count, growth),
            Some(published) => {
                let (ids, homes, graph) = (&self.ids, &homes, &graph);
                let step = Constrained { ids, homes, graph, joints: &joints, contacts: &contacts };
                Sets::of_bodies(published.follow(&step, count, growth), &order, count)
            }
        };
        self.weights = Weights::new(&graph, &self.sets, growth);
        self.workers.iter_mut().for_each(|worker| worker.activate(&middle, &self.sets, &homes));
        homes
    }

    /// After: each worker of this rank has the states of its active bodies at the end of the step.
    fn advance(&mut self) -> Result<()> {
        let Self { whole, sets, workers, threads, .. } = self;
        let middle = whole.middle();
        each(workers, threads, |worker, threads| worker.advance(&middle, sets, threads));
        workers.iter_mut().try_for_each(|worker| worker.outcome())
    }

    /// The states of all bodies at the end of the step, by place. They are the same on all ranks.
    fn blend(&self) -> Result<Vec<BodyState>> {
        let all = self.all_states()?;
        let mut ends = vec![BodyState::AT_REST; self.whole.middle().bodies.len()];
        for of_body in by_body(&self.sets, &all).chunk_by(|a, b| a.0 == b.0) {
            let body = of_body[0].0;
            let end = &mut ends[body as usize];
            *end = match of_body {
                [(_, state)] => *state,
                _ => {
                    let weights = self.weights.of(body).map(|(_, weight)| weight);
                    let states = of_body.iter().map(|&(_, state)| state).zip(weights);
                    blended(self.whole.middle().bodies.id(body as usize), states)?
                }
            };
        }
        Ok(ends)
    }

    /// The largest error of velocity that blending has left at a constraint whose owner is a worker of
    /// this rank, m/s.
    fn residual_m_s(&mut self, ends: &[BodyState]) -> f64 {
        let Self { whole, sets, homes, published, workers, threads, .. } = self;
        let (middle, owner) = (whole.middle(), owner_by(homes, published.as_ref()));
        each(workers, threads, |worker, threads| {
            let number = worker.number();
            let counts = |first, second| owner(first, second) == number;
            worker.measure(&middle, sets, ends, &counts, threads);
        });
        workers.iter().map(|worker| worker.residual_m_s).fold(Join::Most.unknown(), f64::max)
    }

    /// After: all ranks have the bodies at the end of the step, and the impulses of the owners.
    fn join(&mut self, ends: &[BodyState]) -> Result<()> {
        let (impulses, joints) = self.all_impulses()?;
        self.whole.end_step(ends, impulses, joints)
    }

    /// The defect of the step, m, if it is asked for.
    fn defect_m(&self, ends: &[BodyState]) -> f64 {
        self.audit.as_ref().map_or(Join::Most.unknown(), |audit| audit.defect_m(ends))
    }

    /// [`Self::advance`] and [`Self::blend`] for workers that agree on impulses.
    fn agree(&mut self, homes: &[u8]) -> Result<Agreed> {
        let Self { settings, world, threads, whole, sets, agreement, .. } = self;
        let (sets, ranks) = ((&*sets, homes), (world as &dyn World, &*threads));
        agreement.reach(whole.middle(), sets, settings.local_sweeps, ranks)
    }

    /// The states of the active bodies of all workers, by rising worker.
    fn all_states(&self) -> Result<Vec<StateWords>> {
        let own = self.workers.iter().flat_map(|worker| worker.states.iter().map(state_words));
        message::all_gather_v(&self.world, &own.collect::<Vec<_>>())
    }

    /// The impulses of all constraints, each as its owner found it.
    fn all_impulses(&self) -> Result<(Vec<KeptImpulse>, Vec<KeptJoint>)> {
        let (mut contacts, mut joints) = (Vec::new(), Vec::new());
        let owner = owner_by(&self.homes, self.published.as_ref());
        for worker in &self.workers {
            let owns = |first, second| owner(first, second) == worker.number();
            let (of_contacts, of_joints) = worker.engine.impulses();
            contacts.extend(of_contacts.iter().filter(|kept| owns(kept.body, kept.partner)));
            joints.extend(of_joints.iter().filter(|kept| {
                let joint = &self.whole.middle().model.joints.all()[kept.joint as usize];
                owns(kept.body, joint.second.movable().unwrap_or(kept.body))
            }));
        }
        let contacts = message::all_gather_v(&self.world, &contacts)?;
        Ok((contacts, message::all_gather_v(&self.world, &joints)?))
    }

    fn count(&mut self, report: &mut RigidReport) {
        // All ranks see all bodies leave.
        let traffic = self.whole.take_traffic();
        report.traffic.left = if self.world.rank() == 0 { traffic.left } else { 0 };
        let own = self.own();
        let first = |joint: &ActiveJoint| self.ids[joint.ends().first as usize];
        let joints = self.whole.middle().joints.iter();
        for joint in joints.filter(|joint| own.contains(&self.home(first(joint)))) {
            report.joints += 1;
            report.joint_gap_m = report.joint_gap_m.max(joint.gap());
        }
        report.stopped = self.workers.iter().map(|worker| worker.stopped).sum();
        for worker in self.worker_reports() {
            report.bodies += worker.home;
            report.copies += worker.active - worker.home;
            report.sweeps = report.sweeps.max(worker.sweeps);
            report.constraints += worker.constraints;
        }
    }
}

/// The worker that answers for a constraint, by its two bodies.
fn owner_by<'a>(
    homes: &'a [u8],
    published: Option<&'a PublishedSets>,
) -> impl Fn(BodyId, BodyId) -> usize + Sync + 'a {
    move |first, second| {
        let home = usize::from(homes[first as usize]);
        published.map_or(home, |sets| sets.owner(home, [first, second]))
    }
}

/// Calls `work` with each of a rank's workers. Threads share the workers, or the work of the only one.
fn each(workers: &mut [Worker], threads: &Threads, work: impl Fn(&mut Worker, &Threads) + Sync) {
    let (outer, inner) = match workers.len() {
        1 => (&Threads::INLINE, threads),
        _ => (threads, &Threads::INLINE),
    };
    outer.for_each_patch(EachPatch(workers), 1, |_, worker| work(&mut worker.0[0], inner));
}

/// The states of `all` workers, by rising body, and for each body by rising worker.
fn by_body(sets: &Sets, all: &[StateWords]) -> Vec<(u32, BodyState)> {
    let members = (0..sets.count()).flat_map(|worker| sets.members(worker));
    let mut states: Vec<_> =
        members.zip(all).map(|(&body, words)| (body, state_of(words))).collect();
    states.sort_by_key(|&(body, _)| body);
    states
}

/// A contact in a message. Places are the same on all ranks.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ContactRecord {
    first: u32,
    second: u32,
    /// 1 if the second body is fixed.
    is_fixed: u32,
    feature: u32,
    shift: Vec3,
    point: Vec3,
    normal: Vec3,
    gap: f64,
}

impl From<&Contact> for ContactRecord {
    fn from(contact: &Contact) -> Self {
        let Contact { first, second, shift, feature, point, normal, gap } = *contact;
        let (second, is_fixed) = match second {
            Partner::Movable(place) => (place, 0),
            Partner::Fixed(place) => (place, 1),
        };
        Self { first, second, is_fixed, feature, shift, point, normal, gap }
    }
}

impl From<&ContactRecord> for Contact {
    fn from(record: &ContactRecord) -> Self {
        let ContactRecord { first, second, is_fixed, feature, shift, point, normal, gap } = *record;
        let second = if is_fixed == 1 { Partner::Fixed(second) } else { Partner::Movable(second) };
        Self { first, second, shift, feature, point, normal, gap }
    }
}

/// The contacts of all ranks, on all ranks. `middle` has those of this rank. They come in the order
/// of their ids, which does not depend on ranks.
///
/// # Errors
/// If a rank fails.
fn all_contacts(world: &dyn World, middle: &Middle) -> Result<Vec<Contact>> {
    // Each rank sorts its own: the ranks that get them only have to merge.
    let own = in_order(middle, middle.contacts);
    if world.size() == 1 {
        return Ok(own);
    }
    let own: Vec<ContactRecord> = own.iter().map(Into::into).collect();
    let all: Vec<Contact> = message::all_gather_v(world, &own)?.iter().map(Into::into).collect();
    Ok(in_order(middle, &all))
}

/// The contacts in the order of their ids.
fn in_order(middle: &Middle, contacts: &[Contact]) -> Vec<Contact> {
    let key = |(contact, at): (&Contact, u32)| {
        let second = middle.fixed.id_of(contact.second, &middle.bodies);
        (middle.bodies.id(contact.first as usize), second, contact.feature, at)
    };
    let mut keys: Vec<_> = contacts.iter().zip(0..).map(key).collect();
    // This sort is fast where lists are sorted one after the other.
    keys.sort();
    keys.into_iter().map(|(.., at)| contacts[at as usize]).collect()
}
