//! What a run of rigid bodies writes beside its frames, and how frames draw bodies.
//!
//! | module | |
//! |---|---|
//! | [`surface`] | the surface of a body, for formats that draw bodies |
//! | [`obstacles`] | once a run: the bodies that stand still, the shapes of solids |
//! | [`owners`] | the rank of each body, in a file beside the frame |
//! | [`workers`] | the workers of each body, in a file beside the frame |
//! | [`forces`] | the forces of contacts and joints, in files beside the frame |
//! | [`record`] | the line of a frame in `steps.jsonl` |

pub mod forces;
pub mod obstacles;
pub mod owners;
pub mod record;
pub mod surface;
pub mod workers;
