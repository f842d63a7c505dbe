//! A scenario, and its runs in progress.

use std::path::PathBuf;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use windtunnel_lab::{self as lab, Bounds, Study};

use crate::errors::{ScenarioError, os_error, wrong};
use crate::extensions;
use crate::outcome::{Outcome, Table};

/// A scenario, read and checked.
#[pyclass(frozen, subclass)]
pub(crate) struct Scenario(pub(crate) Study, Py<PyDict>);

#[pymethods]
impl Scenario {
    /// Reads a scenario's text. `settings` are paths and values that override
    /// those in the text; `extensions` are classes by their names in the scenario. With
    /// `may_be_idle` it may be a network in which nothing is simulated.
    #[new]
    #[pyo3(signature = (file, text, settings=Vec::new(), extensions=None, *, may_be_idle=false))]
    fn new(
        py: Python<'_>,
        file: &str,
        text: &str,
        settings: Vec<(String, String)>,
        extensions: Option<Bound<'_, PyDict>>,
        may_be_idle: bool,
    ) -> PyResult<Self> {
        let extensions = extensions.unwrap_or_else(|| PyDict::new(py));
        let study = lab::read_with(file, text, &settings, &extensions::of(&extensions)?);
        let study = study.and_then(|it| if may_be_idle { Ok(it) } else { it.if_busy() });
        let study = study.map_err(|error| ScenarioError::new_err(error.to_string()))?;
        Ok(Self(study, extensions.unbind()))
    }

    /// What is written in Python, by its names in the scenario.
    #[getter]
    fn extensions(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.1.bind(py).copy().map(Bound::unbind)
    }

    /// The file that it was read from, as it was named.
    #[getter]
    fn file(&self) -> &str {
        &self.0.file
    }

    /// The scenario's title, if it has one.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.0.title.as_deref()
    }

    /// The columns of its comparison's axes.
    #[getter]
    fn axes(&self) -> Vec<String> {
        self.0.axes.iter().map(|it| lab::tables::axis_column(it)).collect()
    }

    /// For each case, its name on every axis.
    #[getter]
    fn cases(&self) -> Vec<Vec<String>> {
        self.0.cases.iter().map(|case| case.names.clone()).collect()
    }

    /// The nodes of a case, and how many links each has.
    fn nodes(&self, case: usize) -> PyResult<Vec<(&str, usize)>> {
        let case = self.0.cases.get(case);
        let plan = &case.ok_or_else(|| PyIndexError::new_err("there is no such case"))?.plan;
        let links = |node| plan.interfaces(node).count();
        Ok(plan.nodes.iter().enumerate().map(|(node, it)| (&*it.name, links(node))).collect())
    }

    /// How often each case is run.
    #[getter]
    fn runs(&self) -> u32 {
        self.0.runs
    }

    /// How much time is simulated, in seconds, over all runs.
    #[getter]
    fn total_simulated_s(&self) -> f64 {
        self.0.total_simulated_s()
    }

    /// The seed of all random streams.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    /// The text as run, with what was set from outside.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// What decides how its first case begins; None where no other scenario begins so.
    #[getter]
    fn beginning(&self) -> Option<&str> {
        self.0.cases.first()?.beginning.as_deref()
    }

    /// The text with plain tables in place of those that stand for many.
    fn expanded(&self) -> PyResult<String> {
        self.0.expanded().map_err(|error| ScenarioError::new_err(error.to_string()))
    }

    /// The files that it names: the name of each in the scenario, and its text.
    #[getter]
    fn files(&self) -> Vec<(&str, &str)> {
        self.0.files.iter().map(|(name, text)| (name.as_str(), &**text)).collect()
    }

    /// For each case the bounds for any protocol: the maximum total goodput of all
    /// consumers in bit/s, and the minimum delay in seconds.
    fn bounds(&self) -> Vec<(f64, f64)> {
        let bounds = self.0.cases.iter().map(|case| Bounds::of(&case.plan));
        bounds.map(|it| (it.goodput_bps, it.delay.as_seconds())).collect()
    }

    /// Where the nodes of a case that have a place are at some times, in seconds: a table with
    /// `time_s`, `node`, `kind` ("station" or "satellite"), `latitude_degrees`,
    /// `longitude_degrees` and `height_m`, empty without satellites.
    fn positions(&self, case: usize, times_s: Vec<f64>) -> PyResult<Table> {
        let case = self.0.cases.get(case);
        let case = case.ok_or_else(|| PyIndexError::new_err("there is no such case"))?;
        Ok(Table(lab::tables::positions(&case.plan, &times_s).values))
    }

    /// Starts all runs, `jobs` at a time, each on `threads` threads. Series are written into
    /// `folder`, with captures at the nodes `captured`; without a folder they stay in memory.
    /// Captured are packets in `directions` ("out", "in" or "both"), `snap_length` bytes of
    /// each, in `window`: from one time to another, such as ("2 s", "3 s"). What happens to the
    /// packets of the flows `events` is recorded as well. With `is_live`, `Batch.live` shows what
    /// is sampled, if there is a folder.
    #[pyo3(signature = (
        jobs, folder=None, captured=Vec::new(), threads=1, *,
        directions=None, snap_length=None, window=None, events=Vec::new(), is_live=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "most are keywords in Python")]
    fn start(
        &self,
        jobs: usize,
        folder: Option<PathBuf>,
        captured: Vec<String>,
        threads: usize,
        directions: Option<&str>,
        snap_length: Option<u32>,
        window: Option<(String, String)>,
        events: Vec<String>,
        is_live: bool,
    ) -> PyResult<Batch> {
        let settings = capture_settings(captured, directions, snap_length, window)?;
        let mut study = self.0.clone();
        extensions::turns_of(&mut study);
        let processors = lab::Processors { jobs, threads };
        let packets = lab::PacketSettings { flows: events };
        let batch = match folder {
            None => lab::Batch::with_packets(study, packets, processors),
            Some(folder) => {
                let details = lab::Details { captured: settings, packets, is_live };
                lab::Batch::into_folder(study, folder, details, processors)
            }
        };
        Ok(Batch(Some(batch.map_err(wrong)?)))
    }

    /// Checks what `start` takes of captures and events.
    #[pyo3(signature = (captured, *, directions=None, window=None, events=Vec::new()))]
    fn check_details(
        &self,
        captured: Vec<String>,
        directions: Option<&str>,
        window: Option<(String, String)>,
        events: Vec<String>,
    ) -> PyResult<()> {
        let captured = capture_settings(captured, directions, None, window)?;
        let packets = lab::PacketSettings { flows: events };
        let details = lab::Details { captured, packets, is_live: false };
        details.check(&self.0).map_err(wrong)
    }

    /// Runs each case with flows over implementations of protocols twice: of each flow the case's
    /// place, its name, its implementation, when the first datagram that differs was sent in
    /// seconds and what differs, and whether all had the same bytes.
    #[expect(clippy::type_complexity, reason = "a row for Python")]
    fn flow_repeats(
        &self,
        py: Python<'_>,
    ) -> PyResult<Vec<(usize, String, String, Option<(f64, String)>, bool)>> {
        let repeats = py.detach(|| lab::flow_repeats(&self.0)).map_err(ScenarioError::new_err)?;
        let row =
            |it: lab::FlowRepeat| (it.case, it.flow, it.stack, it.difference, it.has_same_bytes);
        Ok(repeats.into_iter().map(row).collect())
    }

    /// What is probably not meant, such as what would be after the end.
    fn advice(&self) -> Vec<String> {
        lab::advice(&self.0)
    }

    /// What does not happen because the run ends before, such as a change of a link.
    fn after_the_end(&self) -> Vec<String> {
        lab::after_the_end(&self.0)
    }

    /// The cases in which nothing is random, by their place: all their runs are the same.
    fn without_randomness(&self) -> Vec<usize> {
        lab::without_randomness(&self.0)
    }

    /// How many packet-hops all runs take at the most, about.
    fn packet_hops(&self) -> f64 {
        lab::packet_hops(&self.0)
    }

    /// What was decided that the user should know, such as a longer interval of series.
    #[getter]
    fn notes(&self) -> Vec<&str> {
        self.0.notes()
    }

    /// What of each file of a topology is used, and what is not.
    #[getter]
    fn imports(&self) -> Vec<&str> {
        self.0.imports()
    }
}

pub(crate) fn capture_settings(
    nodes: Vec<String>,
    directions: Option<&str>,
    snap_length: Option<u32>,
    window: Option<(String, String)>,
) -> PyResult<lab::CaptureSettings> {
    let mut settings = lab::CaptureSettings::at(nodes);
    settings.snap_length = snap_length;
    if let Some(text) = directions {
        settings = settings.in_directions(text).map_err(wrong)?;
    }
    if let Some((from, until)) = &window {
        settings = settings.between([from, until]).map_err(wrong)?;
    }
    Ok(settings)
}

/// Name, last value and means of a flow or a queue.
type LiveLine = (String, f64, Vec<Option<f64>>);

/// A run in progress, its flows and its queues, and how many there are.
type LiveRun = ((Vec<String>, u64, f64, f64), (Vec<LiveLine>, usize), (Vec<LiveLine>, usize));

/// Runs in progress.
#[pyclass]
pub(crate) struct Batch(Option<lab::Batch>);

impl Batch {
    fn get(&self) -> PyResult<&lab::Batch> {
        self.0.as_ref().ok_or_else(|| PyValueError::new_err("the batch has already been finished"))
    }
}

#[pymethods]
impl Batch {
    /// Starts one run of each scenario, `jobs` at a time; their tables, only those that every
    /// network has, begin with the column `key`. Raises ValueError for a scenario of several cases or runs.
    #[staticmethod]
    fn of_points(points: Vec<(String, PyRef<'_, Scenario>)>, jobs: usize) -> PyResult<Self> {
        if let Some((key, _)) = points.iter().find(|(_, it)| it.0.total_runs() != 1) {
            return Err(PyValueError::new_err(format!("{key}: must be a single run")));
        }
        let points = points.into_iter().map(|(key, it)| (key, it.0.clone())).collect();
        Ok(Self(Some(lab::Batch::of_points(points, jobs))))
    }

    /// The progress: finished runs, runs, simulated seconds done, simulated
    /// seconds, events.
    fn progress(&self) -> PyResult<(usize, usize, f64, f64, u64)> {
        let it = self.get()?.progress();
        Ok((it.finished, it.total, it.simulated_s, it.total_simulated_s, it.events))
    }

    /// What the runs in progress have sampled so far: for each the names of its case, its
    /// number, how far it is and how long it takes in simulated seconds, the `most` busiest flows
    /// and how many there are, and the same of queues. Of each of these its name, its last value
    /// (bit/s of goodput, or packets that wait), and the means over equal shares of the
    /// duration, as far as there are any.
    fn live(&self, most: usize) -> PyResult<Vec<LiveRun>> {
        let line = |it: lab::LiveLine| (it.name, it.last, it.means);
        let lines = |lines: Vec<lab::LiveLine>| lines.into_iter().map(line).collect::<Vec<_>>();
        let run = |it: lab::LiveRun| {
            let progress = (it.case, it.number, it.simulated_s, it.duration_s);
            let (flows, queues) = (lines(it.flows), lines(it.queues));
            (progress, (flows, it.all_flows), (queues, it.all_queues))
        };
        Ok(self.get()?.live(most).into_iter().map(run).collect())
    }

    /// Whether all runs have ended.
    fn is_done(&self) -> PyResult<bool> {
        Ok(self.get()?.is_done())
    }

    /// Requests all runs to stop; finished ones are kept.
    fn cancel(&self) -> PyResult<()> {
        self.get()?.cancel();
        Ok(())
    }

    /// Waits for the end, with the interpreter released. Raises OSError if series or a
    /// capture could not be written.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Outcome> {
        let batch = self.0.take();
        let batch =
            batch.ok_or_else(|| PyValueError::new_err("the batch has already been finished"))?;
        let (study, mut outcome) = py.detach(|| batch.finish());
        if let Some(error) = outcome.unwritten.take() {
            return Err(os_error(error));
        }
        Ok(Outcome { study, outcome })
    }
}
