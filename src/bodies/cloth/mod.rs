//! What moves cloth: membrane, bending, air, pins, and one implicit step.

pub mod air;
pub mod assembly;
pub mod bending;
mod curvature;
pub mod energy;
mod hinges;
pub mod inputs;
mod lanes;
pub mod material;
pub mod membrane;
pub mod model;
pub mod pins;
mod polar;
mod scatter;
pub mod setup;
pub mod wind;

pub use air::AirDrag;
pub use assembly::Assembly;
pub use bending::{Bending, BendingTreatment, CurvatureTriangle, Hinge};
pub use material::{BendingStiffness, MembraneStiffness};
pub use membrane::{MembraneTriangle, StepTerms};
pub use model::ClothModel;
pub use pins::Pins;
