//! Roots of the domain name system of regions, that answer on UDP.

use pyo3::prelude::*;
use windtunnel_dns::{BoundRoots, Server};
use windtunnel_lab::read_dns;

use crate::errors::{ScenarioError, os_error};

#[cfg(target_os = "linux")]
fn start(bound: BoundRoots) -> std::io::Result<Server> {
    use windtunnel_live::capabilities::on_own_thread;
    on_own_thread("dns", &[], || Server::start(bound), || {})?
}

#[cfg(not(target_os = "linux"))]
fn start(bound: BoundRoots) -> std::io::Result<Server> {
    Server::start(bound)
}

/// The roots of a file of names, at work until they are stopped.
#[pyclass]
pub(crate) struct DnsServer(Server);

#[pymethods]
impl DnsServer {
    /// Starts those that have an address, on threads without capabilities.
    #[new]
    fn new(file: &str, text: &str) -> PyResult<Self> {
        let roots =
            read_dns(file, text).map_err(|error| ScenarioError::new_err(error.to_string()))?;
        let bound = BoundRoots::open(roots).map_err(os_error)?;
        start(bound).map(Self).map_err(os_error)
    }

    /// Where which region's root answers: its name, and address and port.
    #[getter]
    fn addresses(&self) -> Vec<(String, String)> {
        let all = self.0.addresses().iter();
        all.map(|(region, address)| (region.clone(), address.to_string())).collect()
    }

    /// Has all stop.
    fn stop(&mut self, py: Python<'_>) {
        py.detach(|| self.0.stop());
    }
}
