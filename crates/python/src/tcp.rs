//! Transfers by our TCP on a TUN interface.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use windtunnel_live::TunInterface;
use windtunnel_live::capabilities::{Capability, give_up_all_but};
use windtunnel_live::tcp::{self, End, Files, InterfaceAddress, Sink, TransferError};

use crate::errors::{ScenarioError, os_error};

/// How often it is looked whether the user has interrupted it.
const LOOK: Duration = Duration::from_millis(100);

/// Connects to `peer` and transfers files. Returns what it was like, as JSON text. The calling
/// thread keeps no capability but that over files. Raises ScenarioError for what cannot be, and
/// OSError if a file, the interface or the peer fails.
#[pyfunction]
#[pyo3(signature = (interface, address, controller, peer, send=None, receive=None))]
pub(crate) fn tcp_connect(
    py: Python<'_>,
    interface: &str,
    address: &str,
    controller: &str,
    peer: &str,
    send: Option<PathBuf>,
    receive: Option<PathBuf>,
) -> PyResult<String> {
    let own: InterfaceAddress = address.parse().map_err(invalid)?;
    let controller = windtunnel_tcp::controller(controller).map_err(invalid)?;
    let peer = address_of(peer, own)?;
    let files = files_for(1, 1, send.as_deref(), receive.as_deref()).map_err(failed)?;
    let interface = open_interface(interface, own)?;
    let end = End { address: own.address, controller: &controller };
    let transferred = run(py, |it| tcp::connect(&interface, end, peer, files, it))?;
    json(serde_json::to_string(&transferred))
}

/// Transfers files over each of the first `clients` connections to `port`, several at once. What
/// comes is written to `receive`, of several clients each to a file of its own, with the client's
/// number at the end of its name. Returns what they were like, as JSON text, also if the user interrupts
/// it; raises as `tcp_connect` does, and nothing for what happens to a client.
#[pyfunction]
#[pyo3(signature = (interface, address, controller, port, clients, send=None, receive=None))]
#[expect(clippy::too_many_arguments, reason = "they are the options of a command")]
pub(crate) fn tcp_listen(
    py: Python<'_>,
    interface: &str,
    address: &str,
    controller: &str,
    port: u16,
    clients: usize,
    send: Option<PathBuf>,
    receive: Option<PathBuf>,
) -> PyResult<String> {
    let own: InterfaceAddress = address.parse().map_err(invalid)?;
    let controller = windtunnel_tcp::controller(controller).map_err(invalid)?;
    let of_client = |client| files_for(client, clients, send.as_deref(), receive.as_deref());
    // What is wrong with the files shows itself before somebody connects.
    let mut first = Some(of_client(1).map_err(failed)?);
    let interface = open_interface(interface, own)?;
    let end = End { address: own.address, controller: &controller };
    let files = |client| first.take().map_or_else(|| of_client(client), Ok);
    let served = run(py, |it| tcp::serve(&interface, end, port, clients, files, it))?;
    json(serde_json::to_string(&served))
}

/// Opens the interface, and gives up all capabilities but that over files: what is received may
/// belong to a folder of another user's.
fn open_interface(name: &str, own: InterfaceAddress) -> PyResult<TunInterface> {
    let interface = tcp::open(name, own).map_err(|it| unopened(name, &it))?;
    give_up_all_but(&[Capability::CAP_DAC_OVERRIDE]).map_err(os_error)?;
    Ok(interface)
}

/// Runs something that asks whether the user has interrupted it.
fn run<T: Send>(
    py: Python<'_>,
    act: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> Result<T, TransferError> + Send,
) -> PyResult<T> {
    let mut looked = Instant::now();
    let mut interrupted = None;
    let mut is_stopped = || {
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            interrupted = Python::attach(|py| py.check_signals()).err();
        }
        interrupted.is_some()
    };
    let result = py.detach(|| act(&mut is_stopped));
    match (result, interrupted) {
        (Ok(it), _) => Ok(it),
        (Err(_), Some(interrupted)) => Err(interrupted),
        (Err(TransferError::Version(..)), _) => unreachable!("both are of one version"),
        (Err(error), _) => Err(failed(error)),
    }
}

fn json(text: serde_json::Result<String>) -> PyResult<String> {
    text.map_err(|it| PyValueError::new_err(it.to_string()))
}

fn failed(error: TransferError) -> PyErr {
    PyOSError::new_err(error.to_string())
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
fn address_of(peer: &str, own: InterfaceAddress) -> PyResult<SocketAddr> {
    let unknown = |why: String| ScenarioError::new_err(format!("{peer}: {why}"));
    if !peer.contains(':') {
        let help = "has no port\nhelp: write one such as 10.9.0.1:7007 or [fd00:9::1]:7007";
        return Err(unknown(help.to_owned()));
    }
    let found = peer.to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    let is_near = |it: &SocketAddr| it.is_ipv4() == own.address.is_ipv4();
    let version = if own.address.is_ipv4() { "IPv4" } else { "IPv6" };
    let none = || unknown(format!("has no address of {version}, which --address has"));
    found.into_iter().find(is_near).ok_or_else(none)
}

/// The files of a client, the first of whom has the number 1.
fn files_for(
    client: usize,
    clients: usize,
    send: Option<&Path>,
    receive: Option<&Path>,
) -> Result<Files, TransferError> {
    let source = send.map(open).transpose().map_err(TransferError::Source)?;
    let incoming = receive.map(|it| Incoming::create(of_client(it, client, clients)));
    let sink = incoming.transpose().map_err(TransferError::Sink)?;
    Ok(Files {
        source: source.map(|it| Box::new(it) as Box<_>),
        sink: sink.map(|it| Box::new(it) as Box<_>),
    })
}

/// The file of a client's own, where there are several.
fn of_client(path: &Path, client: usize, clients: usize) -> PathBuf {
    if clients == 1 { path.to_owned() } else { with_end(path, &format!(".{client}")) }
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn open(path: &Path) -> io::Result<File> {
    let named = |error: io::Error| named(path, &error);
    let file = File::open(path).map_err(named)?;
    let is_file = file.metadata().map_err(named)?.is_file();
    let refused = || io::Error::other(format!("{}: is not a file", path.display()));
    is_file.then_some(file).ok_or_else(refused)
}

/// An error that names its file.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A file that comes: it has another name until it is whole.
struct Incoming {
    output: BufWriter<File>,
    unfinished: PathBuf,
    path: PathBuf,
}

impl Incoming {
    fn create(path: PathBuf) -> io::Result<Self> {
        let unfinished = with_end(&path, ".unfinished");
        let file = File::create(&unfinished).map_err(|error| named(&path, &error))?;
        Ok(Self { output: BufWriter::new(file), unfinished, path })
    }
}

impl Write for Incoming {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Sink for Incoming {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()?;
        std::fs::rename(&self.unfinished, &self.path)
    }
}
