//! Words that depend on a number.

/// The count with its noun: "1 rank", "2 patches".
pub fn plural(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "patch") => format!("{count} patches"),
        (_, "query") => format!("{count} queries"),
        _ => format!("{count} {noun}s"),
    }
}
