//! Welding: when a seam has closed, each two of its vertices become one.
//!
//! The model is then built anew from the setup of the scene, in which the faces of both have one of them
//! ([`cloth_bodies::bodies::weld`]). The new vertex is at their centre of mass and has their momentum. Patches
//! and their ranks stay. A stitch stays a thread where its weld would let surfaces cross or come too
//! near, or more than two faces meet at an edge, and where a pin or body holds one of its vertices.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contacts::active::ContactStage;
use crate::contacts::impulses::ImpulseStage;
use crate::model::Model;
use crate::model::sewing::{Sewing, Unwelded};
use crate::report::{Counter, StepReport};
use crate::simulation::Simulation;
use crate::simulation::balance::repartition;
use crate::state::State;
use crate::state::motion::StepMotion;
use crate::time::clock::TICKS_PER_STEP;
use crate::time::scheme::History;
use crate::watch::EnergyWatch;
use cloth_bodies::bodies::Setup;
use cloth_bodies::contact::ContactMemory;
use cloth_bodies::contact::fail_safe::FailSafe;
use cloth_collision::collision::CandidateFinder;
use cloth_collision::collision::intersect::troubled;
use cloth_core::error::{Error, Result};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;
use cloth_core::threads::Threads;

/// What becomes of a model by welds.
enum Welded {
    Model(Box<Model>),
    /// An edge would have more than two faces, or two with opposite fronts. These are its vertices.
    NotManifold([VertexId; 2]),
}

impl Model {
    /// The vertices that have become another one, and that one.
    pub(crate) fn welded_vertices(&self) -> &[[VertexId; 2]] {
        self.sewing.as_ref().map_or(&[], |sewing| &sewing.welded)
    }

    /// This model after the stitches of these numbers have been welded, and no others.
    ///
    /// # Errors
    /// Those of [`Model::with_bodies`].
    fn welded(&self, sewing: &Sewing, numbers: &[u32]) -> Result<Welded> {
        let welds = sewing.welds(numbers);
        let setup = match sewing.base.welded(&welds) {
            Ok(setup) => setup,
            Err(edge) => return Ok(Welded::NotManifold(edge.vertices)),
        };
        let setup = Setup { obstacles: self.obstacles.clone(), ..setup };
        let more = self.bodies[setup.bodies.len()..].to_vec();
        let partition = self.partition.clone();
        let mut model = Self::with_bodies(self.settings.clone(), setup, more, |_| Ok(partition))?;
        let (base, pairs) = (sewing.base.clone(), sewing.pairs.clone());
        model.sewing = Some(Sewing { base, pairs, welded: welds.pairs().collect() });
        Ok(Welded::Model(Box::new(model)))
    }

    /// The model that goes on from `state` at the end of a frame, in which seams may have closed, and
    /// its state. None if nothing is welded. The same on every rank.
    ///
    /// # Errors
    /// Those of [`Model::with_bodies`].
    pub(super) fn after_closing(&self, state: &State) -> Result<Option<(Self, State)>> {
        let Some(sewing) = &self.sewing else { return Ok(None) };
        let known = state.welded.as_deref().unwrap_or_default();
        let time_s = self.clock.seconds(state.ticks);
        let mut closed = sewing.closed(&state.positions, known, time_s);
        while !closed.is_empty() {
            let numbers = Vec::from_iter(BTreeSet::from_iter(known.iter().chain(&closed).copied()));
            let welds = sewing.welds(&numbers);
            let (next, in_trouble) = match self.welded(sewing, &numbers)? {
                Welded::NotManifold(edge) => (None, BTreeSet::from(edge)),
                Welded::Model(model) => {
                    let next = state.welded_by(self, &model, numbers);
                    let (x, clearance_m) =
                        (model.places(&next), model.settings.contact.clearance_m);
                    let found = troubled(&Threads::new(1)?, &model.surfaces, &x, clearance_m);
                    (Some((*model, next)), found)
                }
            };
            let before = closed.len();
            closed.retain(|&number| {
                let mut ends = sewing.pairs[number as usize].into_iter();
                ends.all(|end| !in_trouble.contains(&welds.of(end)))
            });
            if closed.len() == before {
                // Trouble elsewhere is none of the welds.
                return Ok(next);
            }
        }
        Ok(None)
    }

    /// The model in which a saved state has these `welded` stitches. None if it is this one.
    ///
    /// # Errors
    /// Those of [`Model::with_bodies`].
    pub(super) fn with_welds(&self, now: &State, saved: &State) -> Result<Option<Self>> {
        match (&self.sewing, &saved.welded) {
            (Some(sewing), Some(numbers)) if now.welded != saved.welded => {
                match self.welded(sewing, numbers)? {
                    Welded::Model(model) => Ok(Some(*model)),
                    Welded::NotManifold(_) => {
                        let remedy = "give what `save` returned for this scene";
                        Err(Error::input("the saved state", "its welds do not fit", remedy))
                    }
                }
            }
            _ => Ok(None),
        }
    }
}

impl State {
    /// This state of the model `before` in the model `after`, in which the stitches of these
    /// `numbers` are welded: at their centres of mass, with their momentum.
    fn welded_by(&self, before: &Model, after: &Model, numbers: Vec<u32>) -> Self {
        let mut next = self.clone();
        let (known, welded) = (before.welded_vertices(), after.welded_vertices());
        // The vertices that get new members, and all that they have then.
        let new = welded.iter().filter(|pair| known.binary_search(pair).is_err());
        let mut groups = BTreeMap::from_iter(new.map(|&[_, of]| (of, vec![of])));
        for &[vertex, of] in welded {
            if let Some(members) = groups.get_mut(&of) {
                members.push(vertex);
            }
        }
        let mass = |vertex: VertexId| before.cloth.masses[vertex as usize];
        let average = |values: &mut Vec<Vec3>| {
            for (&of, members) in &groups {
                let all: f64 = members.iter().map(|&it| mass(it)).sum();
                let weighted = members.iter().map(|&it| values[it as usize] * mass(it));
                values[of as usize] = weighted.sum::<Vec3>() / all;
            }
        };
        average(&mut next.positions);
        average(&mut next.velocities);
        average(&mut next.accelerations);
        next.history.iter_mut().flat_map(History::lists).for_each(average);
        let moved = BTreeSet::from_iter(groups.values().flatten().copied());
        let is_moved = |memory: &ContactMemory| {
            memory.pair.vertices.iter().any(|vertex| moved.contains(vertex))
        };
        next.contacts.retain(|memory| !is_moved(memory));
        (next.welded, next.energy) = (Some(numbers), None);
        next.follow_welds(after);
        next
    }

    /// Puts vertices that have become another one where that is. Nothing else depends on them, but
    /// frames show them.
    pub(super) fn follow_welds(&mut self, model: &Model) {
        let lists = [&mut self.positions, &mut self.velocities, &mut self.accelerations];
        for list in lists.into_iter().chain(self.history.iter_mut().flat_map(History::lists)) {
            let welded = model.welded_vertices().iter();
            welded.for_each(|&[vertex, of]| list[vertex as usize] = list[of as usize]);
        }
    }
}

impl Simulation<'_> {
    /// How many stitches of seams that weld are still threads, by cause.
    pub fn unwelded(&self) -> BTreeMap<Unwelded, usize> {
        let Some(sewing) = &self.model.sewing else { return BTreeMap::new() };
        let known = self.state.welded.as_deref().unwrap_or_default();
        sewing.unwelded(&self.state.positions, known, self.time_s())
    }

    /// After a step that ends a frame: welds the stitches that have closed. Collective.
    pub(super) fn weld(&mut self, report: &mut StepReport) -> Result<()> {
        let steps = u64::from(self.model.settings.steps_per_frame.at_most()).max(1);
        if !(self.state.ticks / TICKS_PER_STEP).is_multiple_of(steps) {
            return Ok(());
        }
        let Some((model, state)) = self.model.after_closing(&self.state)? else { return Ok(()) };
        let count = |state: &State| state.welded.as_ref().map_or(0, Vec::len);
        report.count(Counter::Welds, (count(&state) - count(&self.state)) as u64);
        self.state = state;
        self.go_on_with(model)
    }

    /// Welds what is welded in the `saved` state, and nothing else. Collective.
    pub(super) fn weld_as_in(&mut self, saved: &State) -> Result<()> {
        match self.model.with_welds(&self.state, saved)? {
            Some(model) => self.go_on_with(model),
            None => Ok(()),
        }
    }

    /// Replaces the model by one of the same patches.
    fn go_on_with(&mut self, model: Model) -> Result<()> {
        let Self { rank, state, stages, .. } = self;
        repartition(&model, rank.partition.clone(), rank, stages, &mut state.contacts)?;
        stages.motion = StepMotion::new(&model);
        stages.search.replace(CandidateFinder::new(&model.surfaces));
        stages.contacts = ContactStage::new(&model);
        (stages.impulses, stages.fail_safe) = (ImpulseStage::default(), FailSafe::default());
        stages.watch = EnergyWatch::new(&model);
        self.model = Arc::new(model);
        Ok(())
    }
}
