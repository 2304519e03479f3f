//! All rooms: imports go down only. A file of the library may name its own room and the rooms
//! below it.
//!
//! A room is a file or folder directly under `src`. The test reads the code of every file as
//! Rust tokens, so comments and strings are not code. It leaves out `#[cfg(test)]` items and
//! the files of `#[cfg(test)] mod name;`.

#[path = "common/rust_names.rs"]
mod rust_names;

use std::fmt;
use std::path::{Path, PathBuf};

use rust_names::{ALIAS, Names};

/// The rooms of the library, lowest layer first. Rooms of one layer do not import each other.
const LAYERS: [&[&str]; 12] = [
    &["error", "ids", "math", "report"],
    &["bounds", "choice", "input", "threads"],
    &["ranks", "mesh"],
    &["partition"],
    &["linear"],
    &["collision", "stealing"],
    &["contact"],
    &["bodies"],
    &["step", "rigid"],
    &["workers"],
    &["scene"],
    &["engine", "observe", "verify"],
];

/// The room of the program. It names the library as `cloth_sim::`, never as `crate::`.
const PROGRAM: &str = "program";

fn layer(room: &str) -> Option<usize> {
    LAYERS.iter().position(|rooms| rooms.contains(&room))
}

/// Why `from` may not import `to`, if it may not. `main` and `lib` are crate roots.
fn broken_rule(from: &str, to: &str) -> Option<String> {
    match (from, to) {
        (_, ALIAS) => Some("write paths from `crate` out, so that this test sees them".into()),
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
    let names = Names::read(code, if is_root { 0 } else { module.len() }, "crate")?;
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

/// The file and its code, for all files below `folder` of this package.
fn codes(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let read = |path: PathBuf| {
        let code = std::fs::read_to_string(&path).expect("the file can be read");
        (path.strip_prefix(&folder).expect("a path below it").to_path_buf(), code)
    };
    sources(&folder).into_iter().map(read).collect()
}

#[test]
fn imports_go_down_only() {
    let (mut violations, mut test_modules) = (Vec::new(), Vec::new());
    for (file, code) in codes("src") {
        let checked = check(&file, &code);
        let (found, names) = checked.unwrap_or_else(|cause| panic!("{}: {cause}", file.display()));
        let module = module_path(&file);
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
fn an_alias_of_the_root_is_found() {
    assert_eq!(broken("mesh/obj.rs", "use crate as root;"), at(1, ALIAS));
    assert_eq!(broken("mesh/obj.rs", "use crate::{self as root};"), at(1, ALIAS));
    assert_eq!(broken("mesh/obj.rs", "use super::super as root;"), at(1, ALIAS));
    assert_eq!(broken("mesh/obj.rs", "use super::{super as root, mesh};"), at(1, ALIAS));
    assert_eq!(broken("lib.rs", "extern crate self as engine;"), at(1, ALIAS));
    assert_eq!(broken("mesh/shapes/ball.rs", "use super as shapes;\npub(crate) fn f() {}"), []);
}

#[test]
fn a_super_in_a_group_counts_with_those_before_it() {
    assert_eq!(broken("mesh/obj.rs", "use super::{super::step::S};"), at(1, "step"));
    assert_eq!(broken("mesh/obj.rs", "use super::{Mesh, super::{ids, step::S}};"), at(1, "step"));
    assert_eq!(broken("mesh/shapes/ball.rs", "use super::{parts, super::surface};"), []);
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
    let field = "struct S {\n#[cfg(test)]\na: u8,\nb: crate::step::State,\n}";
    assert_eq!(broken("mesh/obj.rs", field), at(4, "step"));
    let arms = "match x {\n#[cfg(test)]\nA => 1,\n_ => crate::step::now(),\n}";
    assert_eq!(broken("mesh/obj.rs", arms), at(4, "step"));
    let names = Names::read("#[cfg(test)]\nmod oracle;\nmod kept;", 1, "crate").expect("tokens");
    assert_eq!(names.test_modules, ["oracle"]);
}

/// This test finds the modules of a file by its place, and sees no code that comes from elsewhere. A
/// module with files of its own is their `mod.rs`.
#[test]
fn every_module_is_the_file_of_its_name() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (file, code) in codes("src") {
        let folder = source.join(file.with_extension(""));
        assert!(!folder.is_dir(), "{}: move it to {}/mod.rs", file.display(), folder.display());
        let code = code.lines().map(|line| line.split("//").next().unwrap_or_default());
        let hidden = code.filter(|line| line.contains("#[path") || line.contains("include!"));
        assert_eq!(hidden.collect::<Vec<_>>(), [""; 0], "{}", file.display());
    }
}

/// Rooms that only the feature `internals` opens, as `lib.rs` declares them.
fn private_rooms() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let code = std::fs::read_to_string(root).expect("the file can be read");
    let lines: Vec<_> = code.lines().collect();
    let closed = lines.windows(2).filter(|two| two[0] == "#[cfg(not(feature = \"internals\"))]");
    let name = |two: &[&str]| two[1].strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned);
    closed.filter_map(name).collect()
}

/// The lines of the program that name one of the `rooms` of the library, with the room.
fn named_rooms(code: &str, rooms: &[String]) -> Vec<(usize, String)> {
    let names = Names::read(code, usize::MAX, "cloth_sim").expect("the code is made of tokens");
    let is_named = |room: &String| rooms.contains(room) || room == ALIAS;
    names.rooms.into_iter().filter(|(_, room)| is_named(room)).collect()
}

#[test]
fn a_private_room_is_found_in_any_path_to_it() {
    let rooms = private_rooms();
    assert!(rooms.contains(&"contact".to_owned()) && rooms.contains(&"linear".to_owned()));
    for code in [
        "use cloth_core::linear::Jacobian;",
        "use cloth_sim::{\nlinear::{Jacobian}};",
        "use cloth_core::linear as matrices;",
        "fn f() -> cloth_core::linear::End { g() }",
    ] {
        let found = named_rooms(code, &rooms);
        assert!(found.len() == 1 && found[0].1 == "linear", "{code}: {found:?}");
    }
    assert_eq!(named_rooms("use cloth_sim as engine;", &rooms), at(1, ALIAS));
    assert_eq!(named_rooms("use cloth_sim::{step, bodies::Jacobian};", &rooms), []);
}

/// The laboratory alone may use private rooms, because the feature `lab` opens them.
#[test]
fn the_program_uses_the_public_face_of_the_library() {
    let rooms = private_rooms();
    let mut found = Vec::new();
    for (file, code) in codes("src/program") {
        if !file.starts_with("lab") {
            let named = named_rooms(&code, &rooms).into_iter();
            let place = |(line, room)| format!("src/program/{}:{line}: {room}", file.display());
            found.extend(named.map(place));
        }
    }
    assert!(found.is_empty(), "the program names private rooms:\n{}", found.join("\n"));
}
