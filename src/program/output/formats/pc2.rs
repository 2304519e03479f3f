//! PC2, a cache of points: one file for the whole run, with all positions in single precision.
//! Blender's modifier "Mesh Cache" and other programs read it.
//!
//! The faces are in an OBJ file with the same order of vertices. The
//! number of samples is raised after a sample is written. So the file is valid after each frame: a
//! reader sees only complete samples, even if the process is killed.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use cloth_sim::engine::Frame;
use cloth_sim::error::{Error, Result};
use cloth_sim::input;
use cloth_sim::math::Vec3;
use cloth_sim::mesh::point_cache::POINT_BYTES;
use cloth_sim::mesh::point_cache::pc2::{HEAD_BYTES, Head};

use crate::program::output::formats::obj::read_pieces;
use crate::program::output::formats::obj::text::ObjText;
use crate::program::output::formats::piece::Pieces;
use crate::program::output::formats::{Format, Sink, Source, WrittenRun};
use crate::program::output::frame_objects::FrameObjects;
use crate::program::output::run_files::RunFiles;
use crate::program::output::run_json::NO_RUN;
use crate::program::output::{not_written, write_whole};

/// The name of the format.
pub const NAME: &str = "pc2";

/// The file with the positions of all frames.
const POINTS: &str = "frames.pc2";
/// The file with the faces, and with the positions of the meshes before the run.
const FACES: &str = "frames.obj";

/// The largest number of the first frame. Single precision does not hold every integer above it.
const LAST_FIRST: u64 = 1 << 24;
/// The offset of the number of samples in the file, bytes.
const SAMPLES_AT: u64 = 28;

/// The format.
pub struct Pc2;

impl Format for Pc2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(&self, objects: &FrameObjects) -> Result<()> {
        if objects.bodies.is_none() {
            return Ok(());
        }
        let cause = format!("{NAME} holds vertices of surfaces, and this scene has rigid bodies");
        Err(Error::input("output.format", cause, "write vtp or obj"))
    }

    fn file(&self, _: u64) -> String {
        POINTS.to_owned()
    }

    fn frame_name(&self, number: u64) -> String {
        format!("frame {number} of {POINTS}")
    }

    fn add_files(&self, files: &mut RunFiles) {
        files.add([FACES, POINTS]);
    }

    fn last_frame(&self, folder: &Path) -> io::Result<Option<u64>> {
        let file = File::open(folder.join(POINTS))?;
        let head = read_head(&file)?;
        let samples = u64::from(head.samples).min(head.samples_in(file.metadata()?.len()));
        Ok((samples > 0).then(|| first(&head) + samples - 1))
    }

    fn to_see(&self) -> &'static str {
        "import frames.obj into Blender, with frames.pc2 as its mesh cache, see docs/frames.md"
    }

    fn sink(
        &self,
        folder: &Path,
        objects: &FrameObjects,
        kept: &Range<u64>,
    ) -> Result<Box<dyn Sink>> {
        let points = objects.surfaces.iter().map(|(_, mesh)| mesh.positions.len()).sum::<usize>();
        let path = folder.join(POINTS);
        if !kept.is_empty() {
            let sink = Pc2Sink::go_on(&path, points, kept);
            return Ok(Box::new(sink.map_err(|cause| Error::file(&path, cause, REPEAT))?));
        }
        let faces = folder.join(FACES);
        let positions = objects.surfaces.iter().map(|(_, mesh)| mesh.positions.as_slice());
        let (text, positions) =
            (ObjText::new(&objects.surfaces, objects.digits), Vec::from_iter(positions));
        write_whole(&faces, |out| text.write(&positions, out))
            .map_err(|cause| not_written(&faces, cause))?;
        let sink = Pc2Sink::begin(&path, points).map_err(|cause| not_written(&path, cause))?;
        Ok(Box::new(sink))
    }

    fn source(&self, run: &WrittenRun) -> Result<Box<dyn Source>> {
        Ok(Box::new(Pc2Source::open(run)?))
    }
}

const REPEAT: &str = "repeat the run";

/// Reads the head of an open file of a run.
fn read_head(file: &File) -> io::Result<Head> {
    let mut bytes = [0; HEAD_BYTES];
    file.read_exact_at(&mut bytes, 0)?;
    let head = Head::parse(&bytes).ok();
    // The number of the first frame is whole, and each frame has a sample.
    let is_of_run = |head: &Head| {
        head.rate == 1.0 && first(head) <= LAST_FIRST && head.start == first(head) as f32
    };
    let torn = || io::Error::new(io::ErrorKind::InvalidData, "torn: its head is damaged");
    head.filter(is_of_run).ok_or_else(torn)
}

/// The number of the first frame.
fn first(head: &Head) -> u64 {
    head.start as u64
}

/// Writes the file of a run.
struct Pc2Sink {
    file: File,
    head: Head,
}

impl Pc2Sink {
    /// Begins an empty file.
    fn begin(path: &Path, points: usize) -> io::Result<Self> {
        let too_many = |_| io::Error::other("more points than the format can count");
        let head = Head {
            points: points.try_into().map_err(too_many)?,
            start: 0.0,
            rate: 1.0,
            samples: 0,
        };
        write_whole(path, |out| out.write_all(&head.bytes()))?;
        Ok(Self { file: File::options().read(true).write(true).open(path)?, head })
    }

    /// Continues the file after the frames `kept`. Later frames are taken off the count, and new
    /// frames overwrite them.
    ///
    /// # Errors
    /// When the file does not hold these frames with this number of points, or is torn.
    fn go_on(path: &Path, points: usize, kept: &Range<u64>) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        let head = read_head(&file)?;
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
        let mut sink = Self { file, head };
        sink.set_samples(samples as u32)?;
        Ok(sink)
    }

    fn set_samples(&mut self, samples: u32) -> io::Result<()> {
        self.file.write_all_at(&samples.to_le_bytes(), SAMPLES_AT)?;
        self.head.samples = samples;
        Ok(())
    }
}

impl Sink for Pc2Sink {
    fn frame(&mut self, number: u64, frame: &Frame) -> io::Result<()> {
        if self.head.samples == 0 && first(&self.head) != number {
            self.head.start = number as f32;
            self.file.write_all_at(&self.head.bytes(), 0)?;
        }
        self.file.seek(SeekFrom::Start(self.head.place(self.head.samples)))?;
        let mut out = BufWriter::new(&self.file);
        for x in frame.surfaces.iter().flatten() {
            for coordinate in x {
                out.write_all(&(*coordinate as f32).to_le_bytes())?;
            }
        }
        out.flush()?;
        drop(out);
        self.set_samples(self.head.samples + 1)
    }

    fn take_back(&mut self, _: u64) {
        // If this fails too, the frame stays. The run has failed already and reports the cause.
        let _ = self.set_samples(self.head.samples.saturating_sub(1));
        let _ = self.file.set_len(self.head.place(self.head.samples));
    }

    fn finish(&mut self) -> io::Result<()> {
        self.file.set_len(self.head.place(self.head.samples))?;
        self.file.sync_all()
    }
}

/// Reads the frames of a run.
struct Pc2Source {
    file: File,
    head: Head,
    surfaces: Pieces,
    frame_s: f64,
}

impl Pc2Source {
    fn open(run: &WrittenRun) -> Result<Self> {
        let surfaces = read_pieces(&run.folder, FACES, NO_RUN)?;
        let path: PathBuf = run.folder.join(POINTS);
        let failed = |cause: io::Error| Error::file(&path, cause, REPEAT);
        let file = input::open(&path, u64::MAX).map_err(failed)?;
        let head = read_head(&file).map_err(failed)?;
        if head.points as usize != surfaces.vertices() {
            let cause = format!(
                "it has {} points, but {FACES} has {} vertices",
                head.points,
                surfaces.vertices()
            );
            return Err(Error::file(&path, cause, REPEAT));
        }
        Ok(Self { file, head, surfaces, frame_s: run.frame_s })
    }
}

impl Source for Pc2Source {
    fn surfaces(&self) -> &Pieces {
        &self.surfaces
    }

    fn frame(&self, number: u64) -> std::result::Result<Frame, String> {
        let sample = number.checked_sub(first(&self.head)).and_then(|it| u32::try_from(it).ok());
        let sample = sample.filter(|&it| it < self.head.samples).ok_or("missing")?;
        let mut bytes = vec![0; self.head.points as usize * POINT_BYTES];
        self.file
            .read_exact_at(&mut bytes, self.head.place(sample))
            .map_err(|cause| format!("torn: {cause}"))?;
        let number_at =
            |bytes: &[u8]| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let position = |x: &[u8]| Vec3::new(number_at(x), number_at(&x[4..]), number_at(&x[8..]));
        let positions = Vec::from_iter(bytes.chunks_exact(POINT_BYTES).map(position));
        let surfaces = self.surfaces.split(&positions);
        Ok(Frame { time_s: number as f64 * self.frame_s, surfaces, ..Frame::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(x: f64) -> Frame {
        Frame {
            surfaces: vec![vec![Vec3::new(x, 0.5, -2.0)], vec![Vec3::repeat(x)]],
            ..Frame::default()
        }
    }

    fn samples(path: &Path) -> u32 {
        read_head(&File::open(path).unwrap()).unwrap().samples
    }

    #[test]
    fn the_file_is_whole_after_each_frame_and_goes_on_after_any() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(POINTS);
        let mut sink = Pc2Sink::begin(&path, 2).unwrap();
        for number in 3..7 {
            sink.frame(number, &frame(number as f64)).unwrap();
            assert_eq!(samples(&path), number as u32 - 2);
        }
        sink.take_back(6);
        drop(sink);
        let whole = std::fs::read(&path).unwrap();
        let mut sink = Pc2Sink::go_on(&path, 2, &(3..5)).unwrap();
        assert_eq!(samples(&path), 2);
        sink.frame(5, &frame(5.0)).unwrap();
        sink.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole[..32 + 3 * 24]);
        for (points, kept) in [(3, 3..5), (2, 0..2), (2, 3..8)] {
            assert!(Pc2Sink::go_on(&path, points, &kept).is_err(), "{points} {kept:?}");
        }
        File::options().write(true).open(&path).unwrap().set_len(32 + 2 * 24 - 1).unwrap();
        assert!(Pc2Sink::go_on(&path, 2, &(3..5)).is_err(), "a frame that is kept is cut off");
        assert_eq!(Pc2.last_frame(folder.path()).unwrap(), Some(3));
    }
}
