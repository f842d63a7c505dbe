//! Scenarios in real time, with real hosts behind their nodes.

use std::process::Child;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use windtunnel_live::emulation::{Door, Session};

use crate::errors::{ScenarioError, os_error};
use crate::scenario::Scenario;

/// An emulation in progress.
#[pyclass]
pub(crate) struct Emulation {
    session: Option<Session>,
    programs: Vec<Child>,
}

impl Emulation {
    fn session(&self) -> PyResult<&Session> {
        let over = || PyValueError::new_err("the emulation has already been finished");
        self.session.as_ref().ok_or_else(over)
    }
}

#[pymethods]
impl Emulation {
    /// Starts the emulation of a scenario's only case. `doors` are nodes with the interface of
    /// each and the name of its namespace: without a name, that of the process, and without an
    /// interface, one made for the node. Raises ScenarioError, and OSError if the machine does
    /// not allow it.
    #[new]
    fn new(
        scenario: &Bound<'_, Scenario>,
        doors: Vec<(String, Option<String>, Option<String>)>,
    ) -> PyResult<Self> {
        let scenario = scenario.get();
        let [case] = &scenario.0.cases[..] else {
            return Err(ScenarioError::new_err("an emulation has one case"));
        };
        let plan = &case.plan;
        let place = |name: &str| plan.nodes.iter().position(|it| it.name == name);
        let door = |(node, interface, namespace): (String, Option<String>, Option<String>)| {
            let unknown = || ScenarioError::new_err(format!("there is no node {node}"));
            let door = interface.map_or(Door::Own, |name| Door::Interface { name, namespace });
            Ok((place(&node).ok_or_else(unknown)?, door))
        };
        let doors: PyResult<Vec<_>> = doors.into_iter().map(door).collect();
        let session = Session::start(plan.clone(), &doors?);
        let session = session.map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Self { session: Some(session), programs: Vec::new() })
    }

    /// Starts a program behind a node, by its place among the scenario's nodes; returns its
    /// number.
    fn spawn(&mut self, node: usize, program: Vec<String>) -> PyResult<usize> {
        let child = self.session()?.spawn(node, &program).map_err(os_error)?;
        self.programs.push(child);
        Ok(self.programs.len() - 1)
    }

    /// Whether a socket behind a node waits to be spoken to.
    fn listens(&self, node: usize) -> PyResult<bool> {
        let namespace = self.session()?.namespace(node);
        Ok(namespace.is_some_and(|it| it.has_listener().unwrap_or(false)))
    }

    /// The exit code of a program, once it has ended: above 128 if a signal ended it.
    fn poll(&mut self, program: usize) -> PyResult<Option<i32>> {
        let status = self.programs[program].try_wait().map_err(os_error)?;
        Ok(status.map(|it| it.code().unwrap_or(128)))
    }

    /// Whether it has ended.
    fn is_done(&self) -> PyResult<bool> {
        Ok(self.session()?.is_done())
    }

    /// Ends it, with all programs, and returns what it counted, as JSON text.
    fn finish(&mut self, py: Python<'_>) -> PyResult<String> {
        self.session()?.stop();
        let session = self.session.take();
        let report = session.map(|it| py.detach(|| it.finish()));
        for mut program in self.programs.drain(..) {
            py.detach(|| program.wait()).map_err(os_error)?;
        }
        // Flights among the programs were killed: their control groups stay.
        py.detach(windtunnel_live::kernel::clean).map_err(os_error)?;
        let report = report.expect("it was looked for before").map_err(os_error)?;
        serde_json::to_string(&report).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
