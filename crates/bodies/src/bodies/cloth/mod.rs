//! Cloth: elements, material and pins, and its rows of the implicit step.
//!
//! | file | |
//! |---|---|
//! | `elements/` | forces that depend on several vertices: membrane with air, bending |
//! | `material/` | what a fabric is, in a scene and to the elements |
//! | `setup` | one cloth as a scene builds it |
//! | `rest` | all cloths at rest in one numbering: what elements are made of |
//! | `model` | all cloths, shared by the ranks of a process |
//! | `scatter`, `assembly` | one rank's rows, patch by patch |
//! | `amplitude`, `loads` | forces on groups, pressure, extra masses, velocities at the start |
//! | `locking` | how much of a mesh's resistance to bending is false |
//! | `pins`, `inputs` | prescribed vertices, and all that a step is computed from |
//! | `clamps` | which faces are held in all corners, over time |
//! | `energy` | energy of all cloths |

pub mod assembly;
pub mod clamps;
pub mod elements;
pub mod energy;
pub mod loads;
pub mod locking;
pub mod material;
pub mod model;
pub mod pins;
pub mod rest;
mod scatter;
pub mod setup;

pub use assembly::Assembly;
pub use elements::air::{Air, AirDrag, WindKey};
pub use model::ClothModel;
