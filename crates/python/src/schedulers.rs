//! Schedulers of Multipath TCP written in Python.

use std::sync::Arc;

use pyo3::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_transports::mptcp::scheduler::{self as transport, Choice, Maker};

use crate::objects::{Object, argument};

argument! {
    /// A subflow.
    Subflow {
        place: usize,
        is_usable: bool,
        is_open: bool,
        is_backup: bool,
        cwnd: f64,
        ssthresh: f64,
        in_flight: f64,
        queued: f64,
        free: f64,
        smoothed_rtt: Option<u64>,
        rtt_variation: u64,
        minimum_rtt: Option<u64>,
        timeout: u64,
        is_recovering: bool,
        rate: Option<f64>,
        delivery_rate: Option<f64>,
        bandwidth: Option<f64>,
    }
}

argument! {
    /// What a scheduler decides on.
    SchedulerView {
        now: u64,
        subflows: Vec<Subflow>,
        unacknowledged: u64,
        next: u64,
        waiting: u64,
        window: u64,
        segment: u16,
    }
}

impl SchedulerView {
    fn of(view: &transport::View<'_>) -> Self {
        let subflow = |(place, it): (usize, &transport::SubflowState)| Subflow {
            place,
            is_usable: view.usable().any(|it| it.0 == place),
            is_open: view.open().any(|it| it.0 == place),
            is_backup: it.backup,
            cwnd: it.sender.cwnd,
            ssthresh: it.sender.ssthresh,
            in_flight: it.sender.in_flight,
            queued: it.sender.queued,
            free: it.free(),
            smoothed_rtt: it.sender.smoothed_rtt.map(Duration::as_nanos),
            rtt_variation: it.sender.rtt_variation.as_nanos(),
            minimum_rtt: it.sender.least_rtt.map(Duration::as_nanos),
            timeout: it.sender.timeout.as_nanos(),
            is_recovering: it.sender.recovering,
            rate: it.sender.rate,
            delivery_rate: it.sender.delivery_rate,
            bandwidth: it.sender.estimate.map(|it| it.0),
        };
        Self {
            now: view.now.as_nanos(),
            subflows: view.subflows.iter().enumerate().map(subflow).collect(),
            unacknowledged: view.unacknowledged,
            next: view.next,
            waiting: view.waiting,
            window: view.window,
            segment: view.segment,
        }
    }
}

/// A class, with its name in a scenario.
#[derive(Debug)]
struct Class {
    name: Arc<str>,
    class: Py<PyAny>,
    wants_rates: bool,
    repeats: bool,
}

/// The maker of a class's schedulers.
pub(crate) fn maker(name: String, class: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Maker>> {
    let flag = |name: &str| class.getattr(name)?.is_truthy();
    Ok(Arc::new(Class {
        name: name.into(),
        wants_rates: flag("wants_rates")?,
        repeats: flag("repeats")?,
        class: class.clone().unbind(),
    }))
}

impl Maker for Class {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(&self) -> Box<dyn transport::Scheduler> {
        Box::new(Scheduler {
            object: Object::new("scheduler", &self.name, &self.class, ()),
            wants_rates: self.wants_rates,
            repeats: self.repeats,
        })
    }
}

/// The scheduler of one end of a connection.
#[derive(Clone, Debug)]
struct Scheduler {
    object: Object,
    wants_rates: bool,
    repeats: bool,
}

/// A subflow, or a subflow and the byte to send from.
#[derive(FromPyObject)]
enum Answer {
    Subflow(usize),
    From(usize, u64),
}

impl transport::Scheduler for Scheduler {
    fn choose(&mut self, view: &transport::View<'_>) -> Option<Choice> {
        let argument = SchedulerView::of(view);
        let answer: Option<Answer> = self.object.ask("choose", (argument,));
        let choice = match answer? {
            Answer::Subflow(subflow) => Choice::new(subflow),
            Answer::From(subflow, from) => Choice { from: Some(from), ..Choice::new(subflow) },
        };
        if choice.subflow >= view.subflows.len() {
            let why = format!(
                "there is no subflow {}; there are {}, counted from 0",
                choice.subflow,
                view.subflows.len()
            );
            self.object.fail("choose", &why);
        }
        Some(choice)
    }

    fn on_sent(&mut self, subflow: usize, start: u64, end: u64) {
        self.object.tell("on_sent", (subflow, start, end));
    }

    fn on_window_full(&mut self, now: Time) {
        self.object.tell("on_window_full", (now.as_nanos(),));
    }

    fn wants_rates(&self) -> bool {
        self.wants_rates
    }

    fn repeats(&self) -> bool {
        self.repeats
    }
}

/// Adds the arguments of schedulers' methods to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Subflow>()?;
    module.add_class::<SchedulerView>()
}
