//! Point caches: the positions of the vertices of a mesh at even times, in one file or in a sequence
//! of files.

pub mod pc2;
pub mod sequence;

use std::path::Path;

use crate::{Error, Result, Vec3, input};

/// Bytes of a point: three numbers in single precision.
pub const POINT_BYTES: usize = 12;

/// The positions of the vertices of a mesh at even times, in the file's own unit and in single
/// precision.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCache {
    points: usize,
    /// Number of frames from one sample to the next.
    frames_per_sample: f64,
    /// Sample after sample, at least one.
    positions: Vec<[f32; 3]>,
}

/// Reads the bytes of a file.
type Reader = fn(&[u8]) -> Read;

/// The kinds of files, by the ends of their names.
const READERS: [(&str, Reader); 2] = [("pc2", pc2::read), ("mdd", read_mdd)];

/// A cache, or what is wrong with the bytes.
type Read = std::result::Result<PointCache, String>;

impl PointCache {
    /// Reads a PC2 file, an MDD file or a sequence of OBJ files ([`sequence`]).
    ///
    /// # Errors
    /// A file that cannot be read, is of another kind, has no sample, ends too early, or holds a
    /// position that is not finite.
    pub fn read(path: &Path) -> Result<Self> {
        if sequence::is_sequence(path) {
            return sequence::read(path);
        }
        let kind = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let Some((_, reader)) = READERS.iter().find(|(name, _)| *name == kind) else {
            let cause = format!("`.{kind}` is no kind of point cache");
            let remedy = "give a .pc2 or .mdd file, or a sequence such as `walk_%04d.obj`";
            return Err(Error::file(path, cause, remedy));
        };
        let bytes = input::read(path, input::DATA_LIMIT).map_err(|cause| {
            Error::file(path, cause, "check the path; it is relative to the scene file")
        })?;
        reader(&bytes).map_err(|cause| Error::file(path, cause, "export the point cache again"))
    }

    /// The cache of the `bytes` after a head that names `points` and `samples`. `number` reads one
    /// number.
    fn of_bytes(
        bytes: &[u8],
        [points, samples]: [u32; 2],
        number: impl Fn([u8; 4]) -> f32,
    ) -> Read {
        let sample_bytes = u64::from(points) * POINT_BYTES as u64;
        if samples == 0 || points == 0 {
            return Err(format!("it has {samples} samples of {points} points"));
        }
        let found = bytes.len() as u64 / sample_bytes;
        if found < u64::from(samples) {
            return Err(format!(
                "its head names {samples} samples, and the file ends after {found}"
            ));
        }
        let bytes = &bytes[..samples as usize * sample_bytes as usize];
        let number = |at: &[u8]| number([at[0], at[1], at[2], at[3]]);
        let point = |at: &[u8]| [number(at), number(&at[4..]), number(&at[8..])];
        let positions = bytes.chunks_exact(POINT_BYTES).map(point).collect();
        Self::new(points as usize, 1.0, positions)
    }

    /// The cache of these `positions`, which are at least one sample of at least one point.
    fn new(points: usize, frames_per_sample: f64, positions: Vec<[f32; 3]>) -> Read {
        match positions.iter().position(|it| it.iter().any(|x| !x.is_finite())) {
            None => Ok(Self { points, frames_per_sample, positions }),
            Some(at) => {
                let (sample, point) = (at / points, at % points);
                Err(format!("point {point} of sample {sample} is not finite"))
            }
        }
    }

    /// Number of points of a sample.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Number of frames from one sample to the next, positive.
    pub fn frames_per_sample(&self) -> f64 {
        self.frames_per_sample
    }

    /// Number of samples, at least one.
    pub fn samples(&self) -> usize {
        self.positions.len() / self.points
    }

    /// The positions of sample `number`.
    pub fn sample(&self, number: usize) -> impl ExactSizeIterator<Item = Vec3> + Clone {
        let own = &self.positions[number * self.points..][..self.points];
        own.iter().map(|point| Vec3::from(point.map(f64::from)))
    }
}

/// The length of a number, bytes.
const WORD: usize = 4;

/// Reads a whole MDD file, the point cache of LightWave: the numbers of samples and points, the time
/// of each sample (s), and the samples. All numbers are big-endian. The times are left out: the
/// scene says how fast the samples follow each other.
fn read_mdd(bytes: &[u8]) -> Read {
    let word = |at: usize| {
        let word = bytes.get(at..at + WORD).ok_or("the file ends within its head")?;
        Ok::<u32, String>(u32::from_be_bytes([word[0], word[1], word[2], word[3]]))
    };
    let (samples, points) = (word(0)?, word(WORD)?);
    let begin = 2 * WORD + samples as usize * WORD;
    let positions = bytes.get(begin..).ok_or("the file ends within its times")?;
    PointCache::of_bytes(positions, [points, samples], f32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The cache whose point p of sample s is at (s, p, -p).
    fn cache(samples: usize, points: usize) -> PointCache {
        let point = |at: usize| {
            let [s, p] = [(at / points) as f32, (at % points) as f32];
            [s, p, -p]
        };
        let positions = (0..samples * points).map(point).collect();
        PointCache { points, frames_per_sample: 1.0, positions }
    }

    fn bytes_of(kind: &str, cache: &PointCache) -> Vec<u8> {
        let (points, samples) = (cache.points as u32, cache.samples() as u32);
        let numbers = cache.positions.iter().flatten();
        match kind {
            "pc2" => {
                let head = pc2::Head { points, start: 1.0, rate: 1.0, samples };
                head.bytes().into_iter().chain(numbers.flat_map(|x| x.to_le_bytes())).collect()
            }
            _ => {
                let head = [samples, points].into_iter().flat_map(u32::to_be_bytes);
                let times = (0..samples).flat_map(|sample| (sample as f32 / 24.0).to_be_bytes());
                head.chain(times).chain(numbers.flat_map(|x| x.to_be_bytes())).collect()
            }
        }
    }

    fn read(kind: &str, bytes: &[u8]) -> Result<PointCache> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("walk.{kind}"));
        std::fs::write(&path, bytes).unwrap();
        PointCache::read(&path)
    }

    #[test]
    fn both_kinds_are_read() {
        for kind in ["pc2", "mdd"] {
            let expected = cache(4, 3);
            let found = read(kind, &bytes_of(kind, &expected)).unwrap();
            assert_eq!((found.samples(), found.points()), (4, 3), "{kind}");
            assert_eq!(found.sample(2).nth(1), Some(Vec3::new(2.0, 1.0, -1.0)), "{kind}");
            assert_eq!(found, expected, "{kind}");
        }
    }

    #[test]
    fn damaged_files_are_refused_with_the_reason() {
        let whole = bytes_of("pc2", &cache(2, 3));
        let with = |at: usize, bytes: &[u8]| {
            let mut changed = whole.clone();
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            changed
        };
        for (bytes, cause) in [
            (Vec::new(), "no PC2 file"),
            (with(0, b"OBJ"), "no PC2 file"),
            (with(12, &1_u32.to_be_bytes()), "big-endian"),
            (with(12, &2_u32.to_le_bytes()), "version 2"),
            (with(24, &0_f32.to_le_bytes()), "0 frames from one sample to the next"),
            (with(24, &f32::NAN.to_le_bytes()), "NaN frames"),
            (with(28, &0_u32.to_le_bytes()), "0 samples"),
            (with(16, &0_u32.to_le_bytes()), "of 0 points"),
            (with(28, &9_u32.to_le_bytes()), "names 9 samples, and the file ends after 2"),
            (with(16, &u32::MAX.to_le_bytes()), "the file ends after 0"),
            (with(32 + 4 * 12, &f32::NAN.to_le_bytes()), "point 1 of sample 1 is not finite"),
            (whole[..whole.len() - 1].to_vec(), "names 2 samples, and the file ends after 1"),
        ] {
            let message = read("pc2", &bytes).unwrap_err().to_string();
            assert!(message.contains(cause), "{cause}: {message}");
        }
        let message = read("abc", &whole).unwrap_err().to_string();
        assert!(message.contains("`.abc` is no kind"), "{message}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5000, ..ProptestConfig::default() })]

        #[test]
        fn no_damage_makes_a_reader_fail(
            kind in prop::sample::select(vec![0, 1]),
            changes in prop::collection::vec((0..80_usize, any::<u8>()), 1..8),
            length in 0..120_usize,
        ) {
            let (name, reader) = READERS[kind];
            let mut bytes = bytes_of(name, &cache(2, 3));
            for (at, byte) in changes {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            bytes.truncate(length);
            if let Ok(cache) = reader(&bytes) {
                let count = cache.samples() * cache.points();
                prop_assert!(count > 0 && count * POINT_BYTES <= bytes.len());
            }
        }
    }
}
