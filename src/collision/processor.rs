//! One processor: a thread of a rank that executes tasks, and cuts its own into
//! smaller ones.

use std::time::{Duration, Instant};

use crossbeam_deque::Worker;

use super::dop::Dop18;
use super::pair::Pair;
use super::pool::Pool;
use super::surface::{Side, elementary_pairs};
use super::task::{Sweep, Task, Test, TestCounters, TestTrees};
use super::usage::{ProcessorUse, Theft, note_theft, thread_time};
use crate::comm::wait::wait;
use crate::error::Result;
use crate::ids::FaceId;

/// Ends of branches from one look at the pool's size, and on processor 0 at the clock,
/// to the next. On the draped tablecloth a branch takes about 0.1 us: often enough for
/// polling intervals of 20 us, and too seldom to be measured.
pub(super) const BRANCHES: u32 = 64;

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
}

/// What tests are executed on, and what they find.
pub(super) struct Search<'a> {
    /// The refitted hierarchies.
    pub trees: TestTrees<'a>,
    /// The motion that they were refitted to.
    pub sweep: &'a Sweep<'a>,
    /// Bounds of all vertices.
    pub vertices: &'a [Dop18],
}

impl Search<'_> {
    /// Executes all tests on the `stack`, as [`TestTrees::traverse_with`], and adds the
    /// elementary pairs that are near to `candidates`.
    #[inline]
    pub fn run<E>(
        &self,
        stack: &mut Vec<Test>,
        counters: &mut TestCounters,
        candidates: &mut Vec<Pair>,
        pause: impl FnMut(&mut Vec<Test>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let faces = |test: &Test, face1, face2| {
            let [first, second] = self.sides(test, [face1, face2]);
            elementary_pairs(&first, &second, self.sweep, self.vertices, candidates);
        };
        self.trees.traverse_with(stack, counters, faces, pause)
    }

    /// The sides of a pair of faces in which a test ends.
    #[inline]
    pub fn sides(&self, test: &Test, faces: [FaceId; 2]) -> [Side<'_>; 2] {
        let side = |object: u32, node, face| {
            let surface = &self.trees.surfaces[object as usize];
            surface.side(face, self.trees.bounds(object, node))
        };
        [side(test.obj1, test.dop1, faces[0]), side(test.obj2, test.dop2, faces[1])]
    }
}

/// What the processors of a rank share during a phase.
pub(super) struct Phase<'a> {
    pub search: &'a Search<'a>,
    pub pool: &'a Pool<'a>,
    /// None: tasks are executed whole.
    pub decomposition: Option<Decomposition>,
    /// Whether processors take tasks from others.
    pub stealing: bool,
    pub rank: usize,
}

impl Phase<'_> {
    #[inline]
    fn limit(&self, own: &Worker<Task>) -> usize {
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
    fn poll(&mut self, pool: &Pool, own: &Worker<Task>, has_work: bool) -> Result<bool>;

    /// A task that came with a poll, to be executed at once.
    fn received(&mut self) -> Option<Task> {
        None
    }

    /// The longest work between two polls; none if polls are needless.
    fn interval(&self) -> Option<Duration> {
        None
    }
}

/// No other ranks: the phase is over when the pool is idle.
#[derive(Clone)]
pub(super) struct Alone;

impl Link for Alone {
    #[inline]
    fn poll(&mut self, pool: &Pool, _: &Worker<Task>, _: bool) -> Result<bool> {
        Ok(pool.is_idle())
    }
}

/// A processor with its deque, its stack and what it has found.
pub(super) struct Processor {
    /// Its number in its rank.
    pub index: usize,
    /// Its part of the task pool.
    pub tasks: Worker<Task>,
    /// Untried tests of the present task.
    stack: Vec<Test>,
    /// What it found in this phase.
    pub candidates: Vec<Pair>,
    /// And executed.
    pub counters: TestCounters,
    /// How it spent its phases since the profile began.
    pub usage: ProcessorUse,
    /// Whom it took tasks from in them.
    pub thefts: Vec<Theft>,
    /// Branches until the next look at pool and clock.
    branches: u32,
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
            branches: BRANCHES,
        }
    }

    /// Gets its first tasks of a phase; the first one is executed first.
    pub fn begin(&mut self, pool: &Pool, tasks: Vec<Task>) {
        self.candidates.clear();
        self.counters = TestCounters::default();
        self.usage.top_level_tasks += tasks.len() as u64;
        tasks.into_iter().rev().for_each(|task| pool.put(&self.tasks, task));
    }

    /// Executes tasks until there can be no more.
    ///
    /// # Errors
    /// Those of `link`.
    pub fn work(&mut self, phase: &Phase, link: &mut impl Link) -> Result<()> {
        let mut polled = Instant::now();
        let mut start = thread_time();
        loop {
            let own = self.tasks.pop();
            let task = match own {
                Some(task) => task,
                None => {
                    let Some(task) = self.seek(phase, link)? else { return Ok(()) };
                    start = thread_time();
                    task
                }
            };
            let scheduling = self.execute(task, phase, link, &mut polled)?;
            phase.pool.executed();
            let end = thread_time();
            self.usage.busy_s += (end - start).saturating_sub(scheduling).as_secs_f64();
            self.usage.scheduling_s += scheduling.as_secs_f64();
            start = end;
        }
    }

    /// A task of another processor; `None` once there can be none.
    fn seek(&mut self, phase: &Phase, link: &mut impl Link) -> Result<Option<Task>> {
        let pool = phase.pool;
        let start = Instant::now();
        let sought = wait(|| {
            if phase.stealing
                && let Some((victim, task)) = pool.steal(self.index)
            {
                let (thief, victim_rank) = (self.index as u32, phase.rank as u32);
                let theft = Theft { thief, victim_rank, victim: victim as u32, tasks: 1 };
                note_theft(&mut self.thefts, theft);
                self.usage.tasks_stolen += 1;
                return Ok(Some(Some(task)));
            }
            let over = !phase.stealing || link.poll(pool, &self.tasks, false)? || pool.is_closed();
            Ok(if over { Some(None) } else { link.received().map(Some) })
        });
        if link.interval().is_some() {
            self.usage.waiting_s += start.elapsed().as_secs_f64();
        }
        sought
    }

    /// Executes a task but for what it cuts off; returns the time that polls took.
    fn execute(
        &mut self,
        task: Task,
        phase: &Phase,
        link: &mut impl Link,
        polled: &mut Instant,
    ) -> Result<Duration> {
        let mut scheduling = Duration::ZERO;
        let Self { tasks, stack, candidates, counters, usage, branches, .. } = self;
        let mut limit = phase.limit(tasks);
        stack.extend(task);
        phase.search.run(stack, counters, candidates, |stack| {
            while stack.len() > limit {
                let Some(decomposition) = phase.decomposition else { break };
                phase.pool.put(tasks, decomposition.cut(stack, tasks.len()));
                usage.tasks_created += 1;
                limit = phase.limit(tasks);
            }
            *branches -= 1;
            if *branches == 0 {
                *branches = BRANCHES;
                limit = phase.limit(tasks);
                if let Some(interval) = link.interval() {
                    let now = Instant::now();
                    if now - *polled >= interval {
                        link.poll(phase.pool, tasks, true)?;
                        *polled = Instant::now();
                        scheduling += *polled - now;
                    }
                }
            }
            Ok::<(), crate::error::Error>(())
        })?;
        self.usage.tasks_executed += 1;
        Ok(scheduling)
    }
}
