//! Transfers by our TCP on a TUN interface.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::net::ToSocketAddrs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use windtunnel_live::capabilities::{Capability, give_up_all_but};
use windtunnel_live::tcp::{self, Call, InterfaceAddress, TransferError};

use crate::errors::{ScenarioError, os_error};

/// How often it is looked whether the user has interrupted it.
const LOOK: Duration = Duration::from_millis(100);

/// Transfers files over one connection: to `peer`, or from whoever connects to `port`. Returns
/// what it was like, as JSON text. The calling thread keeps no capability but that over files.
/// Raises ScenarioError for what cannot be, and OSError if a file, the interface or the peer
/// fails.
#[pyfunction]
#[pyo3(signature = (interface, address, controller, *, peer=None, port=0, send=None, receive=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn tcp_transfer(
    py: Python<'_>,
    interface: &str,
    address: &str,
    controller: &str,
    peer: Option<&str>,
    port: u16,
    send: Option<PathBuf>,
    receive: Option<PathBuf>,
) -> PyResult<String> {
    let own: InterfaceAddress = address.parse().map_err(invalid)?;
    let controller = tcp::controller(controller).map_err(invalid)?;
    let call = peer.map_or(Ok(Call::Listen(port)), |it| connect(it, own))?;
    let mut source = send.map(|it| open(&it)).transpose()?;
    let mut sink = receive.map(Incoming::create).transpose()?;
    let interface = tcp::open(interface, own).map_err(|it| unopened(interface, &it))?;
    // The interface is open; what is received may belong to a folder of another user's.
    give_up_all_but(&[Capability::CAP_DAC_OVERRIDE]).map_err(os_error)?;
    let mut looked = Instant::now();
    let mut interrupted = None;
    let is_stopped = || {
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            interrupted = Python::attach(|py| py.check_signals()).err();
        }
        interrupted.is_some()
    };
    let result = py.detach(|| {
        let source = source.as_mut().map(|it| it as &mut dyn Read);
        let output = sink.as_mut().map(|it| &mut it.output as &mut dyn Write);
        tcp::transfer(&interface, own.address, call, &controller, (source, output), is_stopped)
    });
    let transferred = match (result, interrupted) {
        (_, Some(interrupted)) => return Err(interrupted),
        (Err(TransferError::Version(..)), _) => unreachable!("both are of one version"),
        (Err(error), _) => return Err(PyOSError::new_err(error.to_string())),
        (Ok(it), _) => it,
    };
    sink.map_or(Ok(()), Incoming::finish).map_err(os_error)?;
    serde_json::to_string(&transferred).map_err(|it| PyValueError::new_err(it.to_string()))
}

fn invalid(error: impl ToString) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// Why an interface cannot be opened.
fn unopened(name: &str, error: &io::Error) -> PyErr {
    let help = match error.kind() {
        io::ErrorKind::PermissionDenied => "\nhelp: it needs CAP_NET_ADMIN, which root has",
        io::ErrorKind::InvalidInput => {
            "\nhelp: an interface that is there must be made by \
                                        `ip tuntap add dev NAME mode tun`"
        }
        io::ErrorKind::ResourceBusy => "\nhelp: another process has opened it",
        _ => "",
    };
    PyOSError::new_err(format!("the interface {name}: {error}{help}"))
}

/// The peer's address of the same version of IP as ours.
fn connect(peer: &str, own: InterfaceAddress) -> PyResult<Call> {
    let unknown = |why: String| ScenarioError::new_err(format!("{peer}: {why}"));
    if !peer.contains(':') {
        let help = "has no port\nhelp: write one such as 10.9.0.1:7007 or [fd00:9::1]:7007";
        return Err(unknown(help.to_owned()));
    }
    let found = peer.to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    let is_near = |it: &std::net::SocketAddr| it.is_ipv4() == own.address.is_ipv4();
    let version = if own.address.is_ipv4() { "IPv4" } else { "IPv6" };
    let none = || unknown(format!("has no address of {version}, which --address has"));
    found.into_iter().find(is_near).map(Call::Connect).ok_or_else(none)
}

fn open(path: &Path) -> PyResult<File> {
    let named = |error: io::Error| PyOSError::new_err(format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(named)?;
    let is_file = file.metadata().map_err(named)?.is_file();
    let refused = || ScenarioError::new_err(format!("{}: is not a file", path.display()));
    is_file.then_some(file).ok_or_else(refused)
}

/// A file that comes: it has another name until it is whole.
struct Incoming {
    output: BufWriter<File>,
    unfinished: PathBuf,
    path: PathBuf,
}

impl Incoming {
    fn create(path: PathBuf) -> PyResult<Self> {
        let mut name = path.clone().into_os_string();
        name.push(".unfinished");
        let unfinished = PathBuf::from(name);
        let file = File::create(&unfinished)
            .map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))?;
        Ok(Self { output: BufWriter::new(file), unfinished, path })
    }

    fn finish(mut self) -> io::Result<()> {
        self.output.flush()?;
        std::fs::rename(&self.unfinished, &self.path)
    }
}
