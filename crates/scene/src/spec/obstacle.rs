//! Obstacles, as the user writes them.

use serde::{Deserialize, Serialize};

use crate::spec::{MotionSpec, PinchSpec, Placement, SamplesSpec};
use cloth_core::mesh::shapes::Shape;

/// An obstacle: a surface whose motion is prescribed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Unique in the scene. The default comes from the mesh file or the shape.
    #[serde(default)]
    pub name: Option<String>,
    /// Its surface. The faces look outwards.
    pub shape: Shape,
    /// Where it starts.
    #[serde(default)]
    pub transform: Placement,
    /// How it moves from there. Without a motion it stays there.
    #[serde(default)]
    pub motion: Option<MotionSpec>,
    /// How each of its vertices moves, instead.
    #[serde(default)]
    pub samples: Option<SamplesSpec>,
    /// What it does where it leaves cloth no room. Without it, `contact.on_pinch` of the scene says so.
    #[serde(default)]
    pub on_pinch: Option<PinchSpec>,
    /// OBJ groups whose faces meet nothing.
    #[serde(default)]
    pub without: Vec<String>,
    /// Name of the material that gives its friction. Without one `contact` does.
    #[serde(default)]
    pub touch: Option<String>,
}
