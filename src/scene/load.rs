//! Reads scenes, changes single fields, and writes them with every default.

use std::path::Path;

use ron::Options;
use ron::error::{Error as RonError, SpannedError};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde_json::Value;

use super::check::did_you_mean;
use super::spec::{Scene, Shape};
use crate::error::{Error, Result};

/// Reads the scene at `path`, applies `overrides` (`path=value`, as of `--set`),
/// fills in the defaults that depend on other fields, and checks it.
///
/// # Errors
/// A file that cannot be read, text that is not RON or not a scene (by line and
/// column), an override that names nothing, a field out of bounds.
pub fn load(path: &Path, overrides: &[String]) -> Result<Scene> {
    let text = std::fs::read_to_string(path).map_err(|cause| {
        Error::file(path, cause, "check the path of the scene; scenes/ holds examples")
    })?;
    let scene = parse(&text, &path.display().to_string())?;
    let mut scene = override_fields(scene, overrides).map_err(|error| in_file(error, path))?;
    scene.fill_in(path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy()).as_ref());
    scene.validate().map_err(|error| in_file(error, path))?;
    Ok(scene)
}

/// Says which file's field is at fault.
fn in_file(error: Error, path: &Path) -> Error {
    match error {
        Error::Input { place, cause, remedy } if !place.starts_with("--set") => {
            Error::input(format!("{}: {place}", path.display()), cause, remedy)
        }
        other => other,
    }
}

/// RON with `Some(..)` left out where a value is given.
fn options() -> Options {
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}

/// Reads a scene's text; `file` names it in messages. Nothing is checked yet.
///
/// # Errors
/// By line and column.
pub fn parse(text: &str, file: &str) -> Result<Scene> {
    options().from_str(text.trim_start_matches('\u{feff}')).map_err(|error| explain(&error, file))
}

fn explain(error: &SpannedError, file: &str) -> Error {
    let place = format!("{file}:{}:{}", error.span.start.line, error.span.start.col);
    let within =
        |outer: &Option<String>| outer.as_ref().map_or(String::new(), |o| format!(" of {o}"));
    match &error.code {
        RonError::NoSuchStructField { expected, found, outer } => {
            let cause = format!("unknown field `{found}`{}", within(outer));
            Error::input(place, cause, did_you_mean(found, expected))
        }
        RonError::NoSuchEnumVariant { expected, found, outer } => {
            let cause = format!("unknown choice `{found}`{}", within(outer));
            Error::input(place, cause, did_you_mean(found, expected))
        }
        RonError::MissingStructField { field, outer } => {
            let cause = format!("the field `{field}`{} is missing", within(outer));
            Error::input(place, cause, "add it; docs/scene.md describes every field")
        }
        other => {
            let remedy = "correct the text there; docs/scene.md shows the form of every field";
            Error::input(place, other.to_string(), remedy)
        }
    }
}

impl Scene {
    /// Fills in what depends on other fields: names and edge lengths.
    fn fill_in(&mut self, file_stem: &str) {
        if self.name.is_empty() {
            self.name = file_stem.trim_start_matches('.').to_owned();
        }
        let cloths = self.cloths.iter_mut().map(|cloth| (&mut cloth.name, &mut cloth.shape));
        let obstacles = self.obstacles.iter_mut().map(|o| (&mut o.name, &mut o.shape));
        let mut objects: Vec<_> = cloths.chain(obstacles).collect();
        let mut taken: Vec<String> =
            objects.iter().filter_map(|(name, _)| (*name).clone()).collect();
        for (name, shape) in &mut objects {
            shape.fill_in();
            if name.is_none() {
                let base = shape.base_name();
                let numbered = (2..).map(|number| format!("{base}_{number}"));
                let free =
                    std::iter::once(base.clone()).chain(numbered).find(|n| !taken.contains(n));
                taken.extend(free.clone());
                **name = free;
            }
        }
    }

    /// The scene in RON with every field written out. Mesh paths become absolute
    /// (they were relative to `scene_dir`), so that it loads from any folder.
    ///
    /// # Errors
    /// None in practice: every scene can be written.
    pub fn to_ron(&self, scene_dir: &Path) -> Result<String> {
        let mut scene = self.clone();
        let cloths = scene.cloths.iter_mut().map(|cloth| &mut cloth.shape);
        for shape in cloths.chain(scene.obstacles.iter_mut().map(|obstacle| &mut obstacle.shape)) {
            if let Shape::Mesh(path) = shape {
                let joined = scene_dir.join(&path);
                *path = joined.canonicalize().unwrap_or(joined).to_string_lossy().into_owned();
            }
        }
        let config = PrettyConfig::default().struct_names(true);
        let text = options().to_string_pretty(&scene, config);
        text.map(|text| text + "\n")
            .map_err(|cause| Error::input("scene.ron", cause.to_string(), "report this as a bug"))
    }
}

impl Shape {
    fn fill_in(&mut self) {
        let (edge, default) = match self {
            Self::Mesh(_) | Self::Sheet { .. } | Self::Disc { .. } => return,
            Self::Sphere { radius_m, edge_m }
            | Self::Capsule { radius_m, edge_m, .. }
            | Self::Cylinder { radius_m, edge_m, .. } => (edge_m, *radius_m / 12.0),
            Self::Box { size_m, edge_m } => (edge_m, size_m.iter().copied().fold(0.0, f64::max)),
            Self::Plane { width_m, length_m, edge_m } => (edge_m, width_m.max(*length_m)),
        };
        edge.get_or_insert(default);
    }

    fn base_name(&self) -> String {
        let name = match self {
            Self::Mesh(path) => {
                let stem = Path::new(path).file_stem();
                return stem.map_or("mesh".into(), |stem| stem.to_string_lossy().trim().to_owned());
            }
            Self::Sheet { .. } => "sheet",
            Self::Disc { .. } => "disc",
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Plane { .. } => "plane",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
        };
        name.to_owned()
    }
}

/// Sets single fields, each given as `path=value` with the value in RON.
///
/// # Errors
/// A path that names nothing, with the nearest field; a value of a wrong kind.
pub fn override_fields(mut scene: Scene, overrides: &[String]) -> Result<Scene> {
    for setting in overrides {
        let place = format!("--set {setting}");
        let wrong = |cause: String| Error::input(&place, cause, SET_REMEDY);
        let (path, text) = setting
            .split_once('=')
            .ok_or_else(|| wrong("there is no `=` between path and value".to_owned()))?;
        // JSON knows no NaN or infinity: what the file holds must be sound first.
        let mut tree = serde_json::to_value(&scene).map_err(|cause| wrong(cause.to_string()))?;
        *navigate(&mut tree, path.trim(), &place)? = value(text.trim()).map_err(wrong)?;
        let changed = serde_json::from_value(tree);
        scene = changed.map_err(|cause| match scene.validate() {
            Err(error) => error,
            Ok(()) => wrong(cause.to_string()),
        })?;
    }
    Ok(scene)
}

const SET_REMEDY: &str = "write path=value, such as --set contact.distance_m=0.002 or --set cloths[0].material.density_kg_per_m2=0.3";

/// The place that `path` (fields and `[indices]`) names in `tree`. The name of
/// an enum's choice may be left out.
fn navigate<'a>(tree: &'a mut Value, path: &str, place: &str) -> Result<&'a mut Value> {
    let mut at = tree;
    for segment in path.replace('[', ".[").split('.').filter(|segment| !segment.is_empty()) {
        let index = segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        at = match index {
            Some(index) => element(at, index, place)?,
            None => field(at, segment, place)?,
        };
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

fn field<'a>(at: &'a mut Value, name: &str, place: &str) -> Result<&'a mut Value> {
    let at = if at.get(name).is_some() { at } else { choice(at) };
    let known: Vec<String> =
        at.as_object().map_or(Vec::new(), |fields| fields.keys().cloned().collect());
    at.get_mut(name).ok_or_else(|| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Error::input(place, format!("unknown field `{name}`"), did_you_mean(name, &known))
    })
}

/// What an enum's choice holds, or the value itself if it is none.
fn choice(at: &mut Value) -> &mut Value {
    let only = at.as_object().filter(|fields| fields.len() == 1).and_then(|f| f.keys().next());
    match only.filter(|key| key.starts_with(char::is_uppercase)).cloned() {
        Some(name) => &mut at[name],
        None => at,
    }
}

/// A value written in RON: a number, a text, a choice such as `Exact` or
/// `Sphere(radius_m: 1)`, a list, or a struct of such values without choices.
fn value(text: &str) -> std::result::Result<Value, String> {
    let word_end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(word_end);
    let starts_as_word = word.starts_with(|c: char| c.is_alphabetic());
    if starts_as_word && !matches!(word, "true" | "false" | "None" | "Some" | "inf" | "NaN") {
        let inner = rest.trim();
        if inner.is_empty() {
            return Ok(Value::String(word.to_owned()));
        }
        if inner.starts_with('(') {
            return Ok(serde_json::json!({ word: content(inner)? }));
        }
        // Bare words with other signs: paths and names.
        return Ok(Value::String(text.to_owned()));
    }
    let parsed: ron::Value = options().from_str(text).map_err(|error| error.to_string())?;
    to_json(parsed)
}

/// What stands between the parentheses of a choice: fields, or one value.
fn content(parenthesized: &str) -> std::result::Result<Value, String> {
    let inner = parenthesized.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.ok_or("a `)` is missing")?.trim().trim_end_matches(',');
    match options().from_str::<ron::Value>(parenthesized) {
        Ok(fields @ ron::Value::Map(_)) => to_json(fields),
        _ => value(inner),
    }
}

fn to_json(value: ron::Value) -> std::result::Result<Value, String> {
    Ok(match value {
        ron::Value::Bool(b) => Value::Bool(b),
        ron::Value::Char(c) => Value::String(c.to_string()),
        ron::Value::String(s) => Value::String(s),
        ron::Value::Number(number) => to_json_number(number)?,
        ron::Value::Option(None) => Value::Null,
        ron::Value::Unit => Value::Object(serde_json::Map::new()),
        ron::Value::Option(Some(inner)) => to_json(*inner)?,
        ron::Value::Seq(items) => {
            Value::Array(items.into_iter().map(to_json).collect::<std::result::Result<_, _>>()?)
        }
        ron::Value::Map(fields) => {
            let mut object = serde_json::Map::new();
            for (key, value) in fields {
                let ron::Value::String(key) = key else {
                    return Err("a field's name must be a word".to_owned());
                };
                object.insert(key, to_json(value)?);
            }
            Value::Object(object)
        }
        ron::Value::Bytes(_) => return Err("a byte string cannot stand here".to_owned()),
    })
}

fn to_json_number(number: ron::Number) -> std::result::Result<Value, String> {
    let float = number.into_f64();
    if !float.is_finite() {
        return Err(format!("{float} is not a finite number"));
    }
    // Whole numbers stay whole: they may stand for a count or a seed.
    Ok(match number {
        ron::Number::F32(_) | ron::Number::F64(_) => Value::from(float),
        ron::Number::U64(whole) => Value::from(whole),
        _ => Value::from(float as i64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::spec::*;

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
    fn resolved_scenes_load_again_as_they_were() {
        let set = ["cloths[0].pins=[(select: (0), motion: (keyframes: [(time_s: 0.1)]))]"];
        assert!(scene(MINIMAL, &set).is_err(), "a choice needs its name");
        let first =
            scene(MINIMAL, &["seed=18446744073709551615", "solver.relative_residual=0.1"]).unwrap();
        assert_eq!((first.name.as_str(), first.seed), ("drape", u64::MAX));
        assert_eq!(first.solver.relative_residual, 0.1);
        assert_eq!(first.cloths[0].name.as_deref(), Some("sheet"));
        let edge_m = Some(0.3 / 12.0);
        assert_eq!(first.obstacles[0].shape, Shape::Sphere { radius_m: 0.3, edge_m });
        let text = first.to_ron(Path::new(".")).unwrap();
        assert_eq!(scene(&text, &[]).unwrap(), first);
    }

    #[test]
    fn overrides_reach_every_field() {
        let scene = scene(
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
            ],
        )
        .unwrap();
        assert_eq!((scene.contact.distance_m, scene.frames), (0.002, 3));
        assert_eq!(scene.gravity_m_per_s2, [0.0, -1.5, 0.0]);
        assert_eq!(scene.output.digits, crate::mesh::Digits::Exact);
        let edge_m = Some(3.0);
        assert_eq!(scene.obstacles[0].shape, Shape::Box { size_m: [1.0, 2.0, 3.0], edge_m });
        assert_eq!(scene.obstacles[0].motion.as_ref().unwrap().keyframes[1].angle_deg, 90.0);
        assert_eq!(scene.cloths[0].name.as_deref(), Some("my cloth"));
        let MaterialSpec::Isotropic { density_kg_per_m2, .. } = scene.cloths[0].material else {
            panic!("another material");
        };
        assert_eq!(density_kg_per_m2, 0.3);
    }

    #[test]
    fn texts_that_are_no_scenes_are_placed_by_line_and_column() {
        for (from, to, place, cause, remedy) in [
            ("Sheet(", "Shet(", "drape.ron:2:", "unknown choice `Shet`", "`Sheet`"),
            ("cloths", "cloth", "drape.ron:1:", "unknown field `cloth`", "`cloths`"),
            ("columns: 2", "colums: 2", "drape.ron:2:", "unknown field `colums`", "`columns`"),
            ("columns: 2,", "", "drape.ron:2:", "`columns` of Sheet is missing", "add it"),
            ("columns: 2", "columns: -2", "drape.ron:2:", "", "docs/scene.md"),
            ("length_m: 1,", "length_m: 1", "drape.ron:2:", "Expected", "docs/scene.md"),
        ] {
            let message = scene(&MINIMAL.replace(from, to), &[]).unwrap_err().to_string();
            for part in [place, cause, remedy] {
                assert!(message.contains(part), "{to}: {message}");
            }
        }
    }

    #[test]
    fn numbers_out_of_bounds_are_placed_by_their_path() {
        let material = "cloths[0].material";
        for (set, path) in [
            ("contact.distance_m=-0.001", "contact.distance_m"),
            ("contact.distance_m=0", "contact.distance_m"),
            ("frames_per_second=0", "frames_per_second"),
            ("frames_per_second=-25", "frames_per_second"),
            ("steps_per_frame=0", "steps_per_frame"),
            ("cloths[0].material.density_kg_per_m2=0", material),
            ("cloths[0].material.modulus_n_per_m=-1", material),
            ("cloths[0].material.poisson_ratio=1", material),
            ("cloths[0].material.rigidity_n_m=-1", material),
            ("cloths[0].material=Fabric(\"coton\")", material),
            (
                "cloths[0].pins=[{\"select\": {\"Nearest\": (0, 0, 0)}, \"start_s\": 1, \"end_s\": 1}]",
                "cloths[0].pins[0].end_s",
            ),
            ("obstacles[0].motion=()", "obstacles[0].motion"),
            ("cloths=[]", "cloths"),
            ("patch_vertices=0", "patch_vertices"),
        ] {
            let message = scene(MINIMAL, &[set]).unwrap_err().to_string();
            assert!(message.contains("drape.ron: ") && message.contains(path), "{set}: {message}");
        }
        let not_a_number = MINIMAL.replace("radius_m: 0.3", "radius_m: NaN");
        for overrides in [&[][..], &["frames=1"]] {
            let message = scene(&not_a_number, overrides).unwrap_err().to_string();
            assert!(message.contains("obstacles[0].shape.radius_m: NaN is not"), "{message}");
        }
    }

    #[test]
    fn overrides_that_name_nothing_are_refused() {
        for (set, cause) in [
            ("contact.distance=1", "did you mean `distance_m`"),
            ("cloths[1].name=a", "there is no element [1]"),
            ("cloths[0].shape.column=1", "did you mean `columns`"),
            ("frames", "no `=`"),
            ("frames=1.5", "expected u32"),
            ("frames=NaN", "not a finite number"),
            ("output.digits=Ten", "unknown variant `Ten`"),
        ] {
            let message = scene(MINIMAL, &[set]).unwrap_err().to_string();
            assert!(message.contains("--set") && message.contains(cause), "{set}: {message}");
        }
    }
}
