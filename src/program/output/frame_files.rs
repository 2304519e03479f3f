//! The files of frames, and the thread that writes them.
//!
//! A file is written under a temporary name and then renamed. So a file with a frame's name is
//! always whole. Only then does the frame get its line in `steps.jsonl`.

use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use cloth_sim::error::{Error, Result};
use serde::Serialize;

use crate::program::output::checkpoint::{Checkpoint, Generations};
use crate::program::output::steps_jsonl::StepsFile;
use crate::program::output::{names, write_whole};

/// The frames of a run on disk, while it goes on.
pub struct FrameFiles {
    folder: PathBuf,
    format: &'static str,
    steps: StepsFile,
    last_good: Option<u64>,
}

impl FrameFiles {
    /// Begins `steps.jsonl` in `folder`, or goes on with it after these `frames`. Before: the folder
    /// holds these frames and no others.
    ///
    /// # Errors
    /// A folder that cannot be written. Fewer frames.
    pub fn after(frames: &Range<u64>, folder: &Path, format: &'static str) -> Result<Self> {
        let steps = match frames.is_empty() {
            true => StepsFile::create(folder),
            false => StepsFile::go_on(folder, frames.end - frames.start),
        }?;
        Ok(Self { folder: folder.to_owned(), format, steps, last_good: frames.clone().last() })
    }

    /// Writes frame `number` by `write`, then its `record`.
    ///
    /// # Errors
    /// When one of them cannot be written. The error names the last good frame.
    pub fn add(
        &mut self,
        number: u64,
        record: &impl Serialize,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let path = self.folder.join(names::frame(number, self.format));
        write_whole(&path, write).map_err(|cause| Error::file(&path, cause, self.remedy()))?;
        self.steps.add(record).inspect_err(|_| {
            // A frame that is not listed does not count.
            let _ = fs::remove_file(&path);
        })?;
        self.last_good = Some(number);
        Ok(())
    }

    /// What to do when a file of a frame cannot be written.
    pub fn remedy(&self) -> String {
        let good = match self.last_good {
            Some(last) => format!("the frames up to {} are whole", names::frame(last, self.format)),
            None => "no frame was written".to_owned(),
        };
        format!("make room or choose another folder with --out; {good}")
    }
}

/// What stays in a run folder.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The frames that are there when the run goes on; none if it begins.
    pub frames: Range<u64>,
    /// Number of checkpoints.
    pub checkpoints: usize,
}

/// A thread that writes frames and checkpoints, so that the simulation goes on meanwhile.
pub struct FrameThread<T> {
    queue: Option<SyncSender<Item<T>>>,
    thread: Option<JoinHandle<Result<()>>>,
    /// Time that the checkpoints took, ns.
    checkpoints_ns: Arc<AtomicU64>,
}

/// What the thread writes.
enum Item<T> {
    Frame(T),
    Checkpoint(Box<Checkpoint>),
}

impl<T: Send + 'static> FrameThread<T> {
    /// Starts the thread for frames and checkpoints in `folder`. It hands each frame to `write`, and
    /// ends with the first failure. `waiting` of them may wait for it. The last `kept_checkpoints` are kept.
    ///
    /// # Errors
    /// When the system allows no more threads.
    pub fn spawn(
        folder: &Path,
        kept_checkpoints: usize,
        waiting: usize,
        mut write: impl FnMut(T) -> Result<()> + Send + 'static,
    ) -> Result<Self> {
        let (queue, items): (_, Receiver<Item<T>>) = sync_channel(waiting);
        let checkpoints_ns = Arc::new(AtomicU64::new(0));
        let (generations, spent) =
            (Generations::new(folder, kept_checkpoints), checkpoints_ns.clone());
        let mut write = move |item| match item {
            Item::Frame(frame) => write(frame),
            Item::Checkpoint(checkpoint) => {
                let start = Instant::now();
                generations.add(&checkpoint)?;
                spent.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
                Ok(())
            }
        };
        let thread = std::thread::Builder::new().name("frames".to_owned());
        let thread = thread.spawn(move || items.into_iter().try_for_each(&mut write));
        let thread = thread.map_err(|cause| {
            Error::file(folder, cause, "allow this user one more thread (ulimit -u)")
        })?;
        Ok(Self { queue: Some(queue), thread: Some(thread), checkpoints_ns })
    }
}

impl<T> FrameThread<T> {
    /// Hands over a frame. Waits while the queue is full.
    ///
    /// # Errors
    /// The failure of an earlier frame. Nothing is written after it.
    pub fn write(&mut self, frame: T) -> Result<()> {
        self.send(Item::Frame(frame))
    }

    /// Hands over a checkpoint of the frames before it. Waits while the queue is full.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn write_checkpoint(&mut self, checkpoint: Checkpoint) -> Result<()> {
        self.send(Item::Checkpoint(Box::new(checkpoint)))
    }

    /// Time that the checkpoints have taken so far, s.
    pub fn checkpoints_s(&self) -> f64 {
        self.checkpoints_ns.load(Ordering::Relaxed) as f64 * 1e-9
    }

    fn send(&mut self, item: Item<T>) -> Result<()> {
        let sent = self.queue.as_ref().is_some_and(|queue| queue.send(item).is_ok());
        if sent { Ok(()) } else { self.join() }
    }

    /// Waits until all frames are on disk. No more can be handed over.
    ///
    /// # Errors
    /// The failure of one of them.
    pub fn finish(&mut self) -> Result<()> {
        self.join()
    }

    fn join(&mut self) -> Result<()> {
        self.queue = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            None => Ok(()),
            Some(Err(_)) => {
                Err(Error::internal("frames", "the thread that writes them has panicked"))
            }
        }
    }
}

impl<T> Drop for FrameThread<T> {
    /// Waits for the queued frames. Their errors are lost, because nobody called `finish`.
    fn drop(&mut self) {
        let _ = self.join();
    }
}
