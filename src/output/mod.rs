//! What a run leaves on disk: frames, `run.json` and `timeline.json`.

pub mod frames;
pub mod run_json;
pub mod time_line;
