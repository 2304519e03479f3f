//! Reads scenes and writes them with every default.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use ron::Options;
use ron::error::{Error as RonError, SpannedError};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;

use crate::spec::{FormatNames, Scene};
use cloth_core::bounds::{choice_meant, did_you_mean};
use cloth_core::error::{Error, Place, Result};
use cloth_core::input;
use cloth_core::mesh::shapes::Shape;

/// Reads the scene at `path`, fills in the defaults that depend on other fields, and checks it:
/// [`read`], then [`complete`].
///
/// # Errors
/// A file that cannot be read, text that is not RON or not a scene (by line and column), a field
/// out of bounds.
pub fn load(path: &Path) -> Result<Scene> {
    complete(read(path)?, path)
}

/// Files with these endings are meshes, and none of them is a scene.
const MESHES: [&str; 6] = ["obj", "ply", "stl", "fbx", "glb", "gltf"];

/// Reads the scene at `path`. Nothing is filled in or checked yet.
///
/// # Errors
/// A file that cannot be read, a mesh, text that is not RON or not a scene (by line and column).
pub fn read(path: &Path) -> Result<Scene> {
    let bytes = input::read(path, input::TEXT_LIMIT).map_err(|cause| {
        let remedy = input::remedy(&cause, "check the path of the scene; scenes/ holds examples");
        Error::file(path, cause, remedy)
    })?;
    let ending = path.extension().map(|it| it.to_ascii_lowercase());
    if ending.is_some_and(|it| MESHES.iter().any(|&mesh| it == mesh)) {
        let remedy = "name it in a scene: `shape: Mesh(\"shirt.obj\")` of a cloth or an obstacle (OBJ files \
                      only); `cloth-sim new NAME` writes a scene to begin with";
        return Err(Error::file(path, "it is a mesh, not a scene", remedy));
    }
    let text = String::from_utf8(bytes).map_err(|cause| {
        let at = cause.utf8_error().valid_up_to();
        Error::file(path, format!("byte {at} is no UTF-8 text"), "save the scene as UTF-8 text")
    })?;
    parse(&text, &path.display().to_string())
}

/// Fills in the defaults that depend on other fields, and checks the scene. A scene without
/// a name gets that of the file at `path`, which messages name too.
///
/// # Errors
/// A field out of bounds.
pub fn complete(mut scene: Scene, path: &Path) -> Result<Scene> {
    scene.fill_in(path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy()).as_ref());
    validate(&scene, path)?;
    Ok(scene)
}

/// Checks a scene; messages name the file at `path`.
///
/// # Errors
/// A field out of bounds.
pub fn validate(scene: &Scene, path: &Path) -> Result<()> {
    in_file(path, scene.validate())
}

/// A result about fields of the scene at `path`, whose error names the file. An error that names
/// another file stays.
pub fn in_file<T>(path: &Path, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        Error::Input { place: Place::Name(field), cause, remedy } => {
            let place = Place::Line(format!("{}: {field}", path.display()));
            Error::Input { place, cause, remedy }
        }
        other => other,
    })
}

/// The options of RON: `Some(..)` may be left out.
pub fn options() -> Options {
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}

/// Reads a scene's text. `file` is its name in messages. Bounds are not checked yet.
///
/// # Errors
/// Text that is not RON or not a scene, by line and column.
pub fn parse(text: &str, file: &str) -> Result<Scene> {
    let text = text.trim_start_matches('\u{feff}');
    options().from_str(text).map_err(|error| explain(&error, text, file))
}

fn explain(error: &SpannedError, text: &str, file: &str) -> Error {
    let position = error.span.start;
    let place = Place::Line(format!("{file}:{}:{}", position.line, position.col));
    let within =
        |outer: &Option<String>| outer.as_ref().map_or(String::new(), |o| format!(" of {o}"));
    match &error.code {
        RonError::NoSuchStructField { expected, found, outer } => {
            let cause = format!("unknown field `{found}`{}", within(outer));
            Error::input(place, cause, did_you_mean(found, expected))
        }
        RonError::NoSuchEnumVariant { expected, found, outer } => {
            let cause = format!("unknown choice `{found}`{}", within(outer));
            Error::input(place, cause, choice_meant(found, expected))
        }
        RonError::MissingStructField { field, outer } => {
            let cause = format!("the field `{field}`{} is missing", within(outer));
            Error::input(place, cause, "add it; docs/scene.md describes every field")
        }
        _ if ends_at(text, position.line, position.col) => {
            let cause = "the text ends before the scene does";
            Error::input(place, cause, "close each bracket: `(` with `)`, `[` with `]`")
        }
        other => {
            if let Some((field, number)) = unread_number(text, position.line, position.col)
                && is_of_integer(other)
            {
                let what = match number.parse::<u64>() {
                    Ok(_) => "is too large for it",
                    Err(_) => "is not",
                };
                let cause = format!("`{field}` is a whole number from 0 up, and `{number}` {what}");
                return Error::input(place, cause, "write digits alone, such as 25");
            }
            if *other == RonError::ExpectedIdentifier
                && let Some((field, value)) = quoted_value(text, position.line, position.col)
            {
                let cause = format!("`{field}` is one of several choices, not a text in quotes");
                let known = CHOICES.iter().find(|(name, _)| *name == field);
                let remedy = match known {
                    Some((_, choice)) => format!("write {choice}({value})"),
                    None => {
                        format!("leave out the quotes of {value}; docs/scene.md has all choices")
                    }
                };
                return Error::input(place, cause, remedy);
            }
            let remedy = "correct the text there; docs/scene.md shows the form of every field";
            Error::input(place, other.to_string(), remedy)
        }
    }
}

/// Fields, and those of their choices that hold a text.
const CHOICES: [(&str, &str); 3] = [("material", "Fabric"), ("shape", "Mesh"), ("select", "Group")];

/// The field and the text in quotes that stands for its value at this line and column.
fn quoted_value(text: &str, line: usize, column: usize) -> Option<(&str, &str)> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let begin = line.char_indices().nth(column.checked_sub(1)?)?.0;
    let end = line[begin..].strip_prefix('"')?.find('"')?;
    let before = line[..begin].trim_end().strip_suffix(':')?.trim_end();
    Some((last_word(before), &line[begin..begin + end + 2]))
}

/// The field at the end of `text`.
fn last_word(text: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    &text[text.trim_end_matches(is_word).len()..]
}

/// Whether nothing but the rest of a number or a word follows this line and column.
fn ends_at(text: &str, line: usize, column: usize) -> bool {
    let mut rest = text.lines().skip(line.saturating_sub(1));
    let from = |line: &str| Some(line.char_indices().nth(column.checked_sub(1)?)?.0);
    let here = rest.next().map_or("", |line| from(line).map_or("", |at| &line[at..]));
    let is_closed = text.trim_end().ends_with([')', ']', '"']);
    let is_part = |c: char| c.is_alphanumeric() || "+-._".contains(c);
    !is_closed
        && here.trim_start_matches(is_part).trim().is_empty()
        && rest.all(|it| it.trim().is_empty())
}

/// Whether the reader wanted a whole number: it stops at the point of another one.
fn is_of_integer(code: &RonError) -> bool {
    matches!(
        code,
        RonError::ExpectedComma
            | RonError::ExpectedInteger
            | RonError::IntegerOutOfBounds
            | RonError::InvalidIntegerDigit { .. }
    )
}

/// The field and the text of a number whose reader stopped within it, at this line and column.
fn unread_number(text: &str, line: usize, column: usize) -> Option<(&str, &str)> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let stop = line.char_indices().nth(column.checked_sub(1)?)?.0;
    let is_part = |c: char| c.is_ascii_digit() || "+-._eE".contains(c);
    let begin = line[..stop].trim_end_matches(is_part).len();
    let rest = &line[begin..];
    let number = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    number.parse::<f64>().ok()?;
    let before = line[..begin].trim_end().strip_suffix(':')?.trim_end();
    Some((last_word(before), number))
}

impl Scene {
    /// Fills in the defaults that depend on other fields: names, edge lengths, the format.
    fn fill_in(&mut self, file_stem: &str) {
        if self.name.is_empty() {
            self.name = file_stem.trim_start_matches('.').to_owned();
        }
        if self.output.formats.is_none() {
            let format = if self.is_divided() { "vtp" } else { "obj" };
            self.output.formats = Some(FormatNames(vec![format.to_owned()]));
        }
        let mut objects: Vec<(&mut Option<String>, String)> = Vec::new();
        let cloths = self.cloths.iter_mut().map(|cloth| (&mut cloth.name, &mut cloth.shape));
        let obstacles = self.obstacles.iter_mut().map(|o| (&mut o.name, &mut o.shape));
        for (name, shape) in cloths.chain(obstacles) {
            if let Some(settings) = shape.generated_mut() {
                settings.fill_in();
            }
            let base = base_name(shape);
            objects.push((name, base));
        }
        for bodies in &mut self.bodies {
            let base = crate::bodies::base_name(&bodies.shape);
            objects.push((&mut bodies.name, base));
        }
        let mut taken: HashSet<String> =
            objects.iter().filter_map(|(name, _)| (*name).clone()).collect();
        let mut tried = HashMap::new();
        for (name, base) in objects.iter_mut().filter(|(name, _)| name.is_none()) {
            let number = tried.entry(base.clone()).or_insert(0_u64);
            **name = Some(loop {
                *number += 1;
                let free = if *number == 1 { base.clone() } else { format!("{base}_{number}") };
                if taken.insert(free.clone()) {
                    break free;
                }
            });
        }
    }

    /// The scene in RON with every field written out. Mesh paths stay as they are, relative to the
    /// folder of the text.
    ///
    /// # Errors
    /// None that a user can cause, because every scene can be written.
    pub fn to_ron(&self) -> Result<String> {
        // The fields of a choice follow its name at once: `Sheet(width_m: 1, ..)`.
        let options = options().with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES);
        let config = PrettyConfig::default().struct_names(true);
        let text = options.to_string_pretty(self, config);
        text.map(|text| text + "\n").map_err(|cause| Error::internal("scene.ron", cause))
    }
}

/// The name of an object of this shape, unless the scene gives one.
fn base_name(shape: &Shape) -> String {
    match shape {
        Shape::Mesh(path) => stem_of(path),
        shape => shape.name().to_lowercase(),
    }
}

/// The name of an object that was read from a file.
pub(super) fn stem_of(path: &str) -> String {
    let stem = Path::new(path).file_stem();
    stem.map_or("mesh".into(), |stem| stem.to_string_lossy().trim().to_owned())
}

/// A small scene without optional fields, for tests.
#[cfg(test)]
pub(super) const MINIMAL: &str = "Scene(cloths: [(
        shape: Sheet(width_m: 1, length_m: 1, columns: 2, rows: 2),
        material: Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 500, poisson_ratio: 0.3, rigidity_n_m: 1e-5),
    )], obstacles: [(shape: Sphere(radius_m: 0.3))])";

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_core::mesh::shapes::Sphere;

    fn scene(text: &str) -> Result<Scene> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drape.ron");
        std::fs::write(&path, text).unwrap();
        load(&path)
    }

    #[test]
    fn resolved_scenes_load_again_as_they_were() {
        let seed = "seed: 18446744073709551615, solver: (relative_residual: 0.1), cloths:";
        let first = scene(&MINIMAL.replace("cloths:", seed)).unwrap();
        assert_eq!((first.name.as_str(), first.seed), ("drape", u64::MAX));
        assert_eq!(first.solver.relative_residual, 0.1);
        assert_eq!(first.cloths[0].name.as_deref(), Some("sheet"));
        let edge_m = Some(0.3 / 12.0);
        assert_eq!(first.obstacles[0].shape, Shape::Sphere(Sphere { radius_m: 0.3, edge_m }));
        let text = first.to_ron().unwrap();
        assert_eq!(scene(&text).unwrap(), first);
    }

    #[test]
    fn texts_that_are_no_scenes_are_placed_by_line_and_column() {
        for (from, to, place, cause, remedy) in [
            ("Sheet(", "Shet(", "drape.ron:2:", "unknown choice `Shet`", "`Sheet`"),
            (
                "Sheet(",
                "\"a.obj\", (",
                "drape.ron:2:",
                "`shape` is one of",
                "write Mesh(\"a.obj\")",
            ),
            (
                "Isotropic(",
                "cotton, (",
                "drape.ron:3:",
                "choice `cotton`",
                "write Fabric(\"cotton\")",
            ),
            ("Isotropic(", "\"my cloth\", (", "drape.ron:3:", "`material`", "Fabric(\"my cloth\")"),
            ("Sphere(radius_m", "Box(width_m", "drape.ron:4:", "field `width_m`", "mean `size_m`"),
            ("radius_m", "diameter_m", "drape.ron:4:", "`diameter_m`", "mean `radius_m`"),
            ("cloths", "cloth", "drape.ron:1:", "unknown field `cloth`", "`cloths`"),
            ("columns: 2", "colums: 2", "drape.ron:2:", "unknown field `colums`", "`columns`"),
            ("columns: 2,", "", "drape.ron:2:", "`columns` of Sheet is missing", "add it"),
            ("columns: 2", "columns: -2", "drape.ron:2:", "`columns` is a whole", "digits"),
            ("columns: 2", "columns: 1.5", "drape.ron:2:", "and `1.5` is not", "digits"),
            ("rows: 2)", "rows: 2e0)", "drape.ron:2:", "`rows` is a whole", "digits"),
            ("rows: 2", "rows: 4294967296", "drape.ron:2:", "`4294967296` is too large", "digits"),
            ("radius_m: 0.3", "radius_m: 0.3.1", "drape.ron:4:", "", "docs/scene.md"),
            (
                "obstacles",
                "contact: (on_pinch: Drop), obstacles",
                "drape.ron:4:",
                "`Drop`",
                "`apart`",
            ),
            ("length_m: 1,", "length_m: 1", "drape.ron:2:", "Expected", "docs/scene.md"),
        ] {
            let message = scene(&MINIMAL.replace(from, to)).unwrap_err().to_string();
            for part in [place, cause, remedy] {
                assert!(message.contains(part), "{to}: {message}");
            }
        }
    }

    #[test]
    fn objects_without_a_name_get_the_first_that_is_free() {
        let sphere = "(shape: Sphere(radius_m: 0.3))";
        let named = "(name: \"sphere_3\", shape: Sphere(radius_m: 0.3))";
        let text = MINIMAL.replace(sphere, &[sphere, named, sphere, sphere].join(", "));
        let names = scene(&text).unwrap().obstacles.into_iter().map(|it| it.name.unwrap());
        assert_eq!(Vec::from_iter(names), ["sphere", "sphere_3", "sphere_2", "sphere_4"]);
    }

    #[test]
    fn a_field_out_of_bounds_is_placed_by_file_and_path() {
        let text = MINIMAL.replace("radius_m: 0.3", "radius_m: NaN");
        let message = scene(&text).unwrap_err().to_string();
        let place = "drape.ron: obstacles[0].shape.radius_m: NaN is not";
        assert!(message.contains(place), "{message}");
    }
}
