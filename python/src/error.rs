//! Errors as Python exceptions.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    cloth_sim,
    Error,
    PyException,
    "A scene, a file, an argument or a step is at fault. The text says where, what is wrong and what to do."
);

/// What messages call arguments on the command line, and in Python.
const WORDS: [(&str, &str); 8] = [
    ("--set ", "set "),
    ("--frames", "frames"),
    ("--ranks", "ranks"),
    ("--threads", "threads"),
    ("--overwrite", "overwrite=True"),
    ("with --out", "with `out`"),
    ("; --oversubscribe allows more", ""),
    ("\n\nFor more information, try '--help'.", ""),
];

/// A message of the program, in which arguments have their names in Python.
#[pyfunction]
pub fn in_python(message: String) -> String {
    WORDS.iter().fold(message, |message, (there, here)| message.replace(there, here))
}

/// The exception with the text of `error`.
pub fn exception(error: cloth_sim::Error) -> PyErr {
    Error::new_err(in_python(error.to_string()))
}

/// The value of `result`, or the exception with the text of its error.
pub fn raised<T>(result: cloth_sim::Result<T>) -> PyResult<T> {
    result.map_err(exception)
}
