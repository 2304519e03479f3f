//! The state between two steps.

pub(crate) mod accuracy;
mod base;
pub(crate) mod bdf2;
pub mod body_terms;
pub(crate) mod context;
pub mod control;
pub(crate) mod joint_springs;
pub(crate) mod motion;
mod predict;
pub mod region;
pub(crate) mod saved;
pub(crate) mod skin_motion;
mod start;
pub(crate) mod step_start;
pub(crate) mod trouble;
pub mod waiting;

use std::iter::zip;

use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::model::skin::Released;
use crate::state::control::StepControl;
use crate::state::waiting::{Present, Waiting};
use crate::time::clock::TICKS_PER_STEP;
use crate::time::scheme::{History, Integrator, saved_history};
use cloth_bodies::bodies::BodyPose;
use cloth_bodies::bodies::cloth::pins::{Captured, PinGroup};
use cloth_bodies::bodies::prescribed::PrescribedPose;
use cloth_bodies::contact::ContactMemory;
use cloth_core::math::Vec3;

/// The state between two steps: everything that one step passes to the next. Frames are written
/// from it.
///
/// It is saved and hashed as a whole (see [`crate::Simulation::save`]), so a new field is
/// part of both.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    /// Time in ticks (see [`crate::time::clock::Clock`]).
    pub ticks: u64,
    /// The size of the next attempt; the same on every rank.
    pub control: StepControl,
    /// Energy at the end of the last step, the same on every rank. None if it is not known: at the
    /// start, and after the caller has changed the motion.
    pub energy: Option<Energy>,
    /// Positions of all cloth vertices, m; the same on every rank.
    pub positions: Vec<Vec3>,
    /// Mean velocities of all nodes in the last whole step, m/s; the same on every rank. With Euler
    /// they are the velocities at its end.
    pub velocities: Vec<Vec3>,
    /// Changes a second of these velocities in the last step, m/s^2; the same on every
    /// rank. At the start they are those of free flight. The next solve starts from them.
    pub accelerations: Vec<Vec3>,
    /// What BDF2 knows of the last step of each cloth vertex; the same on every rank. None with Euler.
    #[serde(with = "saved_history")]
    pub history: Option<History>,
    /// Coordinates of each body of few nodes; the same on every rank. Each body defines their
    /// meaning.
    pub coordinates: Vec<Vec<f64>>,
    /// Where pinned vertices took hold, m; the same on every rank.
    pub captured: Captured,
    /// Prescribed bodies that are behind their motion: obstacles, then groups of pins; the same on
    /// every rank.
    pub waiting: Vec<Option<Waiting>>,
    /// Always 0. States had a list here; its place keeps their bytes and hashes.
    pub(crate) reserved: u8,
    /// The memories of contacts that touch this rank's nodes, by rising pair. A saved state has
    /// those of all ranks.
    pub contacts: Vec<ContactMemory>,
    /// Vertices of skin that give way; the same on every rank. These and the next are saved behind all
    /// else, if there are any.
    #[serde(skip)]
    pub released: Released,
    /// The force that held the points of each joint together on its first body, N; the same on every
    /// rank.
    #[serde(skip)]
    pub joint_forces: Vec<Vec3>,
    /// The numbers of the stitches that have been welded, rising; the same on every rank. None if no seam
    /// of the scene welds.
    #[serde(skip)]
    pub welded: Option<Vec<u32>>,
}

impl State {
    /// The state of `model` at t = 0.
    pub(crate) fn start(model: &Model) -> Self {
        let of_cloth = model.cloth.start_velocities(&model.initial);
        let mut velocities = of_cloth.clone();
        let (gravity, step_s) = (model.gravity(0.0), model.clock.seconds(TICKS_PER_STEP));
        let mut accelerations = vec![gravity; model.initial.len()];
        let mut coordinates = Vec::new();
        for body in &model.bodies {
            let (at, u) = body.start();
            let flown = body.flown(&at, &u, &gravity, step_s);
            accelerations.extend(flown.iter().zip(&u).map(|(flown, u)| (flown - u) / step_s));
            coordinates.push(at);
            velocities.extend(u);
        }
        accelerations.resize(model.numbering.nodes(), Vec3::zeros());
        velocities.resize(model.numbering.nodes(), Vec3::zeros());
        let mut state = Self {
            ticks: 0,
            control: StepControl::new(),
            energy: None,
            positions: model.initial.clone(),
            accelerations,
            velocities,
            history: None,
            coordinates,
            captured: model.cloth.pins.nothing_captured(),
            waiting: vec![None; model.obstacles.len() + model.cloth.pins.groups.len()],
            reserved: 0,
            contacts: Vec::new(),
            released: Released::default(),
            joint_forces: vec![Vec3::zeros(); model.joints.len()],
            welded: model.sewing.as_ref().map(|_| Vec::new()),
        };
        state.set_velocities(model, &of_cloth);
        state
    }

    /// Velocities of all cloth vertices, m/s.
    pub(crate) fn cloth_velocities(&self) -> &[Vec3] {
        match &self.history {
            None => &self.velocities[..self.positions.len()],
            Some(history) => &history.velocities,
        }
    }

    /// Sets the velocities of all cloth vertices, m/s. With BDF2 they have fallen freely so far.
    pub(crate) fn set_velocities(&mut self, model: &Model, velocities: &[Vec3]) {
        match model.settings.solver.integrator {
            Integrator::Euler => self.velocities[..velocities.len()].copy_from_slice(velocities),
            Integrator::Bdf2 => {
                let gravity = model.gravity(model.clock.seconds(self.ticks));
                self.history = Some(History {
                    velocities: velocities.to_vec(),
                    accelerations: vec![gravity; velocities.len()],
                });
                self.set_mean_velocities(model);
            }
        }
    }

    /// Sets the mean velocities that belong to the history, after a step that was not of BDF2 or
    /// had another size. So a step of BDF2 from there on is exact for a constant force.
    fn set_mean_velocities(&mut self, model: &Model) {
        let half_s = 0.5 * model.clock.seconds(self.control.ticks.max(TICKS_PER_STEP));
        let Some(History { velocities, accelerations }) = &self.history else { return };
        for (mean, (v, a)) in zip(&mut self.velocities, zip(velocities, accelerations)) {
            *mean = v - a * half_s;
        }
    }

    /// Makes the mean velocities those for the size of the next attempt, if the last one had
    /// another: `ticks`.
    pub(crate) fn change_size(&mut self, model: &Model, ticks: u64) {
        if ticks.max(TICKS_PER_STEP) != self.control.ticks.max(TICKS_PER_STEP) {
            self.set_mean_velocities(model);
        }
    }

    /// After a step of `ticks`: if pins held or drew in it that do not any more, BDF2 must forget it.
    pub(crate) fn let_go(&mut self, model: &Model, ticks: u64) {
        let [t0_s, t1_s] = [self.ticks - ticks, self.ticks].map(|it| model.clock.seconds(it));
        let ends = |it: &PinGroup| it.is_active(t0_s) && !it.is_active(t1_s);
        let is_bdf2 = model.settings.solver.integrator == Integrator::Bdf2;
        if is_bdf2 && model.cloth.pins.groups.iter().any(ends) {
            self.control.forget();
        }
    }

    /// Makes a state in which no skin gives way fit a `model` in which other obstacles yield.
    fn fit_skins(&mut self, model: &Model) {
        let (nodes, others) = (model.numbering.nodes(), model.numbering.nodes_of_bodies().end);
        for of_nodes in [&mut self.velocities, &mut self.accelerations] {
            let lacks_skin = of_nodes.len() >= others && of_nodes.len() != nodes;
            if lacks_skin && self.released.is_empty() {
                of_nodes.truncate(others);
                of_nodes.resize(nodes, Vec3::zeros());
            }
        }
    }

    /// The first part that does not fit `model`. None if this can be one of its states.
    fn misfit(&self, model: &Model) -> Option<&'static str> {
        let (numbering, start) = (&model.numbering, Self::start(model));
        let sizes_of = |it: &Option<History>| it.as_ref().map(History::sizes);
        let sizes = |lists: &[Vec<f64>]| Vec::from_iter(lists.iter().map(Vec::len));
        let is_captured = |(group, held): (&PinGroup, &Vec<Vec3>)| {
            held.is_empty() || held.len() == group.vertices.len()
        };
        let is_known = |contact: &ContactMemory| {
            let vertices = contact.pair.vertices.iter();
            vertices.map(|&it| it as usize).all(|it| it < numbering.vertices())
                && (contact.owner as usize) < numbering.nodes()
        };
        let groups = &model.cloth.pins.groups;
        let fits = [
            (
                "time and step size",
                self.control.is_possible(model.clock.largest())
                    && self.ticks.is_multiple_of(TICKS_PER_STEP),
            ),
            ("positions", self.positions.len() == start.positions.len()),
            ("velocities", self.velocities.len() == start.velocities.len()),
            ("accelerations", self.accelerations.len() == start.accelerations.len()),
            ("velocities", sizes_of(&self.history) == sizes_of(&start.history)),
            ("bodies", sizes(&self.coordinates) == sizes(&start.coordinates)),
            (
                "pins",
                self.captured.len() == groups.len() && zip(groups, &self.captured).all(is_captured),
            ),
            ("waiting bodies", self.waiting.len() == start.waiting.len()),
            ("released vertices", self.released.fits(numbering)),
            (
                "welds",
                match (&model.sewing, &self.welded) {
                    (Some(sewing), Some(numbers)) => {
                        self.positions.len() == start.positions.len()
                            && sewing.fits(numbers, &self.positions)
                    }
                    (None, None) => true,
                    _ => false,
                },
            ),
            ("joints", self.joint_forces.len() == start.joint_forces.len()),
            ("reserved byte", self.reserved == 0),
            (
                "contacts",
                self.contacts.is_sorted_by_key(|it| it.pair) && self.contacts.iter().all(is_known),
            ),
        ];
        fits.into_iter().find(|(_, fits)| !fits).map(|(what, _)| what)
    }

    /// The poses of the bodies of few nodes that have one, in their order.
    pub fn body_poses(&self, model: &Model) -> Vec<BodyPose> {
        let bodies = zip(&model.bodies, zip(model.numbering.bodies(), &self.coordinates));
        let poses = bodies.filter_map(|(body, (range, coordinates))| {
            let own = range.nodes.start as usize..range.nodes.end as usize;
            body.pose(coordinates, &self.velocities[own])
        });
        poses.collect()
    }

    /// The parts of the state that locate prescribed bodies.
    pub(crate) fn present(&self) -> Present<'_> {
        Present { ticks: self.ticks, positions: &self.positions, captured: &self.captured }
    }

    /// Leads the vertices of pin group `group` to `places` (m).
    pub(crate) fn lead(&mut self, model: &Model, group: usize, places: impl Iterator<Item = Vec3>) {
        let mut led_m: f64 = 0.0;
        for (held, place) in zip(&mut self.captured[group], places) {
            led_m = led_m.max((place - *held).norm());
            *held = place;
        }
        if let Some(waiting) = &mut self.waiting[model.obstacles.len() + group] {
            waiting.led_m = waiting.led_m.max(led_m);
        }
    }

    /// Where the prescribed body `number` is, if it is behind its motion.
    pub(crate) fn pose_of_waiting(&self, number: usize) -> Option<PrescribedPose> {
        self.waiting[number].map(|waiting| waiting.pose)
    }
}

/// The energy of cloths and bodies. Part of the state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic, elastic and gravitational energy, J.
    pub total_j: f64,
    /// The same without the energy of the weight, J.
    pub internal_j: f64,
    /// What earlier steps have lost and this scheme may give back, J.
    pub late_j: f64,
    /// What has risen without work lately, beyond the share of a second that is allowed, J. It is
    /// saved only if it is not zero.
    #[serde(skip)]
    pub risen_j: f64,
}
