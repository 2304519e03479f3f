//! Exact accumulation: sums with the same bits in any order and grouping.
//!
//! Source: the long accumulator of Kulisch & Miranker 1981; Collange, Defour, Graillat
//! & Iakymchuk 2015 use it for reproducible sums in parallel. A sum is a fixed-point
//! number in digits of 32 bits, one in each `i64` limb. Adding is integer arithmetic,
//! which is associative. The 31 spare bits of a limb take the carries of 2^31
//! additions. The limbs of several ranks are added by one all-reduce of integers.
//!
//! The window: a summand below 2^-512 in magnitude counts as zero; one of 2^512 or
//! more, or NaN, makes the sum NaN. Both rules look at one summand alone, so they keep
//! the sum independent of order. Within the window every addition is exact, and the
//! result is rounded once (to nearest, ties to even).

use crate::Result;
use crate::ranks::world::World;

/// Exponent of the lowest digit: a summand of 2^-512 reaches down to 2^-564.
const LOWEST: i32 = -576;
const DIGIT: i32 = 32;
/// Digits up to 2^512, carries of the top digit included.
const DIGITS: usize = ((512 - LOWEST) / DIGIT) as usize;
/// One more limb counts the summands above the window.
const LIMBS: usize = DIGITS + 1;

/// `N` exact sums that are reduced together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactSums<const N: usize> {
    limbs: [[i64; LIMBS]; N],
}

impl<const N: usize> Default for ExactSums<N> {
    fn default() -> Self {
        Self { limbs: [[0; LIMBS]; N] }
    }
}

impl<const N: usize> ExactSums<N> {
    /// Adds `values[i]` to sum `i`.
    pub fn add(&mut self, values: [f64; N]) {
        for (limbs, value) in self.limbs.iter_mut().zip(values) {
            add(limbs, value);
        }
    }

    /// Adds `other` to sum `i`.
    pub fn add_to(&mut self, i: usize, other: &ExactSums<1>) {
        self.limbs[i].iter_mut().zip(other.limbs[0]).for_each(|(sum, part)| *sum += part);
    }

    /// Adds the sums of `other`.
    pub fn add_sums(&mut self, other: &Self) {
        let limbs = self.limbs.as_flattened_mut().iter_mut();
        limbs.zip(other.limbs.as_flattened()).for_each(|(sum, part)| *sum += part);
    }

    /// The sums over all ranks, each rounded once. One all-reduce for any `N`. After: `self` has
    /// the sums over all ranks too.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn all_reduce(&mut self, world: &dyn World) -> Result<[f64; N]> {
        world.all_reduce_sum(self.limbs.as_flattened_mut())?;
        Ok(self.values())
    }

    /// The sums, each rounded once.
    pub fn values(&self) -> [f64; N] {
        self.limbs.map(|limbs| value(&limbs))
    }
}

fn add(limbs: &mut [i64; LIMBS], value: f64) {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = value.to_bits();
    let exponent = (bits >> FRACTION & 0x7ff) as i32 - 1023;
    if exponent >= 512 {
        limbs[DIGITS] += 1;
        return;
    }
    if exponent < -512 {
        return;
    }
    let significand = bits & ((1 << FRACTION) - 1) | 1 << FRACTION;
    let lowest = (exponent - FRACTION as i32 - LOWEST) as usize;
    let digits = u128::from(significand) << (lowest % DIGIT as usize);
    let sign = if value < 0.0 { -1 } else { 1 };
    let at = lowest / DIGIT as usize;
    // 53 + 31 bits lie in at most three digits; the topmost have only two.
    limbs[at] += sign * i64::from(digits as u32);
    limbs[at + 1] += sign * i64::from((digits >> 32) as u32);
    let third = (digits >> 64) as i64;
    if third != 0 {
        limbs[at + 2] += sign * third;
    }
}

fn value(limbs: &[i64; LIMBS]) -> f64 {
    if limbs[DIGITS] != 0 {
        return f64::NAN;
    }
    let (mut digits, negative) = magnitude(limbs);
    let Some(top) = digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
    // The top four digits hold at least 97 bits. Lower digits can only decide a tie, so one
    // sticky bit represents them.
    let top = top.max(3);
    let sticky = digits[..top - 3].iter().any(|&digit| digit != 0);
    digits[top - 3] |= u32::from(sticky);
    let leading = (0..4).fold(0, |sum: u128, i| sum << 32 | u128::from(digits[top - i]));
    let exponent = LOWEST + DIGIT * (top as i32 - 3);
    let rounded = leading as f64 * f64::from_bits(((1023 + exponent) as u64) << 52);
    if negative { -rounded } else { rounded }
}

/// The digits of the sum's magnitude, and whether the sum is negative.
fn magnitude(limbs: &[i64; LIMBS]) -> ([u32; DIGITS + 1], bool) {
    let (digits, carry) = carried(limbs, 1);
    if carry < 0 { (carried(limbs, -1).0, true) } else { (digits, false) }
}

/// The digits of `sign` times the sum, and the carry out of the last digit. The carry is
/// negative exactly if the number is.
fn carried(limbs: &[i64; LIMBS], sign: i64) -> ([u32; DIGITS + 1], i64) {
    let mut digits = [0; DIGITS + 1];
    let mut carry = 0;
    for (digit, &limb) in digits.iter_mut().zip(&limbs[..DIGITS]) {
        let sum = sign * limb + carry;
        *digit = sum as u32;
        carry = sum >> 32; // towards minus infinity, so digits stay positive
    }
    digits[DIGITS] = carry as u32;
    (digits, carry)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranks::in_process;

    fn sum(values: &[f64]) -> f64 {
        let mut sums = ExactSums::<1>::default();
        values.iter().for_each(|&value| sums.add([value]));
        sums.values()[0]
    }

    #[test]
    fn sums_are_exact_and_rounded_once_to_even() {
        assert_eq!(sum(&[]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(sum(&[-0.0]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(sum(&[1e150, 1.0, -1e150]), 1.0);
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0]), 1.0);
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, 1e-150]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[-1.0, -f64::EPSILON / 2.0, -1e-150]), -1.0 - f64::EPSILON);
        assert_eq!(sum(&[1.0 + f64::EPSILON, f64::EPSILON / 2.0]), 1.0 + 2.0 * f64::EPSILON);
        let edge = 2f64.powi(511) * (2.0 - f64::EPSILON);
        assert_eq!(sum(&[edge]), edge);
        assert_eq!(sum(&[edge, edge, edge, edge]), 4.0 * edge);
        assert_eq!(sum(&[-edge, -edge]), -2.0 * edge);
        let least = 2f64.powi(-512) * (1.0 + f64::EPSILON);
        assert_eq!(sum(&[least]), least);
        assert_eq!(sum(&[least, -2f64.powi(-512)]), 2f64.powi(-564));
    }

    #[test]
    fn the_window_looks_at_one_summand_alone() {
        assert_eq!(sum(&[2f64.powi(-513); 4]), 0.0);
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 2f64.powi(512)] {
            assert!(sum(&[1.0, bad, -bad]).is_nan());
        }
    }

    /// Values over a wide range of magnitudes that fit a sum in `i128` of units
    /// of 2^-60.
    fn summands() -> impl Strategy<Value = Vec<(i64, u32)>> {
        prop::collection::vec((-(1i64 << 53)..1 << 53, 0u32..60), 0..200)
    }

    proptest! {
        #[test]
        fn any_order_and_grouping_gives_the_integer_sum(
            parts in summands(), seed in any::<u64>(), cut in 0usize..200,
        ) {
            let values: Vec<f64> =
                parts.iter().map(|&(m, e)| m as f64 * 2f64.powi(e as i32 - 60)).collect();
            let exact: i128 = parts.iter().map(|&(m, e)| i128::from(m) << e).sum();
            // `as` rounds to nearest even, and the power of two is exact.
            let expected = exact as f64 * 2f64.powi(-60);
            prop_assert_eq!(sum(&values).to_bits(), expected.to_bits());

            let mut shuffled = values.clone();
            shuffled.sort_by_key(|value| (value.to_bits() ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let (left, right) = shuffled.split_at(cut.min(shuffled.len()));
            let on_ranks = in_process::run(2, |world| {
                let mut sums = ExactSums::<1>::default();
                [left, right][world.rank()].iter().for_each(|&value| sums.add([value]));
                sums.all_reduce(world)
            });
            for [sum] in on_ranks.unwrap() {
                prop_assert_eq!(sum.to_bits(), expected.to_bits());
            }
        }
    }
}
