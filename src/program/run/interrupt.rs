//! Ctrl-C (SIGINT), SIGTERM, the end of the terminal (SIGHUP), SIGUSR1 and a time limit end a run
//! early, with a valid run folder. Batch systems send SIGTERM or, if asked, SIGUSR1 before they
//! kill a job.
//!
//! During set-up a signal ends the process at once. After the run folder is written, the run
//! finishes its step. Then all ranks stop together, and all frames so far are whole.
//!
//! The signals are blocked in all threads, and one thread waits for them. A handler would not do:
//! METIS replaces the handler of SIGTERM during its calls. Its own handler jumps out of whatever
//! was interrupted, such as an allocation, and METIS then reports an error.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cloth_core::error::{Error, Result};
use cloth_core::ranks::World;
use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal};

use crate::program::output::RunFolder;
use crate::program::print;

/// The signals that end a run early.
const SIGNALS: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGUSR1];

/// What ended a run early, with a valid run folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A signal.
    Signal(Signal),
    /// `--stop-after`.
    TimeLimit,
}

impl Stop {
    /// The exit code of a process that ended early. For a time limit it is that of `timeout`.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Signal(signal) => 128 + signal as u8,
            Self::TimeLimit => 124,
        }
    }
}

/// The signals, blocked in this thread and in the threads that it starts. They stay pending until
/// [`Self::watch`] is called.
pub struct BlockedSignals(SigSet);

impl BlockedSignals {
    /// Before: this process has no other thread.
    ///
    /// # Errors
    /// When the system refuses to block signals. No input causes this.
    pub fn block() -> Result<Self> {
        let mut signals = SigSet::empty();
        let all = SIGNALS.into_iter();
        all.filter(|&it| it != Signal::SIGHUP || !hangup_is_ignored())
            .for_each(|signal| signals.add(signal));
        signals.thread_block().map_err(|cause| Error::internal("signals", cause))?;
        Ok(Self(signals))
    }

    /// Starts the thread that waits for the signals.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn watch(self, process: ProcessKind) -> Result<Arc<Interrupt>> {
        let phase = match process {
            ProcessKind::OtherRank => Phase::Frames,
            _ => Phase::SetUp(Weak::new()),
        };
        let interrupt =
            Arc::new(Interrupt { first: AtomicI32::new(0), phase: Mutex::new(phase), process });
        let watched = interrupt.clone();
        let wait = move || loop {
            match self.0.wait() {
                Ok(signal) => watched.arrived(signal),
                Err(Errno::EINTR) => {}
                Err(_) => return,
            }
        };
        let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
        thread.map_err(|cause| {
            Error::input(
                "threads",
                cause.to_string(),
                "allow this user one more thread (ulimit -u)",
            )
        })?;
        Ok(interrupt)
    }
}

/// Whether this process ignores SIGHUP, as under `nohup`. A thread that waits for signals would
/// receive it nevertheless. True if the system does not say, so that SIGHUP is left alone.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_none_or(|mask| mask >> (Signal::SIGHUP as i32 - 1) & 1 == 1)
}

/// What this process is in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessKind {
    /// It has all ranks.
    AllRanks,
    /// It is rank 0 under a launcher.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code))]
    FirstRank,
    /// It is another rank under a launcher.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code))]
    OtherRank,
}

enum Phase {
    /// No frame is written yet. A signal ends the process, which gives this folder back. Under a
    /// launcher only rank 0 does so, and the launcher then ends the others.
    SetUp(Weak<RunFolder>),
    /// A signal is noted.
    Frames,
}

/// What the signals have asked for.
pub struct Interrupt {
    /// The first signal that was noted, or 0.
    first: AtomicI32,
    phase: Mutex<Phase>,
    process: ProcessKind,
}

impl Interrupt {
    /// Claims the folder of the run by `claim`. A signal before the frames gives it back.
    ///
    /// # Errors
    /// The errors of `claim`.
    pub fn claim(&self, claim: impl FnOnce() -> Result<RunFolder>) -> Result<Arc<RunFolder>> {
        // The lock makes a signal wait until the folder to be given back is known.
        let mut phase = self.phase();
        let folder = Arc::new(claim()?);
        *phase = Phase::SetUp(Arc::downgrade(&folder));
        Ok(folder)
    }

    /// From now on a signal lets the run finish its step.
    pub fn begin_frames(&self) {
        *self.phase() = Phase::Frames;
    }

    /// Why the run must end early: some rank has noted a signal, or `time_is_up` on some rank.
    /// `None` if the run goes on. All ranks get the same answer. Collective.
    ///
    /// # Errors
    /// When a rank fails.
    pub fn noted(&self, world: &dyn World, time_is_up: bool) -> Result<Option<Stop>> {
        let first = self.first.load(Ordering::Relaxed);
        let signals = SIGNALS.map(|signal| (Stop::Signal(signal), signal as i32 == first));
        let reasons = signals.into_iter().chain([(Stop::TimeLimit, time_is_up)]);
        let (stops, noted): (Vec<_>, Vec<_>) =
            reasons.map(|(stop, noted)| (stop, i64::from(noted))).unzip();
        let mut ranks = noted;
        world.all_reduce_sum(&mut ranks)?;
        Ok(stops.into_iter().zip(ranks).find(|(_, ranks)| *ranks > 0).map(|(stop, _)| stop))
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arrived(&self, signal: Signal) {
        let phase = self.phase();
        if let Phase::SetUp(folder) = &*phase {
            if let Some(folder) = folder.upgrade() {
                folder.give_back();
            }
            print::message("interrupted, no frame written");
            // The phase stays locked, so that no frame begins.
            std::process::exit(Stop::Signal(signal).exit_code().into());
        }
        let is_first = self
            .first
            .compare_exchange(0, signal as i32, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
        // A launcher may pass a signal on twice, and ends processes that take too long. When a
        // terminal closes, both its shell and the system send SIGHUP.
        let is_second = !is_first && signal != Signal::SIGHUP;
        if is_second && self.process == ProcessKind::AllRanks {
            std::process::exit(Stop::Signal(signal).exit_code().into());
        }
    }
}
