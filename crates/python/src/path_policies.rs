//! Path policies written in Python.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_networks::scion::policies::{self as network, PolicyMaker};

use crate::objects::{Object, argument};

argument! {
    /// A path.
    Path {
        place: usize,
        id: u64,
        latency: u64,
        bandwidth_bps: u64,
        mtu: u16,
        as_hops: u8,
        interfaces: Vec<(u64, u16)>,
        expires: u64,
        rtt: Option<u64>,
    }
}

argument! {
    /// What a policy decides on.
    PathView {
        now: u64,
        paths: Vec<Path>,
        current: Option<usize>,
        random: f64,
    }
}

impl Path {
    fn of(place: usize, it: &network::PathInfo) -> Self {
        Self {
            place,
            id: it.id.0,
            latency: it.latency.as_nanos(),
            bandwidth_bps: it.bandwidth.bits_per_second(),
            mtu: it.mtu,
            as_hops: it.as_hops,
            interfaces: it.interfaces.iter().map(|it| (it.isd_as, it.number)).collect(),
            expires: it.expires.as_nanos(),
            rtt: it.rtt.map(Duration::as_nanos),
        }
    }
}

/// A class, with its name in a scenario.
#[derive(Debug)]
struct Class {
    name: Arc<str>,
    class: Py<PyAny>,
    probe_interval: Option<Duration>,
    probes_only_current: bool,
}

/// The maker of a class's policies.
pub(crate) fn maker(name: String, class: &Bound<'_, PyAny>) -> PyResult<Arc<dyn PolicyMaker>> {
    let interval: Option<u64> = class.getattr("probe_interval")?.extract()?;
    if interval == Some(0) {
        return Err(PyValueError::new_err(format!(
            "path policy `{name}`: `probe_interval` must be greater than zero, or None"
        )));
    }
    Ok(Arc::new(Class {
        name: name.into(),
        probe_interval: interval.map(Duration::from_nanos),
        probes_only_current: class.getattr("probes_only_current")?.is_truthy()?,
        class: class.clone().unbind(),
    }))
}

impl PolicyMaker for Class {
    fn name(&self) -> &str {
        &self.name
    }

    fn policy(&self, subflow: usize, subflows: usize) -> Box<dyn network::PathPolicy> {
        Box::new(PathPolicy {
            object: Object::new("path policy", &self.name, &self.class, (subflow, subflows)),
            probe_interval: self.probe_interval,
            probes_only_current: self.probes_only_current,
        })
    }
}

/// The policy of one flow, or of a subflow.
#[derive(Clone, Debug)]
struct PathPolicy {
    object: Object,
    probe_interval: Option<Duration>,
    probes_only_current: bool,
}

impl network::PathPolicy for PathPolicy {
    fn probe_interval(&self) -> Option<Duration> {
        self.probe_interval
    }

    fn probes_only_current(&self) -> bool {
        self.probes_only_current
    }

    fn on_probe(&mut self, now: Time, path: &network::PathInfo, rtt: Option<Duration>) {
        self.object.tell("on_probe", (now.as_nanos(), path.id.0, rtt.map(Duration::as_nanos)));
    }

    fn select(
        &mut self,
        now: Time,
        paths: &[network::PathInfo],
        current: Option<usize>,
        random: &mut Random,
    ) -> usize {
        let view = PathView {
            now: now.as_nanos(),
            paths: paths.iter().enumerate().map(|(place, it)| Path::of(place, it)).collect(),
            current,
            random: random.unit(),
        };
        let place: usize = self.object.ask("select", (view,));
        if place >= paths.len() {
            let count = paths.len();
            let why = format!("there is no path {place}; there are {count}, counted from 0");
            self.object.fail("select", &why);
        }
        place
    }
}

/// Adds the arguments of policies' methods to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Path>()?;
    module.add_class::<PathView>()
}
