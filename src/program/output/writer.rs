//! Writes the frames of a run, their records and checkpoints, in a thread of its own.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use cloth_core::error::{Error, Result};
use cloth_rigid::simulation::StepForces;
use serde::Serialize;

use crate::engine::Frame;
use crate::program::output::checkpoint::{Checkpoint, Generations};
use crate::program::output::formats::{FormatTime, Formats, Sinks};
use crate::program::output::{FrameObjects, MAKE_ROOM, StepsFile, names, tables, write_whole};

/// What stays in a run folder.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The frames that are there when the run goes on; none if it begins.
    pub frames: Range<u64>,
    /// Number of checkpoints.
    pub checkpoints: usize,
}

/// The frames of a run on disk, while it goes on.
struct RunFrames {
    folder: PathBuf,
    formats: Formats,
    sinks: Sinks,
    steps: StepsFile,
    last_good: Option<u64>,
    /// Whether the owners of bodies are written beside each frame.
    has_bodies: bool,
    /// Names of the bodies whose poses are written beside each frame.
    posed: Vec<String>,
}

impl RunFrames {
    /// Begins the frames and `steps.jsonl` in `folder`, or goes on with them. Before: the folder
    /// has the frames that are `kept`, and no others.
    fn after(
        kept: &Range<u64>,
        folder: &Path,
        formats: &Formats,
        objects: &FrameObjects,
    ) -> Result<Self> {
        let sinks = formats.sinks(folder, objects, kept)?;
        let steps = match kept.is_empty() {
            true => StepsFile::create(folder),
            false => StepsFile::go_on(folder, kept.end - kept.start),
        }?;
        let (last_good, has_bodies) = (kept.clone().last(), objects.bodies.is_some());
        let (folder, posed) = (folder.to_owned(), objects.posed.clone());
        Ok(Self { folder, formats: formats.clone(), sinks, steps, last_good, has_bodies, posed })
    }

    /// Writes frame `number`, then its `record`, then the tables beside it: a full disk leaves no
    /// record of a frame that is not there.
    fn add(&mut self, number: u64, frame: &Frame, record: &impl Serialize) -> Result<()> {
        let written = self.sinks.frame(number, frame);
        written.map_err(|(file, cause)| self.failed(&file, cause))?;
        self.steps.add(record).inspect_err(|_| self.sinks.take_back(number))?;
        self.last_good = Some(number);
        if self.has_bodies {
            self.table(names::OWNERS, number, |out| tables::write_owners(&frame.bodies, out))?;
        }
        if !self.posed.is_empty() {
            let write =
                |out: &mut dyn io::Write| tables::write_poses(&self.posed, &frame.poses, out);
            self.table(names::POSES, number, write)?;
        }
        if let Some(shares) = &frame.shares {
            self.table(names::WORKERS, number, |out| {
                tables::write_workers(&frame.bodies, shares, out)
            })?;
        }
        if let Some(StepForces { contacts, joints }) = &frame.forces {
            self.table(names::CONTACTS, number, |out| tables::write_contacts(contacts, out))?;
            self.table(names::JOINTS, number, |out| tables::write_joints(joints, out))?;
        }
        Ok(())
    }

    /// Writes the table `name` beside frame `number`.
    fn table(
        &self,
        name: &str,
        number: u64,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<()> {
        let file = names::beside(name, number);
        write_whole(&self.folder.join(&file), write).map_err(|cause| self.failed(&file, cause))
    }

    fn finish(&mut self) -> Result<Vec<FormatTime>> {
        let finished = self.sinks.finish(self.last_good.unwrap_or(0));
        finished.map_err(|(file, cause)| self.failed(&file, cause))?;
        Ok(self.sinks.times())
    }

    fn failed(&self, file: &str, cause: io::Error) -> Error {
        let good = match self.last_good {
            Some(last) => {
                format!("the frames up to {} are whole", self.formats.first().frame_name(last))
            }
            None => "no frame was written".to_owned(),
        };
        Error::file(self.folder.join(file), cause, format!("{MAKE_ROOM}; {good}"))
    }
}

/// A thread that writes frames, each with its record `R`, and checkpoints, so that the simulation
/// goes on meanwhile.
pub struct FrameThread<R> {
    queue: Option<SyncSender<Item<R>>>,
    thread: Option<JoinHandle<Result<Vec<FormatTime>>>>,
    /// Time that the checkpoints took, ns.
    checkpoints_ns: Arc<AtomicU64>,
}

/// What the thread writes.
enum Item<R> {
    Frame(u64, Frame, R),
    Checkpoint(Box<Checkpoint>),
}

/// Number of frames that may wait for the thread. With more the simulation waits.
const QUEUE: usize = 4;

/// Number of frames of bodies that may wait. A frame of a million bodies has 160 MB.
const QUEUE_OF_BODIES: usize = 1;

impl<R: Serialize + Send + 'static> FrameThread<R> {
    /// Begins the frames of `objects` in `folder`, or goes on with them, and starts the thread. It
    /// ends with the first failure. Before: the folder has the frames that are `kept`, and no
    /// others.
    ///
    /// # Errors
    /// A folder that cannot be written. When the system allows no more threads.
    pub fn begin(
        folder: &Path,
        kept: Kept,
        formats: &Formats,
        objects: &FrameObjects,
    ) -> Result<Self> {
        let mut frames = RunFrames::after(&kept.frames, folder, formats, objects)?;
        let waiting = if objects.bodies.is_some() { QUEUE_OF_BODIES } else { QUEUE };
        let (queue, items): (_, Receiver<Item<R>>) = sync_channel(waiting);
        let checkpoints_ns = Arc::new(AtomicU64::new(0));
        let generations = Generations::new(folder, kept.checkpoints);
        let spent = checkpoints_ns.clone();
        let write = move || {
            for item in items {
                match item {
                    Item::Frame(number, frame, record) => frames.add(number, &frame, &record)?,
                    Item::Checkpoint(checkpoint) => {
                        let start = Instant::now();
                        generations.add(&checkpoint)?;
                        spent.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
                    }
                }
            }
            frames.finish()
        };
        let thread = std::thread::Builder::new().name("frames".to_owned()).spawn(write);
        let thread = thread.map_err(|cause| {
            Error::file(folder, cause, "allow this user one more thread (ulimit -u)")
        })?;
        Ok(Self { queue: Some(queue), thread: Some(thread), checkpoints_ns })
    }
}

impl<R> FrameThread<R> {
    /// Hands over frame `number` with its record. Waits while the queue is full.
    ///
    /// # Errors
    /// The failure of an earlier frame. Nothing is written after it.
    pub fn write(&mut self, number: u64, frame: Frame, record: R) -> Result<()> {
        self.send(Item::Frame(number, frame, record))
    }

    /// Hands over a checkpoint of the frames before it. Waits while the queue is full.
    ///
    /// # Errors
    /// The errors of [`Self::write`].
    pub fn write_checkpoint(&mut self, checkpoint: Checkpoint) -> Result<()> {
        self.send(Item::Checkpoint(Box::new(checkpoint)))
    }

    /// Time that the checkpoints have taken so far, s.
    pub fn checkpoints_s(&self) -> f64 {
        self.checkpoints_ns.load(Ordering::Relaxed) as f64 * 1e-9
    }

    fn send(&mut self, item: Item<R>) -> Result<()> {
        if self.queue.as_ref().is_some_and(|queue| queue.send(item).is_ok()) {
            return Ok(());
        }
        self.join()?;
        Err(Error::internal("frames", "a frame came after the last one"))
    }

    /// Waits until all frames are on disk. No more can be handed over. Returns the time that each
    /// format took.
    ///
    /// # Errors
    /// The failure of one of them.
    pub fn finish(&mut self) -> Result<Vec<FormatTime>> {
        self.join()
    }

    fn join(&mut self) -> Result<Vec<FormatTime>> {
        self.queue = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            None => Ok(Vec::new()),
            Some(Err(_)) => {
                Err(Error::internal("frames", "the thread that writes them has panicked"))
            }
        }
    }
}

impl<R> Drop for FrameThread<R> {
    /// Waits for the queued frames. Their errors are lost, because nobody called `finish`.
    fn drop(&mut self) {
        let _ = self.join();
    }
}

#[cfg(test)]
mod tests {
    use cloth_rigid::FrameBody;
    use cloth_rigid::solid::Solids;

    use super::*;
    use crate::program::output::formats::FrameBodies;
    use crate::program::output::formats::set::Formats;

    const KEPT: Kept = Kept { frames: 0..0, checkpoints: 2 };

    fn formats(name: &str) -> Formats {
        Formats::named(&[name.to_owned()], "test").unwrap()
    }

    fn objects(bodies: Option<FrameBodies>) -> FrameObjects {
        FrameObjects { bodies, ..FrameObjects::default() }
    }

    #[test]
    fn each_frame_has_its_file_its_owners_and_its_line() {
        let (folder, solids) = (tempfile::tempdir().unwrap(), Solids::default());
        let out = folder.path();
        let bodies = Some(FrameBodies { count: 2, solids: &solids });
        let mut writer = FrameThread::begin(out, KEPT, &formats("vtp"), &objects(bodies)).unwrap();
        let bodies = vec![FrameBody::default(), FrameBody { id: 1, ..FrameBody::default() }];
        for number in 0..4 {
            let frame = Frame { bodies: bodies.clone(), ..Frame::default() };
            writer.write(number, frame, 10 * number).unwrap();
        }
        writer.finish().unwrap();
        for number in 0..4 {
            assert!(out.join(format!("frame_{number:04}.vtp")).exists());
            let owners =
                std::fs::read_to_string(out.join(names::beside(names::OWNERS, number))).unwrap();
            assert!(owners.ends_with("0,1,0\n"), "{owners}");
        }
        let steps = std::fs::read_to_string(out.join(names::STEPS)).unwrap();
        assert_eq!(steps, "0\n10\n20\n30\n");
    }

    #[test]
    fn a_frame_that_fails_ends_the_run_and_names_the_last_good_one() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let mut writer = FrameThread::begin(out, KEPT, &formats("obj"), &objects(None)).unwrap();
        // A folder has the name of frame 1.
        std::fs::create_dir_all(out.join("frame_0001.obj/in")).unwrap();
        let write = |number| writer.write(number, Frame::default(), number).err();
        let message = (0..100).find_map(write).unwrap().to_string();
        assert!(
            message.contains("frame_0001.obj") && message.contains("up to frame_0000.obj"),
            "{message}"
        );
        writer.finish().unwrap();
        assert!(!out.join("frame_0002.obj").exists());
        assert!(!out.join("frame_0001.obj.tmp").exists());
        assert_eq!(std::fs::read_to_string(out.join(names::STEPS)).unwrap(), "0\n");
    }
}
