//! What a user reads when a run is over.

pub mod check;
pub mod profile;
pub mod replay;
pub mod summary;
