//! The one error type: what is wrong, where, and what to do about it.

use std::fmt;
use std::path::PathBuf;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Where the user's input is at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A field of the scene, an argument, or something else, by its name.
    Name(String),
    /// A file, mostly with a line.
    Line(String),
    /// The number of ranks.
    Ranks,
    /// The number of threads of a rank.
    Threads,
    /// How often triangles are refined.
    Refinement,
    /// A rigid body, by its number.
    Body(u64),
}

impl Place {
    /// A file, or a line of one.
    pub fn line(text: impl Into<String>) -> Self {
        Self::Line(text.into())
    }
}

impl From<&str> for Place {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for Place {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<&String> for Place {
    fn from(name: &String) -> Self {
        Self::Name(name.clone())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(text) | Self::Line(text) => f.write_str(&one_line(text)),
            Self::Ranks => f.write_str("ranks"),
            Self::Threads => f.write_str("threads of a rank"),
            Self::Refinement => f.write_str("refinement"),
            Self::Body(number) => write!(f, "body {number}"),
        }
    }
}

/// Everything that can end a run.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The user's input is at fault: a scene field, a line of a mesh, an argument.
    #[error("{place}: {cause}\n  help: {remedy}")]
    Input {
        /// Where.
        place: Place,
        /// What is wrong there.
        cause: String,
        /// What the user can do.
        remedy: String,
    },
    /// A file could not be read or written.
    #[error("{}: {cause}\n  help: {remedy}", one_line(&path.display().to_string()))]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system reports.
        cause: String,
        /// What the user can do.
        remedy: String,
    },
    /// A step failed even at its smallest size.
    #[error("frame {frame}, step {step}: {cause} (worst vertex {vertex})\n  help: {remedy}")]
    Step {
        /// Frame being computed, from 1.
        frame: u64,
        /// Step since the start, from 1.
        step: u64,
        /// Vertex in the mesh's own numbering where it is worst.
        vertex: u32,
        /// What happened.
        cause: String,
        /// What the user can do.
        remedy: String,
    },
    /// A rank failed; every other rank ends with it.
    #[error("rank {rank} failed: {message}")]
    Rank {
        /// The rank that failed first.
        rank: usize,
        /// Its error or panic message.
        message: String,
    },
    /// A defect of this program: no input of the user can cause it.
    #[error(
        "{place}: {cause}\n  help: this is a defect of cloth-sim; please report it with the scene"
    )]
    Internal {
        /// The part of the program that found it.
        place: String,
        /// What happened and must not happen.
        cause: String,
    },
}

impl Error {
    /// Bad input at `place`. Ends of lines within the texts are quoted input.
    pub fn input(
        place: impl Into<Place>,
        cause: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let [cause, remedy] = [cause.into(), remedy.into()].map(|text| one_line(&text));
        Self::Input { place: place.into(), cause, remedy }
    }

    /// A file or folder that cannot be read or written.
    pub fn file(
        path: impl Into<PathBuf>,
        cause: impl std::fmt::Display,
        remedy: impl Into<String>,
    ) -> Self {
        Self::File { path: path.into(), cause: cause.to_string(), remedy: remedy.into() }
    }

    /// A defect of this program, found in `place`.
    pub fn internal(place: impl Into<String>, cause: impl std::fmt::Display) -> Self {
        Self::Internal { place: place.into(), cause: cause.to_string() }
    }
}

/// `text` with `\n` and the like for each end of a line.
fn one_line(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r")
}

/// `text` as one word of a command for a shell, such as a path in a command to be copied.
pub fn shell_word(text: impl fmt::Display) -> String {
    let text = text.to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "_-./,:@%+=".contains(c);
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The most characters of a line of a message, and of a message.
const LINE: usize = 1000;
const MESSAGE: usize = 8000;

/// `text` as a message on a terminal: as [`printable_lines`], and with a mark in place of the
/// middle if it is too long.
pub fn printable(text: &str) -> String {
    shortened(&printable_lines(text), MESSAGE)
}

/// `text` without the control characters that a terminal would obey, and with a mark in place of
/// the middle of a line that is too long. Input is quoted in messages, and input can be anything.
pub fn printable_lines(text: &str) -> String {
    let lines = text.split('\n').map(|line| shortened(&escaped(line), LINE));
    lines.collect::<Vec<_>>().join("\n")
}

/// `text` with control characters, other than tabs, as `\u{..}`. Characters that change the
/// direction of writing count as such.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => escaped.push(c),
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.extend(c.escape_unicode());
            }
            _ if c.is_control() => escaped.extend(c.escape_unicode()),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Keeps the beginning and the end, because the end names cause or remedy.
fn shortened(text: &str, limit: usize) -> String {
    let count = text.chars().count();
    if count <= limit {
        return text.to_owned();
    }
    let place = |skipped: usize| text.char_indices().nth(skipped).map_or(text.len(), |(at, _)| at);
    let (begin, end) = (place(limit / 2), place(count - limit / 2));
    let left_out = count - limit / 2 * 2;
    format!("{} [... {left_out} characters ...] {}", &text[..begin], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_commands_are_quoted_where_a_shell_would_split_them() {
        for (text, word) in [
            ("out/a_b-1.ron", "out/a_b-1.ron"),
            ("my run", "'my run'"),
            ("it's", r"'it'\''s'"),
            ("$HOME;#", "'$HOME;#'"),
            ("-q", "./-q"),
            ("", "''"),
            ("Kleid_grün", "Kleid_grün"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn messages_are_short_and_hold_no_control_characters() {
        let place = "a\u{1b}[31m\n.obj:3";
        let error = Error::input(place, "`é\t\u{7}\u{202e}`", "x".repeat(500_000));
        let text = printable(&error.to_string());
        assert!(
            text.starts_with("a\\u{1b}[31m\\n.obj:3: `é\t\\u{7}\\u{202e}`\n  help: xx"),
            "{text}"
        );
        assert!(text.ends_with("xx") && text.contains("characters ...]") && text.len() < 1200);
        assert!(printable(&"line\n".repeat(100_000)).len() < 8100);
        assert_eq!(printable("a\n  b"), "a\n  b");
    }
}
