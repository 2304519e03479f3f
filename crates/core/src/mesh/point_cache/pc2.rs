//! PC2, the point cache of Blender's modifier "Mesh Cache" and of 3ds Max.
//!
//! | bytes | content |
//! |---|---|
//! | 0..12 | `POINTCACHE2` and a zero |
//! | 12..16 | version, 1 |
//! | 16..20 | number of points |
//! | 20..24 | number of the first frame, `f32` |
//! | 24..28 | number of frames from one sample to the next, `f32` |
//! | 28..32 | number of samples |
//! | 32.. | samples: x, y, z of each point, `f32` |
//!
//! All numbers are little-endian.

use crate::mesh::point_cache::{POINT_BYTES, PointCache, Read};

/// The length of the head, bytes.
pub const HEAD_BYTES: usize = 32;

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";

/// The head of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Head {
    /// Number of points of a sample.
    pub points: u32,
    /// Number of the first frame.
    pub start: f32,
    /// Number of frames from one sample to the next.
    pub rate: f32,
    /// Number of samples.
    pub samples: u32,
}

impl Head {
    /// The head at the beginning of `bytes`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Some(bytes) = bytes.get(..HEAD_BYTES).filter(|bytes| bytes.starts_with(MAGIC)) else {
            return Err("this is no PC2 file".to_owned());
        };
        let word = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        match u32::from_le_bytes(word(12)) {
            1 => {}
            0x0100_0000 => return Err("its numbers are big-endian; PC2 is little-endian".into()),
            version => return Err(format!("it has version {version}; there is only version 1")),
        }
        Ok(Self {
            points: u32::from_le_bytes(word(16)),
            start: f32::from_le_bytes(word(20)),
            rate: f32::from_le_bytes(word(24)),
            samples: u32::from_le_bytes(word(28)),
        })
    }

    /// The head as it is written.
    pub fn bytes(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..12].copy_from_slice(MAGIC);
        bytes[12..16].copy_from_slice(&1_u32.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.points.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.start.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.rate.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.samples.to_le_bytes());
        bytes
    }

    /// Number of whole samples in a file of `length` bytes.
    pub fn samples_in(&self, length: u64) -> u64 {
        let sample_bytes = self.place(1) - self.place(0);
        length.saturating_sub(self.place(0)).checked_div(sample_bytes).unwrap_or(u64::MAX)
    }

    /// The offset of sample `sample` in the file, bytes.
    pub fn place(&self, sample: u32) -> u64 {
        HEAD_BYTES as u64 + u64::from(sample) * u64::from(self.points) * POINT_BYTES as u64
    }
}

/// Reads a whole file. The number of the first frame is left out: the scene says when it begins.
pub(super) fn read(bytes: &[u8]) -> Read {
    let head = Head::parse(bytes)?;
    if !(head.rate.is_finite() && head.rate > 0.0) {
        return Err(format!("it has {} frames from one sample to the next", head.rate));
    }
    let sizes = [head.points, head.samples];
    let cache = PointCache::of_bytes(&bytes[HEAD_BYTES..], sizes, f32::from_le_bytes)?;
    Ok(PointCache { frames_per_sample: head.rate.into(), ..cache })
}
