//! The documentation of scenes, beside their types.

use std::collections::BTreeSet;
use std::path::Path;

use super::{MaterialSpec, Shape};
use cloth_rigid::shape::BodyShape;

const DOCS: &str = include_str!("../../../../docs/scene.md");
const AMPLITUDE: &str = include_str!("../../../bodies/src/bodies/timed.rs");
const AIR: &str = include_str!("../../../bodies/src/bodies/cloth/elements/air.rs");

/// Fields and choices of the public types of `source`.
fn declared(source: &str, types: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in source.lines() {
        if let Some(rest) = line.strip_prefix("pub struct ").or(line.strip_prefix("pub enum ")) {
            let wanted = types.is_empty() || types.iter().any(|name| rest.starts_with(name));
            inside = wanted && line.ends_with('{');
        }
        inside &= line != "}";
        let word = line.trim().trim_start_matches("pub ");
        let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
        if inside && line.starts_with("    ") && end > 0 {
            names.insert(word[..end].to_owned());
        }
    }
    names
}

/// As [`declared`], of all files in a folder of `crates`.
fn declared_in(folder: &str, types: &[&str]) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let files = std::fs::read_dir(folder).unwrap();
    let source = |file: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(file.unwrap().path()).unwrap()
    };
    files.flat_map(|file| declared(&source(file), types)).collect()
}

/// Words in backticks in the first two columns of tables.
fn documented() -> BTreeSet<String> {
    let rows = DOCS.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.flat_map(|row| row.split('|').skip(1).take(2));
    let words = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    words.map(str::to_owned).collect()
}

#[test]
fn the_docs_describe_every_field_and_no_other() {
    let mut expected = declared(include_str!("mod.rs"), &[]);
    expected.extend(declared(include_str!("attach.rs"), &[]));
    expected.extend(declared(include_str!("engine.rs"), &[]));
    expected.extend(declared(include_str!("fold.rs"), &[]));
    expected.extend(declared(include_str!("loads.rs"), &[]));
    expected.extend(declared(include_str!("map.rs"), &[]));
    expected.extend(declared(include_str!("obstacle.rs"), &[]));
    expected.extend(declared(include_str!("output.rs"), &[]));
    expected.extend(declared(include_str!("pin.rs"), &[]));
    expected.extend(declared(include_str!("samples.rs"), &[]));
    expected.extend(declared(include_str!("seam.rs"), &[]));
    let samples = include_str!("../../../bodies/src/bodies/prescribed/samples.rs");
    expected.extend(declared(samples, &["Interpolation {"]));
    let skin = include_str!("../../../bodies/src/bodies/prescribed/skin.rs");
    expected.extend(declared(skin, &["Yielding {"]));
    expected.extend(declared(AMPLITUDE, &[]));
    expected.extend(declared(include_str!("../bodies/spec.rs"), &[]));
    expected.extend(declared(include_str!("../bodies/joints/spec.rs"), &[]));
    expected.extend(declared(include_str!("../../../rigid/src/solver/mod.rs"), &["Response {"]));
    expected
        .extend(declared(include_str!("../../../rigid/src/sync/mod.rs"), &["Synchronisation {"]));
    let workers = include_str!("../../../workers/src/settings.rs");
    expected.extend(declared(workers, &["Coupling {", "Weighting {", "Division {"]));
    expected.extend(declared(workers, &["SetRule {", "Balance {"]));
    expected.extend(declared(include_str!("../../../workers/src/engine.rs"), &["EngineKind {"]));
    expected.extend(declared(include_str!("../keyframe.rs"), &[]));
    expected.extend(Shape::NAMES.iter().map(|&name| name.to_owned()));
    expected.extend(declared_in("core/src/mesh/shapes", &[]));
    expected.extend(BodyShape::NAMES.iter().map(|&name| name.to_owned()));
    expected.extend(declared_in("rigid/src/shape", &[]));
    expected.extend(MaterialSpec::NAMES.iter().map(|&name| name.to_owned()));
    expected.extend(declared_in("bodies/src/bodies/cloth/material", MaterialSpec::NAMES));
    expected.extend(declared(AIR, &["Air {", "WindKey"]));
    expected.extend(declared(include_str!("../../../bodies/src/contact/settings.rs"), &[]));
    expected.extend(declared(include_str!("../../../collision/src/stealing/settings.rs"), &[]));
    expected.extend(declared(
        include_str!("../../../step/src/model/settings.rs"),
        &["Solver", "GravityKey"],
    ));
    expected.extend(declared(include_str!("../../../step/src/time/sizes.rs"), &["Choice {"]));
    let methods = include_str!("../../../core/src/partition/methods/settings.rs");
    expected.extend(declared(methods, &["Method {", "PartitionSettings {", "Repartition {"]));
    let kinds = cloth_core::linear::PreconditionerKind::ALL.iter();
    expected.extend(kinds.map(|kind| format!("{kind:?}")));
    let documented = documented();
    let [missing, unknown] = [(&expected, &documented), (&documented, &expected)]
        .map(|(all, known)| Vec::from_iter(all.difference(known)));
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "docs/scene.md lacks {missing:?}, and has {unknown:?}, which no type has"
    );
}

#[test]
fn examples_in_the_docs_are_valid_scenes() {
    let blocks: Vec<&str> = DOCS.split("```").skip(1).step_by(2).collect();
    assert!(blocks.len() > 2);
    for block in blocks {
        let text = block.strip_prefix("ron").unwrap();
        crate::load::parse(text, "docs").unwrap().validate().unwrap();
    }
}
