//! All rooms: no two types of a room have the same name, so the room and the name identify a type.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};

/// The types and traits that `code` declares, and the modules of its tests.
fn declared(code: &str) -> (Vec<String>, Vec<String>) {
    let (mut types, mut tests) = (Vec::new(), Vec::new());
    let tokens = TokenStream::from_str(code).expect("the code is made of tokens");
    let mut tokens = tokens.into_iter().peekable();
    let mut is_test = false;
    while let Some(token) = tokens.next() {
        let word = token.to_string();
        match (&token, word.as_str()) {
            (TokenTree::Group(_), text) if text.replace(' ', "") == "[cfg(test)]" => is_test = true,
            (TokenTree::Ident(_), "struct" | "enum" | "trait" | "type") => {
                types.extend(tokens.next().filter(|_| !is_test).map(|name| name.to_string()));
            }
            (TokenTree::Ident(_), "mod") if is_test => {
                tests.extend(tokens.next().map(|name| name.to_string()));
            }
            _ => {}
        }
        let ends = matches!(&token, TokenTree::Group(group)
            if group.delimiter() == proc_macro2::Delimiter::Brace);
        is_test &= !ends && word != ";";
    }
    (types, tests)
}

/// Where each type of a room is declared, for files below `folder`.
fn types_below(folder: &Path, types: &mut BTreeMap<String, Vec<PathBuf>>) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths = Vec::from_iter(entries.map(|entry| entry.expect("an entry").path()));
    paths.sort();
    let mut tests = Vec::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        let (found, of_tests) = declared(&std::fs::read_to_string(path).expect("a file"));
        let is_root = path.ends_with("mod.rs");
        let below = if is_root { folder.to_owned() } else { path.with_extension("") };
        tests.extend(of_tests.into_iter().map(|name| below.join(name)));
        found.into_iter().for_each(|name| types.entry(name).or_default().push(path.clone()));
    }
    let is_test = |path: &Path| tests.contains(&path.with_extension(""));
    types.values_mut().for_each(|places| places.retain(|path| !is_test(path)));
    for path in paths.iter().filter(|path| path.is_dir() && !is_test(path)) {
        types_below(path, types);
    }
}

/// The folders in `folder`.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.is_dir()).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of one room, and the folders of crates of several.
fn rooms() -> Vec<PathBuf> {
    let sources = folders(&root().join("crates")).into_iter().map(|it| it.join("src"));
    sources
        .flat_map(|source| {
            let several = ["core", "collision", "bodies"].map(|it| root().join("crates").join(it));
            let has_several = several.iter().any(|it| source.starts_with(it));
            if has_several { folders(&source) } else { vec![source] }
        })
        .collect()
}

#[test]
fn inside_a_room_no_name_of_a_type_stands_twice() {
    for room in rooms() {
        let mut types = BTreeMap::new();
        types_below(&room, &mut types);
        assert!(!types.is_empty(), "{room:?} has no types");
        types.retain(|_, places| places.len() > 1);
        assert!(types.is_empty(), "names that stand twice in {room:?}: {types:#?}");
    }
}

/// The program does things for each kind of run, in a folder for each kind: `run/cloth` and
/// `run/bodies` have a `Summary` each. There a folder's name qualifies a type.
#[test]
fn inside_a_folder_of_the_program_no_name_of_a_type_stands_twice() {
    let mut rest = vec![root().join("src/program")];
    let mut count = 0;
    while let Some(folder) = rest.pop() {
        let mut types = BTreeMap::new();
        types_below(&folder, &mut types);
        let is_here = |path: &PathBuf| path.parent() == Some(&folder);
        types.values_mut().for_each(|places| places.retain(is_here));
        count += types.values().flatten().count();
        types.retain(|_, places| places.len() > 1);
        assert!(types.is_empty(), "names that stand twice in {folder:?}: {types:#?}");
        rest.extend(folders(&folder));
    }
    assert!(count > 200, "{count} types found");
}

#[test]
fn types_of_tests_and_of_traits_do_not_count() {
    let code = "pub struct A; #[cfg(test)] mod tests { struct A; } #[cfg(test)] mod oracle;
        impl T for A { type B = A; } pub(crate) enum C { D } #[cfg(test)] struct E; trait F {}";
    let (types, tests) = declared(code);
    assert_eq!(types, ["A", "C", "F"]);
    assert_eq!(tests, ["tests", "oracle"]);
}
