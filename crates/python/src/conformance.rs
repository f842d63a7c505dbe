//! Cases that say whether a controller does what its specification says.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use windtunnel_conformance as conformance;
use windtunnel_controllers::{DESCRIPTIONS, Settings};
use windtunnel_reading::error::suggestion;

use crate::errors::wrong;
use crate::extensions;

/// A suite of cases.
#[pyclass(frozen)]
pub(crate) struct Suite(conformance::Suite);

#[pymethods]
impl Suite {
    /// Reads the text of a file.
    #[new]
    fn new(file: &str, text: &str) -> PyResult<Self> {
        conformance::Suite::read(file, text).map(Self).map_err(wrong)
    }

    /// Its title, its document, its controllers and its cases, as JSON text.
    fn described(&self) -> PyResult<String> {
        json(&self.0)
    }

    /// Plays a case to a controller: the verdict and the trace, as JSON text. `measure` is called
    /// with the scenario of a case on a network and what is to be measured there, as JSON text, and
    /// gives numbers, or says why it cannot.
    #[pyo3(signature = (case, controller, measure, extensions=None))]
    fn play(
        &self,
        py: Python<'_>,
        case: &str,
        controller: &str,
        measure: Py<PyAny>,
        extensions: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let names: Vec<&str> = self.0.cases.iter().map(|it| it.name.value.as_str()).collect();
        let case = self.0.case(case).ok_or_else(|| unknown("case", case, &names))?;
        let settings = settings(controller, extensions)?;
        let mut failed = None;
        let on_network = |network: &conformance::Network| {
            Python::attach(|py| measured(py, &measure, network)).unwrap_or_else(|error| {
                failed = Some(error);
                Err(String::new())
            })
        };
        let outcome = py.detach(|| conformance::play(case, &settings, on_network));
        failed.map_or_else(|| json(&outcome), Err)
    }
}

/// What a function in Python measures on a network, or why it cannot.
fn measured(
    py: Python<'_>,
    measure: &Py<PyAny>,
    network: &conformance::Network,
) -> PyResult<Result<Vec<Option<f64>>, String>> {
    let wanted = json(&network.measurements())?;
    let said = measure.call1(py, (&network.scenario, wanted))?;
    said.extract::<Vec<Option<f64>>>(py).map(Ok).or_else(|_| Ok(Err(said.extract(py)?)))
}

/// The settings of a registered controller, or of one of the extensions.
fn settings(name: &str, extensions: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
    let own = extensions.map(extensions::of).transpose()?.unwrap_or_default().controllers;
    if let Some(maker) = own.into_iter().find(|it| it.description().name == name) {
        return Ok(Settings::external(maker));
    }
    let known: Vec<&str> = DESCRIPTIONS.iter().map(|it| it.name).collect();
    let description = DESCRIPTIONS.iter().find(|it| it.name == name);
    let description = description.ok_or_else(|| unknown("controller", name, &known))?;
    Ok(Settings::defaults(description))
}

fn unknown(what: &str, name: &str, known: &[&str]) -> PyErr {
    PyValueError::new_err(format!("unknown {what} `{name}`\nhelp: {}", suggestion(name, known)))
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|it| PyValueError::new_err(it.to_string()))
}
