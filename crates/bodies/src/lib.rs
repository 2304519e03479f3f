//! Bodies of a cloth simulation, and the contacts between them.
//!
//! [`bodies`] has cloth, prescribed bodies, rigid bodies among cloth and joints. [`contact`] has the
//! active contacts and their law, impulses, and the fail-safe.

pub mod bodies;
pub mod contact;
