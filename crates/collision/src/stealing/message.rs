//! The bytes of a message between ranks.
//!
//! A message is a list of 32-bit words: the number of the search, the kind of the message, and
//! the time at which it was sent (two words; 0 if nothing is traced). For each task that it
//! brings follow the victim's thread, the number of tests, and the tests.

use bytemuck::Pod;

use crate::stealing::scheduler::MessageKind;
use crate::stealing::workload::Task;

/// Bytes of a message beside its tasks, and of a task beside its tests.
const HEAD_BYTES: usize = 4 * size_of::<u32>();
const TASK_HEAD_BYTES: usize = 2 * size_of::<u32>();

/// Length of a message with tasks of so many `tests` each, bytes.
pub fn message_bytes<T>(tests: impl Iterator<Item = usize>) -> usize {
    HEAD_BYTES + tests.map(|tests| TASK_HEAD_BYTES + size_of::<T>() * tests).sum::<usize>()
}

/// A message as it was read.
#[derive(Debug, PartialEq)]
pub(super) struct TaskMessage<T> {
    /// Number of the search.
    pub search: u32,
    pub kind: MessageKind,
    /// When it was sent, s.
    pub sent_s: f64,
    /// Tasks, each with the thread that it was taken from.
    pub tasks: Vec<(u32, Task<T>)>,
}

/// Writes a message of the given search, kind and time (s).
pub(super) fn write<T: Pod>(
    search: u32,
    kind: MessageKind,
    sent_s: f64,
    tasks: &[(usize, Task<T>)],
) -> Vec<u8> {
    let lengths = tasks.iter().map(|(_, task)| task.len());
    let mut bytes = Vec::with_capacity(message_bytes::<T>(lengths));
    bytes.extend_from_slice(bytemuck::bytes_of(&[search, kind as u32]));
    bytes.extend_from_slice(bytemuck::bytes_of(&sent_s));
    for (thread, task) in tasks {
        bytes.extend_from_slice(bytemuck::bytes_of(&[*thread as u32, task.len() as u32]));
        bytes.extend_from_slice(bytemuck::cast_slice(task));
    }
    bytes
}

/// Reads a message. `None` if these bytes are none.
pub(super) fn read<T: Pod>(bytes: &[u8]) -> Option<TaskMessage<T>> {
    let (head, rest) = bytes.split_first_chunk::<8>()?;
    let (time, mut rest) = rest.split_first_chunk::<8>()?;
    let [search, kind] = bytemuck::pod_read_unaligned::<[u32; 2]>(head);
    let kinds = [MessageKind::Request, MessageKind::Tasks, MessageKind::Rejection];
    let kind = *kinds.get(kind as usize)?;
    let mut tasks = Vec::new();
    while !rest.is_empty() {
        let (head, others) = rest.split_first_chunk::<8>()?;
        let [thread, count] = bytemuck::pod_read_unaligned::<[u32; 2]>(head);
        let (tests, others) = others.split_at_checked(count as usize * size_of::<T>())?;
        let tests = tests.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned);
        tasks.push((thread, tests.collect()));
        rest = others;
    }
    let sent_s = bytemuck::pod_read_unaligned(time);
    let fits = tasks.is_empty() == (kind != MessageKind::Tasks);
    fits.then_some(TaskMessage { search, kind, sent_s, tasks })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Test = [u32; 4];

    #[test]
    fn messages_are_read_as_they_were_written() {
        let test = |number| [1, number, 3, 4];
        let tasks = vec![(2, vec![test(7), test(8)]), (0, vec![test(9)])];
        let bytes = write(5, MessageKind::Tasks, 0.25, &tasks);
        assert_eq!(bytes.len(), message_bytes::<Test>([2, 1].into_iter()));
        let tasks = tasks.into_iter().map(|(thread, task)| (thread as u32, task)).collect();
        let (search, kind, sent_s) = (5, MessageKind::Tasks, 0.25);
        assert_eq!(read(&bytes), Some(TaskMessage { search, kind, sent_s, tasks }));
        let rejection = write::<Test>(1, MessageKind::Rejection, 0.0, &[]);
        assert_eq!(read::<Test>(&rejection).map(|read| read.kind), Some(MessageKind::Rejection));
        for length in 0..bytes.len() {
            let cut = read::<Test>(&bytes[..length]);
            assert_ne!(cut.map(|read| read.tasks.len()), Some(2));
        }
        assert_eq!(read::<Test>(&write::<Test>(1, MessageKind::Tasks, 0.0, &[])), None);
    }
}
