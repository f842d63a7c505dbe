//! What finished runs left.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use windtunnel_lab::{self as lab, Study};

/// A table of results; any Arrow library takes it without a copy.
#[pyclass(frozen)]
pub(crate) struct Table(pub(crate) RecordBatch);

#[pymethods]
impl Table {
    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may request other types; it then has to cast them itself.
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// The outcome of a batch.
#[pyclass(frozen)]
pub(crate) struct Outcome {
    pub(crate) study: Study,
    pub(crate) outcome: lab::Outcome,
}

#[pymethods]
impl Outcome {
    /// The tables of all finished runs, by name.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (name, batch) in lab::tables::all(&self.study, &self.outcome.runs) {
            tables.set_item(name, Table(batch))?;
        }
        Ok(tables)
    }

    /// Runs that ended, by a limit or at the end of simulated time.
    #[getter]
    fn finished(&self) -> usize {
        self.outcome.runs.len()
    }

    /// Runs that were cancelled or never started.
    #[getter]
    fn unfinished(&self) -> usize {
        self.outcome.unfinished
    }

    /// Internal errors.
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.outcome.faults.iter().map(ToString::to_string).collect()
    }

    /// The cases of these runs, with the error of each.
    #[getter]
    fn failed(&self) -> Vec<(usize, String)> {
        self.outcome.faults.iter().map(|it| (it.case, it.what.clone())).collect()
    }

    /// Errors in what is written in Python.
    #[getter]
    fn failures(&self) -> Vec<String> {
        self.outcome.failures.clone()
    }

    /// Events handled, packet-hops, CPU seconds, and the real seconds of routing where nodes
    /// move, over all runs that were simulated.
    #[getter]
    fn work(&self) -> (u64, u64, f64, f64) {
        let runs = || self.outcome.runs.iter().filter(|it| !it.is_copy);
        let cpu = runs().map(|run| run.cpu.as_secs_f64()).sum();
        let routing = runs().map(|run| run.routing.as_secs_f64()).sum();
        let events = runs().map(|it| it.events).sum();
        (events, runs().map(|it| it.packet_hops).sum(), cpu, routing)
    }
}
