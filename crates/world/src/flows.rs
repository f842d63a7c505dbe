//! Flows over IP placed in the world: their applications, and the ends of their
//! connections.

pub(crate) mod proxies;

use std::sync::Arc;

use rand_distr::{Distribution, Exp1};
use windtunnel_controllers::Controller;
use windtunnel_engine::{Duration, Random, Rate, Streams, Time};
use windtunnel_packets::{Body, Packet, Route};
use windtunnel_transports::tcp::{Endpoint, TcpOutbox, TcpSettings};
use windtunnel_transports::udp::{SinkCounters, UdpSink, UdpSource};

use crate::connections::{Connections, TcpCounters};
use crate::event::Event;
use crate::flows::proxies::{Chain, Split};
use crate::network::{End, Network};
use crate::plan::{FlowPlan, Plan, Transport, Workload};
use crate::record::FlowSample;
use crate::routing::{Leg, Ways};
use crate::transfers::{Ideal, Transfer};

/// What a flow counted.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowCounters {
    /// Over TCP.
    Tcp(Box<TcpCounters>),
    /// Over UDP: datagrams sent, and what the sink counted.
    Udp(u64, SinkCounters),
}

/// A flow, as it is read from the world.
#[derive(Clone, Debug)]
pub struct Flow {
    /// When it started.
    pub start: Time,
    /// When the last octet of a file was received.
    pub finished: Option<Time>,
    /// How many files or answers were received; none where there are no such.
    pub transfers: Option<u64>,
    /// What it counted.
    pub counters: FlowCounters,
}

/// A flow's place in the world.
#[derive(Debug)]
struct Seat {
    routes: [Route; 2],
    random: Random,
    start: Time,
    stop: Time,
    /// When its application is called next.
    wake: Time,
    application: Application,
}

#[derive(Debug)]
enum Application {
    Tcp(Box<TcpSeat>),
    Udp(Box<UdpSeat>),
}

#[derive(Debug)]
struct UdpSeat {
    source: UdpSource,
    sink: UdpSink,
    /// What had been counted at the last sample.
    sampled: SinkCounters,
}

#[derive(Debug)]
struct TcpSeat {
    settings: Arc<TcpSettings>,
    workload: Workload,
    split: Option<Split>,
    ideal: Ideal,
    /// The place of its connection, where it has but one.
    connection: Option<u32>,
    /// Whether an on–off application is writing.
    is_on: bool,
    transfers: u64,
    finished: Option<Time>,
    opened: u64,
    /// What its closed connections counted, and all of them at the last sample.
    closed: TcpCounters,
    sampled: TcpCounters,
}

/// All flows over IP.
#[derive(Debug)]
pub(crate) struct Flows {
    seats: Vec<Seat>,
    connections: Connections,
    transfers: Vec<Transfer>,
    outbox: TcpOutbox,
    /// Room for what all open connections of each flow counted.
    counted: Vec<TcpCounters>,
}

impl Flows {
    /// All flows of a plan, on those ways.
    pub(crate) fn new(plan: &Plan, streams: &Streams, ways: &Ways) -> Self {
        let mut routes = ways.routes.as_slice();
        let flows = plan.flows.iter().enumerate();
        let seats = flows
            .map(|(index, flow)| {
                let (own, others) = routes.split_at(flow.parts().count());
                routes = others;
                seat(plan, index as u32, flow, own, ways, streams)
            })
            .collect();
        Self {
            seats,
            connections: Connections::default(),
            transfers: Vec::new(),
            outbox: TcpOutbox::new(),
            counted: vec![TcpCounters::default(); plan.flows.len()],
        }
    }

    /// Schedules the flows' starts.
    pub(crate) fn start(&mut self, network: &mut Network) {
        for (index, seat) in self.seats.iter_mut().enumerate() {
            seat.wake = seat.start;
            network.schedule(seat.wake, Event::Application(index as u32));
        }
    }

    /// Each flow, in the plan's order.
    pub(crate) fn flows(&self) -> impl Iterator<Item = Flow> {
        let mut counted = vec![TcpCounters::default(); self.seats.len()];
        count_open(&self.connections, &mut counted);
        self.seats.iter().zip(counted).map(|(seat, open)| match &seat.application {
            Application::Tcp(tcp) => Flow {
                start: seat.start,
                finished: tcp.finished,
                transfers: tcp.transfers_if_any(),
                counters: FlowCounters::Tcp(Box::new(tcp.total(open))),
            },
            Application::Udp(udp) => Flow {
                start: seat.start,
                finished: None,
                transfers: None,
                counters: FlowCounters::Udp(udp.source.sent(), *udp.sink.counters()),
            },
        })
    }

    /// When the last octet of a flow's file was received.
    pub(crate) fn finished(&self, flow: usize) -> Option<Time> {
        match &self.seats[flow].application {
            Application::Tcp(tcp) => tcp.finished,
            Application::Udp(_) => None,
        }
    }

    /// The transfers that were finished, in that order.
    pub(crate) fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Brings near what the next segment of a connection will meet.
    #[inline]
    pub(crate) fn prefetch(&self, connection: u32, end: End) {
        self.connections.prefetch(connection, end);
    }

    /// An IP packet has arrived at an end of its flow.
    #[inline]
    pub(crate) fn receive(&mut self, network: &mut Network, now: Time, end: End, packet: &Packet) {
        match &packet.body {
            Body::Segment(segment) => {
                // What comes after a connection was closed means nothing to it.
                let Some(place) = self.connections.find(segment.connection) else { return };
                let connection = self.connections.get(place);
                let endpoint = &mut connection.ends[end as usize];
                endpoint.receive(now, segment, packet.ecn, &mut self.outbox);
                self.after(network, now, place, end);
            }
            Body::Datagram(datagram) => {
                let seat = &mut self.seats[datagram.flow as usize];
                if let Application::Udp(udp) = &mut seat.application {
                    udp.sink.receive(now, datagram, packet.ecn);
                }
            }
            Body::Interest(_)
            | Body::Data(_)
            | Body::Nack(_)
            | Body::EdgeAcknowledgement { .. } => {}
        }
    }

    /// The sender of a flow hears of its radio: the SINR in dB, the bandwidth in Hz.
    pub(crate) fn hear(&mut self, flow: u32, now: Time, sinr: f64, bandwidth: f64) {
        for connection in self.connections.of_flow(flow) {
            connection.ends[End::Sender as usize].on_radio_report(now, sinr, bandwidth);
        }
    }

    /// An end of a connection looks at its timers.
    pub(crate) fn wake(&mut self, network: &mut Network, now: Time, place: u32, end: End) {
        let connection = self.connections.get(place);
        if !connection.alarms[end as usize].rings(now) || !connection.is_open {
            return;
        }
        connection.ends[end as usize].wake(now, &mut self.outbox);
        self.after(network, now, place, end);
    }

    /// A flow's application starts, does what is next, or stops.
    pub(crate) fn act(&mut self, network: &mut Network, now: Time, flow: u32) {
        let seat = &mut self.seats[flow as usize];
        if seat.wake != now {
            return;
        }
        seat.wake = Time::NEVER;
        let next = match &mut seat.application {
            Application::Udp(udp) => {
                if now < seat.stop {
                    network.send(now, seat.routes[0], udp.source.send(now));
                }
                Some(udp.source.next_wake()).filter(|it| *it < seat.stop)
            }
            Application::Tcp(_) if now >= seat.stop => {
                self.stop(network, now, flow);
                None
            }
            Application::Tcp(_) => {
                let next = self.act_over_tcp(network, now, flow);
                Some(next.min(self.seats[flow as usize].stop))
            }
        };
        if let Some(time) = next {
            self.call(network, flow, time);
        }
    }

    /// Has a flow's application called at `time`, if it is not called earlier.
    fn call(&mut self, network: &mut Network, flow: u32, time: Time) {
        let seat = &mut self.seats[flow as usize];
        if time < seat.wake {
            seat.wake = time;
            network.schedule(time, Event::Application(flow));
        }
    }

    /// What a flow over TCP does when it is called; returns when it wants to be
    /// called next.
    fn act_over_tcp(&mut self, network: &mut Network, now: Time, flow: u32) -> Time {
        let seat = &mut self.seats[flow as usize];
        let Application::Tcp(tcp) = &mut seat.application else { return Time::NEVER };
        match &tcp.workload {
            Workload::Bulk { rate: None } => {
                let place = self.open(network, now, flow, End::Sender);
                self.write(network, now, place, End::Sender, u64::MAX);
                Time::NEVER
            }
            &Workload::Bulk { rate: Some(rate) } => {
                let portion = portion(rate, tcp.settings.maximum_segment);
                let place = match tcp.connection {
                    Some(place) => place,
                    None => self.open(network, now, flow, End::Sender),
                };
                // While TCP holds enough, the application waits.
                if self.missing(place) > 0 {
                    self.write(network, now, place, End::Sender, u64::from(portion));
                }
                now + rate.transmission_time(portion)
            }
            &Workload::File { bytes } => {
                self.send_file(network, now, flow, bytes);
                Time::NEVER
            }
            Workload::Arrivals { per_second, sizes } => {
                // The first call is the process's beginning, and no arrival.
                let arrived = (now > seat.start).then(|| sizes.draw(&mut seat.random));
                let gap: f64 = Exp1.sample(seat.random.generator());
                let gap = Duration::from_seconds(gap / per_second).unwrap_or(Duration::MAX);
                if let Some(bytes) = arrived {
                    self.send_file(network, now, flow, bytes);
                }
                now + gap.max(Duration::from_picos(1))
            }
            &Workload::RequestResponse { request, response, .. } => {
                let place = match tcp.connection {
                    Some(place) => place,
                    None => self.open(network, now, flow, End::Receiver),
                };
                self.ask(network, now, place, request, response);
                Time::NEVER
            }
            Workload::OnOff(turns) => {
                tcp.is_on = !tcp.is_on;
                let period = if tcp.is_on { turns.on } else { turns.off };
                let ends = now + period.draw(&mut seat.random);
                if tcp.is_on {
                    let place = match tcp.connection {
                        Some(place) => place,
                        None => self.open(network, now, flow, End::Sender),
                    };
                    self.connections.get(place).tops_up = true;
                    self.top_up(network, now, place);
                }
                ends
            }
        }
    }

    /// Opens a connection of a flow; `opener` is the end that does.
    fn open(&mut self, network: &mut Network, now: Time, flow: u32, opener: End) -> u32 {
        let seat = &mut self.seats[flow as usize];
        let Application::Tcp(tcp) = &mut seat.application else {
            unreachable!("only flows over TCP open connections")
        };
        let settings = tcp.split.as_ref().map_or(&tcp.settings, Split::settings);
        let chain = Chain::first(tcp.split.is_some());
        let place = self.connections.open(flow, settings, opener, seat.routes, chain, now);
        tcp.opened += 1;
        if !matches!(tcp.workload, Workload::Arrivals { .. }) {
            tcp.connection = Some(place);
        }
        self.connections.get(place).ends[opener as usize].open(now, &mut self.outbox);
        self.flush(network, now, place, opener);
        place
    }

    /// An application hands data to an end.
    fn write(&mut self, network: &mut Network, now: Time, place: u32, end: End, bytes: u64) {
        let connection = self.connections.get(place);
        connection.ends[end as usize].write(now, bytes, &mut self.outbox);
        self.flush(network, now, place, end);
    }

    /// An application will hand no more data to an end.
    fn close(&mut self, network: &mut Network, now: Time, place: u32, end: End) {
        let connection = self.connections.get(place);
        connection.is_closing[end as usize] = true;
        connection.ends[end as usize].close(now, &mut self.outbox);
        self.flush(network, now, place, end);
    }

    /// Sends a file over a connection of its own.
    fn send_file(&mut self, network: &mut Network, now: Time, flow: u32, bytes: u64) {
        let place = self.open(network, now, flow, End::Sender);
        let connection = self.connections.get(place);
        connection.awaited[End::Receiver as usize] = bytes;
        connection.size = bytes;
        self.write(network, now, place, End::Sender, bytes);
        self.close(network, now, place, End::Sender);
    }

    /// The receiver asks for an answer.
    fn ask(&mut self, network: &mut Network, now: Time, place: u32, request: u64, response: u64) {
        let connection = self.connections.get(place);
        let [asked, answered] = connection.ends.each_ref().map(|it| it.counters().received_bytes);
        connection.awaited = [asked + request, answered + response];
        connection.size = response;
        connection.began = now;
        self.write(network, now, place, End::Receiver, request);
    }

    /// The end of what a flow begins: its connection is closed when all is sent
    /// that was handed over. Files on connections of their own go on.
    fn stop(&mut self, network: &mut Network, now: Time, flow: u32) {
        let Application::Tcp(tcp) = &mut self.seats[flow as usize].application else { return };
        tcp.is_on = false;
        let Some(place) = tcp.connection else { return };
        match tcp.workload {
            Workload::Bulk { .. } | Workload::OnOff(_) => {
                self.close(network, now, place, End::Sender)
            }
            Workload::File { .. }
            | Workload::RequestResponse { .. }
            | Workload::Arrivals { .. } => {}
        }
    }

    /// Keeps two windows of data before an application that writes at full speed:
    /// what is written when it stops is sent after it.
    fn top_up(&mut self, network: &mut Network, now: Time, place: u32) {
        let flow = self.connections.get(place).flow;
        if !matches!(&self.seats[flow as usize].application, Application::Tcp(it) if it.is_on) {
            return;
        }
        let missing = self.missing(place);
        if missing > 0 {
            self.write(network, now, place, End::Sender, missing);
        }
    }

    /// The octets that a sender lacks to have two windows in hand.
    fn missing(&self, place: u32) -> u64 {
        let connection = self.connections.at(place);
        let sender = &connection.ends[End::Sender as usize];
        let Application::Tcp(tcp) = &self.seats[connection.flow as usize].application else {
            return 0;
        };
        let initial = tcp.settings.start.initial_window;
        let window = sender.controller().map_or(initial, Controller::cwnd);
        let wanted = (2.0 * window * f64::from(tcp.settings.maximum_segment)).ceil() as u64;
        wanted.saturating_sub(sender.unacknowledged())
    }

    /// What follows when an end has received something or looked at its timers.
    #[inline]
    fn after(&mut self, network: &mut Network, now: Time, place: u32, end: End) {
        self.flush(network, now, place, end);
        let connection = self.connections.get(place);
        if connection.has_awaited(end) {
            self.progress(network, now, place, end);
        }
        let connection = self.connections.get(place);
        if end == End::Sender && connection.tops_up {
            self.top_up(network, now, place);
        }
        self.follow(network, now, place, end);
        if self.connections.get(place).closes_too(end) {
            self.close(network, now, place, end);
        }
        if self.connections.get(place).is_done(end) {
            self.release(place);
        }
    }

    /// Sends what an end has to send, and schedules its wake-up.
    #[inline]
    fn flush(&mut self, network: &mut Network, now: Time, place: u32, end: End) {
        let connection = self.connections.get(place);
        let route = connection.routes[end as usize];
        for packet in self.outbox.drain(..) {
            network.send(now, route, packet);
        }
        if let Some(time) = connection.ends[end as usize].next_wake() {
            // What is overdue is done at once.
            let time = time.max(now);
            if connection.alarms[end as usize].set(time) {
                let event = match end {
                    End::Sender => Event::SenderWake(place),
                    End::Receiver => Event::ReceiverWake(place),
                };
                network.schedule(time, event);
            }
        }
    }

    /// An end has received what it waited for.
    fn progress(&mut self, network: &mut Network, now: Time, place: u32, end: End) {
        let connection = self.connections.get(place);
        connection.awaited[end as usize] = u64::MAX;
        if end == End::Sender {
            let response = connection.size;
            self.write(network, now, place, End::Sender, response);
            return;
        }
        let (flow, bytes, start) = (connection.flow, connection.size, connection.began);
        let seat = &mut self.seats[flow as usize];
        let Application::Tcp(tcp) = &mut seat.application else { return };
        let number = tcp.transfers;
        tcp.transfers += 1;
        let ideal = match tcp.workload {
            Workload::RequestResponse { request, .. } => {
                tcp.ideal.exchange(request, bytes, number == 0)
            }
            _ => tcp.ideal.file(bytes),
        };
        let completion = now.since(start);
        self.transfers.push(Transfer { flow, number, bytes, start, completion, ideal });
        match tcp.workload {
            Workload::RequestResponse { think, .. } => {
                let time = now + think.draw(&mut seat.random);
                self.call(network, flow, time);
            }
            Workload::File { .. } => tcp.finished = Some(now),
            Workload::Bulk { .. } | Workload::OnOff(_) | Workload::Arrivals { .. } => {}
        }
    }

    /// Both ends are done with a connection.
    fn release(&mut self, place: u32) {
        let connection = self.connections.get(place);
        if let Application::Tcp(tcp) = &mut self.seats[connection.flow as usize].application {
            tcp.closed += &*connection;
            if tcp.connection == Some(place) {
                tcp.connection = None;
            }
        }
        self.leave(place);
        self.connections.close(place);
    }

    /// Samples each flow over the interval of `seconds` that ends at `time`.
    pub(crate) fn sample(&mut self, time: Time, seconds: f64, samples: &mut Vec<FlowSample>) {
        self.counted.fill(TcpCounters::default());
        count_open(&self.connections, &mut self.counted);
        let time_s = time.as_seconds();
        for (seat, open) in self.seats.iter_mut().zip(&self.counted) {
            samples.push(match &mut seat.application {
                Application::Tcp(tcp) => tcp.sample(*open, &self.connections, time_s, seconds),
                Application::Udp(udp) => udp.sample(time_s, seconds),
            });
        }
    }
}

/// The place of a flow in the world.
fn seat(
    plan: &Plan,
    index: u32,
    flow: &FlowPlan,
    routes: &[[Route; 2]],
    ways: &Ways,
    streams: &Streams,
) -> Seat {
    let (first, of_proxies) = routes.split_first().expect("a flow has a connection");
    let mut random = streams.stream(&format!("flow {}", flow.name));
    let later = match flow.start_within {
        Duration::ZERO => Duration::ZERO,
        within => within.scaled(random.unit()),
    };
    let start = flow.start + later;
    let application = match &flow.transport {
        Transport::Tcp { settings, workload } => Application::Tcp(Box::new(TcpSeat {
            settings: Arc::clone(settings),
            workload: workload.clone(),
            split: flow.split.as_ref().map(|it| Split::new(it, settings, of_proxies)),
            ideal: {
                let legs = |end: End| -> Vec<Leg> {
                    routes.iter().flat_map(|it| ways.legs(it[end as usize])).collect()
                };
                Ideal::new(plan, &legs(End::Sender), &legs(End::Receiver), settings)
            },
            connection: None,
            is_on: false,
            transfers: 0,
            finished: None,
            opened: 0,
            closed: TcpCounters::default(),
            sampled: TcpCounters::default(),
        })),
        Transport::Udp(settings) => {
            let random = streams.stream(&format!("source {}", flow.name));
            Application::Udp(Box::new(UdpSeat {
                source: UdpSource::new(index, *settings, start, random),
                sink: UdpSink::default(),
                sampled: SinkCounters::default(),
            }))
        }
    };
    Seat { routes: *first, random, start, stop: flow.stop, wake: Time::NEVER, application }
}

/// What an application hands over at once that does so at a rate: a full segment, or
/// what it makes in 0.1 ms.
fn portion(rate: Rate, maximum_segment: u16) -> u32 {
    let octets = rate.bits_per_second() / 8 / 10_000;
    u32::try_from(octets).unwrap_or(u32::MAX).max(u32::from(maximum_segment))
}

impl TcpSeat {
    /// What all its connections counted; `open` is what the open ones did.
    fn total(&self, mut open: TcpCounters) -> TcpCounters {
        open += &self.closed;
        open.connections = self.opened;
        open
    }

    fn transfers_if_any(&self) -> Option<u64> {
        match self.workload {
            Workload::Bulk { .. } | Workload::OnOff(_) => None,
            Workload::File { .. }
            | Workload::RequestResponse { .. }
            | Workload::Arrivals { .. } => Some(self.transfers),
        }
    }

    fn sample(
        &mut self,
        open: TcpCounters,
        connections: &Connections,
        time_s: f64,
        seconds: f64,
    ) -> FlowSample {
        let now = self.total(open);
        let last = std::mem::replace(&mut self.sampled, now);
        let sender = self.connection.map(|it| &connections.at(it).ends[End::Sender as usize]);
        let controller = sender.and_then(Endpoint::controller);
        let bytes = now.receiver.received_bytes - last.receiver.received_bytes;
        let (after, before) = (&now.sender, &last.sender);
        let delays = after.delay_samples - before.delay_samples;
        let delay = (after.delay_sum - before.delay_sum).as_seconds();
        FlowSample {
            time_s,
            goodput_bps: bytes as f64 * 8.0 / seconds,
            cwnd: controller.map(Controller::cwnd),
            ssthresh: controller.map(Controller::ssthresh),
            in_flight: now.in_flight,
            smoothed_rtt_s: sender.and_then(Endpoint::smoothed_rtt).map(Duration::as_seconds),
            delay_s: (delays > 0).then(|| delay / delays as f64),
            retransmissions: after.retransmissions - before.retransmissions,
            marks: now.receiver.marks - last.receiver.marks,
            timeouts: after.timeouts - before.timeouts,
            decreases: after.decreases - before.decreases,
        }
    }
}

impl UdpSeat {
    fn sample(&mut self, time_s: f64, seconds: f64) -> FlowSample {
        let now = *self.sink.counters();
        let last = std::mem::replace(&mut self.sampled, now);
        let datagrams = now.datagrams - last.datagrams;
        let delay = (now.delay_sum - last.delay_sum).as_seconds();
        FlowSample {
            time_s,
            goodput_bps: (now.bytes - last.bytes) as f64 * 8.0 / seconds,
            delay_s: (datagrams > 0).then(|| delay / datagrams as f64),
            marks: now.marks - last.marks,
            ..FlowSample::default()
        }
    }
}

fn count_open(connections: &Connections, counted: &mut [TcpCounters]) {
    for connection in connections.open_ones() {
        counted[connection.flow as usize] += connection;
    }
}
