//! Checks the loads of a cloth, and gravity over time.

use crate::spec::{Cloth, GRAVITY, Scene, Select};
use cloth_bodies::bodies::timed::AmplitudeKey;
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};

/// Checks the loads of a cloth and its motion at the start.
pub(super) fn check_loads(cloth: &Cloth, at: &str) -> Result<()> {
    for (i, load) in cloth.forces.iter().enumerate() {
        let at = format!("{at}.forces[{i}]");
        load.select.validate(&format!("{at}.select"))?;
        vector_within(&format!("{at}.force_n"), load.force_n, FORCE)?;
        check_amplitude(&load.amplitude, &format!("{at}.amplitude"))?;
    }
    for (i, load) in cloth.pressures.iter().enumerate() {
        let at = format!("{at}.pressures[{i}]");
        load.select.as_ref().map_or(Ok(()), |it| it.validate(&format!("{at}.select")))?;
        within(&format!("{at}.pressure_pa"), load.pressure_pa, PRESSURE)?;
        check_amplitude(&load.amplitude, &format!("{at}.amplitude"))?;
    }
    for (i, load) in cloth.masses.iter().enumerate() {
        let at = format!("{at}.masses[{i}]");
        load.select.validate(&format!("{at}.select"))?;
        positive_within(&format!("{at}.mass_kg"), load.mass_kg, MASS)?;
    }
    vector_within(&format!("{at}.velocity_m_per_s"), cloth.velocity_m_per_s, SPEED)?;
    let spin = cloth.angular_velocity_rad_per_s;
    vector_within(&format!("{at}.angular_velocity_rad_per_s"), spin, ANGULAR_SPEED)
}

pub(super) fn check_amplitude(keys: &[AmplitudeKey], at: &str) -> Result<()> {
    ascending(at, keys.iter().map(|key| key.time_s))?;
    let mut factors = (0..).zip(keys);
    factors.try_for_each(|(i, key)| within(&format!("{at}[{i}].factor"), key.factor, FACTOR))
}

impl Select {
    pub(super) fn validate(&self, at: &str) -> Result<()> {
        match self {
            Self::Box { min_m, max_m } => {
                // A corner may be far away, to select everything on that side.
                finite_vector(&format!("{at}.min_m"), *min_m)?;
                finite_vector(&format!("{at}.max_m"), *max_m)?;
                if (0..3).any(|axis| min_m[axis] > max_m[axis]) {
                    let cause = "the lower corner of the box is above its upper corner";
                    return Err(Error::input(format!("{at}.min_m"), cause, "swap them"));
                }
                Ok(())
            }
            Self::Nearest(point) => vector_within(at, *point, LENGTH),
            Self::Vertices(_) | Self::Group(_) => Ok(()),
        }
    }
}

impl Scene {
    /// Checks the keys of friction.
    pub(super) fn check_friction(&self) -> Result<()> {
        let (keys, at) = (&self.friction_keyframes, "friction_keyframes");
        check_amplitude(keys, at)?;
        for (i, key) in keys.iter().enumerate() {
            not_negative(&format!("{at}[{i}].factor"), key.factor, FACTOR)?;
        }
        if keys.is_empty() || !self.is_divided() {
            return Ok(());
        }
        let cause = "friction of rigid bodies alone is constant";
        Err(Error::input(at, cause, "leave it out, or write engine: Contact"))
    }

    /// Checks gravity and its keys.
    pub(super) fn check_gravity(&self) -> Result<()> {
        vector_within("gravity_m_per_s2", self.gravity_m_per_s2, ACCELERATION)?;
        let (keys, at) = (&self.gravity_keyframes, "gravity_keyframes");
        ascending(at, keys.iter().map(|key| key.time_s))?;
        for (i, key) in keys.iter().enumerate() {
            let at = format!("{at}[{i}].gravity_m_per_s2");
            vector_within(&at, key.gravity_m_per_s2, ACCELERATION)?;
        }
        if keys.is_empty() {
            return Ok(());
        }
        if !self.bodies.is_empty() {
            let cause = "gravity of rigid bodies is constant";
            return Err(Error::input(at, cause, "write gravity_m_per_s2 instead"));
        }
        if self.gravity_m_per_s2 != GRAVITY {
            let cause = "the scene has gravity_m_per_s2 too, and the keys take its place";
            return Err(Error::input(at, cause, "leave one of them out"));
        }
        Ok(())
    }
}
