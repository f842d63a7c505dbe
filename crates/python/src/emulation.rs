//! Scenarios in real time, with real hosts behind their nodes.

use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use windtunnel_lab::Recording;
use windtunnel_live::emulation::{Door, EmulationSession, Finished, Layer};

use crate::errors::{ScenarioError, os_error, wrong};
use crate::outcome::Outcome;
use crate::scenario::{Scenario, capture_settings};

/// An emulation in progress.
#[pyclass]
pub(crate) struct Emulation {
    session: Option<EmulationSession>,
    recording: Option<Recording>,
    programs: Vec<Child>,
}

impl Emulation {
    fn session(&mut self) -> PyResult<&mut EmulationSession> {
        let over = || PyValueError::new_err("the emulation has already been finished");
        self.session.as_mut().ok_or_else(over)
    }
}

#[pymethods]
impl Emulation {
    /// Sets up the emulation of a scenario's only case. `doors` are nodes with the interface of
    /// each and the name of its namespace: without a name, that of the process, and without an
    /// interface, one made for the node. With `ethernet`, nodes are bridges and interfaces carry frames. Behind the node `internet` is the Internet. With a `folder` it is recorded as a run is; the packets
    /// at the nodes `captured` are written below it, those that `directions`, `snap_length` and
    /// `window` choose. Raises ScenarioError, and OSError if the machine does not allow it.
    #[new]
    #[pyo3(signature = (
        scenario, doors, folder=None, captured=Vec::new(), *,
        ethernet=false, internet=None, directions=None, snap_length=None, window=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the options of a command")]
    fn new(
        scenario: &Bound<'_, Scenario>,
        doors: Vec<(String, Option<String>, Option<String>)>,
        folder: Option<PathBuf>,
        captured: Vec<String>,
        ethernet: bool,
        internet: Option<String>,
        directions: Option<&str>,
        snap_length: Option<u32>,
        window: Option<(String, String)>,
    ) -> PyResult<Self> {
        let study = scenario.get().0.clone();
        let [case] = &study.cases[..] else {
            return Err(ScenarioError::new_err("an emulation has one case"));
        };
        let captures = capture_settings(captured, directions, snap_length, window)?;
        captures.check(&study).map_err(wrong)?;
        let plan = Arc::unwrap_or_clone(case.of_run(0));
        let place = |name: &str| plan.nodes.iter().position(|it| it.name == name);
        let door = |(node, interface, namespace): (String, Option<String>, Option<String>)| {
            let unknown = || ScenarioError::new_err(format!("there is no node {node}"));
            let own = if internet.as_ref() == Some(&node) { Door::Internet } else { Door::Own };
            let door = interface.map_or(own, |name| Door::Interface { name, namespace });
            Ok((place(&node).ok_or_else(unknown)?, door))
        };
        let doors: PyResult<Vec<_>> = doors.into_iter().map(door).collect();
        let layer = if ethernet { Layer::Ethernet } else { Layer::Ip };
        let mut recording = None;
        let session = EmulationSession::start(plan, &doors?, layer, |plan, world| {
            let is_captured = !captures.nodes.is_empty();
            recording = folder.map(|it| {
                let captures = is_captured.then(|| (it.join("captures"), captures));
                Recording::start(study, plan, world, captures)
            });
        });
        let session = session.map_err(|error| PyOSError::new_err(error.to_string()))?;
        let recording = recording.transpose().map_err(os_error)?;
        Ok(Self { session: Some(session), recording, programs: Vec::new() })
    }

    /// Starts a program behind a node, by its place among the scenario's nodes; returns its
    /// number.
    fn spawn(&mut self, node: usize, program: Vec<String>) -> PyResult<usize> {
        let child = self.session()?.spawn(node, &program).map_err(os_error)?;
        self.programs.push(child);
        Ok(self.programs.len() - 1)
    }

    /// Has virtual time begin; until then it stands still.
    fn begin(&mut self) -> PyResult<()> {
        self.session()?.begin();
        Ok(())
    }

    /// Whether a socket behind a node waits to be spoken to.
    fn listens(&mut self, node: usize) -> PyResult<bool> {
        let namespace = self.session()?.namespace(node);
        Ok(namespace.is_some_and(|it| it.has_listener().unwrap_or(false)))
    }

    /// The exit code of a program, once it has ended: above 128 if a signal ended it.
    fn poll(&mut self, program: usize) -> PyResult<Option<i32>> {
        let status = self.programs[program].try_wait().map_err(os_error)?;
        Ok(status.map(|it| it.code().unwrap_or(128)))
    }

    /// Whether it has ended.
    fn is_done(&mut self) -> PyResult<bool> {
        Ok(self.session()?.is_done())
    }

    /// Ends it, with all programs, and returns what it counted, as JSON text, and what it
    /// recorded.
    fn finish(&mut self, py: Python<'_>) -> PyResult<(String, Option<Outcome>)> {
        self.session()?.stop();
        let session = self.session.take().expect("it was looked for before");
        let finished = py.detach(|| session.finish());
        for mut program in self.programs.drain(..) {
            py.detach(|| program.wait()).map_err(os_error)?;
        }
        // Flights among the programs were killed: their control groups stay.
        py.detach(windtunnel_live::kernel::clean).map_err(os_error)?;
        let Finished { report, mut world, end } = finished.map_err(os_error)?;
        let recorded = self.recording.take().map(|it| it.finish(&mut world, end)).transpose();
        let recorded = recorded.map_err(os_error)?;
        let text = serde_json::to_string(&report);
        let text = text.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((text, recorded.map(|(study, outcome)| Outcome { study, outcome })))
    }
}
