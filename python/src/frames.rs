//! The frames of a run folder.

use std::path::PathBuf;

use cloth_sim::error::Error;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arguments::whole;
use crate::bodies;
use crate::error::{exception, raised};
use crate::saved::sealed;
use cloth_sim::program::check::record::Record;
use cloth_sim::program::cli::Arguments;
use cloth_sim::program::output::checkpoint::Checkpoint;
use cloth_sim::program::output::formats::Source;
use cloth_sim::program::output::names;
use cloth_sim::program::run::content::Content;

/// The frames of the run in a folder. `RunFolder` is the class for users.
#[pyclass(frozen, module = "cloth_sim")]
pub struct Frames {
    record: Record,
    source: Box<dyn Source>,
    surfaces: Vec<String>,
}

#[pymethods]
impl Frames {
    #[new]
    fn new(py: Python, folder: PathBuf) -> PyResult<Self> {
        raised(py.detach(|| {
            let record = Record::read(&folder)?;
            let arguments = Arguments::of(folder.join(names::SCENE));
            let surfaces = match Content::new(&arguments, &record.scene, &folder)? {
                Content::Cloth(cloth) => {
                    cloth.surfaces().into_iter().map(|(name, _)| name.into()).collect()
                }
                Content::Bodies(_) => Vec::new(),
            };
            Ok(Self { source: record.source()?, record, surfaces })
        }))
    }

    /// The first frame, and the one after the last.
    #[getter]
    fn range(&self) -> (u64, u64) {
        (self.record.frames.start, self.record.frames.end)
    }

    /// Time from frame to frame, s.
    #[getter]
    fn frame_s(&self) -> f64 {
        self.record.frame_s()
    }

    /// Surfaces and bodies of a frame.
    fn frame<'py>(
        &self,
        py: Python<'py>,
        number: i64,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let number = whole(number, "frame")?;
        let frame = py.detach(|| self.source.frame(number)).map_err(|cause| {
            let remedy = "choose a frame that the run has, or repeat the run";
            let Record { folder, format, .. } = &self.record;
            exception(Error::file(folder.join(format.file(number)), cause, remedy))
        })?;
        Ok((bodies::surfaces(py, &self.surfaces, &frame)?, bodies::bodies(py, &frame)?))
    }

    /// The state after `step` steps, from its checkpoint.
    fn state<'py>(&self, py: Python<'py>, step: u64) -> PyResult<Bound<'py, PyBytes>> {
        let path = self.record.folder.join(names::checkpoint(step));
        let checkpoint = raised(py.detach(|| Checkpoint::read(&path)))?;
        Ok(PyBytes::new(py, &sealed(checkpoint.state)))
    }
}
