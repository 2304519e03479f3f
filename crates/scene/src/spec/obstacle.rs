//! Obstacles, as the user writes them.

use cloth_core::settings;

use crate::spec::{MotionSpec, PinchSpec, Placement, SamplesSpec};
use cloth_core::mesh::shapes::Shape;

settings! {
    /// An obstacle: a surface whose motion is prescribed.
    pub struct Obstacle, also Obstacle::check_motion {
        /// Unique in the scene. The default comes from the mesh file or the shape.
        #[serde(default)]
        pub name: Option<String>,
        /// Its surface. The faces look outwards.
        pub shape: Shape => checked,
        /// Where it starts.
        #[serde(default)]
        pub transform: Placement => checked,
        /// How it moves from there. Without a motion it stays there.
        #[serde(default)]
        pub motion: Option<MotionSpec> => checked,
        /// How each of its vertices moves, instead.
        #[serde(default)]
        pub samples: Option<SamplesSpec> => checked,
        /// What it does where it leaves cloth no room. Without it, `contact.on_pinch` of the scene
        /// says so.
        #[serde(default)]
        pub on_pinch: Option<PinchSpec> => checked,
        /// OBJ groups whose faces meet nothing.
        #[serde(default)]
        pub without: Vec<String>,
        /// Name of the material that gives its friction. Without one `contact` does.
        #[serde(default)]
        pub touch: Option<String>,
    }
}
