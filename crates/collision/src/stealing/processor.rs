//! One processor: a thread of a rank that executes tasks and cuts its stack into new ones.

use std::time::{Duration, Instant};

use crate::stealing::link::Link;
use crate::stealing::policy::Policy;
use crate::stealing::pool::{Pool, Pooled};
use crate::stealing::usage::{
    Origin, ProcessorUse, Steal, Stretch, TaskSpan, Theft, TraceClock, note_theft,
};
use crate::stealing::workload::{Results, Task, Workload};
use cloth_core::Result;
use cloth_core::threads::wait::wait;
use crossbeam_deque::Worker;

/// Number of calls of [`Workload::run`] between two looks of a processor at the size of its deque,
/// and on processor 0 also at the clock. On the draped tablecloth these calls take about 5 us,
/// less than a polling interval.
pub const RUNS_PER_LOOK: u32 = 8;

/// What the processors of a rank share during a search.
pub(super) struct SearchRun<'a, W: Workload> {
    pub work: &'a W,
    pub pool: &'a Pool<'a, W::Test>,
    pub policy: Policy,
    pub rank: usize,
    /// Runs if each task is traced.
    pub clock: TraceClock,
}

impl<W: Workload> SearchRun<'_, W> {
    #[inline]
    fn limit(&self, own: &Worker<Pooled<W::Test>>) -> usize {
        self.policy.limit(own.len())
    }
}

/// A processor with its deque, its stack and its results.
///
/// It fills its own pairs of cache lines. Its counters change with every test: two threads that
/// shared a cache line would wait for each other.
#[repr(align(128))]
pub(super) struct Processor<T, R> {
    /// Its number in its rank.
    pub index: usize,
    /// Its part of the task pool.
    pub tasks: Worker<Pooled<T>>,
    /// Untried tests of the present task.
    stack: Vec<T>,
    /// The tests that it executed and the items that it found in this search.
    pub results: R,
    /// How it spent this search.
    pub usage: ProcessorUse,
    /// The processors from which it took tasks.
    pub thefts: Vec<Theft>,
    /// Its tasks, if they are traced.
    pub spans: Vec<TaskSpan>,
    /// Runs until the next look at deque and clock.
    runs: u32,
}

impl<T, R: Results> Processor<T, R> {
    pub fn new(index: usize) -> Self {
        Self {
            index,
            tasks: Worker::new_lifo(),
            stack: Vec::new(),
            results: R::default(),
            usage: ProcessorUse::default(),
            thefts: Vec::new(),
            spans: Vec::new(),
            runs: RUNS_PER_LOOK,
        }
    }

    /// Begins a search with these tasks. The first one is executed first.
    pub fn begin(&mut self, pool: &Pool<T>, tasks: Vec<Task<T>>) {
        self.thefts.clear();
        self.usage = ProcessorUse { top_level_tasks: tasks.len() as u64, ..Default::default() };
        let tasks = tasks.into_iter().rev();
        tasks.for_each(|task| pool.put(&self.tasks, task, Origin::TopLevel));
    }

    /// Executes tasks until there can be no more.
    ///
    /// # Errors
    /// Those of `link`.
    pub fn work<W>(&mut self, run: &SearchRun<W>, link: &mut impl Link<T>) -> Result<()>
    where
        W: Workload<Test = T, Results = R>,
    {
        let mut polled = Instant::now();
        while let Some(mut pooled) = self.next(run, link)? {
            // Reading the clock is a call of the system: not for each task.
            let (stretch, mut scheduling) = (Stretch::begin(), Duration::ZERO);
            loop {
                scheduling += self.execute(pooled, run, link, &mut polled)?;
                run.pool.executed();
                let Some(own) = self.tasks.pop() else { break };
                pooled = own;
            }
            self.usage.busy_s += stretch.busy_s(scheduling);
            self.usage.scheduling_s += scheduling.as_secs_f64();
        }
        Ok(())
    }

    /// Its newest task, or one of another processor; `None` once there can be none.
    fn next<W>(&mut self, run: &SearchRun<W>, link: &mut impl Link<T>) -> Result<Option<Pooled<T>>>
    where
        W: Workload<Test = T, Results = R>,
    {
        match self.tasks.pop() {
            Some(own) => Ok(Some(own)),
            None => self.seek(run, link),
        }
    }

    /// A task of another processor; `None` once there can be none.
    fn seek<W>(&mut self, run: &SearchRun<W>, link: &mut impl Link<T>) -> Result<Option<Pooled<T>>>
    where
        W: Workload<Test = T, Results = R>,
    {
        let (pool, stealing) = (run.pool, run.policy.stealing);
        let start = Instant::now();
        let seeking = pool.seek();
        let sought = wait(link.patience(), || {
            if pool.is_closed() {
                return Ok(Some(None));
            }
            if stealing && let Some((victim, task)) = pool.steal(self.index) {
                let (thief, victim_rank) = (self.index as u32, run.rank as u32);
                let victim = victim as u32;
                let theft = Theft { thief, victim_rank, victim, tasks: 1 };
                note_theft(&mut self.thefts, theft);
                self.usage.tasks_stolen += 1;
                let handed_over_s = run.clock.now_s();
                let origin = Origin::Stolen(Steal { victim_rank, victim, handed_over_s });
                return Ok(Some(Some(Pooled { task, origin })));
            }
            let over = !stealing || link.poll(pool, &self.tasks, false)?;
            if over {
                return Ok(Some(None));
            }
            // The rank may have kept a part of a task that it handed over.
            Ok(link.received().or_else(|| self.tasks.pop()).map(Some))
        });
        drop(seeking);
        if link.interval().is_some() {
            self.usage.waiting_s += start.elapsed().as_secs_f64();
        }
        sought
    }

    /// Executes a task, and traces it if the clock runs. Returns the time that polls took.
    fn execute<W>(
        &mut self,
        Pooled { task, origin }: Pooled<T>,
        run: &SearchRun<W>,
        link: &mut impl Link<T>,
        polled: &mut Instant,
    ) -> Result<Duration>
    where
        W: Workload<Test = T, Results = R>,
    {
        self.usage.tasks_executed += 1;
        if !run.clock.runs {
            return self.unfold(task, run, link, polled);
        }
        let (begin_s, before) = (run.clock.now_s(), self.results.tests());
        let stretch = Stretch::begin();
        let scheduling = self.unfold(task, run, link, polled)?;
        let busy_s = stretch.busy_s(scheduling);
        let (end_s, tests) = (run.clock.now_s(), self.results.tests() - before);
        let thread = self.index as u32;
        self.spans.push(TaskSpan { thread, begin_s, end_s, busy_s, tests, origin });
        Ok(scheduling)
    }

    /// Executes a task, except the parts that it cuts off. Returns the time that polls took.
    fn unfold<W>(
        &mut self,
        task: Task<T>,
        run: &SearchRun<W>,
        link: &mut impl Link<T>,
        polled: &mut Instant,
    ) -> Result<Duration>
    where
        W: Workload<Test = T, Results = R>,
    {
        let mut scheduling = Duration::ZERO;
        let Self { tasks, stack, results, usage, runs, .. } = self;
        let mut limit = run.limit(tasks);
        stack.extend(task);
        while !stack.is_empty() {
            run.work.run(stack, results);
            while stack.len() > limit {
                let Some(decomposition) = run.policy.decomposition else { break };
                run.pool.put(tasks, decomposition.cut(stack, tasks.len()), Origin::Cut);
                usage.tasks_created += 1;
                limit = run.limit(tasks);
            }
            *runs -= 1;
            if *runs == 0 {
                *runs = RUNS_PER_LOOK;
                limit = run.limit(tasks);
                if let Some(interval) = link.interval() {
                    let now = Instant::now();
                    if now - *polled >= interval {
                        link.poll(run.pool, tasks, true)?;
                        *polled = Instant::now();
                        scheduling += *polled - now;
                    }
                }
            }
        }
        Ok(scheduling)
    }
}
