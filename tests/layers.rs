//! Imports go down only: a file of the library may name its own room and the rooms below it.
//!
//! A room is a file or folder directly under `src`. The test reads the code of every file as
//! Rust tokens, so comments and strings are not code. It leaves out `#[cfg(test)]` items and
//! the files of `#[cfg(test)] mod name;`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The rooms of the library, lowest layer first. Rooms of one layer do not import each other.
const LAYERS: [&[&str]; 11] = [
    &["error", "ids", "math"],
    &["bounds", "choice", "threads"],
    &["ranks", "mesh"],
    &["partition"],
    &["linear"],
    &["collision", "stealing"],
    &["contact"],
    &["bodies"],
    &["step"],
    &["scene"],
    &["observe", "verify"],
];

/// The room of the program. It names the library as `cloth_sim::`, never as `crate::`.
const PROGRAM: &str = "program";

fn layer(room: &str) -> Option<usize> {
    LAYERS.iter().position(|rooms| rooms.contains(&room))
}

/// Why `from` may not import `to`, if it may not. `main` and `lib` are crate roots.
fn broken_rule(from: &str, to: &str) -> Option<String> {
    match (from, to) {
        _ if from == to => None,
        ("main" | PROGRAM, PROGRAM) => None,
        ("main" | PROGRAM, _) => {
            Some("the program names the library as `cloth_sim::`, not as `crate::`".into())
        }
        (_, PROGRAM) => Some("the library does not know the program".into()),
        _ => match (layer(from), layer(to)) {
            (_, None) => Some(format!("`{to}` is in no layer: add it to the table of this test")),
            _ if from == "lib" => None,
            (None, _) => Some(format!("`{from}` is in no layer: add it to the table of this test")),
            (Some(own), Some(other)) if own < other => {
                Some(format!("imports go down only, and `{to}` is above `{from}`"))
            }
            (Some(own), Some(other)) if own == other => {
                Some(format!("`{from}` and `{to}` do not import each other"))
            }
            _ => None,
        },
    }
}

/// An import that breaks a rule.
#[derive(Debug)]
struct Violation {
    file: String,
    line: usize,
    to: String,
    rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, to, rule } = self;
        write!(out, "{file}:{line}: names `{to}`: {rule}")
    }
}

/// What one file names outside its own module.
#[derive(Default)]
struct Names {
    /// Line and room of every path that starts at the crate's root, or leaves its room.
    rooms: Vec<(usize, String)>,
    /// The names of `#[cfg(test)] mod name;`.
    test_modules: Vec<String>,
}

impl Names {
    /// Reads `code`, a file whose module lies `depth` below the crate's root.
    fn read(code: &str, depth: usize) -> Result<Self, String> {
        let mut names = Self::default();
        let tokens = TokenStream::from_str(code).map_err(|cause| cause.to_string())?;
        names.walk(tokens, depth);
        Ok(names)
    }

    fn walk(&mut self, tokens: TokenStream, depth: usize) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let rest = &tokens[at..];
            at += if let Some(length) = self.test_item(rest) {
                length
            } else if let Some(length) = self.path(rest, depth) {
                length
            } else {
                if let TokenTree::Group(group) = &rest[0] {
                    let in_module = at >= 2 && ident(&tokens[at - 2]).as_deref() == Some("mod");
                    self.walk(group.stream(), depth + usize::from(in_module));
                }
                1
            };
        }
    }

    /// The length of a `#[cfg(test)]` item at the start of `tokens`, if there is one.
    fn test_item(&mut self, tokens: &[TokenTree]) -> Option<usize> {
        let [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] = tokens else { return None };
        let text: String = attribute.stream().to_string().split_whitespace().collect();
        if hash.as_char() != '#' || text != "cfg(test)" {
            return None;
        }
        let ends = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        let end = tokens.iter().position(ends).unwrap_or(tokens.len() - 1);
        if let Some([.., word, name, TokenTree::Punct(_)]) = tokens.get(..=end)
            && ident(word).as_deref() == Some("mod")
        {
            self.test_modules.extend(ident(name));
        }
        Some(end + 1)
    }

    /// The length of a `crate::` or `super::` prefix at the start of `tokens`, if there is one.
    /// Notes the rooms after it when it reaches the crate's root.
    fn path(&mut self, tokens: &[TokenTree], depth: usize) -> Option<usize> {
        let (word, line) = (ident(&tokens[0])?, tokens[0].span().start().line);
        let supers = |count: usize| tokens.get(3 * count).and_then(ident) == Some("super".into());
        let prefix = match word.as_str() {
            "crate" => 1,
            "super" => (1..).take_while(|&count| supers(count)).count() + 1,
            _ => return None,
        };
        let after = tokens.get(3 * prefix)?;
        let is_colon =
            |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ':');
        if !tokens[3 * prefix - 2..3 * prefix].iter().all(is_colon) {
            return None;
        }
        if word == "super" && prefix < depth {
            return Some(3 * prefix);
        }
        match after {
            TokenTree::Group(group) => {
                let parts: Vec<_> = group.stream().into_iter().collect();
                let is_comma =
                    |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
                let firsts = parts.split(is_comma).filter_map(|part| part.first());
                self.rooms
                    .extend(firsts.map(|first| (first.span().start().line, first.to_string())));
            }
            name => self.rooms.push((line, name.to_string())),
        }
        // The group is walked as well: nothing in it starts with `crate` or `super`.
        Some(3 * prefix)
    }
}

fn ident(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    }
}

/// The module path of `file`, below `src`: `["step", "report"]` for `step/report.rs`.
fn module_path(file: &Path) -> Vec<String> {
    let stem = file.with_extension("");
    let mut path: Vec<_> = stem.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if path.len() > 1 && path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

/// Checks one file, given its path below `src` and its code.
fn check(file: &Path, code: &str) -> Result<(Vec<Violation>, Names), String> {
    let module = module_path(file);
    let room = &module[0];
    let is_root = module.len() == 1 && matches!(room.as_str(), "lib" | "main");
    let names = Names::read(code, if is_root { 0 } else { module.len() })?;
    let violation = |(line, to): &(usize, String)| {
        let rule = broken_rule(room, to)?;
        let file = Path::new("src").join(file).display().to_string();
        Some(Violation { file, line: *line, to: to.clone(), rule })
    };
    let violations = names.rooms.iter().filter_map(violation).collect();
    Ok((violations, names))
}

/// All `.rs` files below `folder`, sorted.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    paths.sort();
    let files = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    files.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

#[test]
fn imports_go_down_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut violations, mut test_modules) = (Vec::new(), Vec::new());
    for path in sources(&src) {
        let file = path.strip_prefix(&src).expect("a path below src");
        let code = std::fs::read_to_string(&path).expect("the file can be read");
        let checked = check(file, &code);
        let (found, names) = checked.unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
        let module = module_path(file);
        let tests = names.test_modules.into_iter();
        test_modules.extend(tests.map(|name| [module.as_slice(), &[name]].concat()));
        violations.extend(found.into_iter().map(|violation| (module.clone(), violation)));
    }
    violations.retain(|(module, _)| !test_modules.iter().any(|tests| module.starts_with(tests)));
    let lines: Vec<_> = violations.iter().map(|(_, violation)| format!("{violation}\n")).collect();
    assert!(lines.is_empty(), "{} imports break a rule:\n{}", lines.len(), lines.concat());
}

/// The rooms that break a rule when `file` holds `code`, with their lines.
fn broken(file: &str, code: &str) -> Vec<(usize, String)> {
    let (violations, _) = check(Path::new(file), code).expect("the code is made of tokens");
    violations.into_iter().map(|violation| (violation.line, violation.to)).collect()
}

fn at(line: usize, room: &str) -> Vec<(usize, String)> {
    vec![(line, room.to_owned())]
}

#[test]
fn a_line_that_goes_up_is_found() {
    assert_eq!(broken("mesh/obj.rs", "use std::io;\nuse crate::step::State;"), at(2, "step"));
    assert_eq!(broken("mesh/mod.rs", "fn f() -> f64 {\n    crate::step::now()\n}"), at(2, "step"));
    assert_eq!(broken("ids.rs", "use crate::mesh;"), at(1, "mesh"));
    assert_eq!(
        broken("mesh/obj.rs", "use crate::{\n    ids,\n    step::{State, Clock},\n};"),
        at(3, "step")
    );
    assert_eq!(
        broken("mesh/obj.rs", "macro_rules! m { () => { $crate::step::f() } }"),
        at(1, "step")
    );
}

#[test]
fn a_line_that_goes_down_or_stays_in_its_room_is_allowed() {
    assert_eq!(broken("step/step.rs", "use crate::{contact, mesh::Mesh, step::State};"), []);
    assert_eq!(broken("step/step.rs", "use super::{state, report::Report};"), []);
    assert_eq!(broken("lib.rs", "pub mod step;\npub use crate::step::Simulation;"), []);
}

#[test]
fn a_chain_of_supers_that_leaves_its_room_is_found() {
    assert_eq!(broken("mesh/obj.rs", "use super::super::step::State;"), at(1, "step"));
    assert_eq!(broken("mesh/mod.rs", "use super::{ids, step};"), at(1, "step"));
    assert_eq!(broken("mesh/obj.rs", "mod inner { use super::super::step::State; }"), []);
    assert_eq!(
        broken("mesh/shapes/ball.rs", "use super::super::surface;\npub(super) fn f() {}"),
        []
    );
}

#[test]
fn rooms_of_one_layer_do_not_import_each_other() {
    assert_eq!(broken("collision/search/mod.rs", "use crate::stealing::Pool;"), at(1, "stealing"));
    assert_eq!(broken("stealing/pool.rs", "use crate::collision;"), at(1, "collision"));
}

#[test]
fn the_library_and_the_program_are_apart() {
    assert_eq!(broken("step/report.rs", "use crate::program::print;"), at(1, "program"));
    assert_eq!(broken("lib.rs", "use crate::program::print;"), at(1, "program"));
    assert_eq!(broken("program/run.rs", "use crate::step::State;"), at(1, "step"));
    assert_eq!(broken("main.rs", "use crate::step::State;"), at(1, "step"));
    assert_eq!(broken("program/run.rs", "use crate::program::job;\nuse cloth_sim::step;"), []);
}

#[test]
fn a_room_outside_the_table_is_found() {
    assert_eq!(broken("mesh/obj.rs", "use crate::attic::Box;"), at(1, "attic"));
    assert_eq!(broken("attic.rs", "use crate::ids::NONE;"), at(1, "ids"));
}

#[test]
fn comments_strings_and_tests_are_not_code() {
    let comments = "//! See crate::step.\n/* use crate::step; */\n/// [`crate::step`]\nfn f() {}";
    assert_eq!(broken("mesh/obj.rs", comments), []);
    assert_eq!(broken("mesh/obj.rs", "const TEXT: &str = r#\"use crate::step;\"#;"), []);
    let tests = "#[cfg(test)]\nmod tests {\n    use crate::step;\n}\nuse crate::scene;";
    assert_eq!(broken("mesh/obj.rs", tests), at(5, "scene"));
    assert_eq!(
        broken("mesh/obj.rs", "#[cfg(test)]\n#[allow(unused)]\nuse crate::step::State;"),
        []
    );
    let names = Names::read("#[cfg(test)]\nmod oracle;\nmod kept;", 1).expect("tokens");
    assert_eq!(names.test_modules, ["oracle"]);
}

/// Rooms that only the feature `internals` opens. The modelled machine may use them.
const PRIVATE: [&str; 5] = ["collision", "contact", "linear", "stealing", "threads"];

#[test]
fn the_program_uses_the_public_face_of_the_library() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/program");
    let is_machine_model = |path: &Path| path.components().any(|part| part.as_os_str() == "replay");
    let mut found = Vec::new();
    for path in sources(&program) {
        let file = path.strip_prefix(&program).expect("a path below src/program");
        if is_machine_model(&file.with_extension("")) {
            continue;
        }
        let code = std::fs::read_to_string(&path).expect("the file can be read");
        for (number, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let names = |room: &&&str| code.contains(&format!("cloth_sim::{room}::"));
            if let Some(room) = PRIVATE.iter().find(names) {
                found.push(format!("src/program/{}:{}: {room}", file.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "the program names private rooms:\n{}", found.join("\n"));
}
