//! The program: the real binary, its files and its messages.

mod attached_cloth;
mod bad_input;
mod begin;
mod bit_identity;
mod body_runs;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod contact_engine;
mod deforming_obstacles;
#[cfg(feature = "fault-injection")]
mod faults;
mod formats;
mod garments;
mod hostile;
mod input_files;
mod interrupt;
mod launch;
mod mesh;
mod page;
mod picture;
mod profile;
mod repartition;
mod resume;
mod rigid_run;
mod run_folder;
mod summary;
mod view;
