//! Writes numbers with nine significant digits, for positions.

use std::iter::repeat_n;

/// Powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Appends `x` with at most nine significant digits, correctly rounded. The text has no exponent,
/// no zeros at the end of its fraction and no -0.
pub fn push_nine(text: &mut Vec<u8>, x: f64) {
    let Some((digits, exponent)) = fast(x.abs()).or_else(|| exact(x.abs())) else {
        text.extend_from_slice(x.to_string().as_bytes());
        return;
    };
    let digits = decimal(digits);
    let used = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    if used == 0 {
        text.push(b'0');
        return;
    }
    if x < 0.0 {
        text.push(b'-');
    }
    if exponent < 0 {
        text.extend_from_slice(b"0.");
        text.extend(repeat_n(b'0', (-exponent - 1) as usize));
        text.extend_from_slice(&digits[..used]);
    } else {
        let whole = exponent as usize + 1;
        text.extend_from_slice(&digits[..used.min(whole)]);
        text.extend(repeat_n(b'0', whole.saturating_sub(used)));
        if used > whole {
            text.push(b'.');
            text.extend_from_slice(&digits[whole..used]);
        }
    }
}

/// The nine digits of `x`, which must not be negative, and the decimal exponent of the first digit.
/// The digits come from the product of `x` and a power of ten, whose error is below 1e-7 of the
/// last digit. None if this error could change the rounding, or if `x` is outside the range.
fn fast(x: f64) -> Option<(u32, i32)> {
    if x == 0.0 {
        return Some((0, 0));
    }
    if !(1e-14..1e9).contains(&x) {
        return None;
    }
    // The decimal exponent is about 0.30103 times the binary exponent. This is it, or one less.
    let least = ((((x.to_bits() >> 52) as i32) - 1023) * 1233) >> 12;
    let at = |exponent: i32| Some((x * POWERS.get((8 - exponent) as usize)?, exponent));
    let (scaled, exponent) =
        at(least).filter(|(scaled, _)| *scaled < 1e9).or_else(|| at(least + 1))?;
    let (whole, rest) = (scaled as u32, scaled - scaled.trunc());
    let digits = whole + u32::from(rest > 0.5);
    let is_certain = (rest - 0.5).abs() > 1e-6;
    (is_certain && (100_000_000..1_000_000_000).contains(&digits)).then_some((digits, exponent))
}

/// The nine digits of any finite number, and the exponent of the first one. This takes ten times
/// as long as [`fast`].
fn exact(x: f64) -> Option<(u32, i32)> {
    // The text has the form `d.dddddddde-N`.
    let scientific = format!("{x:.8e}");
    let (digits, exponent) = scientific.split_once('e')?;
    Some((digits.replace('.', "").parse().ok()?, exponent.parse().ok()?))
}

/// The nine digits as text, with leading zeros.
fn decimal(mut number: u32) -> [u8; 9] {
    let mut digits = [b'0'; 9];
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    digits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nine(x: f64) -> String {
        let mut text = Vec::new();
        push_nine(&mut text, x);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn nine_digits_without_exponent() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-0.1, "-0.1"),
            (1.0 / 3.0, "0.333333333"),
            (1234567890.123, "1234567890"),
            (123456.7891234, "123456.789"),
            (9.999999999, "10"),
            (99999999.95, "100000000"),
            (-2e-5, "-0.00002"),
            (1e-12 / 3.0, "0.000000000000333333333"),
            (1e12, "1000000000000"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(nine(x), text);
        }
    }

    fn numbers() -> impl Strategy<Value = f64> {
        let any = any::<f64>().prop_filter("finite", |x| x.is_finite());
        let sizes = (-1.0..1.0, -16..10).prop_map(|(x, e)| x * 10_f64.powi(e));
        // Numbers near ties of nine digits, and near powers of ten.
        let parsed = |text: String| text.parse::<f64>().unwrap();
        let ties = (100_000_000..999_999_999_u32, -24..2)
            .prop_map(move |(digits, e)| parsed(format!("{digits}.5e{e}")));
        let powers = (-16..10).prop_map(move |e| parsed(format!("1e{e}")));
        let beside = (prop_oneof![ties, powers], -3_i64..4)
            .prop_map(|(x, ulps)| f64::from_bits(x.to_bits().wrapping_add_signed(ulps)));
        prop_oneof![any, sizes, beside]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn nine_digits_are_those_of_rust(x in numbers()) {
            let back: f64 = nine(x).parse().unwrap();
            prop_assert_eq!(back, format!("{x:.8e}").parse::<f64>().unwrap());
            let significant = nine(x).replace(['-', '.'], "");
            let count = significant.trim_start_matches('0').trim_end_matches('0').len();
            prop_assert!(count <= 9);
        }
    }
}
