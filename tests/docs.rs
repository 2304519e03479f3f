//! The pages of the repository name only files that exist.

use std::path::{Path, PathBuf};

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
    let folders = ["src", "tests", "benches", "examples", "tools", "docs", "python"];
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
