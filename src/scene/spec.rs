//! The scene as the user writes it (RON). `docs/scene.md` describes every field.
//!
//! Angles are in degrees, everything else in SI units; vectors are `(x, y, z)`.

use serde::{Deserialize, Serialize};

use crate::math::Vec3;
use crate::mesh::Digits;

pub use super::objects::*;

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
    /// How the search for contacts is shared out; results do not depend on it.
    pub collision: Collision,
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
            collision: Collision::default(),
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

/// Contact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Surfaces are kept this far apart, m.
    pub distance_m: f64,
    /// Surfaces never come nearer than this, m.
    pub clearance_m: f64,
    /// Coulomb's coefficient between cloth and obstacles.
    pub friction_obstacle: f64,
    /// Coulomb's coefficient between cloth and cloth.
    pub friction_cloth: f64,
    /// How contacts are resolved.
    pub response: Response,
    /// Whether motions are shortened where surfaces would come too near.
    pub fail_safe: bool,
    /// What happens when obstacles or handles leave cloth no room.
    pub on_pinch: OnPinch,
    /// Whether a scene may start with surfaces that cross or nearly touch.
    pub dirty_start: DirtyStart,
    /// Whether flat regions are skipped in the search for self-collisions.
    pub culling: bool,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            distance_m: 1e-3,
            clearance_m: 1e-5,
            friction_obstacle: 0.3,
            friction_cloth: 0.3,
            response: Response::Implicit,
            fail_safe: true,
            on_pinch: OnPinch::Stop,
            dirty_start: DirtyStart::Refuse,
            culling: true,
        }
    }
}

/// How contacts are resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// Contacts stand in the linear system; impulses do the rest.
    #[default]
    Implicit,
    /// Impulses and repulsions after the solve alone, as in the paper.
    Impulses,
}

/// What happens when obstacles or handles leave cloth no room to go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnPinch {
    /// The run fails.
    #[default]
    Stop,
    /// Obstacles and handles wait until there is room.
    Hold,
}

/// What happens when a scene starts with surfaces that cross or nearly touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DirtyStart {
    /// The scene is refused.
    #[default]
    Refuse,
    /// The run goes on with a warning; what crosses stays crossed.
    Allow,
}

/// How hierarchy tests are shared out to ranks and threads (methods 9).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Collision {
    /// Whether large tasks are cut into smaller ones.
    pub decomposition: bool,
    /// Whether a processor with nothing to do takes tasks from others.
    pub stealing: bool,
    /// A processor's stack is cut when it exceeds `a` times the tasks in its pool ...
    pub a: u32,
    /// ... plus `b` tests.
    pub b: u32,
    /// Longest work between two looks at what other ranks say, us.
    pub polling_interval_us: f64,
    /// The order in which other ranks are asked for tasks.
    pub victim_order: VictimOrder,
    /// How many tasks another rank is handed.
    pub share: Share,
}

impl Default for Collision {
    fn default() -> Self {
        Self {
            decomposition: true,
            stealing: true,
            a: 2,
            b: 8,
            polling_interval_us: 10.0,
            victim_order: VictimOrder::RoundRobin,
            share: Share::One,
        }
    }
}

/// The order in which other ranks are asked for tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VictimOrder {
    /// By rising rank, over and over.
    #[default]
    RoundRobin,
    /// At random, from this seed and the asking rank.
    Random(u64),
}

/// How many tasks another rank is handed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Share {
    /// One.
    #[default]
    One,
    /// Half of those that wait, rounded up.
    Half,
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
        expected.extend(declared(include_str!("objects.rs"), &[]));
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
