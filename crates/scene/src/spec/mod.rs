//! The scene as the user writes it in RON. `docs/scene.md` describes every field.
//!
//! Angles are in degrees, all other quantities in SI units. Vectors are `(x, y, z)`.
//! Shapes are declared in [`cloth_core::mesh::shapes`], materials in
//! [`cloth_bodies::bodies::cloth::material`], rigid bodies in [`crate::bodies::spec`].

mod cloth;
mod motion;
mod output;
mod pin;
mod seam;
mod select;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::bodies::joints::spec::JointSpec;
use crate::bodies::spec::{Bodies, BodyMaterial, DomainSpec, MaterialPair, Parallel};
use cloth_bodies::bodies::cloth::Air;
use cloth_bodies::bodies::timed::AmplitudeKey;
use cloth_bodies::contact;
use cloth_collision::stealing::StealingSettings;
use cloth_core::bounds::*;
use cloth_core::mesh::shapes::Shape;
use cloth_core::partition::methods::PartitionSettings;
use cloth_core::settings;
use cloth_step::StepsPerFrame;
use cloth_step::{GravityKey, Solver};
pub(crate) use motion::check_speed;
pub(crate) use pin::not_negative_factors;

pub use cloth::{
    Cloth, Damping, FoldSpec, ForceSpec, MapSpec, Mapped, MassSpec, PressedSide, PressureSpec, Rest,
};
pub use motion::{KeyframeSpec, MotionSpec, Obstacle, PinchSpec, Placement, SamplesSpec};
pub use output::{Digits, FormatNames, Output, Polygons, VertexField};
pub use pin::{AttachSpec, PinSpec};
pub use seam::{SeamSide, SeamSpec, Stitches};
pub use select::{Channel, Numbers, Select};

settings! {
    /// A scene. Every field has a default, except a shape and a material.
    pub struct Scene {
        /// Names the run folder. The default is the scene file's own name.
        pub name: String = String::new(),
        /// The seed of rigid bodies that are placed, turned or moved at random. Cloth has nothing
        /// random.
        pub seed: u64 = 0,
        /// Number of frames after the first one. The first frame shows the start.
        pub frames: u32 = 25 => at_most(MOST_FRAMES),
        /// What computes it.
        pub engine: EngineChoice = EngineChoice::default(),
        /// Frames per simulated second.
        pub frames_per_second: f64 = 25.0 => positive,
        /// Time steps from one frame to the next.
        pub steps_per_frame: StepsPerFrame = StepsPerFrame::Equal(40),
        /// Acceleration of gravity, m/s^2.
        pub gravity_m_per_s2: [f64; 3] = GRAVITY => within(ACCELERATION),
        /// Gravity over time, in a scene of cloth. If there are keys, they take the place of
        /// `gravity_m_per_s2`.
        pub gravity_keyframes: Vec<GravityKey> = Vec::new() => keys,
        /// The factor of all coefficients of friction over time, in a scene of cloth. Always 1
        /// without keys.
        pub friction_keyframes: Vec<AmplitudeKey> = Vec::new() => keys,
        /// Drag and wind.
        pub air: Air = Air::default(),
        /// The cloths.
        pub cloths: Vec<Cloth> = Vec::new(),
        /// What holds cloths together.
        pub seams: Vec<SeamSpec> = Vec::new(),
        /// Surfaces whose motion is prescribed.
        pub obstacles: Vec<Obstacle> = Vec::new(),
        /// Rigid bodies, alone or among cloth.
        pub bodies: Vec<Bodies> = Vec::new(),
        /// The materials of rigid bodies, and of surfaces that `touch` names.
        pub materials: Vec<BodyMaterial> = Vec::new(),
        /// Pairs of materials that do not meet by the mean of both.
        pub material_pairs: Vec<MaterialPair> = Vec::new(),
        /// Pairs of cloths, bodies and obstacles that do not touch each other, by their names. A
        /// cloth and itself: it does not touch itself.
        pub apart: Vec<(String, String)> = Vec::new(),
        /// What holds rigid bodies together.
        pub joints: Vec<JointSpec> = Vec::new(),
        /// Where rigid bodies are, and how space is divided among ranks.
        pub domain: DomainSpec = DomainSpec::default(),
        /// Who computes rigid bodies: ranks by parts of the domain, or workers.
        pub parallel: Parallel = Parallel::default(),
        /// How ranks keep shadow copies of rigid bodies in step. Results do not depend on it.
        pub synchronisation: cloth_rigid::Synchronisation = cloth_rigid::Synchronisation::default(),
        /// How contacts change the velocities of rigid bodies.
        pub response: cloth_rigid::Response = cloth_rigid::Response::default(),
        /// Contact distance and friction.
        pub contact: contact::ContactSettings = contact::ContactSettings::default(),
        /// The search for contacts. Results do not depend on it.
        pub collision: Collision = Collision::default(),
        /// The linear solver.
        pub solver: Solver = Solver::default(),
        /// Approximate number of vertices of a patch.
        pub patch_vertices: u32 = 256 => at_least_one,
        /// How patches are divided among ranks. Results do not depend on it.
        pub partition: PartitionSettings = PartitionSettings::default(),
        /// Each triangle of a cloth is cut into `refine` x `refine`.
        pub refine: u32 = 1 => count(MOST_REFINE, ""),
        /// What is written, and how.
        pub output: Output = Output::default(),
    }
}

/// Which engine computes a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineChoice {
    /// Rigid bodies alone by parts of the domain, and all scenes with cloth by contacts.
    #[default]
    Auto,
    /// Contacts: all surfaces stay apart, also those of rigid bodies alone.
    Contact,
}

/// The default of gravity, m/s^2.
pub(super) const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

settings! {
    /// The search for contacts.
    #[derive(Copy, Eq)]
    pub struct Collision {
        /// Whether a processor with nothing to do takes tasks from others.
        pub stealing: bool = true,
    }
}

impl Scene {
    /// The settings of the simulation. Its bodies are not among them.
    pub fn settings(&self) -> cloth_step::StepSettings {
        cloth_step::StepSettings {
            frames_per_second: self.frames_per_second,
            steps_per_frame: self.steps_per_frame,
            gravity_m_per_s2: self.gravity_m_per_s2,
            gravity_keyframes: self.gravity_keyframes.clone(),
            friction_keyframes: self.friction_keyframes.clone(),
            air: self.air.clone(),
            contact: self.contact,
            collision: StealingSettings {
                stealing: self.collision.stealing,
                ..StealingSettings::default()
            },
            solver: self.solver,
            patch_vertices: self.patch_vertices,
            partition: self.partition,
            energy: self.output.energy,
        }
    }

    /// The path of each file that the scene names: meshes of cloths and of obstacles, samples of
    /// obstacles, meshes and places of rigid bodies, places of joints, then patterns and maps of
    /// cloths.
    pub fn mesh_paths_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let (mut cloths, mut others) = (Vec::new(), Vec::new());
        for cloth in &mut self.cloths {
            cloths.push(&mut cloth.shape);
            others.extend(cloth.rest.path_mut());
            others.extend(cloth.maps.iter_mut().filter_map(|map| map.from.path_mut()));
            others.extend(cloth.pins.iter_mut().filter_map(PinSpec::path_mut));
        }
        let (shapes, samples): (Vec<_>, Vec<_>) = self
            .obstacles
            .iter_mut()
            .map(|obstacle| (&mut obstacle.shape, obstacle.samples.as_mut()))
            .unzip();
        let shapes = cloths.into_iter().chain(shapes);
        let meshes = shapes.filter_map(|shape| match shape {
            Shape::Mesh(path) => Some(path),
            _ => None,
        });
        let samples = samples.into_iter().flatten().map(|samples| &mut samples.file);
        let meshes =
            meshes.chain(samples).chain(self.bodies.iter_mut().flat_map(Bodies::paths_mut));
        let meshes = meshes.chain(self.joints.iter_mut().filter_map(JointSpec::path_mut));
        meshes.chain(others)
    }

    /// Whether it has rigid bodies and no cloth.
    pub fn has_bodies_alone(&self) -> bool {
        self.cloths.is_empty() && !self.bodies.is_empty()
    }

    /// Whether the engine of rigid bodies computes it, by parts of a domain.
    pub fn is_divided(&self) -> bool {
        self.has_bodies_alone() && self.engine == EngineChoice::Auto
    }

    /// Size of the smallest whole time step, s. It is the unit of step numbers.
    pub fn step_s(&self) -> f64 {
        1.0 / (self.frames_per_second * f64::from(self.steps_per_frame.at_most()))
    }

    /// Size of the largest time step, s.
    pub fn largest_step_s(&self) -> f64 {
        1.0 / (self.frames_per_second * f64::from(self.steps_per_frame.at_least()))
    }

    /// Number of the last step.
    pub fn steps(&self) -> u64 {
        u64::from(self.frames) * u64::from(self.steps_per_frame.at_most())
    }
}
