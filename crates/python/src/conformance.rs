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
        let case = self.case(case)?;
        let settings = settings(controller, extensions)?;
        played(py, &measure, |measure| conformance::play(case, &settings, measure))
    }

    /// Plays a case to a controller that runs in an implementation of a transport protocol: the
    /// verdict, as JSON text. `measure` is as that of `play`; `needs` is what the controller declares,
    /// if that is known.
    #[pyo3(signature = (case, controller, measure, needs=None))]
    fn play_over(
        &self,
        py: Python<'_>,
        case: &str,
        controller: &str,
        measure: Py<PyAny>,
        needs: Option<Vec<String>>,
    ) -> PyResult<String> {
        let case = self.case(case)?;
        played(py, &measure, |measure| {
            conformance::play_over(case, controller, needs.as_deref(), measure)
        })
    }
}

impl Suite {
    /// The case of that name.
    fn case(&self, name: &str) -> PyResult<&conformance::Case> {
        let names: Vec<&str> = self.0.cases.iter().map(|it| it.name.value.as_str()).collect();
        self.0.case(name).ok_or_else(|| unknown("case", name, &names))
    }
}

/// What `measure` finds on a network, or why it cannot.
type Measure<'a> = dyn FnMut(&conformance::Network) -> Result<Vec<Option<f64>>, String> + Send + 'a;

/// What is found where a function in Python measures, as JSON text; an exception of it ends the case.
fn played(
    py: Python<'_>,
    measure: &Py<PyAny>,
    play: impl FnOnce(&mut Measure<'_>) -> conformance::Outcome + Send,
) -> PyResult<String> {
    let mut failed = None;
    let mut on_network = |network: &conformance::Network| {
        Python::attach(|py| measured(py, measure, network)).unwrap_or_else(|error| {
            failed = Some(error);
            Err(String::new())
        })
    };
    let outcome = py.detach(|| play(&mut on_network));
    failed.map_or_else(|| json(&outcome), Err)
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
