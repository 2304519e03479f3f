//! The scene as the user writes it (RON). `docs/scene.md` describes every field.
//!
//! Angles are in degrees, everything else in SI units; vectors are `(x, y, z)`.

use serde::{Deserialize, Serialize};

use crate::math::Vec3;
use crate::mesh::Digits;
use crate::mesh::shapes::Diagonal;

/// A scene. Every field but a shape and a material has a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Names the run folder; the scene file's own name unless given.
    pub name: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Frames after the first one, which shows the start.
    pub frames: u32,
    /// Frames per simulated second.
    pub frames_per_second: f64,
    /// Time steps from one frame to the next.
    pub steps_per_frame: u32,
    /// Acceleration of gravity, m/s^2.
    pub gravity_m_per_s2: [f64; 3],
    /// Drag and wind.
    pub air: Air,
    /// The cloths.
    pub cloths: Vec<Cloth>,
    /// What they fall on.
    pub obstacles: Vec<Obstacle>,
    /// Contact distance and friction.
    pub contact: Contact,
    /// The linear solver.
    pub solver: Solver,
    /// About how many vertices a patch has.
    pub patch_vertices: u32,
    /// What is written.
    pub output: Output,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            seed: 0,
            frames: 25,
            frames_per_second: 25.0,
            steps_per_frame: 40,
            gravity_m_per_s2: [0.0, -9.81, 0.0],
            air: Air::default(),
            cloths: Vec::new(),
            obstacles: Vec::new(),
            contact: Contact::default(),
            solver: Solver::default(),
            patch_vertices: 256,
            output: Output::default(),
        }
    }
}

impl Scene {
    /// Length of a full time step, s.
    pub fn step_s(&self) -> f64 {
        1.0 / (self.frames_per_second * f64::from(self.steps_per_frame))
    }
}

/// Drag against the air: a force per area and velocity. Without drag there is
/// no wind either.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Air {
    /// The air's velocity over time; still without keys.
    pub wind: Vec<WindKey>,
    /// Drag along a face's normal, N s/m^3.
    pub normal_drag_n_s_per_m3: f64,
    /// Drag along the face, N s/m^3.
    pub tangential_drag_n_s_per_m3: f64,
}

impl Air {
    /// Velocity of the air at `time_s`, m/s: linear between keys, constant
    /// before the first and after the last.
    pub fn velocity(&self, time_s: f64) -> Vec3 {
        let next = self.wind.partition_point(|key| key.time_s <= time_s);
        let velocity = |key: &WindKey| Vec3::from(key.velocity_m_per_s);
        match (self.wind[..next].last(), self.wind.get(next)) {
            (None, None) => Vec3::zeros(),
            (Some(key), None) | (None, Some(key)) => velocity(key),
            (Some(low), Some(high)) => {
                let weight = (time_s - low.time_s) / (high.time_s - low.time_s);
                velocity(low) + (velocity(high) - velocity(low)) * weight
            }
        }
    }
}

/// The wind at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WindKey {
    /// When, s.
    pub time_s: f64,
    /// The air's velocity, m/s.
    pub velocity_m_per_s: [f64; 3],
}

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
#[serde(deny_unknown_fields)]
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
#[serde(deny_unknown_fields)]
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

/// Contact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Surfaces are kept this far apart, m.
    pub distance_m: f64,
    /// Coulomb's coefficient between cloth and obstacles.
    pub friction_obstacle: f64,
    /// Coulomb's coefficient between cloth and cloth.
    pub friction_cloth: f64,
    /// How contacts are resolved.
    pub response: Response,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            distance_m: 1e-3,
            friction_obstacle: 0.3,
            friction_cloth: 0.3,
            response: Response::Implicit,
        }
    }
}

/// How contacts are resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// Contacts stand in the linear system; impulses do the rest.
    #[default]
    Implicit,
}

/// The linear solver and its step control.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Solver {
    /// The residual to reach, relative to the one at the start.
    pub relative_residual: f64,
    /// Iterations after which a solve has failed.
    pub max_iterations: u32,
    /// The preconditioner of conjugate gradients.
    pub preconditioner: Preconditioner,
    /// How often a failed step is halved before the run fails.
    pub max_halvings: u32,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            relative_residual: 1e-6,
            max_iterations: 2000,
            preconditioner: Preconditioner::BlockJacobi,
            max_halvings: 6,
        }
    }
}

/// A preconditioner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preconditioner {
    /// The inverse of each vertex's own 3x3 block.
    #[default]
    BlockJacobi,
    /// Incomplete Cholesky factors of each patch's own block.
    IncompleteCholesky,
}

/// What is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Precision of positions in the frames.
    pub digits: Digits,
    /// Energies of every step in `run.json`.
    pub energy: bool,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    const DOCS: &str = include_str!("../../docs/scene.md");

    /// Fields and choices of the public types of `source`.
    fn declared(source: &str, types: &[&str]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut inside = false;
        for line in source.lines() {
            if let Some(rest) = line.strip_prefix("pub struct ").or(line.strip_prefix("pub enum "))
            {
                inside = types.is_empty() || types.iter().any(|name| rest.starts_with(name));
            }
            inside &= line != "}";
            let word = line.trim().trim_start_matches("pub ");
            let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
            if inside && line.starts_with("    ") && end > 0 {
                names.insert(word[..end].to_owned());
            }
        }
        names
    }

    /// Words in backticks in the first two columns of tables.
    fn documented() -> BTreeSet<String> {
        let rows = DOCS.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.flat_map(|row| row.split('|').skip(1).take(2));
        let words = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        words.map(str::to_owned).collect()
    }

    #[test]
    fn the_docs_describe_every_field_and_no_other() {
        let mut expected = declared(include_str!("spec.rs"), &[]);
        expected.extend(declared(include_str!("../mesh/shapes.rs"), &["Diagonal"]));
        expected.extend(declared(include_str!("../mesh/obj_write.rs"), &["Digits"]));
        assert_eq!(documented(), expected);
    }

    #[test]
    fn examples_in_the_docs_are_valid_scenes() {
        let blocks: Vec<&str> = DOCS.split("```").skip(1).step_by(2).collect();
        assert!(blocks.len() > 2);
        for block in blocks {
            let text = block.strip_prefix("ron").unwrap();
            crate::scene::load::parse(text, "docs").unwrap().validate().unwrap();
        }
    }

    #[test]
    fn wind_is_linear_between_its_keys() {
        let key = |time_s, x| super::WindKey { time_s, velocity_m_per_s: [x, 0.0, 0.0] };
        let air = super::Air { wind: vec![key(1.0, 2.0), key(2.0, 6.0)], ..Default::default() };
        let speeds = [0.0, 1.0, 1.25, 2.0, 9.0].map(|time| air.velocity(time).x);
        assert_eq!(speeds, [2.0, 2.0, 3.0, 6.0, 6.0]);
    }
}
