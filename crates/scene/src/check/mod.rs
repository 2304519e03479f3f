//! Checks every number of a scene before its bodies are built.

mod seams;
#[cfg(test)]
mod tests;
mod time;

pub(super) use self::seams::held_open;
use std::collections::HashSet;

use crate::spec::*;
use cloth_core::error::{Error, Result};
use cloth_core::settings::Check;

impl Scene {
    /// Checks all numbers and names.
    ///
    /// # Errors
    /// The first field that is out of bounds, by its full path.
    pub fn validate(&self) -> Result<()> {
        self.check("")?;
        self.check_steps()?;
        self.check_fields()?;
        self.check_gravity()?;
        self.check_friction()?;
        let is_control = self.name.contains(char::is_control);
        if self.name.contains(['/', '\\']) || self.name.starts_with('.') || is_control {
            let cause = format!("`{}` cannot name a run folder", self.name);
            return Err(Error::input("name", cause, "use letters, digits, - and _"));
        }
        match (self.cloths.is_empty(), self.bodies.is_empty()) {
            (true, true) => Err(Error::input(
                "cloths, bodies",
                "the scene has neither cloths nor rigid bodies",
                "add some; see docs/scene.md",
            )),
            (true, false) if self.is_divided() => self.validate_bodies(),
            _ => self.validate_cloth(),
        }?;
        self.check_names()
    }

    /// Checks what concerns cloths, and what is among them.
    fn validate_cloth(&self) -> Result<()> {
        self.air.check("air")?;
        self.contact.check("contact")?;
        self.solver.check("solver")?;
        self.cloths.check("cloths")?;
        self.obstacles.check("obstacles")?;
        self.validate_bodies_among_cloth()?;
        self.validate_distances()?;
        self.validate_seams()?;
        self.validate_apart()?;
        self.validate_touch()
    }

    /// Checks that no field of vertices is listed twice.
    fn check_fields(&self) -> Result<()> {
        let fields = &self.output.fields;
        match fields.iter().enumerate().find(|(place, field)| fields[..*place].contains(field)) {
            None => Ok(()),
            Some((_, field)) => {
                let cause = format!("the field {field:?} is listed twice");
                Err(Error::input("output.fields", cause, "list each field once"))
            }
        }
    }

    fn check_names(&self) -> Result<()> {
        let cloths = self.cloths.iter().map(|cloth| ("cloths", &cloth.name));
        let obstacles = self.obstacles.iter().map(|obstacle| ("obstacles", &obstacle.name));
        let bodies = self.bodies.iter().map(|bodies| ("bodies", &bodies.name));
        let mut known = HashSet::new();
        for (list, name) in cloths.chain(obstacles).chain(bodies) {
            let Some(name) = name else { continue };
            if !known.insert(name) {
                let cause = format!("two objects have the name `{name}`");
                return Err(Error::input(list, cause, "give each its own name"));
            }
            if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
                let cause = format!("`{name}` cannot be the name of an object in an OBJ file");
                return Err(Error::input(list, cause, "use letters, digits, - and _"));
            }
        }
        Ok(())
    }
}
