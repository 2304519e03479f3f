//! The scene as the user writes it (RON). `docs/scene.md` describes every field.
//!
//! Angles are in degrees, everything else in SI units; vectors are `(x, y, z)`.

use serde::{Deserialize, Serialize};

use crate::bodies::cloth::wind::Air;
use crate::step::settings::Solver;
use crate::{contact, stealing, step};

pub use crate::scene::objects::*;

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
    pub contact: contact::Settings,
    /// How the search for contacts is shared out; results do not depend on it.
    pub collision: stealing::Settings,
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
            contact: contact::Settings::default(),
            collision: stealing::Settings::default(),
            solver: Solver::default(),
            patch_vertices: 256,
            output: Output::default(),
        }
    }
}

impl Scene {
    /// What the simulation must know beside its bodies.
    pub fn settings(&self) -> step::Settings {
        step::Settings {
            frames_per_second: self.frames_per_second,
            steps_per_frame: self.steps_per_frame,
            gravity_m_per_s2: self.gravity_m_per_s2,
            air: self.air.clone(),
            contact: self.contact,
            collision: self.collision,
            solver: self.solver,
            patch_vertices: self.patch_vertices,
            energy: self.output.energy,
        }
    }

    /// Length of a full time step, s.
    pub fn step_s(&self) -> f64 {
        1.0 / (self.frames_per_second * f64::from(self.steps_per_frame))
    }
}

/// How positions are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Digits {
    /// Nine significant digits.
    #[default]
    Nine,
    /// As many as bring back the same `f64`.
    Exact,
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Name of the format of frames; the program knows which there are.
    pub format: String,
    /// Precision of positions in the frames.
    pub digits: Digits,
    /// Whether energies are measured in every step.
    pub energy: bool,
}

impl Default for Output {
    fn default() -> Self {
        Self { format: "obj".to_owned(), digits: Digits::default(), energy: false }
    }
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
        expected.extend(declared(include_str!("../bodies/cloth/wind.rs"), &[]));
        expected.extend(declared(include_str!("../contact/settings.rs"), &[]));
        expected.extend(declared(include_str!("../stealing/settings.rs"), &[]));
        expected.extend(declared(include_str!("../step/settings.rs"), &["Solver"]));
        let preconditioner = include_str!("../linear/preconditioner.rs");
        expected.extend(declared(preconditioner, &["PreconditionerKind"]));
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
        let key = |time_s, x| crate::bodies::cloth::wind::WindKey {
            time_s,
            velocity_m_per_s: [x, 0.0, 0.0],
        };
        let air = crate::bodies::cloth::wind::Air {
            wind: vec![key(1.0, 2.0), key(2.0, 6.0)],
            ..Default::default()
        };
        let speeds = [0.0, 1.0, 1.25, 2.0, 9.0].map(|time| air.velocity(time).x);
        assert_eq!(speeds, [2.0, 2.0, 3.0, 6.0, 6.0]);
    }
}
