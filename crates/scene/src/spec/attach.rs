//! Cloth on bodies, as the user writes it.

use cloth_core::settings;

use crate::spec::Select;

settings! {
    /// Vertices of a cloth that a body carries.
    #[serde(rename = "Attach")]
    pub struct AttachSpec {
        /// Which vertices, by their positions at the start of the scene.
        pub select: Select => checked,
        /// The body: `name`, or `name[3]`.
        pub to: String,
    }
}
