//! Scenes.

use std::path::{Path, PathBuf};

use cloth_sim::error::Error;
use cloth_sim::scene::{self, load};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::raised;
use cloth_sim::program::overrides;

/// A scene: what is simulated, and how. It does not change; `changed` makes another one.
#[pyclass(frozen, module = "cloth_sim")]
pub struct Scene {
    /// The scene as it was written, without defaults that depend on other fields.
    written: scene::Scene,
    /// With every default.
    pub complete: scene::Scene,
    /// Its file, or the name that messages give it. Meshes are sought beside it.
    pub file: PathBuf,
}

impl Scene {
    fn new(written: scene::Scene, file: &Path, set: Option<&Bound<PyDict>>) -> PyResult<Self> {
        let overrides = overrides_of(set)?;
        let written = raised(overrides::changed(written, &overrides, file))?;
        let complete = raised(scene::complete(written.clone(), file))?;
        Ok(Self { written, complete, file: file.to_owned() })
    }

    /// The folder in which meshes are sought.
    pub fn home(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }
}

/// `path=value` for each entry. A text is RON, as on the command line; any other value is taken as
/// JSON, whose numbers, lists and objects are RON too.
fn overrides_of(set: Option<&Bound<PyDict>>) -> PyResult<Vec<String>> {
    let entries = set.into_iter().flatten();
    let pair = |(path, value): (Bound<PyAny>, Bound<PyAny>)| {
        let path = path.extract::<String>()?;
        let value = match value.extract::<String>() {
            Ok(text) => text,
            Err(_) if value.is_none() => "None".to_owned(),
            Err(_) => json(&value, &path)?,
        };
        Ok(format!("{path}={value}"))
    };
    entries.map(pair).collect()
}

/// `value` as JSON. Arrays of numpy are lists. Messages name the field by its `path`.
fn json(value: &Bound<PyAny>, path: &str) -> PyResult<String> {
    let module = value.py().import("cloth_sim._json")?;
    module.call_method1("dumps", (value, path))?.extract()
}

/// What serde calls values, and what they are in Python.
const VALUES: [(&str, &str); 7] = [
    ("null", "None"),
    ("string or map", "a text or a dictionary"),
    ("map with a single key", "a dictionary with one entry"),
    (" map,", " dictionary,"),
    ("struct ", "a dictionary of "),
    ("unit variant", "text"),
    ("newtype variant", "a dictionary with one entry"),
];

/// A message of serde about a value of a wrong kind.
fn in_python_values(message: String) -> String {
    match message.starts_with("invalid ") {
        true => VALUES.iter().fold(message, |message, (there, here)| message.replace(there, here)),
        false => message,
    }
}

#[pymethods]
impl Scene {
    /// Reads a scene file. `set` changes single fields, as `--set` does: by the path of a field,
    /// such as `{"contact.distance_m": 0.002, "cloths[0].material": 'Fabric("denim")'}`. A text is
    /// RON. Meshes are sought beside the file.
    #[staticmethod]
    #[pyo3(signature = (path, set=None))]
    fn load(path: PathBuf, set: Option<&Bound<PyDict>>) -> PyResult<Self> {
        Self::new(raised(load::read(&path))?, &path, set)
    }

    /// Reads the text of a scene in RON. `file` is its name in messages, and meshes are sought
    /// beside it. `set` is as for `load`.
    #[staticmethod]
    #[pyo3(
        signature = (text, file=PathBuf::from("scene.ron"), set=None),
        text_signature = "(text, file='scene.ron', set=None)"
    )]
    fn parse(text: &str, file: PathBuf, set: Option<&Bound<PyDict>>) -> PyResult<Self> {
        let written = load::parse(text, &file.display().to_string());
        Self::new(raised(written)?, &file, set)
    }

    /// Builds a scene from its fields, which have the names and units of docs/scene.md. A choice of
    /// RON such as `Sphere(radius_m: 0.1)` is `{"Sphere": {"radius_m": 0.1}}`, and one without
    /// content a text. Arrays of numpy are lists. `file` is as for `parse`.
    #[staticmethod]
    #[pyo3(
        signature = (*, file=PathBuf::from("scene.ron"), **fields),
        text_signature = "(*, file='scene.ron', **fields)"
    )]
    fn build(file: PathBuf, fields: Option<&Bound<PyDict>>) -> PyResult<Self> {
        let text = fields.map_or_else(|| Ok("{}".to_owned()), |fields| json(fields, ""))?;
        let tree = serde_json::from_str::<serde_json::Value>(&text);
        let tree = raised(tree.map_err(|cause| Error::internal("the scene as JSON", cause)))?;
        let written = serde_path_to_error::deserialize(tree).map_err(|error| {
            let place = format!("{}: {}", file.display(), error.path());
            overrides::unfit(&place, &in_python_values(error.inner().to_string()))
        });
        Self::new(raised(written)?, &file, None)
    }

    /// Another scene with these values of some fields; `set` is as for `load`.
    fn changed(&self, set: &Bound<PyDict>) -> PyResult<Self> {
        Self::new(self.written.clone(), &self.file, Some(set))
    }

    /// The scene in RON, with every default.
    fn to_ron(&self) -> PyResult<String> {
        raised(self.complete.to_ron())
    }

    /// The scene as JSON, with every default.
    fn to_json(&self) -> PyResult<String> {
        let text = serde_json::to_string(&self.complete);
        raised(text.map_err(|cause| Error::internal("the scene", cause)))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.complete.name
    }

    /// The folder in which the meshes of the scene are sought.
    #[getter(home)]
    fn home_of_meshes(&self) -> PathBuf {
        self.home().to_owned()
    }

    /// Number of frames after the first one.
    #[getter]
    fn frames(&self) -> u32 {
        self.complete.frames
    }

    /// Frames per simulated second.
    #[getter]
    fn frames_per_second(&self) -> f64 {
        self.complete.frames_per_second
    }

    /// Steps from one frame to the next; the most, if the simulation chooses its steps.
    #[getter]
    fn steps_per_frame(&self) -> u32 {
        self.complete.steps_per_frame.at_most()
    }

    /// Size of the smallest whole step, s.
    #[getter]
    fn step_s(&self) -> f64 {
        self.complete.step_s()
    }

    /// Scenes are equal if they have the same fields, and seek meshes in the same folder.
    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(self.home() == other.home() && self.to_ron()? == other.to_ron()?)
    }

    fn __hash__(&self) -> PyResult<u64> {
        Ok(xxh3_64(self.to_ron()?.as_bytes()))
    }

    /// For `pickle`, and so for `multiprocessing`.
    fn __reduce__(slf: &Bound<Self>) -> PyResult<(Py<PyAny>, (String, PathBuf))> {
        let (parse, Self { written, file, .. }) = (slf.getattr("parse")?, slf.get());
        Ok((parse.unbind(), (raised(written.to_ron())?, file.clone())))
    }

    fn __repr__(&self) -> String {
        format!("<Scene `{}` of {} frames>", self.complete.name, self.complete.frames)
    }
}
