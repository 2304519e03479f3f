//! Writes the points of objects. The number of samples is raised after a sample is written. So a
//! file is valid after each frame: a reader sees only complete samples, even if the process is
//! killed.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use cloth_core::math::Vec3;
use cloth_core::mesh::point_cache::pc2::Head;

use crate::engine::Frame;
use crate::program::output::formats::Sink;
use crate::program::output::formats::pc2::CachedObject;
use crate::program::output::formats::pc2::source::{first, read_head};
use crate::program::output::write_whole;

/// The offset of the number of samples in the file, bytes.
const SAMPLES_AT: u64 = 28;

/// Writes the files of all objects.
pub struct Pc2Sink(pub Vec<ObjectSink>);

impl Sink for Pc2Sink {
    fn frame(&mut self, number: u64, frame: &Frame) -> io::Result<()> {
        for place in 0..self.0.len() {
            let written = self.0[place].frame(number, frame);
            if written.is_err() {
                self.0[..place].iter_mut().for_each(ObjectSink::take_back);
                return written;
            }
        }
        Ok(())
    }

    fn take_back(&mut self, _: u64) {
        self.0.iter_mut().for_each(ObjectSink::take_back);
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.iter_mut().try_for_each(ObjectSink::finish)
    }
}

/// Writes the file of an object.
pub struct ObjectSink {
    file: File,
    head: Head,
    /// Its surfaces in a frame.
    surfaces: Range<usize>,
}

impl ObjectSink {
    /// Begins an empty file at `path`.
    ///
    /// # Errors
    /// When the file cannot be written. When the object has more points than the format can count.
    pub fn begin(path: &Path, object: &CachedObject) -> io::Result<Self> {
        let too_many = |_| io::Error::other("more points than the format can count");
        let points = object.vertices.try_into().map_err(too_many)?;
        let head = Head { points, start: 0.0, rate: 1.0, samples: 0 };
        write_whole(path, |out| out.write_all(&head.bytes()))?;
        let file = File::options().read(true).write(true).open(path)?;
        Ok(Self { file, head, surfaces: object.surfaces.clone() })
    }

    /// Continues the file at `path` after the frames `kept`. Later frames are taken off the count,
    /// and new frames overwrite them.
    ///
    /// # Errors
    /// When the file does not hold these frames with this number of points, or is torn.
    pub fn go_on(path: &Path, object: &CachedObject, kept: &Range<u64>) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        let (head, points) = (read_head(&file)?, object.vertices);
        let samples = kept.end - kept.start;
        let fits = head.points as usize == points && first(&head) == kept.start;
        if !fits || u64::from(head.samples) < samples {
            let cause = format!("it does not have {samples} frames of {points} points");
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        }
        // Without this check, the next frame would follow a hole, which reads as zeros.
        if file.metadata()?.len() < head.place(samples as u32) {
            let cause =
                format!("torn: its head names {} frames, but the file ends before", head.samples);
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        }
        let mut sink = Self { file, head, surfaces: object.surfaces.clone() };
        sink.set_samples(samples as u32)?;
        Ok(sink)
    }

    fn set_samples(&mut self, samples: u32) -> io::Result<()> {
        self.file.write_all_at(&samples.to_le_bytes(), SAMPLES_AT)?;
        self.head.samples = samples;
        Ok(())
    }

    fn frame(&mut self, number: u64, frame: &Frame) -> io::Result<()> {
        if self.head.samples == 0 && first(&self.head) != number {
            self.head.start = number as f32;
            self.file.write_all_at(&self.head.bytes(), 0)?;
        }
        let surfaces = frame.surfaces.get(self.surfaces.clone()).unwrap_or_default();
        self.file.seek(SeekFrom::Start(self.head.place(self.head.samples)))?;
        let mut out = BufWriter::new(&self.file);
        surfaces.iter().flatten().try_for_each(|x| write_point(x, &mut out))?;
        out.flush()?;
        drop(out);
        self.set_samples(self.head.samples + 1)
    }

    fn take_back(&mut self) {
        // If this fails too, the frame stays. The run has failed already and reports the cause.
        let _ = self.set_samples(self.head.samples.saturating_sub(1));
        let _ = self.file.set_len(self.head.place(self.head.samples));
    }

    fn finish(&mut self) -> io::Result<()> {
        self.file.set_len(self.head.place(self.head.samples))?;
        self.file.sync_all()
    }
}

fn write_point(x: &Vec3, out: &mut impl Write) -> io::Result<()> {
    x.iter().try_for_each(|coordinate| out.write_all(&(*coordinate as f32).to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(x: f64) -> Frame {
        Frame {
            surfaces: vec![vec![], vec![Vec3::new(x, 0.5, -2.0)], vec![Vec3::repeat(x)]],
            ..Frame::default()
        }
    }

    fn object(vertices: usize) -> CachedObject {
        CachedObject { name: "a".to_owned(), surfaces: 1..3, vertices }
    }

    fn samples(path: &Path) -> u32 {
        read_head(&File::open(path).unwrap()).unwrap().samples
    }

    #[test]
    fn the_file_is_whole_after_each_frame_and_goes_on_after_any() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        let mut sink = ObjectSink::begin(&path, &object(2)).unwrap();
        for number in 3..7 {
            sink.frame(number, &frame(number as f64)).unwrap();
            assert_eq!(samples(&path), number as u32 - 2);
        }
        sink.take_back();
        drop(sink);
        let whole = std::fs::read(&path).unwrap();
        let mut sink = ObjectSink::go_on(&path, &object(2), &(3..5)).unwrap();
        assert_eq!(samples(&path), 2);
        sink.frame(5, &frame(5.0)).unwrap();
        sink.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole[..32 + 3 * 24]);
        for (points, kept) in [(3, 3..5), (2, 0..2), (2, 3..8)] {
            assert!(ObjectSink::go_on(&path, &object(points), &kept).is_err(), "{points} {kept:?}");
        }
        File::options().write(true).open(&path).unwrap().set_len(32 + 2 * 24 - 1).unwrap();
        let cut = ObjectSink::go_on(&path, &object(2), &(3..5));
        assert!(cut.is_err(), "a frame that is kept is cut off");
    }
}
