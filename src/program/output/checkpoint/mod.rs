//! Checkpoints: the state of a run between two steps, from which `cloth-sim resume` goes on.
//!
//! ```text
//! "CLTHSIM\n"  version of the format, u32, little-endian
//! block 1      the header: run and step
//! block 2      the state, as the engine saves it
//! block 3      the record of the steps since the last frame, JSON; empty at a frame
//! ```
//!
//! A block is its length in bytes (u64), the XXH3 hash of its bytes (u64), and its bytes. Lengths
//! and hashes are little-endian. Every byte of a file is checked.
//!
//! A file is written under a temporary name and synced before it gets its own name. Then the folder
//! is synced. So a file with the name of a checkpoint is whole, even after a loss of power.

mod file;
mod generations;

pub use self::file::{Checkpoint, Header};
pub use self::generations::{Generations, LEAST_KEPT, at_frame, newest};
