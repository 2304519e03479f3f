//! The scene as the user writes it in RON. `docs/scene.md` describes every field.
//!
//! Angles are in degrees, all other quantities in SI units. Vectors are `(x, y, z)`.
//! Shapes are declared in [`cloth_core::mesh::shapes`], materials in
//! [`cloth_bodies::bodies::cloth::material`], rigid bodies in [`crate::bodies::spec`].

mod attach;
mod engine;
mod fold;
mod loads;
mod map;
mod obstacle;
mod output;
mod pin;
mod samples;
mod seam;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize, Serializer};

use crate::bodies::joints::spec::JointSpec;
use crate::bodies::spec::{Bodies, BodyMaterial, DomainSpec, MaterialPair, Parallel};
pub use crate::keyframe::KeyframeSpec;
pub use attach::AttachSpec;
use cloth_bodies::bodies::cloth::Air;
use cloth_bodies::bodies::cloth::material::MaterialSpec;
use cloth_bodies::bodies::timed::AmplitudeKey;
use cloth_bodies::contact;
use cloth_collision::stealing;
use cloth_core::mesh::shapes::Shape;
use cloth_core::partition::methods::PartitionSettings;
use cloth_step::StepsPerFrame;
use cloth_step::{GravityKey, Solver};
pub use engine::EngineChoice;
pub use fold::FoldSpec;
pub use loads::{ForceSpec, MassSpec, PressedSide, PressureSpec};
pub use map::{Channel, MapSpec, Mapped, Numbers};
pub use obstacle::Obstacle;
pub use output::{Digits, FormatNames, Output, Polygons, VertexField};
pub use pin::PinSpec;
pub use samples::{PinchSpec, SamplesSpec};
pub use seam::{SeamSide, SeamSpec, Stitches};

/// A scene. Every field has a default, except a shape and a material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Names the run folder. The default is the scene file's own name.
    pub name: String,
    /// The seed of rigid bodies that are placed, turned or moved at random. Cloth has nothing random.
    pub seed: u64,
    /// Number of frames after the first one. The first frame shows the start.
    pub frames: u32,
    /// What computes it.
    pub engine: EngineChoice,
    /// Frames per simulated second.
    pub frames_per_second: f64,
    /// Time steps from one frame to the next.
    pub steps_per_frame: StepsPerFrame,
    /// Acceleration of gravity, m/s^2.
    pub gravity_m_per_s2: [f64; 3],
    /// Gravity over time, in a scene of cloth. If there are keys, they take the place of
    /// `gravity_m_per_s2`.
    pub gravity_keyframes: Vec<GravityKey>,
    /// The factor of all coefficients of friction over time, in a scene of cloth. Always 1 without keys.
    pub friction_keyframes: Vec<AmplitudeKey>,
    /// Drag and wind.
    pub air: Air,
    /// The cloths.
    pub cloths: Vec<Cloth>,
    /// What holds cloths together.
    pub seams: Vec<SeamSpec>,
    /// Surfaces whose motion is prescribed.
    pub obstacles: Vec<Obstacle>,
    /// Rigid bodies, alone or among cloth.
    pub bodies: Vec<Bodies>,
    /// The materials of rigid bodies, and of surfaces that `touch` names.
    pub materials: Vec<BodyMaterial>,
    /// Pairs of materials that do not meet by the mean of both.
    pub material_pairs: Vec<MaterialPair>,
    /// Pairs of cloths, bodies and obstacles that do not touch each other, by their names. A cloth and
    /// itself: it does not touch itself.
    pub apart: Vec<(String, String)>,
    /// What holds rigid bodies together.
    pub joints: Vec<JointSpec>,
    /// Where rigid bodies are, and how space is divided among ranks.
    pub domain: DomainSpec,
    /// Who computes rigid bodies: ranks by parts of the domain, or workers.
    pub parallel: Parallel,
    /// How ranks keep shadow copies of rigid bodies in step. Results do not depend on it.
    pub synchronisation: cloth_rigid::Synchronisation,
    /// How contacts change the velocities of rigid bodies.
    pub response: cloth_rigid::Response,
    /// Contact distance and friction.
    pub contact: contact::ContactSettings,
    /// How ranks share the search for contacts. Results do not depend on it.
    pub collision: stealing::StealingSettings,
    /// The linear solver.
    pub solver: Solver,
    /// Approximate number of vertices of a patch.
    pub patch_vertices: u32,
    /// How patches are divided among ranks. Results do not depend on it.
    pub partition: PartitionSettings,
    /// Each triangle of a cloth is cut into `refine` x `refine`.
    pub refine: u32,
    /// What is written, and how.
    pub output: Output,
}

/// The default of gravity, m/s^2.
pub(super) const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            seed: 0,
            frames: 25,
            engine: EngineChoice::default(),
            frames_per_second: 25.0,
            steps_per_frame: StepsPerFrame::Equal(40),
            gravity_m_per_s2: GRAVITY,
            gravity_keyframes: Vec::new(),
            friction_keyframes: Vec::new(),
            air: Air::default(),
            cloths: Vec::new(),
            seams: Vec::new(),
            obstacles: Vec::new(),
            bodies: Vec::new(),
            materials: Vec::new(),
            material_pairs: Vec::new(),
            apart: Vec::new(),
            joints: Vec::new(),
            domain: DomainSpec::default(),
            parallel: Parallel::default(),
            synchronisation: cloth_rigid::Synchronisation::default(),
            response: cloth_rigid::Response::default(),
            contact: contact::ContactSettings::default(),
            collision: stealing::StealingSettings::default(),
            solver: Solver::default(),
            patch_vertices: 256,
            partition: PartitionSettings::default(),
            refine: 1,
            output: Output::default(),
        }
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
            collision: self.collision,
            solver: self.solver,
            patch_vertices: self.patch_vertices,
            partition: self.partition,
            energy: self.output.energy,
        }
    }

    /// The path of each file that the scene names: meshes of cloths and of obstacles, samples of
    /// obstacles, meshes and places of rigid bodies, places of joints, then patterns and maps of cloths.
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

/// A cloth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// Unique in the scene. The default comes from the mesh file or the shape.
    #[serde(default)]
    pub name: Option<String>,
    /// Its surface.
    pub shape: Shape,
    /// Where it starts. The scale applies to its rest shape too.
    #[serde(default)]
    pub transform: Placement,
    /// Where its rest lengths come from.
    #[serde(default)]
    pub rest: Rest,
    /// Warp direction of faces without texture coordinates. It is given in the mesh's own
    /// coordinates and projected to each face.
    #[serde(default = "default_warp_axis")]
    pub warp_axis: [f64; 3],
    /// Its fabric.
    pub material: MaterialSpec,
    /// The fabric gets stiff where it is stretched nearly by this, in any direction in its plane. By
    /// default it does not.
    #[serde(default)]
    pub strain_limit: Option<f64>,
    /// How far vertices start off their place along their normals, at most, m. By default only cloth
    /// in a plane along which gravity and wind act starts so, by 1e-9 of its size.
    #[serde(default)]
    pub imperfection_m: Option<f64>,
    /// Name of the material that gives its friction and its contact distance. Without one `contact`
    /// does.
    #[serde(default)]
    pub touch: Option<String>,
    /// Rayleigh damping.
    #[serde(default)]
    pub damping: Damping,
    /// Numbers of its vertices, which multiply its settings.
    #[serde(default)]
    pub maps: Vec<MapSpec>,
    /// Edges that are folded at rest.
    #[serde(default)]
    pub folds: Vec<FoldSpec>,
    /// Vertices whose motion is prescribed.
    #[serde(default)]
    pub pins: Vec<PinSpec>,
    /// Vertices that bodies carry.
    #[serde(default)]
    pub attach: Vec<AttachSpec>,
    /// Forces on groups of vertices.
    #[serde(default)]
    pub forces: Vec<ForceSpec>,
    /// Pressures on its sides.
    #[serde(default)]
    pub pressures: Vec<PressureSpec>,
    /// Masses beside that of the fabric.
    #[serde(default)]
    pub masses: Vec<MassSpec>,
    /// Velocity at the start, m/s.
    #[serde(default)]
    pub velocity_m_per_s: [f64; 3],
    /// Angular velocity at the start about the centre of mass, rad/s.
    #[serde(default)]
    pub angular_velocity_rad_per_s: [f64; 3],
}

fn default_warp_axis() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

/// Scales, then rotates, then translates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// Uniform factor: metres per unit of the mesh.
    pub scale: f64,
    /// Axis of the rotation. Any length except zero.
    pub axis: [f64; 3],
    /// Angle, degrees.
    pub angle_deg: f64,
    /// Added last, m.
    pub translation_m: [f64; 3],
}

impl Default for Placement {
    fn default() -> Self {
        Self { scale: 1.0, axis: [0.0, 1.0, 0.0], angle_deg: 0.0, translation_m: [0.0; 3] }
    }
}

/// Where a cloth's rest lengths and rest angles come from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Rest {
    /// Both from the shape. Texture coordinates give the warp direction only.
    #[default]
    Shape,
    /// The lengths from the shape. The cloth is flat at rest.
    Flat,
    /// The texture coordinates: a sewing pattern. The cloth is flat at rest.
    Uv {
        /// Length of one unit of texture coordinates, m.
        metres_per_unit: f64,
    },
    /// A sewing pattern in an OBJ file of the same polygons, by its path relative to the scene file.
    /// The cloth is flat at rest.
    Obj(String),
}

impl Rest {
    fn path_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Obj(path) => Some(path),
            _ => None,
        }
    }
}

/// Rayleigh damping: coefficients of mass and of stiffness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Damping {
    /// Proportional to mass, 1/s.
    pub mass_per_s: f64,
    /// Proportional to stiffness, s.
    pub stiffness_s: f64,
}

/// A choice of vertices of one cloth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Select {
    /// By number, from 0 in the order of the file. With `refine`, the new vertices between
    /// chosen neighbours are chosen too.
    Vertices(Vec<u32>),
    /// All in an axis-parallel box of the scene.
    Box {
        /// Lower corner, m.
        min_m: [f64; 3],
        /// Upper corner, m.
        max_m: [f64; 3],
    },
    /// The vertex nearest to a point of the scene (m). If several are nearest, the first one.
    #[serde(serialize_with = "with_parentheses")]
    Nearest([f64; 3]),
    /// All vertices of the faces of an OBJ group.
    Group(String),
}

/// Keeps the parentheses of a point in [`Scene::to_ron`], which leaves out those of a choice.
fn with_parentheses<S: Serializer>(point: &[f64; 3], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_newtype_struct("Point", point)
}

/// A rigid motion by keyframes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Motion", default, deny_unknown_fields)]
pub struct MotionSpec {
    /// Centre of the rotations before any translation, m.
    pub center_m: [f64; 3],
    /// At least one, in ascending order of time.
    pub keyframes: Vec<KeyframeSpec>,
}
