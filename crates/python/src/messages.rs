//! What messages about mistakes have in common with those of the core.

use pyo3::prelude::*;
use windtunnel_lab as lab;

use crate::errors::ScenarioError;

/// A question after the known names that are most like a wrong one; None if none is like it.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python's lists are copied")]
fn did_you_mean(wrong: &str, known: Vec<String>) -> Option<String> {
    lab::did_you_mean(wrong, &names(&known))
}

/// The same question, if there is one, and what is known.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python's lists are copied")]
fn suggestion(wrong: &str, known: Vec<String>) -> String {
    lab::suggestion(wrong, &names(&known))
}

/// Checks that a text is TOML. Raises ScenarioError, with the place of the mistake.
#[pyfunction]
fn check_toml(file: &str, text: &str) -> PyResult<()> {
    lab::check_toml(file, text).map_err(|error| ScenarioError::new_err(error.to_string()))
}

fn names(known: &[String]) -> Vec<&str> {
    known.iter().map(String::as_str).collect()
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(did_you_mean, module)?)?;
    module.add_function(wrap_pyfunction!(suggestion, module)?)?;
    module.add_function(wrap_pyfunction!(check_toml, module)?)
}
