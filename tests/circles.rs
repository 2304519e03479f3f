//! All rooms: no files import each other in a circle.
//!
//! An import is a `use` of a path that begins with `crate`, outside of tests. It counts as an
//! import of the file of the longest module in the path. If a `mod.rs` re-exports names of its own
//! files, these are not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

type Module = Vec<String>;
type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// The paths that the `use` items of `tokens` name, without those of `#[cfg(test)]` items.
fn used_paths(tokens: TokenStream, paths: &mut Vec<Module>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                let text = tokens.peek().map(ToString::to_string).unwrap_or_default();
                if text.replace(' ', "") == "[cfg(test)]" {
                    let ends = |it: &TokenTree| match it {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        token => token.to_string() == ";",
                    };
                    tokens.by_ref().find(ends);
                }
            }
            TokenTree::Ident(word) if word == "use" => {
                let is_part = |it: &TokenTree| it.to_string() != ";";
                let tree = tokens.by_ref().take_while(is_part).collect();
                expand(tree, &[], paths);
            }
            TokenTree::Group(group) => used_paths(group.stream(), paths),
            _ => {}
        }
    }
}

/// The paths of a tree of `use`, after `prefix`.
fn expand(tree: TokenStream, prefix: &[String], paths: &mut Vec<Module>) {
    let tree = Vec::from_iter(tree);
    for part in tree.split(|token| token.to_string() == ",") {
        let mut path = prefix.to_vec();
        let mut has_group = false;
        for token in part {
            match token {
                TokenTree::Ident(word) if word == "as" => break,
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    expand(group.stream(), &path, paths);
                    has_group = true;
                }
                _ => {}
            }
        }
        if !has_group && path.len() > prefix.len() {
            paths.push(path);
        }
    }
}

/// The imports of all files, given their modules and codes.
fn imports(codes: &[(Module, String)]) -> Imports {
    let modules = BTreeSet::from_iter(codes.iter().map(|(module, _)| module.as_slice()));
    let of_code = |(module, code): &(Module, String)| {
        let mut paths = Vec::new();
        used_paths(TokenStream::from_str(code).expect("the code is made of tokens"), &mut paths);
        let from_root = paths.iter().filter_map(|path| path.strip_prefix(&["crate".to_owned()]));
        let file_of = |path: &[String]| {
            let mut parts = (1..=path.len()).rev().map(|length| &path[..length]);
            parts.find(|part| modules.contains(part) && *part != module).map(<[_]>::to_vec)
        };
        (module.clone(), from_root.filter_map(file_of).collect())
    };
    codes.iter().map(of_code).collect()
}

/// The files in circles, and those between two circles. Files that import no other remaining file,
/// or that no other remaining file imports, are removed until none is left to remove.
fn circles(mut imports: Imports) -> Vec<Module> {
    loop {
        let imported = BTreeSet::from_iter(imports.values().flatten().cloned());
        let before = imports.len();
        imports.retain(|module, of| !of.is_empty() && imported.contains(module));
        let left = BTreeSet::from_iter(imports.keys().cloned());
        imports.values_mut().for_each(|of| of.retain(|module| left.contains(module)));
        if imports.len() == before {
            return imports.into_keys().collect();
        }
    }
}

/// The modules and codes of all files below `folder`, without files of tests.
fn codes(folder: &Path, module: &[String]) -> Vec<(Module, String)> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let of_path = |path: PathBuf| {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let own = if stem == "mod" {
            module.to_vec()
        } else {
            [module, std::slice::from_ref(&stem)].concat()
        };
        match (stem.as_str(), path.is_dir()) {
            ("tests", _) => Vec::new(),
            (_, true) => codes(&path, &own),
            _ => vec![(own, std::fs::read_to_string(&path).expect("a file"))],
        }
    };
    paths.into_iter().flat_map(of_path).collect()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let found = circles(imports(&codes(&source, &[])));
    let names = Vec::from_iter(found.iter().map(|module| module.join("/")));
    assert_eq!(names, [""; 0], "files that import each other in a circle");
}

#[test]
fn a_circle_is_found_in_any_form_of_path() {
    let module = |path: &str| Vec::from_iter(path.split('/').map(str::to_owned));
    let found = |of: [(&str, &str); 3]| {
        let codes = of.map(|(path, code)| (module(path), code.to_owned()));
        circles(imports(&codes)).iter().map(|it| it.join("/")).collect::<Vec<_>>()
    };
    let circle = [
        ("a/b", "use crate::{ids, a::c::{self, Thing}};"),
        ("a/c", "fn f() {\n    use crate::d::Other as Name;\n}"),
        ("d", "use crate::a::b::g;"),
    ];
    assert_eq!(found(circle), ["a/b", "a/c", "d"]);
    let line = [circle[0], circle[1], ("d", "#[cfg(test)]\nmod tests { use crate::a::b::g; }")];
    assert_eq!(found(line), [""; 0]);
}
