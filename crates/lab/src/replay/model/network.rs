//! How the processors of a modelled machine are connected.

/// A network between processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Network {
    /// Time from one processor to another, s.
    pub latency_s: f64,
    /// Bytes that a processor sends in a second.
    pub bandwidth: f64,
    /// Processor time of a poll, and of sending or receiving a message, s.
    pub overhead_s: f64,
}

impl Network {
    /// Ranks that share the memory of a machine. The measured machines are of this kind.
    pub const SHARED_MEMORY: Self = Self { latency_s: 2e-6, bandwidth: 1e10, overhead_s: 2e-7 };

    /// Time of a collective in which every rank gets `bytes` bytes, s.
    pub fn collective_s(&self, ranks: usize, bytes: f64) -> f64 {
        match ranks {
            0 | 1 => 0.0,
            _ => hops(ranks) * (self.latency_s + 2.0 * self.overhead_s) + bytes / self.bandwidth,
        }
    }
}

/// Number of messages, one after the other, that bring the knowledge of one rank to all.
fn hops(ranks: usize) -> f64 {
    f64::from(ranks.max(1).next_power_of_two().ilog2())
}
