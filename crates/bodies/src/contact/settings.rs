//! The settings of contact in a scene.

use serde::{Deserialize, Serialize};

/// How bodies touch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Contact", default, deny_unknown_fields)]
pub struct ContactSettings {
    /// Surfaces are kept this far apart, m.
    pub distance_m: f64,
    /// Surfaces never come nearer than this, m.
    pub clearance_m: f64,
    /// Coulomb's coefficient of all other pairs: cloth on obstacles, and bodies of few nodes on
    /// anything.
    pub friction_obstacle: f64,
    /// Coulomb's coefficient between cloth and cloth.
    pub friction_cloth: f64,
    /// How contacts are resolved.
    pub response: Response,
    /// What happens when obstacles or handles leave cloth no room.
    pub on_pinch: OnPinch,
    /// Whether a scene may start with surfaces that cross or nearly touch.
    pub dirty_start: DirtyStart,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            distance_m: 1e-3,
            clearance_m: 1e-5,
            friction_obstacle: 0.3,
            friction_cloth: 0.3,
            response: Response::Implicit,
            on_pinch: OnPinch::Yield,
            dirty_start: DirtyStart::Refuse,
        }
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
