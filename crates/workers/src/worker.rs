//! A worker, on the rank that has it.

use std::time::Instant;

use crate::engine::{EngineKind, Own, WorkerEngine};
#[cfg(feature = "rapier")]
use crate::rapier::Rapier;
use crate::report::WorkerReport;
use crate::sets::Sets;
#[cfg(feature = "rapier")]
use crate::settings::WorkerCount;
use crate::settings::WorkerSettings;
use cloth_core::report::Join;
use cloth_core::{Error, Result, Threads};
use cloth_rigid::constraint::Between;
use cloth_rigid::simulation::split_step::{Members, Middle};
use cloth_rigid::solver::Solved;
use cloth_rigid::{BodyId, BodyState, RigidSimulation, Twist};

/// A worker, on the rank that has it.
#[derive(Debug)]
pub(super) struct Worker {
    /// What it did in the last step.
    pub report: WorkerReport,
    /// Its active bodies that stopped in the last step.
    pub stopped: u64,
    pub engine: Box<dyn WorkerEngine>,
    /// Places of the constraints whose movable bodies are active, rising.
    contacts: Vec<u32>,
    joints: Vec<u32>,
    /// The states of its active bodies at the end of the step.
    pub states: Vec<BodyState>,
    /// See [`Worker::measure`].
    pub residual_m_s: f64,
    failed: Option<Error>,
}

impl Worker {
    /// Worker `number` of the bodies of `whole`.
    ///
    /// # Errors
    /// If its engine cannot have the bodies.
    pub fn new(
        number: usize,
        settings: &WorkerSettings,
        whole: &RigidSimulation<'static>,
    ) -> Result<Self> {
        Ok(Self {
            report: WorkerReport { worker: number as u64, ..WorkerReport::default() },
            stopped: 0,
            engine: engine(number, settings, whole)?,
            contacts: Vec::new(),
            joints: Vec::new(),
            states: Vec::new(),
            residual_m_s: Join::Most.unknown(),
            failed: None,
        })
    }

    /// Its number.
    pub fn number(&self) -> usize {
        self.report.worker as usize
    }

    /// After: it knows the constraints of its active bodies. `homes` has the home of each place.
    pub fn activate(&mut self, middle: &Middle, sets: &Sets, homes: &[u8]) {
        let number = self.number();
        find(middle.contacts, sets, number, &mut self.contacts);
        find(middle.joints, sets, number, &mut self.joints);
        let members = sets.members(number);
        let count =
            |is: &dyn Fn(u32) -> bool| members.iter().filter(|&&body| is(body)).count() as u64;
        self.report = WorkerReport {
            home: count(&|body| usize::from(homes[body as usize]) == number),
            active: members.len() as u64,
            shared: count(&|body| sets.is_shared(body)),
            contacts: self.contacts.len() as u64,
            joints: self.joints.len() as u64,
            ..self.report
        };
    }

    /// After: it has the states of its active bodies at the end of the step, unless
    /// [`Worker::outcome`] says otherwise.
    pub fn advance(&mut self, middle: &Middle, sets: &Sets, threads: &Threads) {
        let start = Instant::now();
        let Self { contacts, joints, states, engine, .. } = self;
        let bodies = sets.members(self.report.worker as usize);
        let of = Members { bodies, contacts, joints };
        match engine.advance(middle, &of, threads, states) {
            Ok(Solved { constraints, sweeps, stopped }) => {
                (self.report.constraints, self.report.sweeps) = (constraints, sweeps);
                self.stopped = stopped;
            }
            Err(error) => self.failed = Some(error),
        }
        self.report.seconds = start.elapsed().as_secs_f64();
    }

    /// After: it has the residual of the constraints that `counts` tells by their bodies, with the
    /// velocities that blending gives the bodies. `ends` has their states by place.
    pub fn measure(
        &mut self,
        middle: &Middle,
        sets: &Sets,
        ends: &[BodyState],
        counts: &(dyn Fn(BodyId, BodyId) -> bool + Sync),
        threads: &Threads,
    ) {
        let start = Instant::now();
        let places = sets.members(self.number()).iter().map(|&place| place as usize);
        let change = |(place, own): (usize, &BodyState)| Twist {
            angular: ends[place].twist.angular - own.twist.angular,
            linear: ends[place].twist.linear - own.twist.linear,
        };
        let changes: Vec<Twist> = places.zip(&self.states).map(change).collect();
        self.residual_m_s = self.engine.residual_m_s(middle, &changes, counts, threads);
        self.report.seconds += start.elapsed().as_secs_f64();
    }

    /// Whether the last step went well.
    ///
    /// # Errors
    /// What went wrong.
    pub fn outcome(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }
}

fn engine(
    number: usize,
    settings: &WorkerSettings,
    whole: &RigidSimulation<'static>,
) -> Result<Box<dyn WorkerEngine>> {
    match settings.engine_of(number) {
        EngineKind::Own => Ok(Box::new(Own(whole.part_solver()))),
        #[cfg(feature = "rapier")]
        EngineKind::Rapier => {
            Ok(Box::new(Rapier::new(whole, settings.count == WorkerCount::Fixed(1))?))
        }
        // The settings have refused it.
        #[cfg(not(feature = "rapier"))]
        EngineKind::Rapier => Err(Error::internal("engine", "built without `rapier`")),
    }
}

/// The two movable bodies of a constraint, by their places.
pub(super) fn edge(constraint: &impl Between) -> Option<[u32; 2]> {
    let ends = constraint.ends();
    ends.second.movable().map(|second| [ends.first, second])
}

/// Writes to `found` the places of the constraints whose movable bodies `worker` has active.
fn find<C: Between>(all: &[C], sets: &Sets, worker: usize, found: &mut Vec<u32>) {
    let has = |constraint: &C| match edge(constraint) {
        Some([first, second]) => sets.has(worker, first) && sets.has(worker, second),
        None => sets.has(worker, constraint.ends().first),
    };
    found.clear();
    let inside = all.iter().zip(0..).filter(|&(constraint, _)| has(constraint));
    found.extend(inside.map(|(_, place)| place));
}
