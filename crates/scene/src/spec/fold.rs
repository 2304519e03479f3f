//! Folds of cloth at rest, as the user writes them.

use serde::{Deserialize, Serialize};

use crate::spec::Select;

/// Edges that are folded at rest, such as a pleat that is ironed in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Fold", deny_unknown_fields)]
pub struct FoldSpec {
    /// The ends of its edges, by their positions at the start of the scene.
    pub select: Select,
    /// Angle between the two faces, degrees: 0 is flat, and a positive one turns their fronts towards
    /// each other.
    pub angle_deg: f64,
}
