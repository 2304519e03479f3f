//! The exponential function, in a form that compilers turn into vector instructions.

/// `log2(e)`.
const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// `ln 2` in two parts; the first has few bits, so that its product with a whole number is exact.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// `1.5 * 2^52`: adding it rounds a number to a whole one, which then is in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Below this the result is 0. Above [`HIGHEST`] it is the result at [`HIGHEST`].
const LOWEST: f64 = -708.0;
const HIGHEST: f64 = 709.0;
/// `1 / k!` for k = 13, 12, .. 2: on `|r| <= ln(2) / 2` the rest of the series is below 4e-18.
const SERIES: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// `e^x`, within 2 units in the last place of `libm::exp` for `x` between -708 and 709; 0 below.
///
/// No branch, no table and no fused operation: a loop over it becomes vector instructions, and
/// the bits are the same on every machine. `x = n ln 2 + r`, `e^x = 2^n e^r`.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let bounded = if x > LOWEST { x } else { LOWEST };
    let bounded = if bounded < HIGHEST { bounded } else { HIGHEST };
    let shifted = bounded * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (bounded - n * LN2_HIGH) - n * LN2_LOW;
    let mut sum = SERIES[0];
    for coefficient in &SERIES[1..] {
        sum = sum * r + coefficient;
    }
    let of_rest = (sum * r) * r + r + 1.0;
    let exponent = shifted.to_bits().wrapping_add(1023) << 52;
    let value = of_rest * f64::from_bits(exponent);
    if x < LOWEST { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_libm_to_two_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        for i in 0..2_000_000 {
            let x = -708.0 + 1417.0 * f64::from(i) / 2_000_000.0 + 1e-7 * f64::from(i % 97);
            let (own, other) = (exp(x.min(709.0)), libm::exp(x.min(709.0)));
            worst = worst.max((own - other).abs() / (other * f64::EPSILON));
        }
        assert!(worst <= 2.0, "{worst} units");
        for x in [0.0, -0.0, 1e-300, -1e-20] {
            assert_eq!(exp(x), 1.0);
        }
        assert_eq!(exp(-709.0), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert!(exp(709.0).is_finite());
    }
}
