//! The value of `--set path=value`: RON, as a tree of JSON.

use cloth_scene::load::options;
use serde_json::Value;

/// Reads a value in RON: a number, a text, a choice such as `Exact` or `Sphere(radius_m: 1)`, a
/// list, or a struct.
pub fn value(text: &str) -> std::result::Result<Value, String> {
    let word_end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(word_end);
    let starts_as_word = word.starts_with(char::is_alphabetic) && !WORDS_OF_RON.contains(&word);
    if starts_as_word && !rest.trim_start().starts_with('(') {
        // A path or a name without quotes, or a choice.
        return Ok(Value::String(text.to_owned()));
    }
    let plain = without_choices(text)?;
    let parsed: ron::Value = options().from_str(&plain).map_err(|error| error.to_string())?;
    to_json(parsed)
}

/// Words that have a meaning of their own in RON.
const WORDS_OF_RON: [&str; 6] = ["true", "false", "None", "Some", "inf", "NaN"];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Writes the choices in `text` in the way of JSON, because [`ron::Value`] has no choices:
/// `"Exact"` for `Exact`, and `{"Nearest": (0, 1, 0)}` for `Nearest((0, 1, 0))`.
fn without_choices(text: &str) -> std::result::Result<String, String> {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' => end_of_string(rest),
            _ if is_word(next) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => next.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        rest = after;
        if !next.is_uppercase() || WORDS_OF_RON.contains(&part) {
            plain.push_str(part);
        } else if after.trim_start().starts_with('(') {
            let content = after.trim_start();
            let (content, after) = content.split_at(end_of_parentheses(content)?);
            plain += &format!("{{\"{part}\": {}}}", without_choices(bare(content))?);
            rest = after;
        } else {
            plain += &format!("\"{part}\"");
        }
    }
    Ok(plain)
}

/// The end of the string with which `text` begins.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The characters of `text` outside of strings, each with its place and how many brackets are
/// open after it.
pub(super) fn open_brackets(text: &str) -> impl Iterator<Item = (usize, char, usize)> {
    let (mut string_end, mut open) = (0, 0_usize);
    text.char_indices().filter_map(move |(at, c)| {
        if at < string_end {
            return None;
        }
        match c {
            '"' => string_end = at + end_of_string(&text[at..]),
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' => open = open.saturating_sub(1),
            _ => {}
        }
        Some((at, c, open))
    })
}

/// The end of the parentheses with which `text` begins.
fn end_of_parentheses(text: &str) -> std::result::Result<usize, String> {
    let end = open_brackets(text).find(|&(_, c, open)| c == ')' && open == 0);
    end.map(|(at, ..)| at + 1).ok_or_else(|| "a `)` is missing".to_owned())
}

/// The content of a choice, with its parentheses. A single value without a name loses them.
fn bare(content: &str) -> &str {
    let inner = content[1..content.len() - 1].trim();
    let single = inner.strip_suffix(',').unwrap_or(inner);
    let has_several = open_brackets(single).any(|(_, c, open)| open == 0 && ",:".contains(c));
    if has_several || single.is_empty() { content } else { single }
}

fn to_json(value: ron::Value) -> std::result::Result<Value, String> {
    Ok(match value {
        ron::Value::Bool(b) => Value::Bool(b),
        ron::Value::Char(c) => Value::String(c.to_string()),
        ron::Value::String(s) => Value::String(s),
        ron::Value::Number(number) => to_json_number(number)?,
        ron::Value::Option(None) => Value::Null,
        ron::Value::Unit => Value::Object(serde_json::Map::new()),
        ron::Value::Option(Some(inner)) => to_json(*inner)?,
        ron::Value::Seq(items) => {
            Value::Array(items.into_iter().map(to_json).collect::<std::result::Result<_, _>>()?)
        }
        ron::Value::Map(fields) => {
            let mut object = serde_json::Map::new();
            for (key, value) in fields {
                let ron::Value::String(key) = key else {
                    return Err("a field's name must be a word".to_owned());
                };
                object.insert(key, to_json(value)?);
            }
            Value::Object(object)
        }
        ron::Value::Bytes(_) => return Err("a byte string cannot stand here".to_owned()),
    })
}

fn to_json_number(number: ron::Number) -> std::result::Result<Value, String> {
    let float = number.into_f64();
    if !float.is_finite() {
        return Err(format!("{float} is not a finite number"));
    }
    // A whole number stays whole, because it may be a count or a seed.
    Ok(match number {
        ron::Number::F32(_) | ron::Number::F64(_) => Value::from(float),
        ron::Number::U64(whole) => Value::from(whole),
        _ => Value::from(float as i64),
    })
}
