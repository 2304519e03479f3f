//! Folds of cloth at rest, as the user writes them.

use cloth_core::bounds::{FOLD, within};
use cloth_core::settings;

use crate::spec::Select;

settings! {
    /// Edges that are folded at rest, such as a pleat that is ironed in.
    #[serde(rename = "Fold")]
    pub struct FoldSpec {
        /// The ends of its edges, by their positions at the start of the scene.
        pub select: Select => checked,
        /// Angle between the two faces, degrees: 0 is flat, and a positive one turns their fronts
        /// towards each other.
        pub angle_deg: f64 => within(FOLD),
    }
}
