//! NDN on sockets: a forwarder, a producer and a consumer.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use windtunnel_engine::Duration;
use windtunnel_live::capabilities::{Capability, TO_OPEN, on_own_thread};
use windtunnel_live::ndn::{
    FaceCounters, Forwarding, GetReport, GetSettings, NdnError, PutSettings, Putting,
    SignatureAlgorithm, Signer, Verifier, get,
};
use windtunnel_packets::ndn::wire::Name;
use windtunnel_scenario::{FaceAddress, FaceProtocol, NDN_PORT, read_forwarder};

use crate::errors::{ScenarioError, os_error};

/// What a command counted, by name.
macro_rules! counted {
    ($dictionary:ident, $report:expr, $($key:ident),+ $(,)?) => {{
        let report = &$report;
        $($dictionary.set_item(stringify!($key), report.$key)?;)+
    }};
}

/// An NDN forwarder that listens, as a file has it. In a box, because Python's allocator aligns to
/// less than a cache line.
#[pyclass]
struct NdnForwarder(Box<Forwarding>);

#[pymethods]
impl NdnForwarder {
    /// Starts it, with an IP address to listen at in place of the file's addresses, and public keys, as
    /// text in PEM, one of which commands must be signed by.
    #[new]
    #[pyo3(signature = (file, text, bind=None, keys=Vec::new()))]
    fn new(file: &str, text: &str, bind: Option<&str>, keys: Vec<String>) -> PyResult<Self> {
        let plan = read_forwarder(file, text);
        let mut plan = plan.map_err(|error| ScenarioError::new_err(error.to_string()))?;
        if let Some(text) = bind {
            let address = bound(text, NDN_PORT)?;
            plan.listen = [FaceProtocol::Udp, FaceProtocol::Tcp]
                .map(|protocol| FaceAddress { protocol, address })
                .to_vec();
        }
        let keys: PyResult<Vec<Verifier>> = keys.iter().map(|it| verifier(it)).collect();
        Forwarding::open(&plan, keys?).map(|it| Self(Box::new(it))).map_err(raised)
    }

    /// Where it listens.
    #[getter]
    fn addresses(&self) -> Vec<String> {
        self.0.addresses().iter().map(ToString::to_string).collect()
    }

    /// Forwards until Ctrl-C, which raises KeyboardInterrupt.
    fn run(&mut self, py: Python<'_>) -> PyResult<()> {
        until_interrupted(py, &[], |goes_on| self.0.run(goes_on))
    }

    /// What it counted.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.0.report();
        let all = PyDict::new(py);
        counted!(
            all,
            report.forwarder,
            interests_in,
            interests_out,
            data_in,
            data_out,
            nacks_in,
            nacks_out,
            content_store_hits,
            content_store_misses,
            aggregated,
            suppressed,
            loops,
            hop_limit_exceeded,
            unsolicited,
            expired,
        );
        counted!(
            all,
            report,
            malformed,
            out_of_scope,
            refused,
            commands,
            open_faces,
            pending,
            cached,
            names,
        );
        counted!(
            all,
            report.links,
            fragmented,
            fragments_out,
            fragments_in,
            reassembled,
            reassembly_timeouts,
            too_large,
        );
        all.set_item("link", face_counters(py, &report.faces)?)?;
        Ok(all)
    }
}

/// A producer of a file's segments.
#[pyclass]
struct NdnProducer(Putting);

#[pymethods]
impl NdnProducer {
    /// Registers the prefix at a forwarder, or listens at `bind` if there is none.
    #[new]
    #[pyo3(signature = (prefix, file, segment_size, sign, key=None, connect=None, bind=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        prefix: &str,
        file: PathBuf,
        segment_size: u32,
        sign: &str,
        key: Option<&str>,
        connect: Option<&str>,
        bind: Option<&str>,
    ) -> PyResult<Self> {
        let algorithm = SignatureAlgorithm::named(sign).ok_or_else(|| {
            PyValueError::new_err(format!(
                "unknown signature `{sign}`: use digest, ed25519 or ecdsa"
            ))
        })?;
        // A connection has any port, and who listens the one that is known.
        let port = if connect.is_some() { 0 } else { NDN_PORT };
        let settings = PutSettings {
            prefix: name(prefix)?,
            file,
            segment_size,
            signer: Signer::new(algorithm, key)
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
            connect: connect.map(remote).transpose()?,
            bind: bind.map(|it| bound(it, port)).transpose()?,
        };
        let mut producer = None;
        until_interrupted(py, &TO_OPEN, |_| {
            producer = Some(Putting::open(settings)?);
            Ok(())
        })?;
        Ok(Self(producer.expect("it was opened")))
    }

    /// Where it listens, if it does.
    #[getter]
    fn addresses(&self) -> Vec<String> {
        self.0.addresses().iter().map(ToString::to_string).collect()
    }

    /// The names of all files' segments, without their numbers, and how many there are of each.
    #[getter]
    fn names(&self) -> Vec<(String, u64)> {
        self.0.names().map(|(name, segments)| (name.to_string(), segments)).collect()
    }

    /// Serves until Ctrl-C, which raises KeyboardInterrupt.
    fn run(&mut self, py: Python<'_>) -> PyResult<()> {
        until_interrupted(py, &[], |goes_on| self.0.run(goes_on))
    }

    /// What it counted.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.0.report();
        let all = PyDict::new(py);
        counted!(all, report, interests, data, unanswered);
        all.set_item("link", face_counters(py, &report.faces)?)?;
        Ok(all)
    }
}

/// Fetches an object into a file; what was measured.
#[pyfunction]
#[pyo3(signature = (object, out, controller, connect, bind=None, key=None))]
fn ndn_get<'py>(
    py: Python<'py>,
    object: &str,
    out: PathBuf,
    controller: &str,
    connect: &str,
    bind: Option<&str>,
    key: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let verifier = match key {
        None => Verifier::default(),
        Some(text) => verifier(text)?,
    };
    let settings = GetSettings {
        name: name(object)?,
        connect: remote(connect)?,
        bind: bind.map(|it| bound(it, 0)).transpose()?,
        out,
        controller: controller.to_owned(),
        verifier,
    };
    let mut report = None;
    until_interrupted(py, &TO_OPEN, |goes_on| {
        report = Some(get(&settings, goes_on)?);
        Ok(())
    })?;
    measured(py, &report.expect("it was fetched"))
}

fn verifier(key: &str) -> PyResult<Verifier> {
    Verifier::with_key(key).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn measured<'py>(py: Python<'py>, report: &GetReport) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let seconds = |it: Duration| it.as_seconds();
    let duration = seconds(report.duration);
    all.set_item("name", &report.name)?;
    counted!(all, report, controller, bytes, segments);
    all.set_item("duration_s", duration)?;
    let goodput = (duration > 0.0).then(|| report.bytes as f64 * 8.0 / duration);
    all.set_item("goodput_bps", goodput)?;
    let consumer = &report.consumer;
    let samples = consumer.rtt_samples;
    let mean = (samples > 0).then(|| seconds(consumer.rtt_sum) / samples as f64);
    all.set_item("rtt_mean_s", mean)?;
    all.set_item("rtt_smoothed_s", report.smoothed_rtt.map(seconds))?;
    all.set_item("delay_minimum_s", consumer.delay_minimum.map(seconds))?;
    all.set_item("delay_maximum_s", seconds(consumer.delay_maximum))?;
    counted!(
        all,
        consumer,
        interests,
        retransmissions,
        timeouts,
        decreases,
        nacks,
        marks,
        duplicates,
    );
    counted!(all, report, verified, unverified, rejected);
    all.set_item("link", face_counters(py, &report.faces)?)?;
    Ok(all)
}

fn face_counters<'py>(py: Python<'py>, counters: &FaceCounters) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    counted!(
        all,
        counters,
        packets_in,
        bytes_in,
        packets_out,
        bytes_out,
        malformed,
        dropped,
        refused,
        evicted,
    );
    Ok(all)
}

/// Runs on a thread with these capabilities alone and with the interpreter released, until it ends
/// or a signal comes.
fn until_interrupted(
    py: Python<'_>,
    kept: &[Capability],
    run: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> Result<(), NdnError> + Send,
) -> PyResult<()> {
    let (mut signal, stop) = (None, AtomicBool::new(false));
    let ended = py.detach(|| {
        let run = || run(&mut || !stop.load(Ordering::Relaxed));
        on_own_thread("ndn", kept, run, || {
            signal = signal.take().or_else(|| Python::attach(|py| py.check_signals()).err());
            stop.store(signal.is_some(), Ordering::Relaxed);
        })
    });
    match signal {
        Some(error) => Err(error),
        None => ended.map_err(os_error)?.map_err(raised),
    }
}

fn raised(error: NdnError) -> PyErr {
    match error {
        NdnError::Mistake(error) => ScenarioError::new_err(error.to_string()),
        NdnError::System { what, error } => {
            let text = error.to_string();
            let words = text.split(" (os error").next().unwrap_or_default();
            PyOSError::new_err((error.raw_os_error().unwrap_or(0), words.to_owned(), what))
        }
        NdnError::Failed(what) => PyRuntimeError::new_err(what),
        NdnError::Interrupted => PyKeyboardInterrupt::new_err(()),
    }
}

fn name(text: &str) -> PyResult<Name<'static>> {
    let name = text.parse::<Name<'static>>();
    let name = name.map_err(|error| PyValueError::new_err(format!("`{text}`: {error}")))?;
    if name.is_empty() {
        return Err(PyValueError::new_err("`/` has no components; write a name such as /example"));
    }
    Ok(name)
}

fn remote(text: &str) -> PyResult<FaceAddress> {
    text.parse().map_err(PyValueError::new_err)
}

/// An IP address, with its port or with that one.
fn bound(text: &str, port: u16) -> PyResult<SocketAddr> {
    let alone = || text.parse::<IpAddr>().map(|it| SocketAddr::new(it, port));
    text.parse().or_else(|_| alone()).map_err(|_| {
        PyValueError::new_err(format!(
            "`{text}` is not an address to bind to; write one such as 192.0.2.1 or 192.0.2.1:6363"
        ))
    })
}

/// Adds all of this to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NdnForwarder>()?;
    module.add_class::<NdnProducer>()?;
    module.add_function(wrap_pyfunction!(ndn_get, module)?)
}
