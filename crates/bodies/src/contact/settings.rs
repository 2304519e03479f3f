//! The settings of contact in a scene.

use cloth_core::bounds::{
    FRICTION, LENGTH, MOST_CLEARANCE, SMALLEST_CLEARANCE_M, not_negative, positive,
    positive_within, shown,
};
use cloth_core::error::{Error, Result};
use cloth_core::settings;
use serde::{Deserialize, Serialize};

settings! {
    /// How bodies touch.
    #[derive(Copy)]
    #[serde(rename = "Contact")]
    pub struct ContactSettings, also ContactSettings::check_clearance {
        /// Surfaces are kept this far apart, m.
        pub distance_m: f64 = 1e-3 => positive_within(LENGTH),
        /// Surfaces never come nearer than this, m.
        pub clearance_m: f64 = 1e-5 => positive,
        /// Coulomb's coefficient of all other pairs: cloth on obstacles, and bodies of few nodes on
        /// anything.
        pub friction_obstacle: f64 = 0.3 => not_negative(FRICTION),
        /// Coulomb's coefficient between cloth and cloth.
        pub friction_cloth: f64 = 0.3 => not_negative(FRICTION),
        /// How contacts are resolved.
        pub response: Response = Response::Implicit,
        /// What happens when obstacles or handles leave cloth no room.
        pub on_pinch: OnPinch = OnPinch::Yield,
        /// Whether a scene may start with surfaces that cross or nearly touch.
        pub dirty_start: DirtyStart = DirtyStart::Refuse,
    }
}

impl ContactSettings {
    fn check_clearance(&self, at: &str) -> Result<()> {
        let (distance_m, clearance_m) = (self.distance_m, self.clearance_m);
        let at = format!("{at}.clearance_m");
        if clearance_m > MOST_CLEARANCE * distance_m {
            let cause = format!(
                "{} leaves no room below contact.distance_m, {}",
                shown(clearance_m),
                shown(distance_m)
            );
            let remedy = "choose about a hundredth of the contact distance";
            return Err(Error::input(at, cause, remedy));
        }
        if clearance_m < SMALLEST_CLEARANCE_M {
            let cause = format!("{} m is no more than rounding errors", shown(clearance_m));
            let remedy = format!("choose at least {SMALLEST_CLEARANCE_M:e} m");
            return Err(Error::input(at, cause, remedy));
        }
        Ok(())
    }
}

/// How contacts are resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// Contacts are part of the linear system. Impulses resolve the remaining collisions.
    #[default]
    Implicit,
    /// Only impulses and repulsions after the solve, like Thomaszewski & Blochinger 2007.
    Impulses,
}

/// What happens when obstacles or handles leave cloth no room to go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnPinch {
    /// Obstacles that deform give way. Other prescribed bodies wait, as with `Hold`.
    #[default]
    Yield,
    /// The prescribed bodies that pinch wait until there is room. The others go on.
    Hold,
    /// The run fails.
    Stop,
}

/// What happens when a scene starts with surfaces that cross or nearly touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DirtyStart {
    /// The scene is refused.
    #[default]
    Refuse,
    /// The run goes on with a warning. Surfaces that cross stay crossed.
    Allow,
}
