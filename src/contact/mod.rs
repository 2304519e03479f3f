//! The contact law: from near pairs to forces, impulses and the fail-safe.

pub mod candidates;
pub mod fail_safe;
pub mod impulse;
pub mod point;
pub mod settings;
pub mod spring;

pub use impulse::{VertexResponse, impulses, max_project, repulsions};
pub use point::{
    Contact, ContactDistance, ContactKind, Friction, find_contacts, keep_local_minima,
};
pub use settings::Settings;
