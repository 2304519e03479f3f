//! The rooms that a file of Rust code names, read from its tokens.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Stands for a use of the crate's root under another name.
pub const ALIAS: &str = "an alias of the root";

/// What one file names outside its own module.
#[derive(Default)]
pub struct Names {
    /// The word that stands for the root: `crate`, or the name of the library.
    root: &'static str,
    /// Line and room of every path that starts at the root, or leaves its room.
    pub rooms: Vec<(usize, String)>,
    /// The names of `#[cfg(test)] mod name;`.
    pub test_modules: Vec<String>,
}

/// Where a list of tokens stands.
#[derive(Clone, Copy)]
struct Place {
    /// How far its module lies below the crate's root.
    depth: usize,
    /// Number of `super` before a group of paths: 1 for the braces of `super::{a, super::b}`.
    supers: usize,
}

impl Names {
    /// Reads `code`, a file whose module lies `depth` below the root.
    pub fn read(code: &str, depth: usize, root: &'static str) -> Result<Self, String> {
        let mut names = Self { root, ..Self::default() };
        let tokens = TokenStream::from_str(code).map_err(|cause| cause.to_string())?;
        names.walk(tokens, Place { depth, supers: 0 });
        Ok(names)
    }

    fn walk(&mut self, tokens: TokenStream, place: Place) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let Place { depth, .. } = place;
        let mut at = 0;
        while at < tokens.len() {
            let rest = &tokens[at..];
            let is_first = at == 0 || is_punct(&tokens[at - 1], ',');
            let supers = if is_first { place.supers } else { 0 };
            at += if let Some(length) = self.test_item(rest) {
                length
            } else if let Some(length) = self.path(rest, Place { depth, supers }) {
                length
            } else {
                if let TokenTree::Group(group) = &rest[0] {
                    let in_module = at >= 2 && ident(&tokens[at - 2]).as_deref() == Some("mod");
                    let depth = depth + usize::from(in_module);
                    self.walk(group.stream(), Place { depth, supers: 0 });
                }
                1
            };
        }
    }

    /// The length of a `#[cfg(test)]` item, field, variant or match arm at the start of `tokens`,
    /// if there is one. A comma of generics ends an item too early: its rest counts as code.
    fn test_item(&mut self, tokens: &[TokenTree]) -> Option<usize> {
        let [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] = tokens else { return None };
        let text: String = attribute.stream().to_string().split_whitespace().collect();
        if hash.as_char() != '#' || text != "cfg(test)" {
            return None;
        }
        let ends = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            token => is_punct(token, ';') || is_punct(token, ','),
        };
        let end = tokens.iter().position(ends).unwrap_or(tokens.len() - 1);
        if let Some([.., word, name, TokenTree::Punct(_)]) = tokens.get(..=end)
            && ident(word).as_deref() == Some("mod")
        {
            self.test_modules.extend(ident(name));
        }
        Some(end + 1)
    }

    /// The length of a prefix of the root or of `super` at the start of `tokens`, with the group
    /// after it, if there is one. Notes the rooms after it when it reaches the root.
    fn path(&mut self, tokens: &[TokenTree], place: Place) -> Option<usize> {
        let line = tokens[0].span().start().line;
        let word = |at: usize| tokens.get(at).and_then(ident).unwrap_or_default();
        let is_followed = |at: usize| {
            let colons = tokens.get(at + 1..at + 3);
            colons.is_some_and(|colons| colons.iter().all(|token| is_punct(token, ':')))
        };
        // The last word of the prefix.
        let (last, supers) = match word(0).as_str() {
            first if first == self.root => (0, place.depth),
            "super" => {
                let more = (0..).take_while(|k| is_followed(3 * k) && word(3 * k + 3) == "super");
                let last = 3 * more.count();
                (last, place.supers + last / 3 + 1)
            }
            _ => return None,
        };
        let is_root = supers >= place.depth;
        if !is_followed(last) {
            let is_alias = is_root && matches!(word(last + 1).as_str(), "as" | "self");
            self.rooms.extend(is_alias.then(|| (line, ALIAS.to_owned())));
            return is_alias.then_some(last + 1);
        }
        match tokens.get(last + 3)? {
            TokenTree::Group(group) if !is_root => {
                self.walk(group.stream(), Place { supers, ..place });
                return Some(last + 4);
            }
            TokenTree::Group(group) => {
                let parts: Vec<_> = group.stream().into_iter().collect();
                let firsts = parts.split(|token| is_punct(token, ',')).filter_map(<[_]>::first);
                self.rooms.extend(firsts.map(|first| match first.to_string().as_str() {
                    "self" => (first.span().start().line, ALIAS.to_owned()),
                    room => (first.span().start().line, room.to_owned()),
                }));
            }
            name if is_root => self.rooms.push((line, name.to_string())),
            _ => {}
        }
        Some(last + 3)
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn ident(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    }
}
