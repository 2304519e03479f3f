//! MDD, the point cache of LightWave: the numbers of samples and points, the time of each sample (s),
//! and the samples. All numbers are big-endian.

use crate::mesh::point_cache::{PointCache, Read};

/// The length of a number, bytes.
const WORD: usize = 4;

/// Reads a whole file. The times are left out: the scene says how fast the samples follow each other.
pub(super) fn read(bytes: &[u8]) -> Read {
    let word = |at: usize| {
        let word = bytes.get(at..at + WORD).ok_or("the file ends within its head")?;
        Ok::<u32, String>(u32::from_be_bytes([word[0], word[1], word[2], word[3]]))
    };
    let (samples, points) = (word(0)?, word(WORD)?);
    let begin = 2 * WORD + samples as usize * WORD;
    let positions = bytes.get(begin..).ok_or("the file ends within its times")?;
    PointCache::of_bytes(positions, [points, samples], f32::from_be_bytes)
}
