//! Checks every number of a scene before its bodies are built.

#[cfg(test)]
mod tests;

use crate::bodies::cloth::Air;
use crate::bounds::*;
use crate::error::{Error, Result};
use crate::math::Vec3;
use crate::mesh::shapes::Shape;
use crate::scene::spec::*;
use crate::step::settings::Solver;
use crate::{contact, stealing};

/// Beyond these the cloth moves so far in a time step that a step takes minutes.
const LONGEST_STEP_S: f64 = 0.5;
const LARGEST_GRAVITY: f64 = 1e6;

impl Scene {
    /// Checks all numbers and names.
    ///
    /// # Errors
    /// The first field that is out of bounds, by its full path.
    pub fn validate(&self) -> Result<()> {
        positive("frames_per_second", self.frames_per_second)?;
        at_least_one("steps_per_frame", self.steps_per_frame)?;
        at_least_one("patch_vertices", self.patch_vertices)?;
        at_least_one("refine", self.refine)?;
        if self.refine > 64 {
            let cause = format!("{} cuts an edge into too many parts", self.refine);
            return Err(Error::input("refine", cause, "choose at most 64"));
        }
        if self.step_s() > LONGEST_STEP_S {
            let cause =
                format!("a time step takes {} s, more than {LONGEST_STEP_S} s", self.step_s());
            return Err(Error::input(
                "steps_per_frame",
                cause,
                "choose more steps a frame, of about 1 ms each",
            ));
        }
        finite_vector("gravity_m_per_s2", self.gravity_m_per_s2)?;
        if Vec3::from(self.gravity_m_per_s2).amax() > LARGEST_GRAVITY {
            let cause = format!("more than {LARGEST_GRAVITY} m/s^2");
            return Err(Error::input("gravity_m_per_s2", cause, "choose about 9.81 m/s^2"));
        }
        let is_control = self.name.contains(char::is_control);
        if self.name.contains(['/', '\\']) || self.name.starts_with('.') || is_control {
            let cause = format!("`{}` cannot name a run folder", self.name);
            return Err(Error::input("name", cause, "use letters, digits, - and _"));
        }
        if !self.bodies.is_empty() {
            self.validate_bodies()?;
            return self.check_names();
        }
        if self.cloths.is_empty() {
            return Err(Error::input(
                "cloths, bodies",
                "the scene has neither cloths nor rigid bodies",
                "add some of one kind; see docs/scene.md",
            ));
        }
        self.air.validate()?;
        self.contact.validate()?;
        self.collision.validate()?;
        self.partition.validate()?;
        self.solver.validate()?;
        for (i, cloth) in self.cloths.iter().enumerate() {
            cloth.validate(&format!("cloths[{i}]"))?;
        }
        for (i, obstacle) in self.obstacles.iter().enumerate() {
            obstacle.validate(&format!("obstacles[{i}]"))?;
        }
        self.check_names()
    }

    fn check_names(&self) -> Result<()> {
        let cloths = self.cloths.iter().map(|cloth| ("cloths", &cloth.name));
        let obstacles = self.obstacles.iter().map(|obstacle| ("obstacles", &obstacle.name));
        let bodies = self.bodies.iter().map(|bodies| ("bodies", &bodies.name));
        let mut known = Vec::new();
        for (list, name) in cloths.chain(obstacles).chain(bodies) {
            let Some(name) = name else { continue };
            if known.contains(&name) {
                let cause = format!("two objects have the name `{name}`");
                return Err(Error::input(list, cause, "give each its own name"));
            }
            if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
                let cause = format!("`{name}` cannot be the name of an object in an OBJ file");
                return Err(Error::input(list, cause, "use letters, digits, - and _"));
            }
            known.push(name);
        }
        Ok(())
    }
}

impl Air {
    fn validate(&self) -> Result<()> {
        not_negative("air.normal_drag_n_s_per_m3", self.normal_drag_n_s_per_m3)?;
        not_negative("air.tangential_drag_n_s_per_m3", self.tangential_drag_n_s_per_m3)?;
        ascending("air.wind", self.wind.iter().map(|key| key.time_s))?;
        for (i, key) in self.wind.iter().enumerate() {
            finite_vector(&format!("air.wind[{i}].velocity_m_per_s"), key.velocity_m_per_s)?;
        }
        Ok(())
    }
}

impl contact::ContactSettings {
    fn validate(&self) -> Result<()> {
        positive("contact.distance_m", self.distance_m)?;
        not_negative("contact.friction_obstacle", self.friction_obstacle)?;
        not_negative("contact.friction_cloth", self.friction_cloth)?;
        positive("contact.clearance_m", self.clearance_m)?;
        if self.clearance_m > 0.1 * self.distance_m {
            let cause = format!(
                "{} leaves no room below contact.distance_m, {}",
                self.clearance_m, self.distance_m
            );
            let remedy = "choose about a hundredth of the contact distance";
            return Err(Error::input("contact.clearance_m", cause, remedy));
        }
        Ok(())
    }
}

impl stealing::StealingSettings {
    /// Checks all numbers.
    ///
    /// # Errors
    /// The first field that is out of bounds, by its path in a scene.
    pub fn validate(&self) -> Result<()> {
        at_least_one("collision.b", self.b)?;
        positive("collision.polling_interval_us", self.polling_interval_us)?;
        if self.polling_interval_us > 1e6 {
            let cause = format!("{:?} us are more than a second", self.polling_interval_us);
            return Err(Error::input("collision.polling_interval_us", cause, "choose about 10"));
        }
        Ok(())
    }
}

impl Solver {
    fn validate(&self) -> Result<()> {
        positive("solver.relative_residual", self.relative_residual)?;
        if self.relative_residual >= 1.0 {
            let cause = format!("{} is reached before the first iteration", self.relative_residual);
            return Err(Error::input("solver.relative_residual", cause, "choose about 1e-6"));
        }
        at_least_one("solver.max_iterations", self.max_iterations)?;
        if self.max_halvings > 10 {
            let cause = format!("{} halvings are too many", self.max_halvings);
            return Err(Error::input("solver.max_halvings", cause, "choose at most 10"));
        }
        Ok(())
    }
}

impl Cloth {
    fn validate(&self, at: &str) -> Result<()> {
        check_shape(&self.shape, at)?;
        self.transform.validate(&format!("{at}.transform"))?;
        if let Rest::Uv { metres_per_unit } = self.rest {
            positive(&format!("{at}.rest.metres_per_unit"), metres_per_unit)?;
        }
        direction(&format!("{at}.warp_axis"), self.warp_axis)?;
        self.material.resolve(&format!("{at}.material"))?;
        not_negative(&format!("{at}.damping.mass_per_s"), self.damping.mass_per_s)?;
        not_negative(&format!("{at}.damping.stiffness_s"), self.damping.stiffness_s)?;
        for (i, pin) in self.pins.iter().enumerate() {
            pin.validate(&format!("{at}.pins[{i}]"))?;
        }
        Ok(())
    }
}

fn check_shape(shape: &Shape, at: &str) -> Result<()> {
    shape.generated().map_or(Ok(()), |settings| settings.check(&format!("{at}.shape")))
}

impl Obstacle {
    fn validate(&self, at: &str) -> Result<()> {
        check_shape(&self.shape, at)?;
        self.transform.validate(&format!("{at}.transform"))?;
        self.motion.as_ref().map_or(Ok(()), |motion| motion.validate(&format!("{at}.motion")))
    }
}

impl Placement {
    fn validate(&self, at: &str) -> Result<()> {
        positive(&format!("{at}.scale"), self.scale)?;
        direction(&format!("{at}.axis"), self.axis)?;
        finite(&format!("{at}.angle_deg"), self.angle_deg)?;
        finite_vector(&format!("{at}.translation_m"), self.translation_m)
    }
}

impl PinSpec {
    fn validate(&self, at: &str) -> Result<()> {
        match &self.select {
            Select::Box { min_m, max_m } => {
                finite_vector(&format!("{at}.select.min_m"), *min_m)?;
                finite_vector(&format!("{at}.select.max_m"), *max_m)?;
                if (0..3).any(|axis| min_m[axis] > max_m[axis]) {
                    let cause = "the lower corner of the box is above its upper corner";
                    return Err(Error::input(format!("{at}.select.min_m"), cause, "swap them"));
                }
            }
            Select::Nearest(point) => finite_vector(&format!("{at}.select"), *point)?,
            Select::Vertices(_) | Select::Group(_) => {}
        }
        finite(&format!("{at}.start_s"), self.start_s)?;
        if let Some(end_s) = self.end_s {
            finite(&format!("{at}.end_s"), end_s)?;
            if end_s <= self.start_s {
                let cause =
                    format!("the pin ends at {end_s} s, before it starts at {} s", self.start_s);
                return Err(Error::input(format!("{at}.end_s"), cause, "choose a later end"));
            }
        }
        self.motion.as_ref().map_or(Ok(()), |motion| motion.validate(&format!("{at}.motion")))
    }
}

impl MotionSpec {
    pub(super) fn validate(&self, at: &str) -> Result<()> {
        finite_vector(&format!("{at}.center_m"), self.center_m)?;
        if self.keyframes.is_empty() {
            let remedy = "add keyframes, or leave the motion out";
            return Err(Error::input(
                format!("{at}.keyframes"),
                "a motion without keyframes",
                remedy,
            ));
        }
        ascending(&format!("{at}.keyframes"), self.keyframes.iter().map(|key| key.time_s))?;
        for (i, key) in self.keyframes.iter().enumerate() {
            let at = format!("{at}.keyframes[{i}]");
            finite_vector(&format!("{at}.translation_m"), key.translation_m)?;
            direction(&format!("{at}.axis"), key.axis)?;
            finite(&format!("{at}.angle_deg"), key.angle_deg)?;
        }
        Ok(())
    }
}
