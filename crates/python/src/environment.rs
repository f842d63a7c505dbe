//! Flows and players of video that agents control, step by step; `windtunnel.environments`
//! wraps them as Gymnasium environments.

use std::sync::{Arc, Mutex};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use windtunnel_engine::Duration;
use windtunnel_environment::{self as environment, Agents, Answer, Driver, Signals, VideoSignals};

use crate::bitrate_rules::Ladder;
use crate::errors::ScenarioError;
use crate::scenario::Scenario;

const SIGNALS: usize = Signals::NAMES.len();
const VIDEO_SIGNALS: usize = VideoSignals::NAMES.len();

/// Environments of one scenario, stepped in parallel. The mutex is never contended:
/// Python's own check admits one caller at a time.
#[pyclass]
struct Environments(Mutex<environment::Environments>);

#[pymethods]
impl Environments {
    /// Creates `count` environments on `threads` threads; each step lasts `interval_s`. Those of
    /// `flows` have agents; by default `all`, or else the only one.
    #[new]
    fn new(
        scenario: &Scenario,
        flows: Option<Vec<String>>,
        all: bool,
        interval_s: f64,
        count: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let interval = Duration::from_seconds(interval_s).ok_or_else(|| {
            PyValueError::new_err(format!("step_s is {interval_s}; it must be greater than zero"))
        })?;
        let agents = match &flows {
            Some(flows) => Agents::Of(flows),
            None if all => Agents::All,
            None => Agents::Only,
        };
        let made =
            environment::Environments::new(scenario.0.clone(), agents, interval, count, threads);
        let made = made.map_err(|error| ScenarioError::new_err(error.to_string()))?;
        Ok(Self(Mutex::new(made)))
    }

    /// The names of the flows that each of them drives.
    fn names(&mut self) -> PyResult<Vec<String>> {
        Ok(self.all()?.one(0).names().into_iter().map(str::to_owned).collect())
    }

    /// Starts an episode in one environment; `own` leaves its flows to the scenario's own
    /// controllers. Returns the initial signals of each flow.
    fn reset(
        &mut self,
        py: Python<'_>,
        place: usize,
        case: usize,
        seed: u64,
        own: bool,
    ) -> PyResult<Vec<[f64; SIGNALS]>> {
        let environments = self.all()?;
        let driver = if own { Driver::Own } else { Driver::Agent };
        let begun = py.detach(|| environments.reset(place, case, seed, driver));
        let rows = |it: Vec<Signals>| it.iter().map(Signals::row).collect();
        begun.map(rows).map_err(PyValueError::new_err)
    }

    /// Steps those of which a flow is `answered`, with the interpreter released. `answers` has a
    /// window and a pacing rate for each flow of each environment, where a rate of NaN leaves
    /// pacing to the transport; `signals` has a row for each, which is filled in.
    fn step(
        &mut self,
        py: Python<'_>,
        answered: Vec<bool>,
        answers: PyBuffer<f64>,
        signals: PyBuffer<f64>,
    ) -> PyResult<()> {
        let given = answers.to_vec(py)?;
        let mut rows = signals.to_vec(py)?;
        if given.len() != 2 * answered.len() || rows.len() != SIGNALS * answered.len() {
            return Err(PyValueError::new_err("answers and signals must have one row per flow"));
        }
        let answer = |(given, answered): (&[f64], &bool)| {
            let pacing_rate = Some(given[1]).filter(|it| !it.is_nan());
            answered.then_some(Answer { cwnd: given[0], pacing_rate })
        };
        let answers: Vec<_> = given.chunks_exact(2).zip(&answered).map(answer).collect();
        let environments = self.all()?;
        let agents = environments.agents();
        let results = py.detach(|| environments.step(&answers)).map_err(PyValueError::new_err)?;
        for (rows, results) in rows.chunks_exact_mut(SIGNALS * agents).zip(results) {
            for (row, result) in rows.chunks_exact_mut(SIGNALS).zip(results.iter().flatten()) {
                row.copy_from_slice(&result.row());
            }
        }
        signals.copy_from_slice(py, &rows)
    }

    /// Whether an environment has reached the scenario's end, or was never reset.
    fn is_over(&mut self, place: usize) -> PyResult<bool> {
        Ok(self.all()?.one(place).is_over())
    }
}

impl Environments {
    fn all(&mut self) -> PyResult<&mut environment::Environments> {
        self.0.get_mut().map_err(|_| failed_before())
    }
}

fn failed_before() -> PyErr {
    PyValueError::new_err("internal error; please report it: an earlier step failed")
}

/// The environment of a player of adaptive video. The mutex is never contended: Python's own
/// check admits one caller at a time.
#[pyclass]
struct VideoEnvironment(Mutex<environment::VideoEnvironment>);

#[pymethods]
impl VideoEnvironment {
    #[new]
    fn new(scenario: &Scenario, flow: Option<&str>) -> PyResult<Self> {
        let made = environment::VideoEnvironment::new(Arc::new(scenario.0.clone()), flow);
        let made = made.map_err(|error| ScenarioError::new_err(error.to_string()))?;
        Ok(Self(Mutex::new(made)))
    }

    /// The levels and segments of a case.
    fn ladder(&mut self, case: usize) -> PyResult<Ladder> {
        Ok(Ladder::from(self.get()?.ladder(case)))
    }

    /// Starts an episode; `own` leaves the player to the scenario's own rule. Returns the
    /// signals of the first question.
    fn reset(
        &mut self,
        py: Python<'_>,
        case: usize,
        seed: u64,
        own: bool,
    ) -> PyResult<[f64; VIDEO_SIGNALS]> {
        let environment = self.get()?;
        let driver = if own { Driver::Own } else { Driver::Agent };
        let begun = py.detach(|| environment.reset(case, seed, driver));
        begun.map(|it| it.row()).map_err(PyValueError::new_err)
    }

    /// Requests the next segment at a level; returns the signals of the question after it.
    fn step(&mut self, py: Python<'_>, level: usize) -> PyResult<[f64; VIDEO_SIGNALS]> {
        let environment = self.get()?;
        let result = py.detach(|| environment.step(level));
        result.map(|it| it.row()).map_err(PyValueError::new_err)
    }

    /// Whether the episode has ended, or none has begun.
    fn is_over(&mut self) -> PyResult<bool> {
        Ok(self.get()?.is_over())
    }
}

impl VideoEnvironment {
    fn get(&mut self) -> PyResult<&mut environment::VideoEnvironment> {
        self.0.get_mut().map_err(|_| failed_before())
    }
}

/// Adds the environments and the names of the signals to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("SIGNALS", Signals::NAMES)?;
    module.add("VIDEO_SIGNALS", VideoSignals::NAMES)?;
    module.add_class::<VideoEnvironment>()?;
    module.add_class::<Environments>()
}
