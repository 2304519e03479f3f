//! Vectors as numpy arrays.

use bytemuck::cast_slice;
use cloth_sim::error::Error;
use cloth_sim::math::Vec3;
use numpy::{AllowTypeChange, Element, PyArray1, PyArray2, PyArrayLike2, PyArrayMethods};
use pyo3::prelude::*;

use crate::error::raised;

/// Anything that numpy makes an array of two axes of.
pub type Vectors<'py> = PyArrayLike2<'py, f64, AllowTypeChange>;

/// An array of three columns, one row for each of `vectors`.
pub fn array<'py>(py: Python<'py>, vectors: &[Vec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    table(py, cast_slice(vectors), 3)
}

/// An array with `columns` columns, whose rows follow each other in `values`.
pub fn table<'py, T: Element + Copy>(
    py: Python<'py>,
    values: &[T],
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    PyArray1::from_slice(py, values).reshape([values.len() / columns, columns])
}

/// The rows of `array`, which messages call `name`.
pub fn vectors(array: &Vectors, name: &str) -> PyResult<Vec<Vec3>> {
    let array = array.as_array();
    if array.ncols() != 3 {
        let cause = format!("it has {} columns", array.ncols());
        let error = Error::input(name, cause, "give an array with a row x, y, z for each vertex");
        return raised(Err(error));
    }
    Ok(array.rows().into_iter().map(|row| Vec3::new(row[0], row[1], row[2])).collect())
}
