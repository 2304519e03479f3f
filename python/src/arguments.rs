//! Arguments of Python, and errors that name them.

use cloth_sim::error::Error;
use cloth_sim::math::Vec3;
use numpy::{AllowTypeChange, PyArrayLikeDyn};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::exception;

/// The whole number `value` from 0 up. Messages call it `name`.
pub fn whole<T: TryFrom<i64>>(value: i64, name: &str) -> PyResult<T> {
    whole_from(0, value, name)
}

/// The whole number `value` from `least` up. Messages call it `name`.
pub fn whole_from<T: TryFrom<i64>>(least: i64, value: i64, name: &str) -> PyResult<T> {
    let number = T::try_from(value).ok().filter(|_| value >= least);
    number.ok_or_else(|| {
        let cause = format!("{value} is out of range");
        exception(Error::input(name, cause, format!("give a whole number from {least} up")))
    })
}

/// The rows x, y, z of `value`, which may be anything that numpy makes an array of. A single row
/// may have no axis of its own. Messages call it `name`.
pub fn vectors(value: &Bound<PyAny>, name: &str) -> PyResult<Vec<Vec3>> {
    let refused = |cause: String| {
        let remedy = "give an array of shape (n, 3): finite numbers x, y, z for each vertex";
        exception(Error::input(name, cause, remedy))
    };
    let array = value.extract::<PyArrayLikeDyn<f64, AllowTypeChange>>();
    let array = array.map_err(|error| refused(error.value(value.py()).to_string()))?;
    let array = array.as_array();
    if !matches!(array.shape(), [3] | [_, 3]) {
        let shape = PyTuple::new(value.py(), array.shape())?;
        return Err(refused(format!("its shape is {shape}")));
    }
    let numbers = Vec::from_iter(array.iter().copied());
    if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
        return Err(refused(format!("{} in row {} is not finite", numbers[at], at / 3)));
    }
    Ok(numbers.chunks_exact(3).map(Vec3::from_column_slice).collect())
}
