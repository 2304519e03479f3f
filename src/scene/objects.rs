//! Cloths and obstacles of a scene, as the user writes them.

use serde::{Deserialize, Serialize};

use crate::mesh::shapes::Diagonal;

/// A cloth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// Unique in the scene; from the mesh file or the shape unless given.
    #[serde(default)]
    pub name: Option<String>,
    /// Its surface.
    pub shape: Shape,
    /// Where it starts; the scale applies to its rest shape too.
    #[serde(default)]
    pub transform: Placement,
    /// Where its rest lengths come from.
    #[serde(default)]
    pub rest: Rest,
    /// Warp direction of faces without texture coordinates, in the mesh's own
    /// coordinates, projected to each face.
    #[serde(default = "default_warp_axis")]
    pub warp_axis: [f64; 3],
    /// Its fabric.
    pub material: MaterialSpec,
    /// Rayleigh damping.
    #[serde(default)]
    pub damping: Damping,
    /// Vertices that are held or led.
    #[serde(default)]
    pub pins: Vec<PinSpec>,
}

fn default_warp_axis() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

/// The surface of a cloth or an obstacle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Shape {
    /// An OBJ file, by its path relative to the scene file.
    Mesh(String),
    /// A rectangle in the plane y = 0, fronts up.
    Sheet {
        /// Size along x, m.
        width_m: f64,
        /// Size along z, m.
        length_m: f64,
        /// Cells along x.
        columns: u32,
        /// Cells along z.
        rows: u32,
        /// How the cells are cut.
        #[serde(default)]
        diagonal: Diagonal,
    },
    /// A disc in the plane y = 0, fronts up.
    Disc {
        /// Radius, m.
        radius_m: f64,
        /// Rings of triangles.
        rings: u32,
    },
    /// A sphere about the origin; its facets contain it.
    Sphere {
        /// Radius, m.
        radius_m: f64,
        /// About the length of the edges, m; a twelfth of the radius unless given.
        #[serde(default)]
        edge_m: Option<f64>,
    },
    /// A box about the origin.
    Box {
        /// Size along x, y and z, m.
        size_m: [f64; 3],
        /// About the length of the edges, m; the largest size unless given.
        #[serde(default)]
        edge_m: Option<f64>,
    },
    /// A rectangle in the plane y = 0, fronts up: a floor.
    Plane {
        /// Size along x, m.
        width_m: f64,
        /// Size along z, m.
        length_m: f64,
        /// About the length of the edges, m; the larger size unless given.
        #[serde(default)]
        edge_m: Option<f64>,
    },
    /// All points near a segment of the y axis about the origin; its facets contain it.
    Capsule {
        /// Radius, m.
        radius_m: f64,
        /// Length of the segment, m.
        length_m: f64,
        /// About the length of the edges, m; a twelfth of the radius unless given.
        #[serde(default)]
        edge_m: Option<f64>,
    },
    /// A cylinder about the y axis and the origin; its facets contain it.
    Cylinder {
        /// Radius, m.
        radius_m: f64,
        /// Length, m.
        length_m: f64,
        /// About the length of the edges, m; a twelfth of the radius unless given.
        #[serde(default)]
        edge_m: Option<f64>,
    },
}

/// Scales, then rotates, then translates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// Uniform factor; metres per unit of the mesh.
    pub scale: f64,
    /// Axis of the rotation, of any length but zero.
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

/// Where a cloth's rest lengths come from. Its rest angles come from its shape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Rest {
    /// The shape; texture coordinates give the warp direction only.
    #[default]
    Shape,
    /// The texture coordinates: a sewing pattern.
    Uv {
        /// Length of one unit of texture coordinates, m.
        metres_per_unit: f64,
    },
}

/// A fabric by name or in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Material", deny_unknown_fields)]
pub enum MaterialSpec {
    /// One of the library, by its name.
    Fabric(String),
    /// The same in all directions.
    Isotropic {
        /// Mass per area, kg/m^2.
        density_kg_per_m2: f64,
        /// Young's modulus times thickness, N/m.
        modulus_n_per_m: f64,
        /// Poisson's ratio, in the plane and in bending.
        poisson_ratio: f64,
        /// Flexural rigidity, N m.
        rigidity_n_m: f64,
    },
    /// Different along warp and weft.
    Orthotropic {
        /// Mass per area, kg/m^2.
        density_kg_per_m2: f64,
        /// Young's modulus along warp times thickness, N/m.
        warp_n_per_m: f64,
        /// Young's modulus along weft times thickness, N/m.
        weft_n_per_m: f64,
        /// Contraction along weft per stretch along warp.
        poisson_ratio: f64,
        /// Shear modulus times thickness, N/m.
        shear_n_per_m: f64,
        /// Flexural rigidity D11 along warp, N m.
        bending_warp_n_m: f64,
        /// Flexural rigidity D22 along weft, N m.
        bending_weft_n_m: f64,
        /// D12 between both, N m.
        #[serde(default)]
        bending_coupling_n_m: f64,
        /// D66 of (engineering) twist, N m.
        bending_twist_n_m: f64,
    },
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

/// Vertices that are held or led for some time. Where two pins hold a vertex at
/// the same time, the first one in the list counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Pin", deny_unknown_fields)]
pub struct PinSpec {
    /// Which vertices, where they are at the start of the scene.
    pub select: Select,
    /// When it takes hold, s.
    #[serde(default)]
    pub start_s: f64,
    /// When it lets go, s; never unless given.
    #[serde(default)]
    pub end_s: Option<f64>,
    /// The motion that the vertices follow from where they are at `start_s`;
    /// they stay there unless given.
    #[serde(default)]
    pub motion: Option<Motion>,
}

/// A choice of vertices of one cloth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Select {
    /// By number, from 0 in the order of the file. With `--refine`, what lies
    /// between chosen neighbours is chosen too.
    Vertices(Vec<u32>),
    /// All in an axis-parallel box of the scene.
    Box {
        /// Lower corner, m.
        min_m: [f64; 3],
        /// Upper corner, m.
        max_m: [f64; 3],
    },
    /// The one nearest to a point of the scene (m); of equals the first.
    Nearest([f64; 3]),
    /// All of the faces of an OBJ group.
    Group(String),
}

/// A rigid motion by keyframes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Motion {
    /// Centre of the rotations before any translation, m.
    pub center_m: [f64; 3],
    /// At least one, in ascending order of time.
    pub keyframes: Vec<Keyframe>,
}

/// Where a motion is at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keyframe {
    /// When, s.
    pub time_s: f64,
    /// Displacement of the centre, m.
    pub translation_m: [f64; 3],
    /// Axis of the rotation, of any length but zero.
    pub axis: [f64; 3],
    /// Angle, degrees; may exceed 360.
    pub angle_deg: f64,
}

impl Default for Keyframe {
    fn default() -> Self {
        Self { time_s: 0.0, translation_m: [0.0; 3], axis: [0.0, 1.0, 0.0], angle_deg: 0.0 }
    }
}

/// An obstacle: a surface that moves as told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Unique in the scene; from the mesh file or the shape unless given.
    #[serde(default)]
    pub name: Option<String>,
    /// Its surface, fronts outwards.
    pub shape: Shape,
    /// Where it starts.
    #[serde(default)]
    pub transform: Placement,
    /// How it moves from there; it stays there unless given.
    #[serde(default)]
    pub motion: Option<Motion>,
}
