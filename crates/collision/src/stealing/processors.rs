//! All processors of one rank, from search to search.
//!
//! Source: Thomaszewski & Blochinger (2007), section 4.2; see `docs/methods.md`, section 9. Which
//! processor of which rank executes a test changes from run to run. That each test is executed
//! exactly once does not change, and no frame depends on who executed it.

use std::time::{Duration, Instant};

use bytemuck::Pod;

use crate::stealing::link::{Alone, Led, Link, RankLink, Talk};
use crate::stealing::policy::Policy;
use crate::stealing::pool::Pool;
use crate::stealing::processor::{Processor, SearchRun};
use crate::stealing::scheduler::Scheduler;
use crate::stealing::settings::StealingSettings;
use crate::stealing::usage::{ProcessorUse, SearchSpan, Theft, TraceClock, note_theft};
use crate::stealing::workload::{Results, Task, Workload};
use cloth_core::{Result, Threads, World};

/// The processors of one rank, which execute tests of type `T` and collect results `R`, with the
/// profile of their last search.
pub struct Processors<T, R> {
    settings: StealingSettings,
    list: Vec<Processor<T, R>>,
    scheduler: Scheduler,
    clock: TraceClock,
    /// Length of the last search, s.
    length_s: f64,
    /// The last search, if its tasks were traced.
    span: Option<SearchSpan>,
}

impl<T: Pod + Send + Sync, R: Results> Processors<T, R> {
    /// One processor for each of the `threads` of a rank of `world`.
    pub fn new(settings: &StealingSettings, threads: &Threads, world: &dyn World) -> Self {
        Self {
            settings: *settings,
            list: (0..threads.count()).map(Processor::new).collect(),
            scheduler: Scheduler::new(world.rank(), world.size(), settings.victim_order),
            clock: TraceClock::default(),
            length_s: 0.0,
            span: None,
        }
    }

    /// Executes the `top_level` tasks of all ranks. Each processor starts with an equal part of its
    /// rank's tasks, in order.
    ///
    /// Collective if any rank has tasks. After: `results` has the joined results of this rank's
    /// processors, in the order of the processors.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn run<W>(
        &mut self,
        here: RankThreads,
        work: &W,
        top_level: TopLevel<T>,
        results: &mut R,
    ) -> Result<()>
    where
        W: Workload<Test = T, Results = R>,
    {
        let TopLevel { mut tasks, any } = top_level;
        debug_assert!(any || tasks.is_empty(), "a rank with tasks says that no rank has any");
        let (begin_s, start) = (self.clock.now_s(), Instant::now());
        let deques = Vec::from_iter(self.list.iter().map(|processor| processor.tasks.stealer()));
        let pool = Pool::new(&deques);
        let (count, all) = (self.list.len(), tasks.len());
        for (index, processor) in self.list.iter_mut().enumerate().rev() {
            processor.begin(&pool, tasks.split_off(index * all / count));
        }
        if any {
            let (policy, clock) = (Policy::new(&self.settings), self.clock);
            let run = SearchRun { work, pool: &pool, policy, rank: here.world.rank(), clock };
            self.work(here, &run)?;
        }
        self.join(start.elapsed().as_secs_f64(), results);
        self.span = self.clock.runs.then(|| SearchSpan {
            begin_s,
            end_s: self.clock.now_s(),
            tasks: self.list.iter_mut().flat_map(|one| one.spans.drain(..)).collect(),
        });
        Ok(())
    }

    /// Lets all processors work, the first one on the calling thread.
    fn work<W>(
        &mut self,
        RankThreads { world, threads }: RankThreads,
        run: &SearchRun<W>,
    ) -> Result<()>
    where
        W: Workload<Test = T, Results = R>,
    {
        let Self { settings, list, scheduler, .. } = self;
        let Some((first, others)) = list.split_first_mut() else { return Ok(()) };
        if !settings.stealing || world.size() == 1 {
            return work(threads, first, others, run, &mut Alone, &Alone);
        }
        let interval = Duration::from_secs_f64(settings.polling_interval_us * 1e-6);
        let talk = Talk { world, policy: run.policy, interval, clock: run.clock };
        let mut link = RankLink::begin(talk, scheduler, run.pool, &first.tasks)?;
        work(threads, first, others, run, &mut link, &Led)?;
        first.usage.add(&link.usage);
        link.thefts.into_iter().for_each(|theft| note_theft(&mut first.thefts, theft));
        Ok(())
    }

    /// Joins the results of all processors and completes their profile.
    fn join(&mut self, length_s: f64, all: &mut R) {
        self.length_s = length_s;
        for processor in &mut self.list {
            let Processor { usage, results, .. } = processor;
            usage.length_s = length_s;
            usage.tests = results.tests();
            usage.found = results.found();
            all.take(results);
        }
    }

    /// Whether each task is traced from now on.
    pub fn trace_tasks(&mut self, traced: bool) {
        self.clock = TraceClock { runs: traced };
    }

    /// The last search, if its tasks were traced.
    pub fn span(&self) -> Option<&SearchSpan> {
        self.span.as_ref()
    }

    /// How long the last search took on this rank, s.
    pub fn length_s(&self) -> f64 {
        self.length_s
    }

    /// How each processor spent the last search.
    pub fn usage(&self) -> impl Iterator<Item = &ProcessorUse> {
        self.list.iter().map(|processor| &processor.usage)
    }

    /// The thefts between processors in the last search.
    pub fn thefts(&self) -> impl Iterator<Item = &Theft> {
        self.list.iter().flat_map(|processor| &processor.thefts)
    }
}

/// One rank's link to the others, and its threads.
#[derive(Clone, Copy)]
pub struct RankThreads<'a> {
    /// All ranks.
    pub world: &'a dyn World,
    /// The threads of this rank: one for each of its processors.
    pub threads: &'a Threads,
}

/// The tasks that a search starts with.
#[derive(Debug, Clone)]
pub struct TopLevel<T> {
    /// This rank's tasks.
    pub tasks: Vec<Task<T>>,
    /// Whether any rank has tasks. All ranks must say the same.
    pub any: bool,
}

/// A processor that executes this workload.
type ProcessorOf<W> = Processor<<W as Workload>::Test, <W as Workload>::Results>;

/// Lets all processors of a rank work, the first one on the calling thread.
fn work<W: Workload>(
    threads: &Threads,
    first: &mut ProcessorOf<W>,
    others: &mut [ProcessorOf<W>],
    run: &SearchRun<W>,
    link: &mut impl Link<W::Test>,
    link_of_others: &(impl Link<W::Test> + Clone + Sync),
) -> Result<()> {
    let other = |processor: &mut ProcessorOf<W>| {
        let _closing = CloseAfterPanic(run.pool);
        // Without communication nothing fails.
        let _ = processor.work(run, &mut link_of_others.clone());
    };
    threads.beside(others, other, || {
        let _closing = CloseAtEnd(run.pool);
        first.work(run, link)
    })
}

/// Ends the work of all processors, whether processor 0 succeeds, fails or panics.
struct CloseAtEnd<'a, T>(&'a Pool<'a, T>);

impl<T> Drop for CloseAtEnd<'_, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Ends the work of all processors if one has panicked: its task is never done.
struct CloseAfterPanic<'a, T>(&'a Pool<'a, T>);

impl<T> Drop for CloseAfterPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stealing::synthetic::{Count, Synthetic, expected, root};
    use cloth_core::ranks::in_process;

    #[test]
    fn each_test_is_executed_once_on_any_number_of_ranks_and_threads() {
        let tasks = Vec::from_iter((0..200).map(|name| vec![root(name), root(name + 200)]));
        let all = expected(tasks.iter().flatten());
        assert!(all.tests > 1000);
        for (ranks, threads) in [(1, 1), (1, 3), (3, 1), (2, 2)] {
            let executed = in_process::run(ranks, |world| {
                let threads = Threads::new(threads)?;
                let mut processors = Processors::new(&StealingSettings::default(), &threads, world);
                // Rank 0 has all tasks, and gets them twice.
                let own = |rank| if rank == 0 { tasks.clone() } else { Vec::new() };
                let here = RankThreads { world, threads: &threads };
                let mut counts = [Count::default(); 2];
                for count in &mut counts {
                    let tasks = TopLevel { tasks: own(world.rank()), any: true };
                    processors.run(here, &Synthetic, tasks, count)?;
                    let tests: u64 = processors.usage().map(|usage| usage.tests).sum();
                    assert_eq!(tests, count.tests);
                }
                Ok(counts)
            });
            let mut sums = [Count::default(); 2];
            for mut counts in executed.unwrap() {
                sums.iter_mut().zip(&mut counts).for_each(|(sum, count)| sum.take(count));
            }
            assert_eq!(sums, [all, all], "{ranks} ranks, {threads} threads");
        }
    }
}
