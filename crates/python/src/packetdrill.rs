//! Scripts of packetdrill, played against our TCP.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use windtunnel_packetdrill as packetdrill;

use crate::errors::wrong;

/// A script of packetdrill.
#[pyclass(frozen)]
pub(crate) struct PacketdrillScript(packetdrill::Script);

#[pymethods]
impl PacketdrillScript {
    /// Reads the text of a file.
    #[new]
    fn new(file: &str, text: &str) -> PyResult<Self> {
        packetdrill::Script::read(file, text).map(Self).map_err(wrong)
    }

    /// Plays it to a host in virtual time: the verdict and the trace, as JSON text.
    fn play(&self, py: Python<'_>) -> PyResult<String> {
        let outcome = py.detach(|| packetdrill::play(&self.0));
        serde_json::to_string(&outcome).map_err(|it| PyValueError::new_err(it.to_string()))
    }
}
