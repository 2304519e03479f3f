//! The documentation of scenes, beside their types.

use std::collections::BTreeSet;
use std::path::Path;

use ron::ser::PrettyConfig;

use super::*;
use crate::bodies::joints::spec::{HingeDrive, HingeMotor, SliderMotor};
use cloth_bodies::bodies::cloth::material::MaterialSpec;
use cloth_bodies::bodies::prescribed::Yielding;
use cloth_bodies::contact::ContactSettings;
use cloth_core::settings::Check;
use cloth_rigid::shape::BodyShape;

const DOCS: &str = include_str!("../../../../docs/scene.md");
const AMPLITUDE: &str = include_str!("../../../bodies/src/bodies/timed.rs");
const AIR: &str = include_str!("../../../bodies/src/bodies/cloth/elements/air.rs");

/// Fields and choices of the public types of `source`, also of those that `settings!` declares.
fn declared(source: &str, types: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // The spaces before the type that a line is inside of.
    let (mut inside, mut begins) = (None, 0);
    for line in source.lines() {
        let text = line.trim_start();
        let spaces = line.len() - text.len();
        if spaces == 0 && !text.is_empty() {
            begins = if text == "settings! {" { 4 } else { 0 };
        }
        let starts = text.strip_prefix("pub struct ").or(text.strip_prefix("pub enum "));
        if let Some(rest) = starts.filter(|_| spaces == begins) {
            let wanted = types.is_empty() || types.iter().any(|name| rest.starts_with(name));
            inside = (wanted && line.ends_with('{')).then_some(spaces);
        }
        if text == "}" {
            inside = inside.filter(|&outer| outer < spaces);
        }
        let word = text.trim_start_matches("pub ");
        let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
        if inside.is_some_and(|outer| outer < spaces) && end > 0 {
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
    expected.extend(declared(include_str!("cloth.rs"), &[]));
    expected.extend(declared(include_str!("motion.rs"), &[]));
    expected.extend(declared(include_str!("output.rs"), &[]));
    expected.extend(declared(include_str!("select.rs"), &[]));
    expected.extend(declared(include_str!("pin.rs"), &[]));
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
    expected.extend(declared(workers, &["Coupling {", "Division {", "SetRule {"]));
    expected.extend(declared(include_str!("../../../workers/src/engine.rs"), &["EngineKind {"]));
    expected.extend(Shape::NAMES.iter().map(|&name| name.to_owned()));
    expected.extend(declared_in("core/src/mesh/shapes", &[]));
    expected.extend(BodyShape::NAMES.iter().map(|&name| name.to_owned()));
    expected.extend(declared_in("rigid/src/shape", &[]));
    expected.extend(MaterialSpec::NAMES.iter().map(|&name| name.to_owned()));
    expected.extend(declared_in("bodies/src/bodies/cloth/material", MaterialSpec::NAMES));
    expected.extend(declared(AIR, &["Air {", "WindKey {"]));
    expected.extend(declared(include_str!("../../../bodies/src/contact/settings.rs"), &[]));
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

/// The cells of the rows of tables whose first cell names a field.
fn rows() -> Vec<Vec<&'static str>> {
    let rows = DOCS.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Whether a row names `field`, and has a cell for which `fits`.
fn has_row(field: &str, fits: impl Fn(&str) -> bool) -> bool {
    let name = format!("`{field}`");
    let names = |row: &&Vec<&str>| row.iter().take(2).any(|cell| cell.contains(&name));
    rows().iter().filter(names).any(|row| row.iter().skip(1).any(|cell| fits(cell)))
}

fn assert_units<T: Check>() {
    for (field, unit) in T::units() {
        // An example stands for a unit of none.
        let fits = |cell: &str| {
            unit.is_empty() || unit.starts_with('(') || cell.split(", ").any(|it| it == unit)
        };
        assert!(has_row(field, fits), "docs/scene.md does not give `{field}` the unit {unit}");
    }
}

/// Defaults that are numbers, vectors or choices.
fn assert_defaults<T: Default + Serialize>() {
    let text = ron::ser::to_string_pretty(&T::default(), PrettyConfig::default()).unwrap();
    let is_plain = |value: &str| value.ends_with(|c: char| c.is_alphanumeric() || c == ')');
    let fields = text.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
    for (field, value) in fields.map(|(field, value)| (field, value.trim_end_matches(','))) {
        if field.starts_with(' ') || !is_plain(value) || value == "None" || value == "()" {
            continue;
        }
        let whole = value.replace(".0,", ",").replace(".0)", ")");
        let fits = |cell: &str| {
            let cell = cell.trim_matches('`');
            let is_equal = |number: f64| value.parse() == Ok(number);
            cell == whole || cell.parse().is_ok_and(is_equal) || cell == "see meaning"
        };
        assert!(has_row(field, fits), "docs/scene.md does not give `{field}` the default {value}");
    }
}

#[test]
fn the_docs_give_units_and_defaults_as_declared() {
    assert_units::<Scene>();
    assert_units::<Cloth>();
    assert_units::<Placement>();
    assert_units::<Damping>();
    assert_units::<MotionSpec>();
    assert_units::<KeyframeSpec>();
    assert_units::<FoldSpec>();
    assert_units::<ForceSpec>();
    assert_units::<PressureSpec>();
    assert_units::<MassSpec>();
    assert_units::<PinSpec>();
    assert_units::<SeamSpec>();
    assert_units::<SamplesSpec>();
    assert_units::<BodyMaterial>();
    assert_units::<DomainSpec>();
    assert_units::<JointSpec>();
    assert_units::<HingeMotor>();
    assert_units::<SliderMotor>();
    assert_units::<HingeDrive>();
    assert_units::<Air>();
    assert_units::<ContactSettings>();
    assert_units::<Yielding>();
    assert_defaults::<Scene>();
    assert_defaults::<Placement>();
    assert_defaults::<Damping>();
    assert_defaults::<KeyframeSpec>();
    assert_defaults::<DomainSpec>();
    assert_defaults::<Air>();
    assert_defaults::<ContactSettings>();
    assert_defaults::<Solver>();
    assert_defaults::<Yielding>();
    assert_defaults::<Output>();
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
