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

/// Which frames of a run are whole, from the last one.
pub fn whole_frames(last: Option<u64>) -> String {
    match last {
        None => "no frame whole".to_owned(),
        Some(0) => "frame 0 whole".to_owned(),
        Some(last) => format!("frames 0 to {last} whole"),
    }
}
