//! What a run leaves on disk: frames and `run.json`.

pub mod frames;
pub mod run_json;
