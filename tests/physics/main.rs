//! Room `step`: cloth in the real step against closed forms, and events that must never occur.

mod adaptive;
mod applied_loads;
mod bdf2;
mod bending;
mod contact;
mod drape;
mod dynamics;
mod energy;
mod load;
mod maps;
mod pairs;
mod pins;
mod self_contact;
mod statics;

#[path = "../common/bends.rs"]
mod bends;
#[path = "../common/cusick.rs"]
mod cusick;
#[path = "../common/flat_meshes.rs"]
mod flat_meshes;
#[path = "../common/physics.rs"]
mod physics;
