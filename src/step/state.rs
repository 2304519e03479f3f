//! The state between two steps.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::bodies::cloth::pins::Captured;
use crate::bodies::prescribed::Rigid;
use crate::contact::ContactMemory;
use crate::error::Result;
use crate::ids::NodeId;
use crate::math::Vec3;
use crate::ranks::World;
use crate::step::control::StepControl;
use crate::step::dropped::Dropped;
use crate::step::model::Model;
use crate::step::waiting::{Present, Waiting};

/// The state between two steps: all that outlives a step. Frames are written from it.
#[derive(Debug, Clone)]
pub struct State {
    /// Time in ticks (see [`crate::step::clock::Clock`]).
    pub ticks: u64,
    /// The size of the next attempt; the same on every rank.
    pub control: StepControl,
    /// Positions of all cloth vertices, m; the same on every rank.
    pub positions: Vec<Vec3>,
    /// Velocities of all nodes, m/s (of a body's rotation rad/s); the same on every rank.
    pub velocities: Vec<Vec3>,
    /// Accelerations of all nodes in the last step, m/s^2 (of a body's rotation rad/s^2); those of
    /// free flight at the start. The next solve starts from them. The same on every rank.
    pub accelerations: Vec<Vec3>,
    /// Coordinates of each body of few nodes, as it understands them; the same on every rank.
    pub coordinates: Vec<Vec<f64>>,
    /// Where pinned vertices took hold, m; the same on every rank.
    pub captured: Captured,
    /// Prescribed bodies that are behind their motion: obstacles, then groups of pins; the same on
    /// every rank.
    pub waiting: Vec<Option<Waiting>>,
    /// Vertices of cloth that pass obstacles; the same on every rank.
    pub dropped: Dropped,
    /// What contacts that touch this rank's nodes remember, by rising pair.
    pub contacts: Vec<ContactMemory>,
}

impl State {
    /// That of `model` at t = 0.
    pub(super) fn start(model: &Model) -> Self {
        let mut velocities = vec![Vec3::zeros(); model.initial.len()];
        let mut accelerations = vec![model.gravity(); model.initial.len()];
        let mut coordinates = Vec::new();
        for body in &model.bodies {
            let (at, u) = body.start();
            accelerations.extend((0..u.len()).map(|node| {
                let inverse = body.mass(&at, node).try_inverse().unwrap_or_default();
                inverse * body.impulse(&at, &u, node, &model.gravity(), 1.0)
            }));
            coordinates.push(at);
            velocities.extend(u);
        }
        Self {
            ticks: 0,
            control: StepControl::new(),
            positions: model.initial.clone(),
            accelerations,
            velocities,
            coordinates,
            captured: model.cloth.pins.nothing_captured(),
            waiting: vec![None; model.obstacles.len() + model.cloth.pins.groups.len()],
            dropped: Dropped::default(),
            contacts: Vec::new(),
        }
    }

    /// Hash of the whole state over all ranks: time, the size of the next attempt, positions,
    /// velocities and coordinates in the mesh's own order, pins, bodies that wait, dropped pairs,
    /// and memories of contacts. The rank that `owns` the lowest node that a contact pushes counts
    /// its memory. The hash is the same for any number of ranks. Collective.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn hash(&self, world: &dyn World, owns: impl Fn(NodeId) -> bool) -> Result<u64> {
        let contacts = self.contacts.iter().filter(|memory| owns(memory.owner));
        let sum = contacts
            .map(|memory| xxh3_64(bytemuck::bytes_of(memory)))
            .fold(0_u64, u64::wrapping_add);
        let mut sum = [sum as i64];
        world.all_reduce_sum(&mut sum)?;

        let mut hash = Xxh3::new();
        hash.update(&self.ticks.to_le_bytes());
        self.control.numbers().iter().for_each(|number| hash.update(&number.to_le_bytes()));
        hash.update(&(self.waiting.iter().flatten().count() as u64).to_le_bytes());
        hash.update(bytemuck::cast_slice(&self.positions));
        hash.update(bytemuck::cast_slice(&self.velocities));
        hash.update(bytemuck::cast_slice(&self.accelerations));
        for body in &self.coordinates {
            hash.update(bytemuck::cast_slice(body));
        }
        for group in &self.captured {
            hash.update(&(group.len() as u64).to_le_bytes());
            hash.update(bytemuck::cast_slice(group));
        }
        for (body, waiting) in self.waiting.iter().enumerate() {
            if let Some(waiting) = waiting {
                hash.update(&(body as u64).to_le_bytes());
                waiting.add_to(&mut hash);
            }
        }
        self.dropped.add_to(&mut hash);
        hash.update(bytemuck::cast_slice(&sum));
        Ok(hash.digest())
    }

    /// What tells where prescribed bodies are.
    pub(super) fn present(&self) -> Present<'_> {
        Present { ticks: self.ticks, positions: &self.positions, captured: &self.captured }
    }

    /// Where the prescribed body `number` is, if it is behind its motion.
    pub(super) fn pose_of_waiting(&self, number: usize) -> Option<Rigid> {
        self.waiting[number].map(|waiting| waiting.pose)
    }
}
