//! Implementations of transport protocols written in Python.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use windtunnel_stack::interface::{ecn_codepoint, ecn_number, nanoseconds};
use windtunnel_stack::{
    self as stack, Departure, Failure, MakeStack, Role, StackKind, StreamStack,
};

use crate::objects::said;

/// What methods answer, in words.
const TIME: &str = "a time in nanoseconds since the run began, or None";
const COUNT: &str = "a number of bytes";

/// An IP address as text, and a port.
type Address = (String, u16);

/// One end of a connection that is to be.
#[pyclass(frozen, get_all)]
pub(crate) struct Place {
    role: &'static str,
    own: Address,
    peer: Address,
    seed: u64,
    controller: Option<String>,
}

/// A UDP datagram that has arrived.
#[pyclass(frozen, get_all)]
pub(crate) struct Datagram {
    source: Address,
    destination: Address,
    ecn: u32,
    data: Py<PyBytes>,
}

fn written(address: SocketAddr) -> Address {
    (address.ip().to_string(), address.port())
}

// -- Classes -----------------------------------------------------------------

/// Where a class is.
#[derive(Debug)]
enum Source {
    Class(Py<PyAny>),
    /// In a module that is imported when a scenario names the stack.
    Module(&'static str, &'static str),
}

/// A class, with its name in scenarios.
#[derive(Debug)]
struct Class {
    name: String,
    source: Source,
}

/// The stacks of a class.
pub(crate) fn kind(name: String, class: &Bound<'_, PyAny>) -> Arc<dyn StackKind> {
    Arc::new(Class { name, source: Source::Class(class.clone().unbind()) })
}

/// Those that come with Windtunnel.
pub(crate) fn included() -> Arc<dyn StackKind> {
    let source = Source::Module("windtunnel.stacks.aioquic", "Aioquic");
    Arc::new(Class { name: "aioquic".to_owned(), source })
}

impl Class {
    /// The class, if all its methods are written.
    fn class<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.source {
            Source::Class(it) => Ok(it.bind(py).clone()),
            Source::Module(module, name) => py.import(*module)?.getattr(*name),
        }
    }

    fn with_class<T>(
        &self,
        work: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T, String> {
        Python::attach(|py| {
            let class = self.class(py);
            class.and_then(|it| work(&it)).map_err(|it| it.value(py).to_string())
        })
    }
}

impl StackKind for Class {
    fn name(&self) -> &str {
        &self.name
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        let (missing, class, controllers) = self.with_class(|class| {
            let missing = class.getattr("__abstractmethods__")?.try_iter()?;
            let missing: Vec<String> = missing.map(|it| it?.extract()).collect::<PyResult<_>>()?;
            let name: String = class.getattr("__name__")?.extract()?;
            Ok((missing, name, class.getattr("controllers")?.extract()?))
        })?;
        match missing.into_iter().min() {
            Some(method) => Err(format!("class {class} has no method `{method}`")),
            None => Ok(controllers),
        }
    }

    fn maker(&self, controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        let controller = controller.map(str::to_owned);
        let maker = self.with_class(|class| {
            let largest_datagram: u16 = class.getattr("largest_datagram")?.extract()?;
            let first: Option<u16> = class.getattr("first_datagram")?.extract()?;
            Ok(Maker {
                name: self.name.clone(),
                class: class.clone().unbind(),
                controller,
                largest_datagram,
                first_datagram: first.unwrap_or(largest_datagram),
                is_deterministic: class.getattr("is_deterministic")?.is_truthy()?,
            })
        })?;
        Ok(Arc::new(maker))
    }
}

/// Makes objects of a class, with one of its controllers.
#[derive(Debug)]
struct Maker {
    name: String,
    class: Py<PyAny>,
    controller: Option<String>,
    largest_datagram: u16,
    first_datagram: u16,
    is_deterministic: bool,
}

impl MakeStack for Maker {
    fn name(&self) -> &str {
        &self.name
    }

    fn largest_datagram(&self) -> u16 {
        self.largest_datagram
    }

    fn first_datagram(&self) -> u16 {
        self.first_datagram
    }

    fn is_deterministic(&self) -> bool {
        self.is_deterministic
    }

    fn make(&self, now: Duration, place: stack::Place) -> Result<Box<dyn StreamStack>, String> {
        let role = match place.role {
            Role::Client => "client",
            Role::Server => "server",
        };
        let argument = Place {
            role,
            own: written(place.own),
            peer: written(place.peer),
            seed: place.seed,
            controller: self.controller.clone(),
        };
        Python::attach(|py| {
            let class = self.class.bind(py);
            let name =
                class.getattr("__name__").map_or_else(|_| self.name.clone(), |it| it.to_string());
            match class.call1((nanoseconds(now), argument)) {
                Ok(object) => {
                    let (object, failure) = (object.unbind(), Failure::default());
                    Ok(Box::new(End { name, object, peer: place.peer, failure }) as _)
                }
                Err(error) => Err(format!("{name}.__init__: {}", said(py, &error))),
            }
        })
    }
}

// -- Objects -----------------------------------------------------------------

/// One end of a connection.
#[derive(Debug)]
struct End {
    /// The class's.
    name: String,
    object: Py<PyAny>,
    peer: SocketAddr,
    failure: Failure,
}

#[derive(FromPyObject)]
struct Sent<'py> {
    data: Bound<'py, PyBytes>,
    to: Option<Address>,
    ecn: u32,
    segment: Option<usize>,
}

#[derive(FromPyObject)]
struct State {
    cwnd: Option<u64>,
    ssthresh: Option<u64>,
    in_flight: Option<u64>,
    smoothed_rtt: Option<u64>,
    least_rtt: Option<u64>,
    pacing_rate: Option<u64>,
    lost_packets: Option<u64>,
    decreases: Option<u64>,
    mtu: Option<u16>,
}

#[derive(FromPyObject)]
struct Event {
    kind: String,
    stream: u64,
    reason: String,
}

impl End {
    /// What a method answers, as `take` understands it; nothing if the end has failed, now or before.
    fn ask<T, A>(
        &self,
        method: &'static str,
        arguments: A,
        expected: &str,
        take: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> Option<T>,
    ) -> Option<T>
    where
        A: for<'py> PyCallArgs<'py>,
    {
        if self.failure.is_set() {
            return None;
        }
        Python::attach(|py| {
            let object = self.object.bind(py);
            match object.call_method1(PyString::intern(py, method), arguments) {
                Ok(answer) => take(&answer).or_else(|| {
                    let answer = answer.repr().map_or_else(|_| "?".into(), |it| it.to_string());
                    let answer: String = answer.chars().take(100).collect();
                    self.fail(method, &format!("it returned {answer}, and not {expected}"))
                }),
                Err(error) => self.fail(method, &said(py, &error)),
            }
        })
    }

    /// The same of a method that answers nothing.
    fn tell<A: for<'py> PyCallArgs<'py>>(&self, method: &'static str, arguments: A) {
        let _ = self.ask(method, arguments, "", |_| Some(()));
    }

    fn fail<T>(&self, method: &str, why: &str) -> Option<T> {
        self.failure.set(|| format!("{}.{method}: {why}", self.name));
        None
    }

    /// The departure that a method answered, whose bytes are put into `buffer`.
    fn departure(&self, sent: &Sent<'_>, buffer: &mut Vec<u8>) -> Option<Departure> {
        let data = sent.data.as_bytes();
        let segment = sent.segment.unwrap_or(data.len());
        if data.is_empty() || segment == 0 {
            return self.fail("send", "a datagram has at least one byte");
        }
        let to = match &sent.to {
            None => self.peer,
            Some((address, port)) => match address.parse() {
                Ok(address) => SocketAddr::new(address, *port),
                Err(_) => return self.fail("send", &format!("`{address}` is not an IP address")),
            },
        };
        buffer.extend_from_slice(data);
        Some(Departure { from: None, to, ecn: ecn_codepoint(sent.ecn), segment })
    }

    fn event(&self, event: Event) -> Option<stack::Event> {
        let stream = event.stream;
        Some(match event.kind.as_str() {
            "connected" => stack::Event::Connected,
            "available" => stack::Event::Available,
            "opened" => stack::Event::Opened(stream),
            "readable" => stack::Event::Readable(stream),
            "writable" => stack::Event::Writable(stream),
            "acknowledged" => stack::Event::Acknowledged(stream),
            "failed" => stack::Event::Failed(event.reason),
            other => return self.fail("next_event", &format!("there is no event `{other}`")),
        })
    }
}

impl stack::Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[stack::Datagram<'_>]) {
        let datagram = |it: &stack::Datagram<'_>| {
            Python::attach(|py| Datagram {
                source: written(it.from),
                destination: written(it.to),
                ecn: ecn_number(it.ecn),
                data: PyBytes::new(py, it.bytes).unbind(),
            })
        };
        let datagrams: Vec<Datagram> = datagrams.iter().map(datagram).collect();
        self.tell("receive", (nanoseconds(now), datagrams));
    }

    fn wake(&mut self, now: Duration) {
        self.tell("wake", (nanoseconds(now),));
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let sent = |answer: &Bound<'_, PyAny>| {
            let sent: Option<Sent<'_>> = answer.extract().ok()?;
            Some(sent.and_then(|it| self.departure(&it, buffer)))
        };
        self.ask("send", (nanoseconds(now),), "a Departure or None", sent)?
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let time: Option<Option<u64>> = self.ask("next_wake", (), TIME, |it| it.extract().ok());
        self.failure.wake(time.flatten().map(Duration::from_nanos))
    }

    fn state(&self) -> stack::State {
        let state: Option<State> = self.ask("state", (), "a State", |it| it.extract().ok());
        let Some(it) = state else { return stack::State::default() };
        stack::State {
            cwnd: it.cwnd,
            ssthresh: it.ssthresh,
            in_flight: it.in_flight,
            smoothed_rtt: it.smoothed_rtt.map(Duration::from_nanos),
            least_rtt: it.least_rtt.map(Duration::from_nanos),
            pacing_rate: it.pacing_rate,
            lost_packets: it.lost_packets,
            retransmissions: None,
            decreases: it.decreases,
            mtu: it.mtu,
        }
    }

    fn secrets(&self) -> String {
        self.ask("secrets", (), "a text", |it| it.extract().ok()).unwrap_or_default()
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        let expected = "the number of a stream, or None";
        self.ask("open", (nanoseconds(now),), expected, |it| it.extract().ok())?
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        let arguments = (nanoseconds(now), stream, bytes);
        self.ask("write", arguments, COUNT, |it| it.extract().ok()).unwrap_or_default()
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.tell("finish", (nanoseconds(now), stream));
    }

    fn read(&mut self, now: Duration, stream: u64) -> stack::Read {
        let arguments = (nanoseconds(now), stream);
        let expected = "a number of bytes, and whether there will be no more";
        let read: Option<(u64, bool)> =
            self.ask("read", arguments, expected, |it| it.extract().ok());
        let (bytes, is_end) = read.unwrap_or_default();
        stack::Read { bytes, is_end }
    }

    fn next_event(&mut self) -> Option<stack::Event> {
        let expected = "an Event or None";
        let event: Option<Option<Event>> =
            self.ask("next_event", (), expected, |it| it.extract().ok());
        let event = event.flatten().and_then(|it| self.event(it));
        self.failure.event().or(event)
    }
}

/// Adds the arguments of stacks' methods to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Place>()?;
    module.add_class::<Datagram>()
}
