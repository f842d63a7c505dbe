//! From a plan's flows to their hosts.

use std::sync::Arc;

use windtunnel_applications::udp::Source;
use windtunnel_applications::{Application, Relay, Setting, Workload};
use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_packets::Route;
use windtunnel_transports::tcp::{self, Reading};

use super::numbers::Numbers;
use super::sockets::Sockets;
use super::{Accepted, Class, FlowPlace, Hosts, Running, Seat};
use crate::network::Side;
use crate::plan::{FlowPlan, Plan, Transport};
use crate::routing::{Leg, Ways};
use crate::transfers::Ideal;

impl Hosts {
    /// The hosts of all flows of a plan, on those paths.
    pub(crate) fn new(plan: &Plan, streams: &Streams, ways: &Ways) -> Self {
        let mut hosts = Self {
            flows: Vec::with_capacity(plan.flows.len()),
            seats: Vec::with_capacity(2 * plan.flows.len()),
            classes: Vec::with_capacity(plan.flows.len()),
            numbers: Numbers::new(std::iter::empty()),
            sockets: Sockets::new(0),
            transfers: Vec::new(),
            outbox: tcp::Outbox::new(),
        };
        let mut has_many = Vec::with_capacity(plan.flows.len());
        let mut routes = ways.routes.as_slice();
        for flow in &plan.flows {
            let (own, others) = routes.split_at(flow.parts().count());
            routes = others;
            hosts.add(plan, flow, own, ways, streams);
            has_many.resize(hosts.classes.len(), flow.has_many_connections());
        }
        hosts.numbers = Numbers::new(has_many.into_iter());
        hosts.sockets = Sockets::new(hosts.numbers.classes());
        hosts
    }

    fn add(
        &mut self,
        plan: &Plan,
        flow: &FlowPlan,
        routes: &[[Route; 2]],
        ways: &Ways,
        streams: &Streams,
    ) {
        let mut random = streams.stream(&format!("flow {}", flow.name));
        let start = flow.start + delay_of_start(flow, &mut random);
        let place = FlowPlace {
            start,
            first: self.seats.len() as u32,
            hosts: routes.len() as u32 + 1,
            class: None,
            has_many: flow.has_many_connections(),
            has_transfers: false,
            is_file: false,
            ideal: None,
        };
        match &flow.transport {
            Transport::Tcp { settings, workload } => {
                let ideal = Ideal::new(
                    plan,
                    &links(ways, routes, Side::Sender),
                    &links(ways, routes, Side::Receiver),
                    settings,
                );
                self.flows.push(FlowPlace {
                    class: Some(self.classes.len() as u32),
                    has_transfers: workload.has_transfers(),
                    is_file: matches!(workload, Workload::File { .. }),
                    ideal: Some(Box::new(ideal)),
                    ..place
                });
                self.add_classes(flow, settings, routes);
                self.add_applications(flow, workload, &Setting { start, random });
            }
            Transport::Udp(settings) => {
                let random = streams.stream(&format!("source {}", flow.name));
                let index = self.flows.len() as u32;
                let source = Source::new(index, *settings, start, random);
                self.flows.push(place);
                self.seat(0, Running::Source(Box::new(source), routes[0][0]), flow.stop);
                self.seat(1, Running::Sink(Box::default()), Time::NEVER);
            }
        }
    }

    /// The connections between each two neighbouring hosts. Those that end at a proxy
    /// have its buffer.
    fn add_classes(
        &mut self,
        flow: &FlowPlan,
        settings: &Arc<tcp::Settings>,
        routes: &[[Route; 2]],
    ) {
        let first = self.seats.len() as u32;
        let to_proxy = flow.split.as_ref().map(|it| {
            Arc::new(tcp::Settings {
                receive_buffer: it.buffer,
                reading: Reading::AsTaken,
                ..(**settings).clone()
            })
        });
        for (part, routes) in (0..).zip(routes) {
            let is_last = part as usize + 1 == flow.parts().count();
            let settings = to_proxy.as_ref().filter(|_| !is_last).unwrap_or(settings);
            self.classes.push(Class {
                settings: Arc::clone(settings),
                applications: [first + part, first + part + 1],
                routes: *routes,
                accepted: Accepted::default(),
            });
        }
    }

    fn add_applications(&mut self, flow: &FlowPlan, workload: &Workload, setting: &Setting) {
        let [sender, receiver] = workload.applications(setting);
        let proxies = flow.split.iter().flat_map(|it| &it.at);
        let proxies = proxies.map(|_| Box::<Relay>::default() as Box<dyn Application>);
        let all = std::iter::once(sender).chain(proxies).chain(std::iter::once(receiver));
        for (position, application) in (0..).zip(all) {
            self.seat(position, Running::Streams(Some(application)), flow.stop);
        }
    }

    fn seat(&mut self, position: u32, running: Running, stop: Time) {
        self.seats.push(Seat {
            flow: self.flows.len() as u32 - 1,
            position,
            running,
            wake: Time::NEVER,
            stop,
            open: Vec::new(),
            opened: 0,
            closed: tcp::Counters::default(),
            transfers: 0,
            finished: None,
        });
    }
}

fn delay_of_start(flow: &FlowPlan, random: &mut Random) -> Duration {
    match flow.start_within {
        Duration::ZERO => Duration::ZERO,
        within => within.scaled(random.unit()),
    }
}

/// The links on the path from one end of a flow's connections to the other.
fn links(ways: &Ways, routes: &[[Route; 2]], from: Side) -> Vec<Leg> {
    routes.iter().flat_map(|it| ways.legs(it[from as usize])).collect()
}
