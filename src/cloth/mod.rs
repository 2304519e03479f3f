//! Cloth as a continuum: element kernels and the implicit step they feed.

pub mod air;
pub mod bending;
mod curvature;
mod lanes;
pub mod material;
pub mod membrane;
mod polar;

pub use air::AirDrag;
pub use bending::{Bending, BendingTreatment, CurvatureTriangle, Hinge};
pub use material::{BendingStiffness, Material, MembraneStiffness};
pub use membrane::{MembraneTriangle, StepTerms};
