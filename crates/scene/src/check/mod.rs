//! Checks every number of a scene before its bodies are built.

mod loads;
mod maps;
mod seams;
mod steps;
#[cfg(test)]
mod tests;

pub(super) use self::seams::held_open;
use std::collections::HashSet;

use crate::spec::*;
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
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

impl Cloth {
    pub(crate) fn check_limit(&self, at: &str) -> Result<()> {
        let too_small = self.strain_limit.filter(|limit| *limit < SMALLEST_STRAIN_LIMIT);
        let Some(limit) = too_small else { return Ok(()) };
        let cause = format!("{} is too small", shown(limit));
        let remedy = format!("choose at least {SMALLEST_STRAIN_LIMIT}; 0.05 is 5 %");
        Err(Error::input(format!("{at}.strain_limit"), cause, remedy))
    }
}

impl Check for Rest {
    fn check(&self, at: &str) -> Result<()> {
        let Self::Uv { metres_per_unit } = self else { return Ok(()) };
        positive_within(&format!("{at}.metres_per_unit"), *metres_per_unit, FACTOR)
    }
}

impl Check for PinchSpec {
    fn check(&self, at: &str) -> Result<()> {
        let Self::Yield(settings) = self;
        settings.check(at)
    }
}

impl Obstacle {
    pub(crate) fn check_motion(&self, at: &str) -> Result<()> {
        if self.samples.is_none() || self.motion.is_none() {
            return Ok(());
        }
        let cause = "the obstacle has keyframes and samples";
        Err(Error::input(format!("{at}.motion"), cause, "leave one of them out"))
    }
}

impl MotionSpec {
    /// Fails if there is no key, or a translation is too fast, or not finite. How fast the motion
    /// turns depends on the surface that it moves.
    pub(crate) fn check_speeds(&self, at: &str) -> Result<()> {
        let at = format!("{at}.keyframes");
        if self.keyframes.is_empty() {
            let remedy = "add keyframes, or leave the motion out";
            return Err(Error::input(at, "a motion without keyframes", remedy));
        }
        for (i, two) in self.keyframes.windows(2).enumerate() {
            let way = Vec3::from(two[1].translation_m) - Vec3::from(two[0].translation_m);
            let at = format!("{at}[{}].translation_m", i + 1);
            finite(&at, way)?;
            check_speed(&at, way.norm() / (two[1].time_s - two[0].time_s))?;
        }
        Ok(())
    }
}

/// Fails if a motion has more than the largest speed on the way to the key at `at`.
pub(super) fn check_speed(at: &str, m_per_s: f64) -> Result<()> {
    if m_per_s <= SPEED.most {
        return Ok(());
    }
    let most = SPEED.most;
    let cause =
        format!("the motion to this key has a speed of {m_per_s:.3e} m/s, more than {most} m/s");
    Err(Error::input(at, cause, "choose a later time_s, or a shorter way"))
}
