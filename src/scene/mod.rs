//! The scene: what the user writes in RON, and what the simulation is built from.

pub mod setup;

pub use setup::{
    Bending, ClothSetup, Keyframe, Material, Motion, ObstacleSetup, Pin, RestTriangle, Rigid,
    Setup, Transform,
};
