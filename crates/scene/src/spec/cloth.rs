//! A cloth, as the user writes it: its fabric, what it is at rest, and the maps and loads on it.

use serde::{Deserialize, Serialize};

use crate::spec::{AttachSpec, Numbers, PinSpec, Placement, Select};
use cloth_bodies::bodies::cloth::material::MaterialSpec;
use cloth_bodies::bodies::timed::AmplitudeKey;
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};
use cloth_core::mesh::shapes::Shape;
use cloth_core::settings;
use cloth_core::settings::Check;

settings! {
    /// A cloth.
    pub struct Cloth, also Cloth::check_limit {
        /// Unique in the scene. The default comes from the mesh file or the shape.
        #[serde(default)]
        pub name: Option<String>,
        /// Its surface.
        pub shape: Shape => checked,
        /// Where it starts. The scale applies to its rest shape too.
        #[serde(default)]
        pub transform: Placement => checked,
        /// Where its rest lengths come from.
        #[serde(default)]
        pub rest: Rest => checked,
        /// Warp direction of faces without texture coordinates. It is given in the mesh's own
        /// coordinates and projected to each face.
        #[serde(default = "default_warp_axis")]
        pub warp_axis: [f64; 3] => direction,
        /// Its fabric.
        pub material: MaterialSpec => checked,
        /// The fabric gets stiff where it is stretched nearly by this, in any direction in its
        /// plane. By default it does not.
        #[serde(default)]
        pub strain_limit: Option<f64> => positive_within(STRAIN_LIMIT),
        /// How far vertices start off their place along their normals, at most, m. By default only
        /// cloth in a plane along which gravity and wind act starts so, by 1e-9 of its size.
        #[serde(default)]
        pub imperfection_m: Option<f64> => not_negative(LENGTH),
        /// Name of the material that gives its friction and its contact distance. Without one
        /// `contact` does.
        #[serde(default)]
        pub touch: Option<String>,
        /// Rayleigh damping.
        #[serde(default)]
        pub damping: Damping => checked,
        /// Numbers of its vertices, which multiply its settings.
        #[serde(default)]
        pub maps: Vec<MapSpec> => checked,
        /// Edges that are folded at rest.
        #[serde(default)]
        pub folds: Vec<FoldSpec> => checked,
        /// Vertices whose motion is prescribed.
        #[serde(default)]
        pub pins: Vec<PinSpec> => checked,
        /// Vertices that bodies carry.
        #[serde(default)]
        pub attach: Vec<AttachSpec> => checked,
        /// Forces on groups of vertices.
        #[serde(default)]
        pub forces: Vec<ForceSpec> => checked,
        /// Pressures on its sides.
        #[serde(default)]
        pub pressures: Vec<PressureSpec> => checked,
        /// Masses beside that of the fabric.
        #[serde(default)]
        pub masses: Vec<MassSpec> => checked,
        /// Velocity at the start, m/s.
        #[serde(default)]
        pub velocity_m_per_s: [f64; 3] => within(SPEED),
        /// Angular velocity at the start about the centre of mass, rad/s.
        #[serde(default)]
        pub angular_velocity_rad_per_s: [f64; 3] => within(ANGULAR_SPEED),
    }
}

fn default_warp_axis() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

impl Cloth {
    fn check_limit(&self, at: &str) -> Result<()> {
        let too_small = self.strain_limit.filter(|limit| *limit < SMALLEST_STRAIN_LIMIT);
        let Some(limit) = too_small else { return Ok(()) };
        let cause = format!("{} is too small", shown(limit));
        let remedy = format!("choose at least {SMALLEST_STRAIN_LIMIT}; 0.05 is 5 %");
        Err(Error::input(format!("{at}.strain_limit"), cause, remedy))
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
    /// A sewing pattern in an OBJ file of the same polygons, by its path relative to the scene
    /// file. The cloth is flat at rest.
    Obj(String),
}

impl Rest {
    pub(super) fn path_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Obj(path) => Some(path),
            _ => None,
        }
    }
}

settings! {
    /// Rayleigh damping: coefficients of mass and of stiffness.
    #[derive(Copy)]
    pub struct Damping {
        /// Proportional to mass, 1/s.
        pub mass_per_s: f64 = 0.0 => not_negative(DAMPING_RATE),
        /// Proportional to stiffness, s.
        pub stiffness_s: f64 = 0.0 => not_negative(DAMPING_TIME),
    }
}

impl Check for Rest {
    fn check(&self, at: &str) -> Result<()> {
        let Self::Uv { metres_per_unit } = self else { return Ok(()) };
        positive_within(&format!("{at}.metres_per_unit"), *metres_per_unit, FACTOR)
    }
}

settings! {
    /// Numbers of the vertices of a cloth, which multiply one of its settings. Several maps of one
    /// setting multiply each other.
    #[serde(rename = "Map")]
    pub struct MapSpec {
        /// The setting.
        pub of: Mapped,
        /// Where the numbers come from.
        pub from: Numbers => checked,
        /// The factor of the setting where the number is 0.
        #[serde(default)]
        pub low: f64 => within(FACTOR),
        /// The factor where the number is 1. In between, and beyond, it is linear.
        #[serde(default = "one")]
        pub high: f64 => within(FACTOR),
    }
}

fn one() -> f64 {
    1.0
}

/// What a map multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mapped {
    /// Mass per area.
    Density,
    /// Stiffness in the plane of the cloth.
    Stiffness,
    /// Flexural rigidity.
    Bending,
    /// Coulomb's coefficients. Where two cloths touch, the mean of both factors counts.
    Friction,
    /// Contact distance.
    Thickness,
}

settings! {
    /// Edges that are folded at rest, such as a pleat that is ironed in.
    #[serde(rename = "Fold")]
    pub struct FoldSpec {
        /// The ends of its edges, by their positions at the start of the scene.
        pub select: Select => checked,
        /// Angle between the two faces, degrees: 0 is flat, and a positive one turns their fronts
        /// towards each other.
        pub angle_deg: f64 => within(FOLD),
    }
}

settings! {
    /// A dead load: a force of constant direction that the chosen vertices share.
    #[serde(rename = "Force")]
    pub struct ForceSpec {
        /// Which vertices, by their positions at the start of the scene.
        pub select: Select => checked,
        /// The sum of the forces on all of them, N.
        pub force_n: [f64; 3] => within(FORCE),
        /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
        #[serde(default)]
        pub amplitude: Vec<AmplitudeKey> => keys,
    }
}

settings! {
    /// A pressure that follows the faces.
    #[serde(rename = "Pressure")]
    pub struct PressureSpec {
        /// The faces whose three corners are chosen. The default is all faces.
        #[serde(default)]
        pub select: Option<Select> => checked,
        /// The side that it presses on.
        pub side: PressedSide,
        /// Force per present area, Pa. A negative pressure pulls.
        pub pressure_pa: f64 => within(PRESSURE),
        /// Its factor over time: linear between keys, constant outside. Always 1 without keys.
        #[serde(default)]
        pub amplitude: Vec<AmplitudeKey> => keys,
    }
}

/// A side of a cloth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Side")]
pub enum PressedSide {
    /// The side from which the corners of faces are counter-clockwise; of a closed surface the
    /// outside.
    Front,
    /// The other side; of a closed surface the inside.
    Back,
}

impl PressedSide {
    /// The sign of the pressure along the front normal.
    pub fn along_front_normal(self) -> f64 {
        match self {
            Self::Front => -1.0,
            Self::Back => 1.0,
        }
    }
}

settings! {
    /// A mass beside that of the fabric, which the chosen vertices share.
    #[serde(rename = "Mass")]
    pub struct MassSpec {
        /// Which vertices, by their positions at the start of the scene.
        pub select: Select => checked,
        /// The sum of the masses on all of them, kg.
        pub mass_kg: f64 => positive_within(MASS),
    }
}
