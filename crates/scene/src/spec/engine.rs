//! Which engine computes a scene, as the user writes it in RON.

use serde::{Deserialize, Serialize};

use crate::spec::Scene;

/// Which engine computes a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineChoice {
    /// Rigid bodies alone by parts of the domain, and all scenes with cloth by contacts.
    #[default]
    Auto,
    /// Contacts: all surfaces stay apart, also those of rigid bodies alone.
    Contact,
}

impl Scene {
    /// Whether it has rigid bodies and no cloth.
    pub fn has_bodies_alone(&self) -> bool {
        self.cloths.is_empty() && !self.bodies.is_empty()
    }

    /// Whether the engine of rigid bodies computes it, by parts of a domain.
    pub fn is_divided(&self) -> bool {
        self.has_bodies_alone() && self.engine == EngineChoice::Auto
    }
}
