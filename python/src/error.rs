//! Errors as Python exceptions.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    cloth_sim,
    Error,
    PyException,
    "A scene, a file, an argument or a step is at fault. The text says where, what is wrong and what to do."
);

/// The exception with the text of `error`.
pub fn exception(error: cloth_sim::Error) -> PyErr {
    Error::new_err(error.to_string())
}

/// The value of `result`, or the exception with the text of its error.
pub fn raised<T>(result: cloth_sim::Result<T>) -> PyResult<T> {
    result.map_err(exception)
}
