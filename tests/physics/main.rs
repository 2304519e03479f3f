//! Cloth through the real step, against closed forms and what must never happen.

mod contact;
mod dynamics;
mod self_contact;
mod statics;

#[path = "../common/physics.rs"]
mod physics;
