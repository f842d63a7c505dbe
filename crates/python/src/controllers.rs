//! Controllers written in Python: classes that the core drives like its own.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use windtunnel_controllers as transport;
use windtunnel_controllers::{Controller, Description, External, Maker, Need, Window};

use crate::objects::{self, argument, said};

argument! {
    /// The initial conditions of a connection.
    Start {
        initial_window: f64,
        minimum_window: f64,
        restart_window: f64,
        initial_ssthresh: f64,
    }
}

argument! {
    /// Data was acknowledged.
    Acknowledgement {
        now: u64,
        acknowledged: f64,
        delivered: f64,
        marked: f64,
        some_congestion: f64,
        lost: f64,
        rtt: Option<u64>,
        smoothed_rtt: Option<u64>,
        one_way_delay: Option<u64>,
        in_flight: f64,
        next_departure: u64,
        delivery: Option<Delivery>,
        round_ended: bool,
        recovering: bool,
        window_limited: bool,
        radio: Option<RadioReport>,
    }
}

argument! {
    /// A delivery rate sample.
    Delivery {
        rate: Option<f64>,
        total: f64,
        total_at_send: f64,
        in_flight_at_send: f64,
        lost_since_send: f64,
        application_limited: bool,
    }
}

argument! {
    /// A radio's report of its channel to the sender.
    RadioReport {
        received: u64,
        sinr: f64,
        bandwidth: f64,
    }
}

argument! {
    /// Congestion was signalled.
    Congestion {
        now: u64,
        signal: &'static str,
        in_flight: f64,
    }
}

argument! {
    /// Data is about to be sent while none is in flight.
    TransmissionStart {
        now: u64,
        application_limited: bool,
        smoothed_rtt: Option<u64>,
    }
}

impl From<&transport::Acknowledgement> for Acknowledgement {
    fn from(it: &transport::Acknowledgement) -> Self {
        Self {
            now: it.now,
            acknowledged: it.acknowledged,
            delivered: it.delivered,
            marked: it.marked,
            some_congestion: it.some_congestion,
            lost: it.lost,
            rtt: it.rtt,
            smoothed_rtt: it.smoothed_rtt,
            one_way_delay: it.one_way_delay,
            in_flight: it.in_flight,
            next_departure: it.next_departure,
            delivery: it.delivery.map(|it| Delivery {
                rate: it.rate,
                total: it.total,
                total_at_send: it.total_at_send,
                in_flight_at_send: it.in_flight_at_send,
                lost_since_send: it.lost_since_send,
                application_limited: it.application_limited,
            }),
            round_ended: it.round_ended,
            recovering: it.recovering,
            window_limited: it.window_limited,
            radio: it.radio.map(|it| RadioReport {
                received: it.received,
                sinr: it.sinr,
                bandwidth: it.bandwidth,
            }),
        }
    }
}

impl From<&transport::Congestion> for Congestion {
    fn from(it: &transport::Congestion) -> Self {
        let signal = match it.signal {
            transport::Signal::Loss => "loss",
            transport::Signal::Mark => "mark",
            transport::Signal::Nack => "nack",
            transport::Signal::Timeout => "timeout",
        };
        Self { now: it.now, signal, in_flight: it.in_flight }
    }
}

// -- Classes -----------------------------------------------------------------

/// A class, with its name in a scenario.
#[derive(Debug)]
struct Class {
    description: &'static Description,
    class: Py<PyAny>,
}

/// The maker of a class's controllers.
pub(crate) fn maker(name: String, class: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Maker>> {
    let needs = needs(&name, class)?;
    Ok(Arc::new(Class { description: described(name, needs), class: class.clone().unbind() }))
}

/// The needs of a class, by their names in listings.
fn needs(name: &str, class: &Bound<'_, PyAny>) -> PyResult<Vec<Need>> {
    let declared: Vec<String> = class.getattr("needs")?.extract()?;
    let need = |declared: &String| {
        Need::ALL.iter().copied().find(|it| it.name() == declared).ok_or_else(|| {
            let known: Vec<&str> = Need::ALL.iter().map(|it| it.name()).collect();
            let known = known.join(", ");
            PyValueError::new_err(format!(
                "controller `{name}`: unknown need `{declared}`; known needs: {known}"
            ))
        })
    };
    declared.iter().map(need).collect()
}

/// The description with that name and those needs: created once and never freed, because
/// results refer to it.
fn described(name: String, needs: Vec<Need>) -> &'static Description {
    static DESCRIPTIONS: Mutex<Vec<&Description>> = Mutex::new(Vec::new());
    let mut known = DESCRIPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(it) = known.iter().find(|it| it.name == name && it.needs == needs) {
        return it;
    }
    let name: &'static str = name.leak();
    let description = Box::leak(Box::new(Description {
        name,
        title: name,
        source: "a Python class",
        status: "not checked",
        needs: needs.leak(),
        parameters: &[],
    }));
    known.push(description);
    description
}

impl Maker for Class {
    fn description(&self) -> &'static Description {
        self.description
    }

    fn make(&self, start: transport::Start) -> Box<dyn External> {
        let made = Python::attach(|py| -> Result<_, String> {
            let transport::Start {
                initial_window,
                minimum_window,
                restart_window,
                initial_ssthresh,
            } = start;
            let argument =
                Start { initial_window, minimum_window, restart_window, initial_ssthresh };
            let object = self.class.call1(py, (argument,)).map_err(|it| said(py, &it))?;
            let window = Window::new(start);
            let mut made =
                Object { description: self.description, object, window, pacing_rate: None };
            made.take_answers(py)?;
            Ok(made)
        });
        Box::new(made.unwrap_or_else(|why| fail(self.description, "__init__", &why)))
    }
}

// -- Objects -----------------------------------------------------------------

/// The controller of one connection.
#[derive(Debug)]
struct Object {
    description: &'static Description,
    object: Py<PyAny>,
    window: Window,
    pacing_rate: Option<f64>,
}

impl Object {
    /// Calls a method, and reads the attributes that it sets.
    fn call<T: for<'py> IntoPyObject<'py>>(&mut self, method: &'static str, argument: T) {
        let done = Python::attach(|py| {
            let called = self.object.call_method1(py, PyString::intern(py, method), (argument,));
            called.map_err(|it| said(py, &it))?;
            self.take_answers(py)
        });
        if let Err(why) = done {
            fail(self.description, method, &why);
        }
    }

    fn take_answers(&mut self, py: Python<'_>) -> Result<(), String> {
        let object = self.object.bind(py);
        let number = |it: PyResult<Bound<'_, PyAny>>| it.and_then(|it| it.extract::<f64>());
        let named = |name: &str, it: PyErr| format!("{name}: {}", said(py, &it));
        let cwnd = number(object.getattr(intern!(py, "cwnd"))).map_err(|it| named("cwnd", it))?;
        let ssthresh = number(object.getattr(intern!(py, "ssthresh")));
        let ssthresh = ssthresh.map_err(|it| named("ssthresh", it))?;
        if !self.window.take_over(cwnd, ssthresh) {
            let minimum = self.window.floor();
            return Err(format!(
                "cwnd is {cwnd} and ssthresh is {ssthresh}; cwnd must be a finite number of \
                 segments, at least {minimum}, and ssthresh must be a number"
            ));
        }
        let rate = object.getattr(intern!(py, "pacing_rate"));
        let rate = rate.and_then(|it| it.extract::<Option<f64>>());
        self.pacing_rate = rate.map_err(|it| named("pacing_rate", it))?;
        match self.pacing_rate {
            Some(rate) if !(rate.is_finite() && rate > 0.0) => Err(format!(
                "pacing_rate is {rate}; it must be a finite number of segments per second \
                 greater than zero, or None"
            )),
            _ => Ok(()),
        }
    }
}

impl Controller for Object {
    fn on_acknowledgement(&mut self, acknowledgement: &transport::Acknowledgement) {
        self.call("on_acknowledgement", Acknowledgement::from(acknowledgement));
    }

    fn on_congestion(&mut self, congestion: &transport::Congestion) {
        self.call("on_congestion", Congestion::from(congestion));
    }

    fn on_recovered(&mut self, now: u64) {
        self.call("on_recovered", now);
    }

    fn on_transmission_start(&mut self, start: &transport::TransmissionStart) {
        let transport::TransmissionStart { now, application_limited, smoothed_rtt } = *start;
        let start = TransmissionStart { now, application_limited, smoothed_rtt };
        self.call("on_transmission_start", start);
    }

    fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
        let mut window = self.window;
        window.lower(cwnd, ssthresh);
        let done = Python::attach(|py| {
            let object = self.object.bind(py);
            let set = |name, value: f64| object.setattr(PyString::intern(py, name), value);
            set("cwnd", window.cwnd())
                .and_then(|()| set("ssthresh", window.ssthresh()))
                .map_err(|it| said(py, &it))?;
            self.take_answers(py)
        });
        if let Err(why) = done {
            fail(self.description, "cwnd", &why);
        }
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

impl External for Object {
    fn copy(&self) -> Box<dyn External> {
        let copied =
            Python::attach(|py| objects::copied(py, &self.object).map_err(|it| said(py, &it)));
        let object = copied.unwrap_or_else(|why| fail(self.description, "copy.deepcopy", &why));
        let Self { description, window, pacing_rate, .. } = *self;
        Box::new(Self { description, object, window, pacing_rate })
    }

    fn undo(&mut self, before: &dyn External) {
        if let Some(before) = (before as &dyn Any).downcast_ref::<Self>() {
            let object = Python::attach(|py| before.object.clone_ref(py));
            self.call("on_spurious", object);
        }
    }

    fn description(&self) -> &'static Description {
        self.description
    }
}

/// Ends the run.
fn fail(description: &Description, method: &str, why: &str) -> ! {
    objects::fail("controller", description.name, method, why)
}

/// Adds the arguments of controllers' methods to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Start>()?;
    module.add_class::<Acknowledgement>()?;
    module.add_class::<Delivery>()?;
    module.add_class::<RadioReport>()?;
    module.add_class::<Congestion>()?;
    module.add_class::<TransmissionStart>()
}
