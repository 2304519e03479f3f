//! Words that depend on a number.

/// The count with its noun: "1 rank", "2 patches".
pub fn plural(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "patch") => format!("{count} patches"),
        (_, "process") => format!("{count} processes"),
        (_, "query") => format!("{count} queries"),
        (_, "body") => format!("{count} bodies"),
        _ => format!("{count} {noun}s"),
    }
}

/// Which frames of a run are whole, from the last one.
pub fn whole_frames(last: Option<u64>) -> String {
    match last {
        None => "no frame whole".to_owned(),
        Some(0) => "frame 0 whole".to_owned(),
        Some(last) => format!("frames 0 to {last} whole"),
    }
}

/// `number` with commas: "14,033".
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `number` with three significant digits: "0.0123", "1.6", "48.1", "1235".
pub fn significant(number: f64) -> String {
    let digits = 2.0 - number.abs().max(1e-9).log10().floor();
    let text = format!("{number:.*}", digits.max(0.0) as usize);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    // Rounding may leave the sign of a zero.
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_whole() {
        assert_eq!(
            [0, 999, 1000, 14_033, 1_234_567].map(grouped).join(" "),
            "0 999 1,000 14,033 1,234,567"
        );
        let numbers = [0.0, -0.0, -1e-15, 0.012_34, -1.6, 48.07, 1234.6, 100.0];
        assert_eq!(numbers.map(significant).join(" "), "0 0 0 0.0123 -1.6 48.1 1235 100");
    }
}
