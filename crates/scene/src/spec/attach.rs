//! Cloth on bodies, as the user writes it.

use serde::{Deserialize, Serialize};

use crate::spec::Select;

/// Vertices of a cloth that a body carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Attach", deny_unknown_fields)]
pub struct AttachSpec {
    /// Which vertices, by their positions at the start of the scene.
    pub select: Select,
    /// The body: `name`, or `name[3]`.
    pub to: String,
}
