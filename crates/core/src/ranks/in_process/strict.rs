//! Deadlock detection of strict mode.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::ranks::in_process::mailbox::lock;

/// The world is deadlocked after this many unsuccessful tests of every rank and this
/// much time without progress. Both are needed: a rank that computes does not test,
/// and ranks that work and poll in turn need some time.
const TESTS: u64 = 1000;
const TIME: Duration = Duration::from_secs(1);

/// Watches the progress of a world.
pub(super) struct Watch(Mutex<WorldProgress>);

struct WorldProgress {
    last_progress: Instant,
    ranks: Vec<RankProgress>,
}

#[derive(Clone, Copy)]
struct RankProgress {
    unsuccessful: u64,
    waits_for: &'static str,
    ended: bool,
}

impl Watch {
    pub fn new(size: usize) -> Self {
        let rank = RankProgress { unsuccessful: 0, waits_for: "nothing", ended: false };
        Self(Mutex::new(WorldProgress { last_progress: Instant::now(), ranks: vec![rank; size] }))
    }

    /// Notes that a message was sent or received, or a collective entered or completed.
    pub fn progress(&self) {
        let mut state = lock(&self.0);
        state.last_progress = Instant::now();
        state.ranks.iter_mut().for_each(|rank| rank.unsuccessful = 0);
    }

    /// Notes an unsuccessful test of `rank`. Returns a message if the whole world is
    /// deadlocked.
    pub fn no_progress(&self, rank: usize, waits_for: &'static str) -> Option<String> {
        let mut state = lock(&self.0);
        state.ranks[rank].unsuccessful += 1;
        state.ranks[rank].waits_for = waits_for;
        let stuck = state.ranks.iter().all(|rank| rank.ended || rank.unsuccessful >= TESTS);
        if !stuck || state.last_progress.elapsed() < TIME {
            return None;
        }
        let what = state.ranks.iter().enumerate().map(|(number, rank)| match rank.ended {
            true => format!("rank {number} has ended"),
            false => format!("rank {number} waits for {}", rank.waits_for),
        });
        Some(format!("deadlock: {}", what.collect::<Vec<_>>().join(", ")))
    }

    /// Notes that `rank` will not call again.
    pub fn end(&self, rank: usize) {
        lock(&self.0).ranks[rank].ended = true;
        self.progress();
    }
}
