//! `--set path=value`: changes single fields of a scene.

mod value;

use std::path::Path;

use cloth_core::error::{Error, Result};
use cloth_scene::load::{complete, read, validate};
use cloth_scene::{Scene, choice_meant, did_you_mean};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::value::{open_brackets, value};

/// Reads the scene at `path` and sets single fields. Each override is `path=value`, with the value
/// in RON. Then fills in the defaults that depend on other fields, and checks the scene.
///
/// # Errors
/// The errors of [`cloth_scene::load()`]. Also a path that names no field (the message has the
/// nearest one), and a value of a wrong kind.
pub fn load(path: &Path, overrides: &[String]) -> Result<Scene> {
    complete(changed(read(path)?, overrides, path)?, path)
}

/// Sets single fields of a `scene` that is not complete yet. Messages name the file at `path`.
///
/// # Errors
/// A path that names no field, and a value of a wrong kind.
pub fn changed(scene: Scene, overrides: &[String], path: &Path) -> Result<Scene> {
    set_fields(scene, overrides, |scene| validate(scene, path))
}

/// Sets single fields of `fields`, which has the form of a scene or of a part of one. `validate`
/// finds what was wrong before.
///
/// # Errors
/// The errors of [`load`].
pub fn set_fields<T: Serialize + DeserializeOwned>(
    mut fields: T,
    overrides: &[String],
    validate: impl Fn(&T) -> Result<()>,
) -> Result<T> {
    for setting in overrides {
        let place = format!("--set {setting}");
        let wrong = |cause: String| Error::input(&place, cause, VALUE_REMEDY);
        let (path, text) = setting.split_once('=').ok_or_else(|| {
            Error::input(&place, "there is no `=` between path and value", SET_REMEDY)
        })?;
        // JSON has no NaN and no infinity. If the scene file holds one, that is the error.
        let mut tree = serde_json::to_value(&fields).map_err(|cause| wrong(cause.to_string()))?;
        if open_brackets(text).any(|(_, _, open)| open > DEPTH) {
            return Err(wrong(format!("more than {DEPTH} brackets in each other")));
        }
        *navigate(&mut tree, path.trim(), &place)? = value(text.trim()).map_err(wrong)?;
        let changed = serde_json::from_value(tree);
        fields = changed.map_err(|cause| match validate(&fields) {
            Err(error) => error,
            Ok(()) => unfit(&place, &cause.to_string()),
        })?;
    }
    Ok(fields)
}

/// The error about a value that the field cannot have, from the message of serde.
pub fn unfit(place: &str, cause: &str) -> Error {
    // "unknown variant `Nearst`, expected one of `Vertices`, `Box`"
    let words = Vec::from_iter(cause.split('`').skip(1).step_by(2));
    match (cause.starts_with("unknown "), words.as_slice()) {
        (true, [found, known @ ..]) if !known.is_empty() => {
            let end = cause.find(',').unwrap_or(cause.len());
            Error::input(place, &cause[..end], choice_meant(found, known))
        }
        _ => match KINDS.iter().find(|(kind, ..)| cause.ends_with(&format!(" {kind}"))) {
            Some((kind, name, remedy)) => Error::input(place, cause.replace(kind, name), *remedy),
            None => Error::input(place, cause, VALUE_REMEDY),
        },
    }
}

/// Kinds of values as serde names them, what they are, and how to write them.
const KINDS: [(&str, &str, &str); 5] = [
    ("a sequence", "a list", VALUE_REMEDY),
    ("u32", "a whole number from 0 up to 4294967295", WHOLE_REMEDY),
    ("u64", "a whole number from 0 up", WHOLE_REMEDY),
    ("usize", "a whole number from 0 up", WHOLE_REMEDY),
    ("f64", "a number", "write a number such as -0.5 or 2e-3"),
];

const WHOLE_REMEDY: &str = "write digits alone, such as 25";

const VALUE_REMEDY: &str =
    "write the value as in a scene; docs/scene.md shows the form of every field";

/// The largest depth of nested brackets. A value is read recursively, and the stack is limited.
const DEPTH: usize = 64;

const SET_REMEDY: &str = "write path=value, such as --set contact.distance_m=0.002 or --set 'cloths[0].material.density_kg_per_m2=0.3'";

/// The value at `path` (fields and `[indices]`) in `tree`. The path may leave out the name of an
/// enum's choice.
fn navigate<'a>(tree: &'a mut Value, path: &str, place: &str) -> Result<&'a mut Value> {
    let (mut at, mut before) = (tree, "");
    let path = path.replace('[', ".[");
    for segment in path.split('.').filter(|segment| !segment.is_empty()) {
        let index = segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        at = match index {
            Some(index) => element(at, index, place)?,
            None => field(at, segment, before, place)?,
        };
        before = segment;
    }
    Ok(at)
}

fn element<'a>(at: &'a mut Value, index: &str, place: &str) -> Result<&'a mut Value> {
    let count = match choice(at) {
        Value::Array(items) => items.len(),
        _ => 0,
    };
    let found = index.parse::<usize>().ok().and_then(|index| choice(at).get_mut(index));
    found.ok_or_else(|| {
        let cause = format!("there is no element [{index}]");
        Error::input(place, cause, format!("indices count from 0; there are {count} elements here"))
    })
}

/// The field `name` of what is `at` the segment `before`.
fn field<'a>(at: &'a mut Value, name: &str, before: &str, place: &str) -> Result<&'a mut Value> {
    let at = if at.get(name).is_some() { at } else { choice(at) };
    if let Value::Array(items) = at {
        let cause = format!("`{before}` is a list, and `{name}` is no element of it");
        let number = name.parse::<usize>().unwrap_or(0);
        let remedy = format!("write `{before}[{number}]`; it has {} elements", items.len());
        return Err(Error::input(place, cause, remedy));
    }
    let known: Vec<String> =
        at.as_object().map_or(Vec::new(), |fields| fields.keys().cloned().collect());
    at.get_mut(name).ok_or_else(|| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let remedy = match known.is_empty() {
            true => "the value there has no fields; set it as a whole".to_owned(),
            false => did_you_mean(name, &known),
        };
        Error::input(place, format!("unknown field `{name}`"), remedy)
    })
}

/// The content of an enum's choice. Any other value stays as it is.
fn choice(at: &mut Value) -> &mut Value {
    let only = at.as_object().filter(|fields| fields.len() == 1).and_then(|f| f.keys().next());
    match only.filter(|key| key.starts_with(char::is_uppercase)).cloned() {
        Some(name) => &mut at[name],
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use cloth_bodies::bodies::cloth::material::MaterialSpec;
    use cloth_core::mesh::shapes::{Cuboid, Shape};
    use cloth_scene::bodies::spec::Division;
    use cloth_scene::spec::*;

    use super::*;

    const MINIMAL: &str = "Scene(cloths: [(
        shape: Sheet(width_m: 1, length_m: 1, columns: 2, rows: 2),
        material: Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 500, poisson_ratio: 0.3, rigidity_n_m: 1e-5),
    )], obstacles: [(shape: Sphere(radius_m: 0.3))])";

    fn scene(text: &str, overrides: &[&str]) -> Result<Scene> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drape.ron");
        std::fs::write(&path, text).unwrap();
        load(&path, &overrides.iter().map(|&s| s.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn overrides_reach_every_field() {
        let changed = scene(
            MINIMAL,
            &[
                "contact.distance_m = 0.002",
                "frames=3",
                "output.digits=Exact",
                "gravity_m_per_s2=(0, -1.5, 0)",
                "cloths[0].material.density_kg_per_m2=0.3",
                "cloths[0].shape.diagonal=Alternating",
                "obstacles[0].shape=Box(size_m: (1, 2, 3))",
                "obstacles[0].motion=(keyframes: [(time_s: 0), (time_s: 1, angle_deg: 90)])",
                "cloths[0].name=my cloth",
                "domain.method=Grid(3, 2, 1)",
            ],
        )
        .unwrap();
        assert_eq!((changed.contact.distance_m, changed.frames), (0.002, 3));
        assert_eq!(changed.gravity_m_per_s2, [0.0, -1.5, 0.0]);
        assert_eq!(changed.output.digits, Digits::Exact);
        let edge_m = Some(3.0);
        let cuboid = Cuboid { size_m: [1.0, 2.0, 3.0], edge_m };
        assert_eq!(changed.obstacles[0].shape, Shape::Box(cuboid));
        assert_eq!(changed.obstacles[0].motion.as_ref().unwrap().keyframes[1].angle_deg, 90.0);
        assert_eq!(changed.cloths[0].name.as_deref(), Some("my cloth"));
        assert_eq!(changed.domain.method, Division::Grid(3, 2, 1));
        let MaterialSpec::Isotropic(material) = &changed.cloths[0].material else {
            panic!("another material");
        };
        assert_eq!(material.density_kg_per_m2, 0.3);
        assert_eq!(scene(MINIMAL, &["seed=18446744073709551615"]).unwrap().seed, u64::MAX);
        let set = ["cloths[0].pins=[(select: (0), motion: (keyframes: [(time_s: 0.1)]))]"];
        assert!(scene(MINIMAL, &set).is_err(), "a choice needs its name");
    }

    #[test]
    fn overrides_that_name_nothing_are_refused() {
        for (set, cause) in [
            ("contact.distance=1", "did you mean `distance_m`"),
            ("cloths[1].name=a", "there is no element [1]"),
            ("cloths[0].shape.column=1", "did you mean `columns`"),
            ("seed.number=1", "set it as a whole"),
            ("cloths.0.material.density_kg_per_m2=1", "write `cloths[0]`"),
            ("cloths.material=1", "write `cloths[0]`"),
            ("cloths[0].material=cotton", "write Fabric(\"cotton\")"),
            ("cloths[0].shape=a b.obj", "write Mesh(\"a b.obj\")"),
            ("frames", "no `=`"),
            ("frames=1.5", "expected a whole number from 0 up"),
            ("frames=NaN", "not a finite number"),
            (&format!("cloths={}", "A(".repeat(50_000)), "more than 64 brackets"),
            (&format!("cloths={}", "A(\")\"".repeat(50_000)), "more than 64 brackets"),
            ("output.digits=Ten", "unknown variant `Ten`"),
        ] {
            let message = scene(MINIMAL, &[set]).unwrap_err().to_string();
            assert!(message.contains("--set") && message.contains(cause), "{set}: {message}");
        }
    }

    #[test]
    fn choices_may_stand_in_lists() {
        let pins = "cloths[0].pins=[(select: Nearest((0, 0.5, 0))), (select: Vertices([1, 2]), \
                    motion: Some((keyframes: [(time_s: 0)]))), (select: Group(\"a (b\")), \
                    (select: Box(min_m: (0, 0, 0), max_m: (1, 1, 1)), end_s: 1)]";
        let pins = scene(MINIMAL, &[pins]).unwrap().cloths.remove(0).pins;
        assert_eq!(pins[0].select, Select::Nearest([0.0, 0.5, 0.0]));
        assert_eq!(pins[1].select, Select::Vertices(vec![1, 2]));
        assert_eq!(pins[2].select, Select::Group("a (b".to_owned()));
        assert_eq!(pins[3].select, Select::Box { min_m: [0.0; 3], max_m: [1.0; 3] });
        for pin in ["Nearst((0, 0, 0))", "Nearst"] {
            let set = format!("cloths[0].pins=[(select: {pin})]");
            let message = scene(MINIMAL, &[&set]).unwrap_err().to_string();
            assert!(message.contains("unknown variant `Nearst`\n"), "{message}");
            assert!(message.contains("did you mean `Nearest`? Known here: Vertices, Box"));
        }
    }

    #[test]
    fn numbers_out_of_bounds_are_placed_by_their_path() {
        let message = scene(MINIMAL, &["contact.distance_m=0"]).unwrap_err().to_string();
        assert!(message.contains("drape.ron: contact.distance_m: 0 is not positive"), "{message}");
        let not_a_number = MINIMAL.replace("radius_m: 0.3", "radius_m: NaN");
        for overrides in [&[][..], &["frames=1"]] {
            let message = scene(&not_a_number, overrides).unwrap_err().to_string();
            assert!(message.contains("obstacles[0].shape.radius_m: NaN is not"), "{message}");
        }
    }
}
