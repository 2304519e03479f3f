//! Bounds of single settings, each with its message. `at` is the path of the field in the scene.

use crate::error::{Error, Result};
use crate::math::Vec3;

/// A remedy for an unknown word: the known word nearest to `found`, and all known words.
pub fn did_you_mean(found: &str, known: &[&str]) -> String {
    // Input can be of any length.
    let found = &found.chars().take(100).collect::<String>();
    let nearest = known.iter().max_by(|a, b| {
        let likeness = |word: &str| {
            strsim::normalized_damerau_levenshtein(&found.to_lowercase(), &word.to_lowercase())
        };
        likeness(a).total_cmp(&likeness(b))
    });
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`? Known here: {}", known.join(", ")),
        None => "nothing is known here".to_owned(),
    }
}

/// Not NaN, not infinite.
pub(crate) fn finite(at: &str, value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    Err(Error::input(at, format!("{value} is not a finite number"), "write a finite number"))
}

/// All components finite.
pub(crate) fn finite_vector(at: &str, value: [f64; 3]) -> Result<()> {
    value.into_iter().try_for_each(|component| finite(at, component))
}

/// Above zero.
pub(crate) fn positive(at: &str, value: f64) -> Result<()> {
    finite(at, value)?;
    if value > 0.0 {
        return Ok(());
    }
    Err(Error::input(at, format!("{value} is not positive"), "write a number above zero"))
}

/// Zero or above.
pub(crate) fn not_negative(at: &str, value: f64) -> Result<()> {
    finite(at, value)?;
    if value >= 0.0 {
        return Ok(());
    }
    Err(Error::input(at, format!("{value} is negative"), "write zero or a number above it"))
}

/// A count above zero.
pub(crate) fn at_least_one(at: &str, value: impl Into<u64>) -> Result<()> {
    if value.into() > 0 {
        return Ok(());
    }
    Err(Error::input(at, "0 is not positive", "write a whole number above zero"))
}

/// A number of cells along a side, few enough for 32-bit numbers of vertices, faces and corners.
pub(crate) fn cells(at: &str, value: u32) -> Result<()> {
    at_least_one(at, value)?;
    if value <= 10_000 {
        return Ok(());
    }
    Err(Error::input(at, format!("{value} are too many"), "choose at most 10000"))
}

/// A vector that can be normalized.
pub(crate) fn direction(at: &str, value: [f64; 3]) -> Result<()> {
    finite_vector(at, value)?;
    let length = Vec3::from(value).norm();
    if length.is_normal() {
        return Ok(());
    }
    Err(Error::input(at, "this vector has no direction", "write a vector of a length such as 1"))
}

/// Times of keys in ascending order.
pub(crate) fn ascending(at: &str, times: impl Iterator<Item = f64>) -> Result<()> {
    let mut last = f64::NEG_INFINITY;
    for (i, time) in times.enumerate() {
        let at = format!("{at}[{i}].time_s");
        finite(&at, time)?;
        if time <= last {
            let cause = format!("{time} s is not after the key before it ({last} s)");
            return Err(Error::input(at, cause, "order the keys by time, each time once"));
        }
        last = time;
    }
    Ok(())
}
