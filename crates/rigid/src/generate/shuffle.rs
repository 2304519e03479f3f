//! A random permutation of numbers, without a table.

use cloth_core::mix;

/// 2^64 divided by the golden ratio.
pub(super) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A permutation of `0..count` that needs no table: a Feistel network of four rounds on the next
/// power of four, applied until the value is below `count` (Black & Rogaway 2002).
pub(super) struct Shuffle {
    count: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Shuffle {
    /// The permutation of `0..count` that belongs to a seed.
    pub fn new(count: u64, seed: u64) -> Self {
        let bits = u64::BITS - count.max(2).saturating_sub(1).leading_zeros();
        let keys = [1, 2, 3, 4].map(|round: u64| mix(seed ^ GOLDEN.wrapping_mul(round)));
        Self { count, half_bits: bits.div_ceil(2), keys }
    }

    /// The value of a number, which is the cell of a body.
    pub fn cell(&self, number: u64) -> u64 {
        self.walk(number, |value| {
            self.keys
                .iter()
                .fold(value, |[left, right], &key| [right, left ^ self.mask(right, key)])
        })
    }

    /// The number of a cell: the inverse of [`Self::cell`].
    pub fn number(&self, cell: u64) -> u64 {
        self.walk(cell, |value| {
            let back = |[left, right]: [u64; 2], &key: &u64| [right ^ self.mask(left, key), left];
            self.keys.iter().rev().fold(value, back)
        })
    }

    fn walk(&self, value: u64, rounds: impl Fn([u64; 2]) -> [u64; 2]) -> u64 {
        let low = (1 << self.half_bits) - 1;
        let mut value = value;
        loop {
            let [left, right] = rounds([value >> self.half_bits, value & low]);
            value = left << self.half_bits | right;
            if value < self.count {
                return value;
            }
        }
    }

    fn mask(&self, half: u64, key: u64) -> u64 {
        mix(half.wrapping_mul(GOLDEN) ^ key) & ((1 << self.half_bits) - 1)
    }
}
