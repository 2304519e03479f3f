//! Words that depend on a number, and names.

use indicatif::HumanCount;

/// The count with its noun: "1 rank", "2 patches".
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {}", noun_of(count as u64, noun))
}

/// The count with commas, and its noun: "14,033 vertices".
pub fn plural_grouped(count: u64, noun: &str) -> String {
    format!("{} {}", grouped(count), noun_of(count, noun))
}

/// The noun of a count: "rank", "patches".
fn noun_of(count: u64, noun: &str) -> String {
    let stem = &noun[..noun.len().saturating_sub(1)];
    match noun {
        _ if count == 1 => noun.to_owned(),
        _ if noun.ends_with("vertex") => format!("{}ices", &noun[..noun.len() - 2]),
        _ if noun.ends_with('y') && !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if noun.ends_with("ch") || noun.ends_with("ss") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// The frames of a run that are whole, in words: from `first` to `last`.
pub fn whole_frames(first: u64, last: Option<u64>) -> String {
    match last {
        None => "no frame whole".to_owned(),
        Some(last) if last == first => format!("frame {first} whole"),
        Some(last) => format!("frames {first} to {last} whole"),
    }
}

/// `number` with commas: "14,033".
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// The first of `name`, `name` with `mark` and 2, with `mark` and 3 and so on that `is_free`.
pub fn free_name(name: &str, mark: char, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}{mark}{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| is_free(name)).unwrap_or_default()
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

/// A length (m) in um, from 1 mm on in mm: "25 um", "1.07 mm".
pub fn small_length(length_m: f64) -> String {
    let um = 1e6 * length_m;
    if um < 1e3 {
        format!("{} um", significant(um))
    } else {
        format!("{} mm", significant(1e-3 * um))
    }
}

/// The greatest length of a line in a list of names, characters.
const LINE: usize = 100;

/// All `names` in lines, with commas. Three or more with consecutive numbers become a range:
/// "frame_0000.obj to frame_0025.obj".
pub fn name_list<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut names = Vec::from_iter(names.map(|name| (numbered(name), name)));
    names.sort();
    let follows = |a: &(NumberedName, &str), b: &(NumberedName, &str)| {
        let next = a.0.number.and_then(|number| number.checked_add(1));
        next.is_some() && next == b.0.number && (a.0.before, a.0.after) == (b.0.before, b.0.after)
    };
    let parts = names.chunk_by(follows).flat_map(|part| match part {
        [first, _, .., last] => vec![format!("{} to {}", first.1, last.1)],
        few => few.iter().map(|name| name.1.to_owned()).collect(),
    });
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + part.len() + 2 <= LINE => *line += &format!(", {part}"),
            Some(line) => {
                line.push(',');
                lines.push(part);
            }
            None => lines.push(part),
        }
    }
    lines
}

/// A name, split at its first number. The order of the fields is the order of a list of names.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NumberedName<'n> {
    before: &'n str,
    after: &'n str,
    number: Option<u64>,
}

fn numbered(name: &str) -> NumberedName<'_> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (before, rest) = name.split_at(name.find(is_digit).unwrap_or(name.len()));
    let (digits, after) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
    NumberedName { before, after, number: digits.parse().ok() }
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

    #[test]
    fn counts_have_their_nouns() {
        let counts =
            [(1, "body"), (0, "body"), (2, "vertex"), (3, "patch"), (2, "key"), (1, "step")];
        let words = Vec::from_iter(counts.map(|(count, noun)| plural(count, noun)));
        assert_eq!(words.join(" "), "1 body 0 bodies 2 vertices 3 patches 2 keys 1 step");
        assert_eq!(plural_grouped(14_033, "vertex"), "14,033 vertices");
    }

    #[test]
    fn lists_name_all_and_join_consecutive_numbers() {
        let frames = (0..26).chain([30, 9999, 10_000, 10_001]);
        let frames = Vec::from_iter(frames.map(|number| format!("frame_{number:04}.obj")));
        let others =
            ["run.json", "meshes/mesh_0_a.obj", "meshes/mesh_1_b.obj", "frame_0003.obj.tmp"];
        let list = name_list(frames.iter().map(String::as_str).chain(others));
        assert_eq!(
            list,
            [
                "frame_0000.obj to frame_0025.obj, frame_0030.obj, frame_9999.obj to frame_10001.obj,",
                "frame_0003.obj.tmp, meshes/mesh_0_a.obj, meshes/mesh_1_b.obj, run.json"
            ]
        );
        let many = Vec::from_iter(('a'..='z').map(|c| format!("file of the user {c}")));
        let lines = name_list(many.iter().map(String::as_str));
        assert!(lines.iter().all(|line| line.len() <= LINE + 1), "{lines:?}");
        assert_eq!(lines.join(" "), many.join(", "));
    }
}
