//! Frames of rigid bodies.
//!
//! | module | |
//! |---|---|
//! | [`row`] | a body of a frame |
//! | [`vtp`], [`columns`] | VTK PolyData: the format for any number of bodies |
//! | [`obj`], [`surface`] | Wavefront OBJ: surfaces, for a few thousand bodies |
//! | [`obstacles`] | once a run: the bodies that stand still, the shapes of solids |
//! | [`owners`] | the rank of each body, in a file beside the frame |
//! | [`record`] | its line in `steps.jsonl` |
//! | [`writer`] | writes all of these in a thread of its own |
//!
//! Rows are in the order of ids, and nothing in a frame depends on ranks. So its bytes are the same
//! for any number of ranks and threads.

mod columns;
pub mod obj;
pub mod obstacles;
pub mod owners;
pub mod record;
pub mod row;
pub mod surface;
pub mod vtp;
pub mod writer;

use std::io::{self, Write};

use cloth_sim::error::{Error, Result};
use cloth_sim::rigid::solid::Solids;
use cloth_sim::scene::spec::Digits;

use crate::program::output::formats::unknown;

pub use row::BodyRow;

/// A frame: all bodies at one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyFrame {
    /// Its number. 0 is the start.
    pub number: u64,
    /// Time since the start, s.
    pub time_s: f64,
    /// Movable bodies and those that keyframes move, by rising id.
    pub rows: Vec<BodyRow>,
}

impl BodyFrame {
    /// A frame of `rows` in any order.
    pub fn new(number: u64, time_s: f64, mut rows: Vec<BodyRow>) -> Self {
        rows.sort_unstable_by_key(|row| row.id);
        Self { number, time_s, rows }
    }
}

/// All formats, the default first.
pub const FORMATS: [&dyn BodyFormat; 2] = [&vtp::Vtp, &obj::BodyObj];

/// A format of frames of bodies.
pub trait BodyFormat: Sync {
    /// Its name in a scene's `output.format`, and the ending of its files.
    fn name(&self) -> &'static str;

    /// The largest number of bodies of a frame.
    fn limit(&self) -> usize;

    /// Prepares what all frames share.
    fn prepare(&self, solids: &Solids, digits: Digits) -> Box<dyn BodyEncoder>;
}

/// Writes the frames of a run.
pub trait BodyEncoder: Send {
    /// Writes one file.
    ///
    /// # Errors
    /// The errors of `out`.
    fn write(&self, frame: &BodyFrame, out: &mut dyn Write) -> io::Result<()>;
}

/// The format of this name, for frames of `bodies` bodies.
///
/// # Errors
/// When there is none, or it does not take so many bodies.
pub fn named(name: &str, bodies: usize) -> Result<&'static dyn BodyFormat> {
    let format = FORMATS.into_iter().find(|format| format.name() == name);
    let format = format.ok_or_else(|| unknown(name, &FORMATS.map(BodyFormat::name)))?;
    if bodies <= format.limit() {
        return Ok(format);
    }
    let limit = format.limit();
    let cause = format!("the scene has {bodies} bodies, and {name} takes {limit} at most");
    let remedy = format!("write {}, which takes any number", FORMATS[0].name());
    Err(Error::input("output.format", cause, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_refused_with_its_limit() {
        assert_eq!(named("vtp", 1_000_000).unwrap().name(), "vtp");
        assert_eq!(named("obj", obj::LIMIT).unwrap().name(), "obj");
        let error = |name, bodies| named(name, bodies).err().unwrap().to_string();
        let many = error("obj", obj::LIMIT + 1);
        assert!(many.contains("5001 bodies") && many.contains("5000") && many.contains("vtp"));
        assert!(error("vpt", 1).contains("vtp"));
    }
}
