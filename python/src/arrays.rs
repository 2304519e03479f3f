//! Vectors as numpy arrays.

use bytemuck::cast_slice;
use cloth_sim::math::Vec3;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

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
