//! A communication: one message to each receiver, and one message from each source.
//!
//! Sender and receiver both know beforehand that they communicate. Empty messages are sent too. So
//! no rank waits for a message that does not come, and no message is missed. Messages are handled
//! by rising sender.

use std::time::Instant;

use crate::Traffic;
use crate::sync::encoding::{self, Item, Purpose};
use crate::sync::population::include;
use cloth_core::ranks::{Tag, wait};
use cloth_core::{Error, Result, World};

/// The largest number of unused buffers kept for later messages.
const MOST_SPARE: usize = 64;

/// The messages of one rank. Buffers are reused.
#[derive(Debug)]
pub struct Mail {
    rank: usize,
    purpose: Purpose,
    /// The number of this communication. It is the same on all ranks.
    communication: u32,
    /// Messages to be sent, by rising receiver.
    outgoing: Vec<(u32, Vec<u8>)>,
    /// The ranks that send to this rank, rising.
    sources: Vec<u32>,
    /// Messages that have arrived, by rising sender.
    incoming: Vec<(u32, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
    /// Time in which this rank waited for messages, s.
    pub(super) waited_s: f64,
}

impl Mail {
    /// The mail of a rank that has not communicated yet.
    pub(super) fn new(rank: usize) -> Self {
        let (outgoing, sources, incoming, spare) = Default::default();
        let (purpose, communication) = (Purpose::ToOwners, 0);
        Self { rank, purpose, communication, outgoing, sources, incoming, spare, waited_s: 0.0 }
    }

    /// Begins a communication with the given receivers and sources, rising.
    pub(super) fn begin(&mut self, purpose: Purpose, receivers: &[u32], sources: &[u32]) {
        self.purpose = purpose;
        self.communication = self.communication.wrapping_add(1);
        self.outgoing.clear();
        for &rank in receivers {
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.clear();
            encoding::write_head(&mut bytes, purpose, self.communication);
            self.outgoing.push((rank, bytes));
        }
        self.sources.clear();
        self.sources.extend_from_slice(sources);
    }

    /// The message to `rank`. The caller appends to it.
    ///
    /// # Errors
    /// If `rank` is no receiver of this communication.
    pub(super) fn to(&mut self, rank: u32) -> Result<&mut Vec<u8>> {
        let at = self.outgoing.binary_search_by_key(&rank, |&(to, _)| to).map_err(|_| {
            let cause = format!("has no message to rank {rank} in {:?}", self.purpose);
            self.defect(cause)
        })?;
        Ok(&mut self.outgoing[at].1)
    }

    /// Appends an item to the message to `rank`.
    pub(super) fn push(&mut self, rank: u32, item: &Item) -> Result<()> {
        encoding::write(self.to(rank)?, item);
        Ok(())
    }

    /// Sends all messages and waits for the messages of all sources.
    pub(super) fn exchange(&mut self, world: &dyn World, traffic: &mut Traffic) -> Result<()> {
        for (to, bytes) in self.take_outgoing(traffic) {
            world.send(to as usize, Tag::Bodies, bytes)?;
        }
        let start = Instant::now();
        for &from in &self.sources {
            let message = wait(world, || world.poll(Some(from as usize), Tag::Bodies))?;
            self.incoming.push((from, message.bytes));
        }
        self.waited_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Takes the messages to send, and adds them to the counts.
    pub(super) fn take_outgoing(&mut self, traffic: &mut Traffic) -> Vec<(u32, Vec<u8>)> {
        let outgoing = std::mem::take(&mut self.outgoing);
        traffic.messages += outgoing.len() as u64;
        traffic.bytes += outgoing.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        outgoing
    }

    /// Calls `handle` for each item of all messages, with its sender.
    pub(super) fn items(&mut self, mut handle: impl FnMut(u32, Item) -> Result<()>) -> Result<()> {
        self.messages(|from, mut bytes| {
            while !bytes.is_empty() {
                handle(from, encoding::read(&mut bytes)?)?;
            }
            Ok(())
        })
    }

    /// Calls `handle` with the sender and the items of each message. If an item does not decode,
    /// `handle` returns the name of the item's kind.
    pub(super) fn messages(
        &mut self,
        mut handle: impl FnMut(u32, &[u8]) -> std::result::Result<(), Trouble>,
    ) -> Result<()> {
        for (from, bytes) in std::mem::take(&mut self.incoming) {
            let items = encoding::read_head(&bytes, self.purpose, self.communication);
            let handled = items.map_err(Trouble::Undecodable).and_then(|items| handle(from, items));
            handled.map_err(|trouble| match trouble {
                Trouble::Error(error) => error,
                Trouble::Undecodable(kind) => self.defect(format!(
                    "the message of rank {from} in {:?} does not decode: {kind}",
                    self.purpose
                )),
            })?;
            if self.spare.len() < MOST_SPARE {
                self.spare.push(bytes);
            }
        }
        Ok(())
    }

    fn defect(&self, cause: impl std::fmt::Display) -> Error {
        Error::internal(format!("messages about bodies on rank {}", self.rank), cause)
    }
}

/// Why the content of a message could not be handled.
pub(super) enum Trouble {
    /// An item of the named kind does not decode.
    Undecodable(String),
    Error(Error),
}

impl From<String> for Trouble {
    fn from(kind: String) -> Self {
        Self::Undecodable(kind)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The union of both lists, rising.
pub(super) fn union(some: &[u32], others: &[u32]) -> Vec<u32> {
    let mut all = some.to_vec();
    others.iter().for_each(|&rank| include(&mut all, rank));
    all
}

/// For tests that deliver the messages themselves.
#[cfg(test)]
impl Mail {
    pub(super) fn sources(&self) -> &[u32] {
        &self.sources
    }

    pub(super) fn deliver(&mut self, from: u32, bytes: Vec<u8>) {
        let at = self.incoming.partition_point(|&(other, _)| other < from);
        self.incoming.insert(at, (from, bytes));
    }
}
