//! Checks selections, and gravity and friction over time.

use crate::spec::{GRAVITY, Scene, Select};
use cloth_bodies::bodies::cloth::amplitude::AmplitudeKey;
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};
use cloth_core::settings::Check;

impl Check for Select {
    fn check(&self, at: &str) -> Result<()> {
        match self {
            Self::Box { min_m, max_m } => {
                // A corner may be far away, to select everything on that side.
                finite(&format!("{at}.min_m"), *min_m)?;
                finite(&format!("{at}.max_m"), *max_m)?;
                if (0..3).any(|axis| min_m[axis] > max_m[axis]) {
                    let cause = "the lower corner of the box is above its upper corner";
                    return Err(Error::input(format!("{at}.min_m"), cause, "swap them"));
                }
                Ok(())
            }
            Self::Nearest(point) => within(at, *point, LENGTH),
            Self::Vertices(_) | Self::Group(_) => Ok(()),
        }
    }
}

/// Fails if a factor is below 0.
pub(super) fn not_negative_factors(keys: &[AmplitudeKey], at: &str) -> Result<()> {
    let mut factors = (0..).zip(keys);
    factors.try_for_each(|(i, key)| not_negative(&format!("{at}[{i}].factor"), key.factor, FACTOR))
}

impl Scene {
    /// Checks the keys of friction.
    pub(super) fn check_friction(&self) -> Result<()> {
        let (keys, at) = (&self.friction_keyframes, "friction_keyframes");
        not_negative_factors(keys, at)?;
        if keys.is_empty() || !self.is_divided() {
            return Ok(());
        }
        let cause = "friction of rigid bodies alone is constant";
        Err(Error::input(at, cause, "leave it out, or write engine: Contact"))
    }

    /// Checks that gravity is said once.
    pub(super) fn check_gravity(&self) -> Result<()> {
        let (keys, at) = (&self.gravity_keyframes, "gravity_keyframes");
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
