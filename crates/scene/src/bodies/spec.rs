//! Rigid bodies as the user writes them in RON. `docs/scene.md` describes every field.

use cloth_core::bounds::{
    DENSITY, FRICTION, LENGTH, finite, not_negative, positive_within, within,
};
use cloth_core::settings;
use serde::{Deserialize, Serialize};

use crate::bodies::check::restitution;
use crate::spec::KeyframeSpec;
use cloth_core::partition::methods::Repartition;
pub use cloth_rigid::shape::BodyShape;
use cloth_workers::WorkerSettings;

settings! {
    /// Bodies of one shape and material.
    pub struct Bodies, also Bodies::check_kind {
        /// Unique in the scene. The default comes from the shape.
        #[serde(default)]
        pub name: Option<String>,
        /// Their shape.
        pub shape: BodyShape,
        /// Name of their material.
        pub material: String,
        /// Where they are at the start. The default is one body at the origin.
        #[serde(default)]
        pub arrangement: Arrangement => checked,
        /// How large they are, as factors of the shape.
        #[serde(default)]
        pub sizes: Sizes => checked,
        /// How they are turned at the start.
        #[serde(default)]
        pub orientation: Orientation => checked,
        /// How fast they are at the start.
        #[serde(default)]
        pub velocity: Velocity => checked,
        /// How fast they turn at the start: axis times rad/s.
        #[serde(default)]
        pub angular_velocity_rad_per_s: [f64; 3] => finite,
        /// What moves them.
        #[serde(default)]
        pub motion: BodyMotion,
    }
}

/// The centres of mass of bodies at the start. For a fixed body of a mesh it is the place of the
/// mesh's origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Arrangement {
    /// At these places, m.
    At(Vec<[f64; 3]>),
    /// In a simple cubic lattice.
    Grid {
        /// Number of bodies along x, y, z.
        count: [u32; 3],
        /// The first one, m.
        origin_m: [f64; 3],
        /// Distance of neighbours, m.
        spacing_m: f64,
    },
    /// In hexagonal close packing, with layers along y.
    Hexagonal {
        /// Number of bodies along x, y, z.
        count: [u32; 3],
        /// The first one, m.
        origin_m: [f64; 3],
        /// Distance of neighbours, m.
        spacing_m: f64,
    },
    /// At random in a box, without overlap.
    Random {
        /// Number of bodies.
        count: u64,
        /// Lower corner, m.
        min_m: [f64; 3],
        /// Upper corner, m.
        max_m: [f64; 3],
    },
    /// From a file: the rows of a CSV file or the vertices of an OBJ file.
    File(String),
}

impl Default for Arrangement {
    fn default() -> Self {
        Self::At(vec![[0.0; 3]])
    }
}

/// Factors by which bodies are larger than their shape.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Sizes {
    /// All alike.
    Constant(f64),
    /// Any between two, equally likely.
    Uniform {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
}

impl Default for Sizes {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

/// How bodies are turned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Orientation {
    /// All alike.
    Turned {
        /// Axis of the rotation. Any length except zero.
        axis: [f64; 3],
        /// Angle, degrees.
        angle_deg: f64,
    },
    /// At random.
    Random,
}

impl Default for Orientation {
    fn default() -> Self {
        Self::Turned { axis: [0.0, 1.0, 0.0], angle_deg: 0.0 }
    }
}

/// How fast bodies are at the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Velocity {
    /// All alike.
    Constant {
        /// Velocity, m/s.
        m_per_s: [f64; 3],
    },
    /// Any direction, and any speed up to the largest.
    Random {
        /// Largest speed, m/s.
        max_m_per_s: f64,
    },
}

impl Default for Velocity {
    fn default() -> Self {
        Self::Constant { m_per_s: [0.0; 3] }
    }
}

/// What moves bodies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum BodyMotion {
    /// Forces and contacts.
    #[default]
    Free,
    /// Nothing.
    Immovable,
    /// Keyframes, from where they start.
    Keyframed {
        /// Centre of the rotations before any translation, m.
        #[serde(default)]
        center_m: [f64; 3],
        /// At least one, in ascending order of time.
        keyframes: Vec<KeyframeSpec>,
    },
}

settings! {
    /// A material of rigid bodies, or of a surface that touches them.
    #[serde(rename = "Material")]
    pub struct BodyMaterial {
        /// Unique in the scene.
        pub name: String,
        /// Density, kg/m^3. Bodies that forces move need one.
        #[serde(default)]
        pub density_kg_per_m3: Option<f64> => positive_within(DENSITY),
        /// Share of the normal speed that an impact gives back, 0 to 1.
        #[serde(default)]
        pub restitution: f64 => restitution,
        /// Coefficient of friction (Coulomb).
        #[serde(default)]
        pub friction: f64 => not_negative(FRICTION),
        /// Lever arm of the rolling resistance, m.
        #[serde(default)]
        pub rolling_m: f64 => not_negative(LENGTH),
        /// Its contact distance from the same material, m. The default is that of the scene. Two
        /// materials have the mean of theirs.
        #[serde(default)]
        pub distance_m: Option<f64> => positive_within(LENGTH),
    }
}

settings! {
    /// How two materials meet, if not by the mean of both.
    #[serde(rename = "Pair")]
    pub struct MaterialPair {
        /// Their names.
        pub materials: (String, String),
        /// Share of the normal speed that an impact gives back, 0 to 1.
        #[serde(default)]
        pub restitution: f64 => restitution,
        /// Coefficient of friction (Coulomb).
        pub friction: f64 => not_negative(FRICTION),
        /// Lever arm of the rolling resistance, m.
        #[serde(default)]
        pub rolling_m: f64 => not_negative(LENGTH),
        /// Their contact distance, m. The default is the mean of both.
        #[serde(default)]
        pub distance_m: Option<f64> => positive_within(LENGTH),
    }
}

settings! {
    /// The box in which rigid bodies live, and how it is divided among ranks.
    #[serde(rename = "Domain")]
    pub struct DomainSpec, also DomainSpec::check_extent {
        /// Lower corner, m.
        pub min_m: [f64; 3] = [-1.0; 3] => within(LENGTH),
        /// Upper corner, m.
        pub max_m: [f64; 3] = [1.0; 3] => within(LENGTH),
        /// The borders across x, y, z.
        pub borders: [Border; 3] = [Border::Wall; 3],
        /// Material of the walls. The default is the first one of the scene.
        pub wall_material: Option<String> = None,
        /// How it is divided into subdomains. Results do not depend on it.
        pub method: Division = Division::PowerCells => checked,
        /// Whether power cells follow the measured work during a run. Results do not depend on it.
        pub repartition: Repartition = Repartition::Auto,
    }
}

/// The two borders of the domain across an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Border {
    /// Walls at both.
    Wall,
    /// A wall at the lower one. Bodies that leave through the upper one are removed.
    Floor,
    /// Bodies that leave through one border come back through the other.
    Periodic,
    /// Bodies that leave are removed.
    Open,
}

/// How the domain is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Division {
    /// Numbers of boxes along x, y, z. The boxes are given to the ranks in their order.
    Grid(u32, u32, u32),
    /// A power cell for each rank, of equal work.
    PowerCells,
}

/// Who computes rigid bodies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Parallel {
    /// Each rank computes the bodies in its part of the domain. Results do not depend on ranks.
    #[default]
    Domain,
    /// Workers with overlapping sets of bodies. Results depend on their number.
    Workers {
        /// How many there are.
        count: cloth_workers::WorkerCount,
        /// How far their sets reach beyond the bodies that touch their own, in contacts and joints.
        #[serde(default = "default_growth")]
        growth: u32,
        /// How their sets are found.
        #[serde(default)]
        sets: cloth_workers::SetRule,
        /// How they agree on bodies that several of them have.
        #[serde(default)]
        coupling: cloth_workers::Coupling,
        /// Whose the bodies are at the start.
        #[serde(default)]
        division: cloth_workers::Division,
        /// Whether each step is compared with that of one worker.
        #[serde(default)]
        audit: bool,
        /// What advances the bodies of each worker, or one for all.
        #[serde(default)]
        engines: Vec<cloth_workers::EngineKind>,
    },
}

fn default_growth() -> u32 {
    WorkerSettings::default().growth
}

impl Parallel {
    /// The settings of the workers. None without workers.
    pub fn settings(&self) -> Option<WorkerSettings> {
        let Self::Workers { count, growth, sets, coupling, division, audit, engines } =
            self.clone()
        else {
            return None;
        };
        let homes_move = !matches!(division, cloth_workers::Division::Groups(_));
        Some(WorkerSettings {
            count,
            growth,
            sets,
            coupling,
            homes_move,
            audit,
            engines,
            ..WorkerSettings::default()
        })
    }
}
