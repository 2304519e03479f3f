//! Reads a run folder of rigid bodies for a check.

use std::sync::Arc;

use cloth_core::error::{Error, Result};
use cloth_rigid::body::{Body, BodyId, Load, MaterialId};
use cloth_rigid::constraint::joint::Joint;
use cloth_rigid::shape::Shape;
use cloth_rigid::solid::MassProperties;
use cloth_rigid::{FrameBody, RigidModel, Synchronisation};
use cloth_scene::bodies::build::build_bodies;
use cloth_scene::bodies::division::Divided;
use cloth_scene::bodies::{Movement, RigidSetup};

use crate::program::check::Record;
use crate::program::output::formats::Source;

/// A run that is checked.
pub struct BodyRun {
    /// What it says about itself.
    pub record: Record,
    /// Its frames.
    pub source: Box<dyn Source>,
    /// Its scene, built again.
    pub setup: RigidSetup,
    /// The model on one rank.
    pub model: Arc<RigidModel>,
}

/// What a body of the scene is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Forces move it. It is in each frame until it leaves the domain.
    Free,
    /// Keyframes move it. It is in each frame.
    Keyframed,
    /// It is in no frame: it stands still, or no body has this id.
    Absent,
}

/// What is wrong with a body of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// Its numbers are not finite, or its rotation is none.
    Damaged,
    /// Its shape, size, material or group is not that of the scene.
    Changed,
    /// It is not where keyframes put it.
    Misplaced,
    /// It is there more than once.
    Doubled,
    /// The scene has no such body, or none that belongs into a frame.
    Unknown,
    /// Its centre is outside the domain.
    Outside,
    /// It was gone before.
    Back,
}

impl Wrong {
    /// What the list of faults says of such bodies.
    pub fn words(self) -> &'static str {
        match self {
            Self::Damaged => "numbers that no body has",
            Self::Changed => "another shape, size, material or group than in the scene",
            Self::Misplaced => "not where keyframes put them",
            Self::Doubled => "there more than once",
            Self::Unknown => "not in frames of this scene",
            Self::Outside => "outside the domain",
            Self::Back => "back after they were gone",
        }
    }
}

impl BodyRun {
    /// Reads everything except the frames.
    ///
    /// # Errors
    /// The errors of [`super::check_run`].
    pub fn open(record: Record) -> Result<Self> {
        let (source, folder) = (record.source()?, record.folder.as_path());
        if let Some((mesh, fault)) = record.meshes.first() {
            // Without the shapes nothing can be said about bodies.
            return Err(Error::file(folder.join(mesh), fault, "repeat the run"));
        }
        let setup = build_bodies(&record.scene, folder)?;
        let mut model = setup.model(&Divided::whole(setup.domain)?);
        // It takes bodies of any size.
        model.settings.synchronisation = Synchronisation::ShadowOwner;
        Ok(Self { record, source, setup, model: Arc::new(model) })
    }

    /// What else than contacts and joints may add to the energy of free bodies. None if nothing
    /// does.
    pub fn source_of_energy(&self) -> Option<&'static str> {
        let (gravity, periodic) =
            (self.setup.settings.contacts.gravity, self.setup.domain.periodic());
        let is_moved = self.setup.groups.iter().any(|it| it.movement == Movement::Keyframed);
        // A motor without a speed is a brake.
        let is_driven = |it: &Joint| it.settings.motor.is_some_and(|motor| motor.speed != 0.0);
        if is_moved {
            Some("keyframes move bodies")
        } else if self.setup.joints.all().iter().any(is_driven) {
            Some("motors drive joints")
        } else if (0..3).any(|axis| gravity[axis] != 0.0 && periodic[axis]) {
            Some("gravity acts across a periodic border")
        } else {
            None
        }
    }

    /// What the body `id` is.
    pub fn expected(&self, id: BodyId) -> Expected {
        let group = &self.setup.groups[self.setup.group_of(id)];
        match group.movement {
            _ if id - group.first_id.min(id) >= group.count => Expected::Absent,
            Movement::Free => Expected::Free,
            Movement::Keyframed => Expected::Keyframed,
            Movement::Immovable => Expected::Absent,
        }
    }

    /// The ids of all bodies that are in the first frame.
    pub fn ids(&self) -> impl Iterator<Item = BodyId> {
        let in_frames = self.setup.groups.iter().filter(|it| it.movement != Movement::Immovable);
        in_frames.flat_map(|group| group.first_id..group.first_id + group.count)
    }

    /// How a row differs from its body in the scene, if it does. Forces may take a free body
    /// anywhere; one that keyframes move has one place at `time_s` (s).
    pub fn difference(&self, row: &FrameBody, time_s: f64) -> Option<Wrong> {
        let reach = |shape: &Shape| self.setup.solids.reach(shape);
        let group = self.setup.group_of(row.id) as u32;
        let (expected, is_free) = match self.setup.body(row.id) {
            Some(body) => (FrameBody::of(&body, group, 0, reach), true),
            None => {
                let fixed = self.setup.fixed.bodies();
                let place = fixed.binary_search_by_key(&row.id, |body| body.id).ok()?;
                let times = [time_s, self.setup.settings.contacts.step_s];
                (FrameBody::of_fixed(&fixed[place], times, group, reach), false)
            }
        };
        if expected.constants() != row.constants() {
            return Some(Wrong::Changed);
        }
        (!is_free && expected != *row).then_some(Wrong::Misplaced)
    }

    /// The free body that `row` describes. None if the scene has no such shape or material.
    pub fn body(&self, row: &FrameBody) -> Option<Body> {
        let shape = row.shape()?;
        let solids = &self.setup.solids;
        if shape.solid().is_some_and(|id| id as usize >= solids.all().len()) {
            return None;
        }
        let material = MaterialId::try_from(row.material).ok()?;
        if usize::from(material) >= self.record.scene.materials.len() {
            return None;
        }
        let density = self.setup.materials.density(material);
        let MassProperties { mass, inertia } = solids.mass_properties(&shape, density);
        let (id, state) = (row.id, row.state());
        Some(Body { id, shape, material, mass, inertia, state, load: Load::NONE })
    }
}
