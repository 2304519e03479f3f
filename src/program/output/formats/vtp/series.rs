//! `frames.pvd`: ParaView's list of the files of a series, with their times.

use std::ops::Range;

use crate::program::output::formats::vtp::NAME;
use crate::program::output::names;

/// The text of the list of `frames`, of which there are `rate` in a second.
pub fn text(frames: &Range<u64>, rate: f64) -> String {
    let line = |number: u64| {
        let (time_s, file) = (number as f64 / rate, names::frame(number, NAME));
        format!("<DataSet timestep=\"{time_s}\" part=\"0\" file=\"{file}\"/>\n")
    };
    let lines = frames.clone().map(line).collect::<String>();
    format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n\
         {lines}</Collection>\n</VTKFile>\n"
    )
}
