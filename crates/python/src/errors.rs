//! Errors as Python has them.

use std::io;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use windtunnel_lab as lab;

pyo3::create_exception!(_core, ScenarioError, PyValueError, "A scenario that cannot be run.");

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn wrong(error: lab::ScenarioError) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// As Python has it, with the operating system's number and words if it was its error.
pub(crate) fn os_error(error: io::Error) -> PyErr {
    let Some(number) = error.raw_os_error() else { return error.into() };
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    PyOSError::new_err((number, words.to_owned()))
}
