//! Divides a cloth among ranks by several methods, like a run does, and measures the
//! divisions.
//!
//! Patches and couplings are those of a run, and so is the function that divides them. So the
//! indices equal those in the `run.json` of a run with that method and number of ranks.

mod cloth;
mod division;
mod folder;
mod frame;
pub mod names;
pub mod table;

pub use cloth::DividedCloth;
pub use division::Division;
pub use folder::OutFolder;
