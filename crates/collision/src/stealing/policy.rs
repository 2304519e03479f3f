//! When a stack is cut into tasks, and which tasks another rank is handed.
//!
//! The rules of Thomaszewski & Blochinger (2007), section 4.2.4, and one of our own: the victim
//! keeps half of its last waiting task. This is the only copy of the rules. The processors of a
//! run, the simulated network of the tests and the modelled machine all use it.

use std::collections::VecDeque;

use crate::stealing::settings::{Share, StealingSettings};
use crate::stealing::workload::Task;

/// How large the stack of a processor may grow. `sigma` is the number of tasks in its part of the
/// pool.
#[derive(Debug, Clone, Copy)]
pub struct Decomposition {
    /// Growth of the limit with each task of `sigma`, tests.
    pub a: u32,
    /// The limit without a task, tests.
    pub b: u32,
}

impl Decomposition {
    /// `tau = a sigma + b`: the largest stack, in tests.
    #[inline]
    pub fn limit(&self, sigma: usize) -> usize {
        self.a as usize * sigma + self.b as usize
    }

    /// Takes the `tau / 2` tests at the bottom of a stack (at least one) as a task.
    pub fn cut<T>(&self, stack: &mut Vec<T>, sigma: usize) -> Task<T> {
        let count = (self.limit(sigma) / 2).clamp(1, stack.len());
        stack.drain(..count).collect()
    }

    /// Takes the later half of a task's tests, if it has two or more.
    fn halve<T>(task: &mut Task<T>) -> Option<Task<T>> {
        (task.len() > 1).then(|| task.split_off(task.len() / 2))
    }
}

/// The tasks of a rank that wait for a processor.
pub trait WaitingTasks<T> {
    /// Number of waiting tasks.
    fn waiting(&self) -> usize;
    /// Takes the task that has waited longest, with the thread whose task it was.
    fn take_oldest(&mut self) -> Option<(usize, Task<T>)>;
    /// Adds a task of the calling thread.
    fn put(&mut self, task: Task<T>);
}

/// The pool of a rank with one thread. The oldest task is in front.
impl<T> WaitingTasks<T> for VecDeque<Task<T>> {
    fn waiting(&self) -> usize {
        self.len()
    }

    fn take_oldest(&mut self) -> Option<(usize, Task<T>)> {
        Some((0, self.pop_front()?))
    }

    fn put(&mut self, task: Task<T>) {
        self.push_back(task);
    }
}

/// What a rank hands to another one.
#[derive(Debug, PartialEq, Eq)]
pub struct HandedOver<T> {
    /// The tasks, each with the thread whose task it was. Empty if none waited.
    pub tasks: Vec<(usize, Task<T>)>,
    /// Whether a part of the last task stayed, as a new task.
    pub divided: bool,
}

/// How a rank shares its work.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// None: tasks are executed whole.
    pub decomposition: Option<Decomposition>,
    /// Whether a processor with nothing to do takes tasks from others.
    pub stealing: bool,
    /// How many tasks another rank is handed.
    pub share: Share,
}

impl Policy {
    /// The policy of a scene's settings.
    pub fn new(settings: &StealingSettings) -> Self {
        let StealingSettings { decomposition, stealing, a, b, share, .. } = *settings;
        let decomposition = decomposition.then_some(Decomposition { a, b });
        Self { decomposition, stealing, share }
    }

    /// The largest stack beside `sigma` tasks in the processor's part of the pool, in tests.
    #[inline]
    pub fn limit(&self, sigma: usize) -> usize {
        self.decomposition.map_or(usize::MAX, |decomposition| decomposition.limit(sigma))
    }

    /// Takes the tasks that another rank gets.
    ///
    /// If no task is left then, half of the last one stays: the tests at the bottom of a stack
    /// are nearly all of its work, and the victim would be the next thief.
    pub fn hand_over<T>(&self, pool: &mut impl WaitingTasks<T>) -> HandedOver<T> {
        let count = match self.share {
            Share::One => 1,
            Share::Half => pool.waiting().div_ceil(2),
        };
        let mut tasks = Vec::from_iter((0..count).map_while(|_| pool.take_oldest()));
        let kept = match tasks.last_mut() {
            Some((_, last)) if self.decomposition.is_some() && pool.waiting() == 0 => {
                Decomposition::halve(last)
            }
            _ => None,
        };
        let divided = kept.is_some();
        kept.into_iter().for_each(|kept| pool.put(kept));
        HandedOver { tasks, divided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handed(
        share: Share,
        decomposition: bool,
        tasks: &[&[u8]],
    ) -> (Vec<Task<u8>>, Vec<Task<u8>>) {
        let policy =
            Policy::new(&StealingSettings { share, decomposition, ..StealingSettings::default() });
        let mut pool = VecDeque::from_iter(tasks.iter().map(|task| task.to_vec()));
        let before = pool.len();
        let handed = policy.hand_over(&mut pool);
        assert_eq!(handed.tasks.len() + pool.len(), before + usize::from(handed.divided));
        (handed.tasks.into_iter().map(|(_, task)| task).collect(), Vec::from(pool))
    }

    #[test]
    fn another_rank_gets_the_oldest_tasks() {
        let tasks: [&[u8]; 3] = [&[1, 2], &[3], &[4]];
        assert_eq!(handed(Share::One, true, &tasks), (vec![vec![1, 2]], vec![vec![3], vec![4]]));
        assert_eq!(handed(Share::Half, true, &tasks), (vec![vec![1, 2], vec![3]], vec![vec![4]]));
        assert_eq!(handed(Share::Half, true, &[]), (vec![], vec![]));
    }

    #[test]
    fn half_of_the_last_task_stays() {
        let last: [&[u8]; 1] = [&[1, 2, 3]];
        assert_eq!(handed(Share::One, true, &last), (vec![vec![1]], vec![vec![2, 3]]));
        assert_eq!(handed(Share::One, false, &last), (vec![vec![1, 2, 3]], vec![]));
        assert_eq!(handed(Share::Half, true, &[&[7]]), (vec![vec![7]], vec![]));
    }
}
