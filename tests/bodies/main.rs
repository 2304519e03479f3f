//! Bodies: closed forms of motion, impacts and joints, alone and among cloth.

mod bodies_among_cloth;
mod bodies_closed_forms;
mod body_impacts;
mod body_starts;
#[path = "../common/mod.rs"]
mod common;
mod joint_energy;
mod jointed_bodies;
mod obstacles;
#[path = "../common/physics.rs"]
mod physics;
mod rigid_body;
#[path = "../common/round.rs"]
mod round;
mod round_bodies;
