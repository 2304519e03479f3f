//! How exactly a file gives its coordinates.

/// A file whose numbers have fewer digits, in all and after the point, was written by hand: its
/// coordinates are as meant. Programs write at least six.
const BY_PROGRAM: usize = 6;

/// Numbers with at most this many digits may have been single precision.
const SINGLE: usize = 9;

/// The digits of all coordinates of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    /// The largest number of digits of a coordinate, without leading zeros: in all, and after the
    /// point.
    digits: usize,
    decimals: usize,
    largest: f64,
    /// True if a coordinate is no number of single precision.
    has_double: bool,
}

impl Written {
    /// Adds the coordinate `word`, which is `number`.
    pub fn add(&mut self, word: &str, number: f64) {
        let mantissa = word.split(['e', 'E']).next().unwrap_or(word);
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|it| *it == b'0');
        let decimals = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
        self.digits = self.digits.max(digits.count());
        self.decimals = self.decimals.max(decimals);
        self.largest = self.largest.max(number.abs());
        self.has_double |= f64::from(number as f32) != number;
    }

    /// The largest error of a coordinate by rounding, in the unit of the file. It is half of the
    /// last place of the largest one: in digits, and in single precision if the numbers fit.
    pub fn rounding(&self) -> f64 {
        let single = self.largest * 0.5 * f64::from(f32::EPSILON);
        let has_single = self.digits <= SINGLE || !self.has_double;
        let is_exact = self.digits.max(self.decimals) < BY_PROGRAM || self.largest == 0.0;
        let last = libm::log10(self.largest).floor() + 1.0 - self.digits as f64;
        let decimal = if is_exact { 0.0 } else { 0.5 * libm::pow(10.0, last) };
        decimal.max(if has_single { single } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounding(words: &[&str]) -> f64 {
        let mut written = Written::default();
        words.iter().for_each(|word| written.add(word, word.parse().unwrap()));
        written.rounding()
    }

    #[test]
    fn coordinates_are_off_by_half_of_the_last_place_that_a_program_wrote() {
        let single = |largest: f64| largest * 0.5_f64.powi(24);
        let is = |words: &[&str], right: f64| {
            let found = rounding(words);
            assert!((found / right - 1.0).abs() < 1e-9, "{words:?}: {found} {right}");
        };
        is(&["0.100000", "-0.086603", "12.000000"], 5e-7_f64.max(single(12.0)));
        is(&["0.000500", "0.000000"], 5e-7);
        is(&["12.3457", "0.000123457"], 5e-5);
        is(&["1.234568e-01", "-2.5e-3"], 5e-8);
        // Written by hand, and single precision with all digits.
        is(&["0.5", "-1.25", "1e-3"], single(1.25));
        is(&["0.10000000149011612", "0.25"], single(0.25));
        is(&["0.100000000802", "-0.100000001324"], 5e-13);
        assert_eq!(rounding(&["0", "0.0"]), 0.0);
    }
}
