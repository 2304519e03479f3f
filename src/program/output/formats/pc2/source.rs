//! Reads the points of objects.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use cloth_core::error::{Error, Result};
use cloth_core::input;
use cloth_core::math::Vec3;
use cloth_core::mesh::point_cache::POINT_BYTES;
use cloth_core::mesh::point_cache::pc2::{HEAD_BYTES, Head};

use crate::engine::Frame;
use crate::program::output::formats::obj::read_pieces;
use crate::program::output::formats::pc2::object;
use crate::program::output::formats::{Pieces, Source, WrittenRun};
use crate::program::output::run_json::NO_RUN;

/// The largest number of the first frame. Single precision does not hold every integer above it.
const LAST_FIRST: u64 = 1 << 24;

/// What to do about a file that is damaged.
const REPEAT: &str = "repeat the run";

/// Reads the head of an open file of a run.
///
/// # Errors
/// When the file cannot be read. When its head is not one that a run writes.
pub fn read_head(file: &File) -> io::Result<Head> {
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
pub fn first(head: &Head) -> u64 {
    head.start as u64
}

/// Reads the frames of a run.
pub struct Pc2Source {
    objects: Vec<ObjectSource>,
    surfaces: Pieces,
    frame_s: f64,
}

/// The file of an object.
struct ObjectSource {
    file: File,
    head: Head,
}

impl Pc2Source {
    /// Opens the files that the run lists, in their order.
    ///
    /// # Errors
    /// When a file is missing or does not fit its faces.
    pub fn open(run: &WrittenRun) -> Result<Self> {
        let surfaces = Pieces { file: object::faces("*"), list: Vec::new() };
        let mut all = Self { objects: Vec::new(), surfaces, frame_s: run.frame_s };
        for name in run.files.once.iter().filter_map(|file| object::name_of(file)) {
            let faces = read_pieces(&run.folder, &object::faces(name), NO_RUN)?;
            let path = run.folder.join(object::points(name));
            all.objects.push(ObjectSource::open(&path, &faces)?);
            all.surfaces.list.extend(faces.list);
        }
        Ok(all)
    }
}

impl ObjectSource {
    fn open(path: &Path, faces: &Pieces) -> Result<Self> {
        let failed = |cause: io::Error| Error::file(path, cause, REPEAT);
        let file = input::open(path, u64::MAX).map_err(failed)?;
        let head = read_head(&file).map_err(failed)?;
        if head.points as usize == faces.vertices() {
            return Ok(Self { file, head });
        }
        let (points, vertices) = (head.points, faces.vertices());
        let cause = format!("it has {points} points, but {} has {vertices} vertices", faces.file);
        Err(Error::file(path, cause, REPEAT))
    }

    /// Adds the positions (m) of frame `number` to `positions`.
    fn read(&self, number: u64, positions: &mut Vec<Vec3>) -> std::result::Result<(), String> {
        let sample = number.checked_sub(first(&self.head)).and_then(|it| u32::try_from(it).ok());
        let sample = sample.filter(|&it| it < self.head.samples).ok_or("missing")?;
        let mut bytes = vec![0; self.head.points as usize * POINT_BYTES];
        self.file
            .read_exact_at(&mut bytes, self.head.place(sample))
            .map_err(|cause| format!("torn: {cause}"))?;
        let number_at =
            |bytes: &[u8]| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let position = |x: &[u8]| Vec3::new(number_at(x), number_at(&x[4..]), number_at(&x[8..]));
        positions.extend(bytes.chunks_exact(POINT_BYTES).map(position));
        Ok(())
    }
}

impl Source for Pc2Source {
    fn surfaces(&self) -> &Pieces {
        &self.surfaces
    }

    fn frame(&self, number: u64) -> std::result::Result<Frame, String> {
        let mut positions = Vec::with_capacity(self.surfaces.vertices());
        self.objects.iter().try_for_each(|object| object.read(number, &mut positions))?;
        let surfaces = self.surfaces.split(&positions);
        Ok(Frame { time_s: number as f64 * self.frame_s, surfaces, ..Frame::default() })
    }
}
