//! One rank's simulation of cloth: elements, steps, pinches, seams, states.

#[path = "../common/mod.rs"]
mod common;
mod contact_couplings;
mod elements;
#[path = "../common/physics.rs"]
mod physics;
mod pinch;
mod sewing;
mod solver_bits;
mod state;
mod step;
mod yielding;
