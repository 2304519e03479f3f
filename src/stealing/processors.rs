//! The task-parallel test part of the collision phase: all processors of one rank.
//!
//! Source: Thomaszewski & Blochinger 2007, section 4.2; methods 9. Which processor of
//! which rank executes a test changes from run to run; that each test is executed
//! exactly once does not, and nothing that follows depends on who found a pair.

use std::time::{Duration, Instant};

use crossbeam_deque::Worker;

use crate::collision::test::Task;
use crate::collision::{Pair, TestCounters};
use crate::error::Result;
use crate::ranks::World;
use crate::stealing::link::RankLink;
use crate::stealing::pool::{Pool, Pooled};
use crate::stealing::processor::{Alone, Decomposition, Link, Processor, Search, SearchRun};
use crate::stealing::scheduler::Scheduler;
use crate::stealing::settings::Settings;
use crate::stealing::trace::{Clock, SearchSpan};
use crate::stealing::usage::{ProcessorUse, Theft, note_theft};
use crate::threads::Threads;

/// The processors of one rank, from phase to phase.
pub struct Processors {
    settings: Settings,
    list: Vec<Processor>,
    scheduler: Scheduler,
    clock: Clock,
    /// The searches since the profile began, while the clock runs.
    searches: Vec<SearchSpan>,
    /// The length of each search since the profile began, s.
    lengths_s: Vec<f64>,
}

impl Processors {
    /// One for each of the `threads` of a rank of `world`.
    pub fn new(settings: &Settings, threads: &Threads, world: &dyn World) -> Self {
        Self {
            settings: *settings,
            list: (0..threads.count()).map(Processor::new).collect(),
            scheduler: Scheduler::new(world.rank(), world.size(), settings.victim_order),
            clock: Clock::default(),
            searches: Vec::new(),
            lengths_s: Vec::new(),
        }
    }

    /// Executes the `tasks` of all ranks and adds what this rank's processors found to
    /// `candidates`. They start with equal parts of its own tasks, in order. `any` says
    /// whether any rank has tasks.
    ///
    /// Collective if so. Returns what was executed here.
    ///
    /// # Errors
    /// If a rank fails.
    pub(crate) fn run(
        &mut self,
        (world, threads): (&dyn World, &Threads),
        search: &Search,
        (mut tasks, any): (Vec<Task>, bool),
        candidates: &mut Vec<Pair>,
    ) -> Result<TestCounters> {
        debug_assert!(
            any || tasks.is_empty(),
            "what is not executed would be found in the next phase"
        );
        let (begin_s, start) = (self.clock.now_s(), Instant::now());
        let deques = Vec::from_iter(self.list.iter().map(|processor| processor.tasks.stealer()));
        let pool = Pool::new(&deques);
        let (count, all) = (self.list.len(), tasks.len());
        for (index, processor) in self.list.iter_mut().enumerate().rev() {
            processor.begin(&pool, tasks.split_off(index * all / count));
        }
        if any {
            let Settings { decomposition, stealing, a, b, .. } = self.settings;
            let decomposition = decomposition.then_some(Decomposition { a, b });
            let (rank, clock) = (world.rank(), self.clock);
            self.work(
                (world, threads),
                &SearchRun { search, pool: &pool, decomposition, stealing, rank, clock },
            )?;
        }
        let counted = self.combine(start, candidates);
        if self.clock.runs {
            let tasks = self.list.iter_mut().flat_map(|processor| processor.spans.drain(..));
            let (tasks, end_s) = (tasks.collect(), self.clock.now_s());
            self.searches.push(SearchSpan { begin_s, end_s, tasks });
        }
        Ok(counted)
    }

    /// Lets all processors work, the first one on the calling thread.
    fn work(&mut self, (world, threads): (&dyn World, &Threads), run: &SearchRun) -> Result<()> {
        let Self { settings, list, scheduler, .. } = self;
        let Some((first, others)) = list.split_first_mut() else { return Ok(()) };
        if !settings.stealing || world.size() == 1 {
            return work(threads, (first, others), run, &mut Alone, &Alone);
        }
        let interval = Duration::from_secs_f64(settings.polling_interval_us * 1e-6);
        let mut link =
            RankLink::begin(world, scheduler, (settings.share, interval), run, &first.tasks)?;
        work(threads, (first, others), run, &mut link, &Led)?;
        first.usage.add(&link.usage);
        link.thefts.into_iter().for_each(|theft| note_theft(&mut first.thefts, theft));
        Ok(())
    }

    /// Makes one list of what all found.
    fn combine(&mut self, start: Instant, candidates: &mut Vec<Pair>) -> TestCounters {
        let length_s = start.elapsed().as_secs_f64();
        let mut sum = TestCounters::default();
        self.lengths_s.push(length_s);
        for processor in &mut self.list {
            let counters = &mut processor.counters;
            counters.candidates = processor.candidates.len() as u64;
            processor.usage.length_s += length_s;
            processor.usage.tests += counters.tests;
            processor.usage.candidates += counters.candidates;
            sum.add(counters);
            if candidates.is_empty() {
                std::mem::swap(candidates, &mut processor.candidates);
            } else {
                candidates.append(&mut processor.candidates);
            }
        }
        sum
    }

    /// Begins a new profile.
    pub fn forget_use(&mut self) {
        for processor in &mut self.list {
            processor.usage = ProcessorUse::default();
            processor.thefts.clear();
        }
        self.searches.clear();
        self.lengths_s.clear();
    }

    /// Whether each task is noted from now on, for a time line.
    pub fn note_tasks(&mut self, notes: bool) {
        self.clock = Clock { runs: notes };
    }

    /// The searches since the profile began, if their tasks were noted.
    pub fn searches(&self) -> &[SearchSpan] {
        &self.searches
    }

    /// How long each search since the profile began took on this rank, s.
    pub fn lengths_s(&self) -> &[f64] {
        &self.lengths_s
    }

    /// How each processor spent the test parts since the profile began.
    pub fn usage(&self) -> impl Iterator<Item = &ProcessorUse> {
        self.list.iter().map(|processor| &processor.usage)
    }

    /// Who took tasks from whom in them.
    pub fn thefts(&self) -> impl Iterator<Item = &Theft> {
        self.list.iter().flat_map(|processor| &processor.thefts)
    }
}

/// Lets all processors of a rank work, the first one on the calling thread.
fn work(
    threads: &Threads,
    (first, others): (&mut Processor, &mut [Processor]),
    run: &SearchRun,
    link: &mut impl Link,
    link_of_others: &(impl Link + Clone + Sync),
) -> Result<()> {
    let other = |processor: &mut Processor| {
        let _closing = CloseAfterPanic(run.pool);
        // Without communication nothing fails.
        let _ = processor.work(run, &mut link_of_others.clone());
    };
    threads.beside(others, other, || {
        let _closing = CloseAtEnd(run.pool);
        first.work(run, link)
    })
}

/// Behind a processor 0 that talks to other ranks: it says when the phase is over.
#[derive(Clone)]
struct Led;

impl Link for Led {
    fn poll(&mut self, pool: &Pool, _: &Worker<Pooled>, _: bool) -> Result<bool> {
        Ok(pool.is_closed())
    }
}

/// Sends all processors home, whichever way processor 0 ends.
struct CloseAtEnd<'a>(&'a Pool<'a>);

impl Drop for CloseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Sends all processors home if one has panicked: its task is never done.
struct CloseAfterPanic<'a>(&'a Pool<'a>);

impl Drop for CloseAfterPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}
