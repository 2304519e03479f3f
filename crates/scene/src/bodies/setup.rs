//! What all ranks share of a scene of rigid bodies, before space is divided.

use crate::bodies::spec::{Division, DomainSpec, Parallel};
use cloth_core::partition::methods::Repartition;
use cloth_rigid::RigidSettings;
use cloth_rigid::body::{Body, BodyId};
use cloth_rigid::constraint::joint::Joints;
use cloth_rigid::domain::Domain;
use cloth_rigid::fixed::FixedBodies;
use cloth_rigid::generate::Generator;
use cloth_rigid::material::Materials;
use cloth_rigid::solid::Solids;

/// What moves the bodies of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// Forces and contacts.
    Free,
    /// Nothing.
    Immovable,
    /// Keyframes.
    Keyframed,
}

/// Bodies with consecutive ids: an entry of `bodies`, or a wall.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name in the scene.
    pub name: String,
    /// The id of the first body.
    pub first_id: BodyId,
    /// Number of bodies.
    pub count: u64,
    /// What moves them.
    pub movement: Movement,
}

/// What all ranks share of a scene of rigid bodies, before space is divided.
#[derive(Debug, Clone)]
pub struct RigidSetup {
    /// All groups, by rising ids. Walls are the last ones.
    pub groups: Vec<Group>,
    /// Settings.
    pub settings: RigidSettings,
    /// Where the bodies are.
    pub domain: Domain,
    /// How it is divided.
    pub spec: DomainSpec,
    /// Bodies that do not give way.
    pub fixed: FixedBodies,
    /// How bodies meet.
    pub materials: Materials,
    /// Hulls and meshes.
    pub solids: Solids,
    /// What holds bodies together.
    pub joints: Joints,
    /// Who computes them.
    pub parallel: Parallel,
    /// What makes the free bodies.
    pub(super) generators: Vec<Generator>,
}

impl RigidSetup {
    /// Number of free bodies.
    pub fn body_count(&self) -> u64 {
        self.generators.iter().map(Generator::count).sum()
    }

    /// Number of bodies in a frame: free ones, and those that keyframes move.
    pub fn moving_count(&self) -> u64 {
        let moving = self.groups.iter().filter(|group| group.movement != Movement::Immovable);
        moving.map(|group| group.count).sum()
    }

    /// When power cells follow the measured work. A grid stays.
    pub fn repartition(&self) -> Repartition {
        match self.spec.method {
            Division::Grid(..) => Repartition::Never,
            Division::PowerCells => self.spec.repartition,
        }
    }

    /// The group of a body, by its place in `groups`.
    pub fn group_of(&self, id: BodyId) -> usize {
        group_of(&self.groups, id)
    }

    /// A free body as it is at the start.
    pub fn body(&self, id: BodyId) -> Option<Body> {
        body(&self.generators, id)
    }

    /// What a user calls a body: `balls[17]`, or the name of a group of one.
    pub fn name_of(&self, id: BodyId) -> String {
        name_of(&self.groups, id)
    }

    /// The radius of the largest ball about the centre of mass that holds a free body, m.
    pub(super) fn largest_reach(&self) -> f64 {
        self.generators.iter().map(|it| it.extent()[1]).fold(0.0, f64::max)
    }
}

/// A free body of one of the `generators` as it is at the start.
pub(super) fn body(generators: &[Generator], id: BodyId) -> Option<Body> {
    let after = generators.partition_point(|generator| generator.first_id <= id);
    let generator = &generators[after.checked_sub(1)?];
    let number = id - generator.first_id;
    (number < generator.count()).then(|| generator.body(number))
}

/// The group of a body, by its place in `groups`.
fn group_of(groups: &[Group], id: BodyId) -> usize {
    groups.partition_point(|group| group.first_id <= id).saturating_sub(1)
}

/// What a user calls a body of one of the `groups`: see [`RigidSetup::name_of`].
pub(super) fn name_of(groups: &[Group], id: BodyId) -> String {
    let group = &groups[group_of(groups, id)];
    match group.count {
        1 => group.name.clone(),
        _ => format!("{}[{}]", group.name, id - group.first_id),
    }
}
