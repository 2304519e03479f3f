//! What a run with rigid bodies writes beside its frames.
//!
//! | module | |
//! |---|---|
//! | [`obstacles`] | once a run: the bodies that stand still, the shapes of solids |
//! | [`owners`] | the rank of each body, in a file beside the frame |
//! | [`workers`] | the workers of each body, in a file beside the frame |
//! | [`forces`] | the forces of contacts and joints, in files beside the frame |
//! | [`record`] | the line of a frame in `steps.jsonl` |

pub mod forces;
pub mod obstacles;
pub mod owners;
pub mod record;
pub mod workers;

pub use self::record::{Bodies, BodiesPart, BodyFrameRecord, OverlapRecord, WorkersPart};
