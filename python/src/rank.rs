//! What one rank of a simulation does.

use cloth_sim::engine::{BodyEngine, Engine, Frame};
use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use cloth_sim::observe::{ProcessorUse, SearchObserver, SearchOver};
use cloth_sim::rigid::{BodyId, RigidReport};
use cloth_sim::step::Simulation;
use cloth_sim::workers;
use serde::Serialize;

use cloth_sim::program::output::body_record::Bodies;
use cloth_sim::program::output::cloth_record::{Cloth, Searches};
use cloth_sim::program::output::record::StepRecord;

/// One rank's part of a simulation.
pub enum Rank<'w> {
    /// Cloth and what is among it.
    Cloth(Box<Simulation<'w>>),
    /// Rigid bodies alone, and the number of this rank.
    Bodies(Box<dyn BodyEngine<Report = RigidReport> + 'w>, usize),
}

/// Adds up how a rank and each of its processors spent the searches of a step.
#[derive(Default)]
struct SearchSums(Searches);

impl SearchObserver for SearchSums {
    fn searched(&mut self, search: &SearchOver) -> Result<()> {
        let Self(Searches { test_part_s, processors }) = self;
        let usage = || search.processors.usage();
        *test_part_s += search.processors.length_s();
        processors.resize(usage().count(), ProcessorUse::default());
        processors.iter_mut().zip(usage()).for_each(|(sum, one)| sum.add(one));
        Ok(())
    }
}

/// Calls the same functions of the engine of either kind.
macro_rules! either {
    ($rank:expr, $engine:ident => $call:expr) => {
        match $rank {
            Rank::Cloth($engine) => $call,
            Rank::Bodies($engine, _) => $call,
        }
    };
}

impl<'w> Rank<'w> {
    /// Its number.
    pub fn number(&self) -> usize {
        match self {
            Self::Cloth(cloth) => cloth.rank(),
            Self::Bodies(_, number) => *number,
        }
    }

    /// The simulation of cloth.
    ///
    /// # Errors
    /// In a scene of rigid bodies alone.
    pub fn cloth(&mut self) -> Result<&mut Simulation<'w>> {
        match self {
            Self::Cloth(cloth) => Ok(cloth),
            Self::Bodies(..) => {
                let cause = "this scene has rigid bodies and no cloth";
                Err(Error::input("simulation", cause, "use `bodies`, and `push` for forces"))
            }
        }
    }

    /// Does a step, in which `forces` (N, one for each cloth vertex) act, if there are any. Returns
    /// the line of `steps.jsonl` about it, if it is `asked` for.
    ///
    /// # Errors
    /// A step that fails, or forces that do not fit.
    pub fn step(&mut self, forces: Option<&[Vec3]>, asked: bool) -> Result<Option<String>> {
        let (rank, mut sums) = (self.number(), SearchSums::default());
        if forces.is_some() {
            self.cloth()?;
        }
        match self {
            Self::Cloth(cloth) => {
                let report = match forces {
                    Some(forces) => cloth.step_under(forces, &mut sums)?,
                    None => cloth.step_observed(&mut sums)?,
                };
                let (step, SearchSums(part)) = (cloth.steps(), sums);
                let record = StepRecord::<Cloth> { step, rank, part, report };
                asked.then(|| json(&record)).transpose()
            }
            Self::Bodies(engine, _) => {
                let (report, part) = (engine.step(&mut ())?, Default::default());
                let record = StepRecord::<Bodies> { step: engine.steps(), rank, part, report };
                asked.then(|| json(&record)).transpose()
            }
        }
    }

    /// See [`BodyEngine::push`].
    pub fn push(&mut self, body: BodyId, force: Vec3, torque: Vec3) {
        if let Self::Bodies(engine, _) = self {
            engine.push(body, force, torque);
        }
    }

    /// See [`Engine::frame`].
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn frame(&mut self) -> Result<Frame> {
        either!(self, engine => Engine::frame(&**engine))
    }

    /// Number of whole steps since the start, and time since then, s.
    pub fn time(&mut self) -> (u64, f64) {
        either!(self, engine => (engine.steps(), engine.time_s()))
    }

    /// See [`Engine::save`].
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn save(&mut self) -> Result<Vec<u8>> {
        either!(self, engine => engine.save())
    }

    /// See [`Engine::restore`].
    ///
    /// # Errors
    /// Bytes that are damaged or belong to another scene.
    pub fn restore(&mut self, saved: &[u8]) -> Result<()> {
        match self {
            Self::Cloth(cloth) => cloth.restore(saved),
            Self::Bodies(engine, _) if engine.workers().is_some() => engine.restore(saved),
            Self::Bodies(engine, _) => engine.restore(workers::bodies_of(saved)),
        }
    }

    /// See [`Engine::hash`].
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn hash(&mut self) -> Result<u64> {
        either!(self, engine => engine.hash())
    }
}

fn json(record: &impl Serialize) -> Result<String> {
    serde_json::to_string(record).map_err(|cause| Error::internal("the report of a step", cause))
}
