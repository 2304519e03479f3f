//! One processor: a thread of a rank that executes tasks, and cuts its own into
//! smaller ones.

use std::time::{Duration, Instant};

use crossbeam_deque::Worker;

use crate::collision::dop::Dop18;
use crate::collision::surface::{FaceSide, elementary_pairs};
use crate::collision::test::{Task, TestTrees};
use crate::collision::{Pair, Sweep, Test, TestCounters};
use crate::error::Result;
use crate::ids::FaceId;
use crate::ranks::wait::wait;
use crate::stealing::pool::{Pool, Pooled};
use crate::stealing::trace::{Clock, Origin, Steal, TaskSpan};
use crate::stealing::usage::{ProcessorUse, Stretch, Theft, note_theft};

/// Runs of a [`Search`] from one look at the pool's size, and on processor 0 at the
/// clock, to the next: about 5 us, often enough for polling intervals of 20 us.
pub(super) const RUNS: u32 = 8;

/// When a stack is cut (Thomaszewski & Blochinger 2007, section 4.2.4).
#[derive(Debug, Clone, Copy)]
pub(super) struct Decomposition {
    /// Growth of the limit with each task in the pool.
    pub a: u32,
    /// The limit of an empty pool, tests.
    pub b: u32,
}

impl Decomposition {
    /// `tau = a sigma + b`: the largest stack beside a pool of `sigma` tasks.
    #[inline]
    pub fn limit(&self, sigma: usize) -> usize {
        self.a as usize * sigma + self.b as usize
    }

    /// Takes the `tau / 2` tests at the bottom of a stack (at least one) as a task.
    pub fn cut<T>(&self, stack: &mut Vec<T>, sigma: usize) -> Vec<T> {
        let count = (self.limit(sigma) / 2).clamp(1, stack.len());
        stack.drain(..count).collect()
    }

    /// Takes the later half of the tests of a `task` for another rank, if it has two or
    /// more: for its victim, if no other task waits there. The tests at the bottom of a
    /// stack are nearly all of its work: the victim would be the next thief.
    pub fn halve<T>(task: &mut Vec<T>) -> Option<Vec<T>> {
        (task.len() > 1).then(|| task.split_off(task.len() / 2))
    }
}

/// What tests are executed on, and what they find.
pub(crate) struct Search<'a> {
    /// The refitted hierarchies.
    pub trees: TestTrees<'a>,
    /// The motion that they were refitted to.
    pub sweep: &'a Sweep<'a>,
    /// Bounds of all vertices.
    pub vertices: &'a [Dop18],
}

impl Search<'_> {
    /// Executes the next branches of the `stack`, as [`TestTrees::traverse_branches`], and
    /// adds the elementary pairs that are near to `candidates`.
    #[inline]
    pub fn run(
        &self,
        stack: &mut Vec<Test>,
        counters: &mut TestCounters,
        candidates: &mut Vec<Pair>,
    ) {
        let mut faces = |test: &Test, face1, face2| {
            let [first, second] = self.sides(test, [face1, face2]);
            elementary_pairs(&first, &second, self.sweep, self.vertices, candidates);
        };
        self.trees.traverse_branches(stack, counters, &mut faces);
    }

    /// The sides of a pair of faces in which a test ends.
    #[inline]
    pub fn sides(&self, test: &Test, faces: [FaceId; 2]) -> [FaceSide<'_>; 2] {
        let side = |object: u32, node, face| {
            let surface = &self.trees.surfaces[object as usize];
            surface.side(face, self.trees.bounds(object, node))
        };
        [side(test.obj1, test.dop1, faces[0]), side(test.obj2, test.dop2, faces[1])]
    }
}

/// What the processors of a rank share during a search.
pub(super) struct SearchRun<'a> {
    pub search: &'a Search<'a>,
    pub pool: &'a Pool<'a>,
    /// None: tasks are executed whole.
    pub decomposition: Option<Decomposition>,
    /// Whether processors take tasks from others.
    pub stealing: bool,
    pub rank: usize,
    /// Runs if the tasks are noted one by one.
    pub clock: Clock,
}

impl SearchRun<'_> {
    #[inline]
    fn limit(&self, own: &Worker<Pooled>) -> usize {
        self.decomposition.map_or(usize::MAX, |decomposition| decomposition.limit(own.len()))
    }
}

/// What links a rank's processor 0 with other ranks.
pub(super) trait Link {
    /// Does what other ranks ask for, at a task's end or between two tests. True if no
    /// more tasks can come.
    ///
    /// # Errors
    /// If a rank fails.
    fn poll(&mut self, pool: &Pool, own: &Worker<Pooled>, has_work: bool) -> Result<bool>;

    /// A task that came with a poll, to be executed at once.
    fn received(&mut self) -> Option<Pooled> {
        None
    }

    /// The longest work between two polls; none if polls are needless.
    fn interval(&self) -> Option<Duration> {
        None
    }
}

/// No other ranks: the search is over when the pool is idle.
#[derive(Clone)]
pub(super) struct Alone;

impl Link for Alone {
    #[inline]
    fn poll(&mut self, pool: &Pool, _: &Worker<Pooled>, _: bool) -> Result<bool> {
        Ok(pool.is_idle())
    }
}

/// A processor with its deque, its stack and what it has found.
///
/// Alone in its pairs of cache lines: its counters change with every test, and beside
/// those of another thread each would wait for the other's.
#[repr(align(128))]
pub(super) struct Processor {
    /// Its number in its rank.
    pub index: usize,
    /// Its part of the task pool.
    pub tasks: Worker<Pooled>,
    /// Untried tests of the present task.
    stack: Vec<Test>,
    /// What it found in this search.
    pub candidates: Vec<Pair>,
    /// And executed.
    pub counters: TestCounters,
    /// How it spent its searches since the profile began.
    pub usage: ProcessorUse,
    /// Whom it took tasks from in them.
    pub thefts: Vec<Theft>,
    /// The tasks of this search, if they are noted.
    pub spans: Vec<TaskSpan>,
    /// Runs until the next look at pool and clock.
    runs: u32,
}

impl Processor {
    pub fn new(index: usize) -> Self {
        Self {
            index,
            tasks: Worker::new_lifo(),
            stack: Vec::new(),
            candidates: Vec::new(),
            counters: TestCounters::default(),
            usage: ProcessorUse::default(),
            thefts: Vec::new(),
            spans: Vec::new(),
            runs: RUNS,
        }
    }

    /// Gets its first tasks of a search; the first one is executed first.
    pub fn begin(&mut self, pool: &Pool, tasks: Vec<Task>) {
        self.candidates.clear();
        self.counters = TestCounters::default();
        self.usage.top_level_tasks += tasks.len() as u64;
        let tasks = tasks.into_iter().rev();
        tasks.for_each(|task| pool.put(&self.tasks, task, Origin::TopLevel));
    }

    /// Executes tasks until there can be no more.
    ///
    /// # Errors
    /// Those of `link`.
    pub fn work(&mut self, run: &SearchRun, link: &mut impl Link) -> Result<()> {
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
    fn next(&mut self, run: &SearchRun, link: &mut impl Link) -> Result<Option<Pooled>> {
        match self.tasks.pop() {
            Some(own) => Ok(Some(own)),
            None => self.seek(run, link),
        }
    }

    /// A task of another processor; `None` once there can be none.
    fn seek(&mut self, run: &SearchRun, link: &mut impl Link) -> Result<Option<Pooled>> {
        let pool = run.pool;
        let start = Instant::now();
        let sought = wait(|| {
            if run.stealing
                && let Some((victim, task)) = pool.steal(self.index)
            {
                let (thief, victim_rank) = (self.index as u32, run.rank as u32);
                let victim = victim as u32;
                let theft = Theft { thief, victim_rank, victim, tasks: 1 };
                note_theft(&mut self.thefts, theft);
                self.usage.tasks_stolen += 1;
                let handed_over_s = run.clock.now_s();
                let origin = Origin::Stolen(Steal { victim_rank, victim, handed_over_s });
                return Ok(Some(Some(Pooled { task, origin })));
            }
            let over = !run.stealing || link.poll(pool, &self.tasks, false)? || pool.is_closed();
            if over {
                return Ok(Some(None));
            }
            // The rank may have kept a part of what it handed over.
            Ok(link.received().or_else(|| self.tasks.pop()).map(Some))
        });
        if link.interval().is_some() {
            self.usage.waiting_s += start.elapsed().as_secs_f64();
        }
        sought
    }

    /// Executes a task, and notes it for a time line if there is one; returns the time
    /// that polls took.
    fn execute(
        &mut self,
        Pooled { task, origin }: Pooled,
        run: &SearchRun,
        link: &mut impl Link,
        polled: &mut Instant,
    ) -> Result<Duration> {
        self.usage.tasks_executed += 1;
        if !run.clock.runs {
            return self.unfold(task, run, link, polled);
        }
        let (begin_s, before) = (run.clock.now_s(), self.counters.tests);
        let stretch = Stretch::begin();
        let scheduling = self.unfold(task, run, link, polled)?;
        let busy_s = stretch.busy_s(scheduling);
        let (end_s, tests) = (run.clock.now_s(), self.counters.tests - before);
        let thread = self.index as u32;
        self.spans.push(TaskSpan { thread, begin_s, end_s, busy_s, tests, origin });
        Ok(scheduling)
    }

    /// Executes a task but for what it cuts off; returns the time that polls took.
    fn unfold(
        &mut self,
        task: Task,
        run: &SearchRun,
        link: &mut impl Link,
        polled: &mut Instant,
    ) -> Result<Duration> {
        let mut scheduling = Duration::ZERO;
        let Self { tasks, stack, candidates, counters, usage, runs, .. } = self;
        let mut limit = run.limit(tasks);
        stack.extend(task);
        while !stack.is_empty() {
            run.search.run(stack, counters, candidates);
            while stack.len() > limit {
                let Some(decomposition) = run.decomposition else { break };
                run.pool.put(tasks, decomposition.cut(stack, tasks.len()), Origin::Cut);
                usage.tasks_created += 1;
                limit = run.limit(tasks);
            }
            *runs -= 1;
            if *runs == 0 {
                *runs = RUNS;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_task_for_another_rank_the_later_half_stays() {
        let mut task = vec![1, 2, 3, 4, 5];
        assert_eq!(Decomposition::halve(&mut task), Some(vec![3, 4, 5]));
        assert_eq!(Decomposition::halve(&mut task), Some(vec![2]));
        assert_eq!((Decomposition::halve(&mut task), task), (None, vec![1]));
    }
}
