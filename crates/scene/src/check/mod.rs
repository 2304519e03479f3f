//! Checks every number of a scene before its bodies are built.

mod loads;
mod maps;
mod seams;
mod steps;
#[cfg(test)]
mod tests;

pub(super) use self::seams::held_open;
use std::collections::HashSet;

use crate::check::loads::check_loads;
use crate::distances::MOST_CLEARANCE;
use crate::spec::*;
use cloth_bodies::bodies::cloth::Air;
use cloth_bodies::contact;
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::shapes::Shape;
use cloth_step::Solver;

impl Scene {
    /// Checks all numbers and names.
    ///
    /// # Errors
    /// The first field that is out of bounds, by its full path.
    pub fn validate(&self) -> Result<()> {
        if self.frames > MOST_FRAMES {
            let cause = format!("{} are too many", self.frames);
            return Err(Error::input("frames", cause, format!("choose at most {MOST_FRAMES}")));
        }
        positive("frames_per_second", self.frames_per_second)?;
        self.check_steps()?;
        self.check_fields()?;
        at_least_one("patch_vertices", self.patch_vertices)?;
        count("refine", self.refine, MOST_REFINE, "")?;
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
        self.air.validate()?;
        self.contact.validate()?;
        self.solver.validate()?;
        for (i, cloth) in self.cloths.iter().enumerate() {
            cloth.validate(&format!("cloths[{i}]"))?;
        }
        for (i, obstacle) in self.obstacles.iter().enumerate() {
            obstacle.validate(&format!("obstacles[{i}]"))?;
        }
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

/// Settings of other crates whose numbers a scene checks.
pub trait Validate {
    /// Checks all numbers.
    ///
    /// # Errors
    /// The first field that is out of bounds, by its path in a scene.
    fn validate(&self) -> Result<()>;
}

impl Validate for Air {
    fn validate(&self) -> Result<()> {
        not_negative("air.normal_drag_n_s_per_m3", self.normal_drag_n_s_per_m3, DRAG)?;
        not_negative("air.tangential_drag_n_s_per_m3", self.tangential_drag_n_s_per_m3, DRAG)?;
        positive_within("air.density_kg_per_m3", self.density_kg_per_m3, DENSITY)?;
        let (normal, tangential) = (self.normal_drag_coefficient, self.tangential_drag_coefficient);
        not_negative("air.normal_drag_coefficient", normal, DRAG_COEFFICIENT)?;
        not_negative("air.tangential_drag_coefficient", tangential, DRAG_COEFFICIENT)?;
        ascending("air.wind", self.wind.iter().map(|key| key.time_s))?;
        for (i, key) in self.wind.iter().enumerate() {
            let at = format!("air.wind[{i}].velocity_m_per_s");
            vector_within(&at, key.velocity_m_per_s, SPEED)?;
        }
        Ok(())
    }
}

impl Validate for contact::ContactSettings {
    fn validate(&self) -> Result<()> {
        positive_within("contact.distance_m", self.distance_m, LENGTH)?;
        not_negative("contact.friction_obstacle", self.friction_obstacle, FRICTION)?;
        not_negative("contact.friction_cloth", self.friction_cloth, FRICTION)?;
        positive("contact.clearance_m", self.clearance_m)?;
        if self.clearance_m > MOST_CLEARANCE * self.distance_m {
            let cause = format!(
                "{} leaves no room below contact.distance_m, {}",
                shown(self.clearance_m),
                shown(self.distance_m)
            );
            let remedy = "choose about a hundredth of the contact distance";
            return Err(Error::input("contact.clearance_m", cause, remedy));
        }
        if self.clearance_m < SMALLEST_CLEARANCE_M {
            let cause = format!("{} m is no more than rounding errors", shown(self.clearance_m));
            let remedy = format!("choose at least {SMALLEST_CLEARANCE_M:e} m");
            return Err(Error::input("contact.clearance_m", cause, remedy));
        }
        Ok(())
    }
}

impl Validate for Solver {
    fn validate(&self) -> Result<()> {
        positive("solver.relative_residual", self.relative_residual)?;
        let what = match self.relative_residual {
            SMALLEST_RESIDUAL..1.0 => None,
            1.0.. => Some("is reached before the first iteration"),
            _ => Some("is never reached, because of rounding errors"),
        };
        if let Some(what) = what {
            let cause = format!("{} {what}", shown(self.relative_residual));
            return Err(Error::input("solver.relative_residual", cause, "choose about 1e-6"));
        }
        Ok(())
    }
}

impl Cloth {
    fn validate(&self, at: &str) -> Result<()> {
        check_shape(&self.shape, at)?;
        self.transform.validate(&format!("{at}.transform"))?;
        if let Rest::Uv { metres_per_unit } = &self.rest {
            positive_within(&format!("{at}.rest.metres_per_unit"), *metres_per_unit, FACTOR)?;
        }
        direction(&format!("{at}.warp_axis"), self.warp_axis)?;
        self.material.resolve(&format!("{at}.material"))?;
        if let Some(limit) = self.strain_limit {
            let at = format!("{at}.strain_limit");
            positive_within(&at, limit, STRAIN_LIMIT)?;
            if limit < SMALLEST_STRAIN_LIMIT {
                let cause = format!("{} is too small", shown(limit));
                let remedy = format!("choose at least {SMALLEST_STRAIN_LIMIT}; 0.05 is 5 %");
                return Err(Error::input(at, cause, remedy));
            }
        }
        if let Some(most_m) = self.imperfection_m {
            not_negative(&format!("{at}.imperfection_m"), most_m, LENGTH)?;
        }
        let Damping { mass_per_s, stiffness_s } = self.damping;
        not_negative(&format!("{at}.damping.mass_per_s"), mass_per_s, DAMPING_RATE)?;
        not_negative(&format!("{at}.damping.stiffness_s"), stiffness_s, DAMPING_TIME)?;
        for (i, pin) in self.pins.iter().enumerate() {
            pin.validate(&format!("{at}.pins[{i}]"))?;
        }
        for (i, map) in self.maps.iter().enumerate() {
            map.validate(&format!("{at}.maps[{i}]"))?;
        }
        for (i, fold) in self.folds.iter().enumerate() {
            let at = format!("{at}.folds[{i}]");
            fold.select.validate(&format!("{at}.select"))?;
            within(&format!("{at}.angle_deg"), fold.angle_deg, FOLD)?;
        }
        for (i, attach) in self.attach.iter().enumerate() {
            attach.select.validate(&format!("{at}.attach[{i}].select"))?;
        }
        check_loads(self, at)
    }
}

fn check_shape(shape: &Shape, at: &str) -> Result<()> {
    shape.generated().map_or(Ok(()), |settings| settings.check(&format!("{at}.shape")))
}

impl Obstacle {
    fn validate(&self, at: &str) -> Result<()> {
        check_shape(&self.shape, at)?;
        self.transform.validate(&format!("{at}.transform"))?;
        self.motion.as_ref().map_or(Ok(()), |motion| motion.validate(&format!("{at}.motion")))?;
        self.validate_pinch(at)?;
        self.validate_samples(at)
    }
}

impl Placement {
    fn validate(&self, at: &str) -> Result<()> {
        positive_within(&format!("{at}.scale"), self.scale, FACTOR)?;
        direction(&format!("{at}.axis"), self.axis)?;
        within(&format!("{at}.angle_deg"), self.angle_deg, ANGLE)?;
        vector_within(&format!("{at}.translation_m"), self.translation_m, LENGTH)
    }
}

impl MotionSpec {
    pub(super) fn validate(&self, at: &str) -> Result<()> {
        vector_within(&format!("{at}.center_m"), self.center_m, LENGTH)?;
        if self.keyframes.is_empty() {
            let remedy = "add keyframes, or leave the motion out";
            return Err(Error::input(
                format!("{at}.keyframes"),
                "a motion without keyframes",
                remedy,
            ));
        }
        ascending(&format!("{at}.keyframes"), self.keyframes.iter().map(|key| key.time_s))?;
        self.check_speeds(at)?;
        for (i, key) in self.keyframes.iter().enumerate() {
            let at = format!("{at}.keyframes[{i}]");
            vector_within(&format!("{at}.translation_m"), key.translation_m, LENGTH)?;
            direction(&format!("{at}.axis"), key.axis)?;
            within(&format!("{at}.angle_deg"), key.angle_deg, ANGLE)?;
        }
        Ok(())
    }

    /// Fails if a translation is too fast, or not finite. How fast the motion turns depends on the
    /// surface that it moves.
    fn check_speeds(&self, at: &str) -> Result<()> {
        for (i, two) in self.keyframes.windows(2).enumerate() {
            let way = Vec3::from(two[1].translation_m) - Vec3::from(two[0].translation_m);
            finite_vector(&format!("{at}.keyframes[{}].translation_m", i + 1), way.into())?;
            let m_per_s = way.norm() / (two[1].time_s - two[0].time_s);
            check_speed(&format!("{at}.keyframes[{}].translation_m", i + 1), m_per_s)?;
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
