//! The pages of the repository name only files and fields that exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Words in backticks that look like a path to a source file, with their lines.
fn paths(text: &str) -> Vec<(usize, &str)> {
    let numbered = (1..).zip(text.lines());
    let words = numbered
        .flat_map(|(line, text)| text.split('`').skip(1).step_by(2).map(move |word| (line, word)));
    let is_plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "_./-".contains(c));
    let is_source = |word: &str| word.ends_with(".rs") || word.ends_with(".py");
    words.filter(|(_, word)| is_plain(word) && is_source(word)).collect()
}

/// Whether `word` is the path of a file in the repository, or the end of one.
fn exists(files: &[PathBuf], word: &str) -> bool {
    files.iter().any(|file| file.ends_with(word))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn every_file_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "crates", "tests", "benches", "examples", "tools", "docs", "python"];
    let files: Vec<_> = folders.iter().flat_map(|folder| files_below(&root.join(folder))).collect();
    let pages = files.iter().filter(|file| file.extension().is_some_and(|end| end == "md"));
    let more = ["README.md", "CONTRIBUTING.md"].map(|page| root.join(page));
    let mut missing = Vec::new();
    for page in pages.chain(&more) {
        let text = std::fs::read_to_string(page).expect("the page can be read");
        let unknown = paths(&text).into_iter().filter(|(_, word)| !exists(&files, word));
        let page = page.strip_prefix(root).expect("a page of the repository").display();
        missing.extend(unknown.map(|(line, word)| format!("{page}:{line}: {word}")));
    }
    assert!(missing.is_empty(), "pages name files that do not exist:\n{}", missing.join("\n"));
}

/// Adds each name in `value` as `field.name`, whatever its number in a list or its choice.
fn add_fields(field: &str, value: &Value, known: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_fields(field, item, known)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_choice = name.starts_with(char::is_uppercase);
                known.insert(format!("{field}.{name}"));
                add_fields(if is_choice { field } else { name }, value, known);
            }
        }
        _ => {}
    }
}

/// The fields of `text` that look like those of scenes: in backticks or behind `--set`.
fn fields(text: &str) -> Vec<(usize, String)> {
    let words = |(line, text): (usize, &str)| {
        let quoted = text.split('`').skip(1).step_by(2);
        let set = text.split("--set ").skip(1).map(|it| it.trim_start_matches(['\'', '"']));
        let is_path = |c: char| c.is_ascii_alphanumeric() || "_.[]".contains(c);
        let word = |text: &str| text.split(|c| !is_path(c)).next().unwrap_or_default().to_owned();
        Vec::from_iter(quoted.chain(set).map(word).map(|word| (line, word)))
    };
    let is_file =
        |word: &str| [".csv", ".mtl", ".obj", ".pvd", ".usda"].iter().any(|it| word.ends_with(it));
    let found = (1..).zip(text.lines()).flat_map(words);
    found.filter(|(_, word)| word.contains('.') && !is_file(word)).collect()
}

#[test]
fn every_field_of_a_scene_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str, end: &str| {
        let files = files_below(&root.join(folder)).into_iter();
        Vec::from_iter(files.filter(|file| file.extension().is_some_and(|it| it == end)))
    };
    let mut known = BTreeSet::new();
    for scene in files("scenes", "ron").iter().chain(&files("tests/scenes", "ron")) {
        let scene = cloth_sim::scene::load(scene).expect("the scene can be read");
        let value = serde_json::to_value(&scene).expect("a scene has a text");
        add_fields("", &value, &mut known);
    }
    let mut missing = Vec::new();
    for page in files("docs", "md").iter().chain(&[root.join("README.md")]) {
        let text = std::fs::read_to_string(page).expect("the page can be read");
        for (line, word) in fields(&text) {
            let names = word.split(['.', '[', ']']).filter(|it| it.parse::<u32>().is_err());
            let names = Vec::from_iter(names.filter(|name| !name.is_empty()));
            let is_of_scene = names.first().is_some_and(|it| known.contains(&format!(".{it}")));
            let is_known = |pair: &[&str]| known.contains(&format!("{}.{}", pair[0], pair[1]));
            if is_of_scene && !names.windows(2).all(is_known) {
                missing.push(format!("{}:{line}: {word}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "pages name fields that do not exist:\n{}", missing.join("\n"));
}
