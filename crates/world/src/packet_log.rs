//! The log of what happens to the packets of some flows, for whoever wants to see each. It
//! belongs to a world on one thread; a world without one looks whether it has one, and no more.
//!
//! `hosts/logging.rs`, `nodes/consumer_log.rs` and `network.rs` write to it; `qlog` and `packets`
//! of the lab read it.

mod connections;
mod ranges;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::Segment;
use windtunnel_packets::tunnel::tunnel_of;
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Packet};

use crate::forwarding::Forwarding;
use crate::numbers::Numbers;
use crate::packet_events::{PacketEvent, PacketEventKind, PacketEventLocation, SendingState};
use crate::plan::Plan;
use crate::port_id::PortId;
use crate::series::{Chunk, SeriesSink};
use crate::side::Side;

use connections::Connections;

/// A log that the hosts, the nodes and the network of a world write to, one after the other.
pub(crate) type SharedLog = Arc<Mutex<PacketLog>>;

/// Nobody else holds it: the world is on one thread.
pub(crate) fn lock(log: &Mutex<PacketLog>) -> MutexGuard<'_, PacketLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sum of round trips that an end had measured, and how many those are.
pub(crate) type RoundTrips = (Duration, u64);

/// What was measured between the two: the mean, if it is more than one.
fn measured(before: RoundTrips, after: RoundTrips) -> Option<Duration> {
    let count = after.1 - before.1;
    let sum = (after.0 - before.0).as_picos();
    (count > 0).then(|| Duration::from_picos(sum / count))
}

/// What an end of a flow does when a packet leaves or arrives there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtEnd {
    pub(crate) now: Time,
    /// Which end of its connection.
    pub(crate) side: Side,
    /// How it fares afterwards.
    pub(crate) state: Option<SendingState>,
}

/// Connections between the same two nodes, of a flow that is logged.
#[derive(Clone, Copy, Debug)]
struct Class {
    flow: u32,
    subflow: Option<u32>,
    nodes: [u32; 2],
}

impl Class {
    /// Those of all flows of a plan, none of a flow that is not logged.
    fn all(plan: &Plan, is_logged: impl Fn(usize) -> bool) -> Vec<Option<Self>> {
        let mut all = Vec::new();
        for (flow, it) in (plan.consumers.len()..).zip(&plan.flows).filter(|it| it.1.is_over_tcp())
        {
            for (place, (nodes, _)) in it.connections().enumerate() {
                let subflow = it.multipath.is_some().then_some(place as u32);
                let nodes = nodes.map(|it| it as u32);
                let class = Self { flow: flow as u32, subflow, nodes };
                all.push(is_logged(flow).then_some(class));
            }
        }
        all
    }
}

/// The log.
pub(crate) struct PacketLog {
    numbers: Numbers,
    /// By their place; none of flows that are not logged.
    classes: Vec<Option<Class>>,
    /// Of flows over UDP or a stack that are logged, by their place: the nodes of their ends.
    datagrams: BTreeMap<u32, [u32; 2]>,
    /// How many consumers there are, whose places precede those of other flows.
    consumers: u32,
    /// The consumer that is logged and the only one of its prefix, and its node.
    prefixes: BTreeMap<usize, (u32, u32)>,
    /// What consumers have asked for and not received: their places, and segments.
    pending: BTreeSet<(u32, u64)>,
    connections: Connections,
    /// How many packets the link behind each port had lost when that was last looked at.
    losses: BTreeMap<usize, u64>,
    /// Rows of a full chunk, and those that wait until there are as many.
    full: usize,
    rows: Vec<PacketEvent>,
    sink: SeriesSink,
}

impl fmt::Debug for PacketLog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PacketLog").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl PacketLog {
    /// The log of the flows in these places; the sink is given chunks of `full` rows.
    pub(crate) fn new(plan: &Plan, flows: &[usize], full: usize, sink: SeriesSink) -> Self {
        let is_logged = |flow: usize| flows.contains(&flow);
        let consumers = plan.consumers.len();
        let datagrams = (0..).zip(&plan.flows).filter(|it| !it.1.is_over_tcp());
        let datagrams = datagrams.filter(|it| is_logged(consumers + it.0 as usize));
        Self {
            numbers: Numbers::of(&plan.flows),
            classes: Class::all(plan, is_logged),
            datagrams: datagrams.map(|it| (it.0, [it.1.from as u32, it.1.to as u32])).collect(),
            consumers: consumers as u32,
            prefixes: prefixes(plan, is_logged),
            pending: BTreeSet::new(),
            connections: Connections::default(),
            losses: BTreeMap::new(),
            full,
            rows: Vec::new(),
            sink,
        }
    }

    /// Gives the rows that fill no chunk to the sink.
    pub(crate) fn flush(&mut self) {
        if !self.rows.is_empty() {
            (self.sink)(Chunk::Packets(&self.rows));
            self.rows.clear();
        }
    }

    fn push(&mut self, row: PacketEvent) {
        self.rows.push(row);
        if self.rows.len() >= self.full {
            self.flush();
        }
    }

    // -- TCP ----------------------------------------------------------------

    /// An event of a connection's end, of which the kind, the number and the bytes are left
    /// open; none if its flow is not logged.
    fn of_connection(&self, at: AtEnd, connection: u32) -> Option<PacketEvent> {
        if tunnel_of(connection).is_some() {
            return None;
        }
        let (class, ordinal) = self.numbers.class(connection);
        let class = self.classes[class as usize]?;
        Some(PacketEvent {
            time: at.now,
            flow: class.flow,
            connection: Some(ordinal),
            subflow: class.subflow,
            node: Some(class.nodes[at.side as usize]),
            place: end(at.side),
            kind: PacketEventKind::Sent,
            number: None,
            bytes: 0,
            size: None,
            dscp: None,
            acknowledgement: None,
            is_marked: false,
            rtt: None,
            state: at.state,
        })
    }

    /// A segment leaves an end of its connection.
    pub(crate) fn segment_left(&mut self, at: AtEnd, packet: &Packet) {
        let Some(segment) = packet.segment() else { return };
        let Some(row) = self.of_connection(at, segment.connection) else { return };
        let sent = self.connections.send(at.side, segment);
        self.push(PacketEvent {
            kind: sent.kind,
            number: Some(sent.number),
            bytes: u64::from(segment.length),
            acknowledgement: sent.acknowledgement,
            ..with_header(row, packet)
        });
    }

    /// A segment arrives at an end, which had measured those round trips before it and after
    /// it.
    pub(crate) fn segment_arrived(&mut self, at: AtEnd, packet: &Packet, rtt: [RoundTrips; 2]) {
        let Some(segment) = packet.segment() else { return };
        let Some(row) = self.of_connection(at, segment.connection) else { return };
        let arrived = self.connections.arrive(at.side.other(), segment);
        let row = PacketEvent { acknowledgement: arrived.acknowledgement, ..row };
        self.push(PacketEvent {
            kind: arrived.kind,
            number: Some(arrived.number),
            bytes: u64::from(segment.length),
            rtt: measured(rtt[0], rtt[1]),
            ..with_header(row, packet)
        });
        for (start, end) in self.connections.newly_sacked(at.side, segment) {
            let (kind, number, bytes) = (PacketEventKind::Sacked, Some(start), end - start);
            self.push(PacketEvent { kind, number, bytes, ..row });
        }
    }

    /// An end took in what had arrived before, and had measured those round trips before it
    /// and after it.
    pub(crate) fn polled(&mut self, at: AtEnd, connection: u32, rtt: [RoundTrips; 2]) {
        let Some(row) = self.of_connection(at, connection) else { return };
        if let Some(rtt) = measured(rtt[0], rtt[1]) {
            self.push(PacketEvent { kind: PacketEventKind::Polled, rtt: Some(rtt), ..row });
        }
    }

    // -- Datagrams ----------------------------------------------------------

    fn of_datagram(&self, at: AtEnd, datagram: &Datagram) -> Option<PacketEvent> {
        let nodes = self.datagrams.get(&datagram.flow)?;
        Some(PacketEvent {
            time: at.now,
            flow: self.consumers + datagram.flow,
            connection: None,
            subflow: None,
            node: Some(nodes[at.side as usize]),
            place: end(at.side),
            kind: PacketEventKind::Sent,
            number: Some(datagram.sequence),
            bytes: u64::from(datagram.length),
            size: None,
            dscp: None,
            acknowledgement: None,
            is_marked: false,
            rtt: None,
            state: at.state,
        })
    }

    /// A datagram leaves an end of its flow.
    pub(crate) fn datagram_left(&mut self, at: AtEnd, packet: &Packet) {
        let Body::Datagram(datagram) = &packet.body else { return };
        if let Some(row) = self.of_datagram(at, datagram) {
            self.push(with_header(row, packet));
        }
    }

    /// A datagram arrives at an end of its flow.
    pub(crate) fn datagram_arrived(&mut self, at: AtEnd, packet: &Packet) {
        let Body::Datagram(datagram) = &packet.body else { return };
        if let Some(row) = self.of_datagram(at, datagram) {
            let kind = PacketEventKind::Received;
            self.push(PacketEvent { kind, ..with_header(row, packet) });
        }
    }

    /// A datagram arrives at an end of its flow, whose socket has no room for it.
    pub(crate) fn datagram_dropped(&mut self, at: AtEnd, packet: &Packet) {
        let Body::Datagram(datagram) = &packet.body else { return };
        if let Some(row) = self.of_datagram(at, datagram) {
            let kind = PacketEventKind::Dropped;
            self.push(PacketEvent { kind, ..with_header(row, packet) });
        }
    }

    // -- NDN ----------------------------------------------------------------

    fn of_consumer(&self, now: Time, consumer: u32, segment: u64) -> PacketEvent {
        PacketEvent {
            time: now,
            flow: consumer,
            connection: None,
            subflow: None,
            node: None,
            place: PacketEventLocation::Consumer,
            kind: PacketEventKind::Sent,
            number: Some(segment),
            bytes: 0,
            size: None,
            dscp: None,
            acknowledgement: None,
            is_marked: false,
            rtt: None,
            state: None,
        }
    }

    /// A consumer on a node sends an Interest.
    pub(crate) fn interest_left(
        &mut self,
        now: Time,
        (consumer, node): (u32, u32),
        packet: &Packet,
        state: SendingState,
    ) {
        let Body::Interest(interest) = &packet.body else { return };
        let is_new = self.pending.insert((consumer, interest.name.segment));
        let kind = if is_new { PacketEventKind::Sent } else { PacketEventKind::Retransmitted };
        let row = self.of_consumer(now, consumer, interest.name.segment);
        let (node, state) = (Some(node), Some(state));
        self.push(PacketEvent { kind, node, state, ..with_header(row, packet) });
    }

    /// Data or a NACK arrives at a consumer on a node, which had measured those round trips
    /// before it and after it.
    pub(crate) fn answer_arrived(
        &mut self,
        now: Time,
        (consumer, node): (u32, u32),
        packet: &Packet,
        rtt: [RoundTrips; 2],
        state: SendingState,
    ) {
        let (kind, segment, bytes) = match &packet.body {
            Body::Data(it) => (PacketEventKind::Received, it.name.segment, u64::from(it.content)),
            Body::Nack(it) => (PacketEventKind::NackReceived, it.interest.name.segment, 0),
            _ => return,
        };
        if kind == PacketEventKind::Received {
            self.pending.remove(&(consumer, segment));
        }
        let row = self.of_consumer(now, consumer, segment);
        let (rtt, node, state) = (measured(rtt[0], rtt[1]), Some(node), Some(state));
        self.push(PacketEvent { kind, bytes, rtt, node, state, ..with_header(row, packet) });
    }

    // -- On the path --------------------------------------------------------

    /// Packets were dropped, or what was inside of them: at a port, of which it is known how many
    /// its link has lost so far, or at a node.
    pub(crate) fn dropped(
        &mut self,
        now: Time,
        at: Option<(PortId, u64)>,
        packets: &[Packet],
        forwarding: &Forwarding,
    ) {
        let place = at.map_or(PacketEventLocation::Path, |(port, losses)| {
            let before = self.losses.insert(port.index(), losses).unwrap_or(0);
            if losses > before {
                PacketEventLocation::Link(port)
            } else {
                PacketEventLocation::Queue(port)
            }
        });
        packets.iter().for_each(|it| self.dropped_in(now, place, it, forwarding));
    }

    fn dropped_in(
        &mut self,
        now: Time,
        place: PacketEventLocation,
        packet: &Packet,
        forwarding: &Forwarding,
    ) {
        let kind = match place {
            PacketEventLocation::Link(_) => PacketEventKind::Lost,
            _ => PacketEventKind::Dropped,
        };
        let row = match &packet.body {
            Body::Segment(it) => {
                let to = forwarding.side(packet.route).unwrap_or(Side::Receiver);
                self.of_segment_on_the_path(now, to.other(), it)
            }
            Body::Datagram(it) => {
                let at = AtEnd { now, side: Side::Sender, state: None };
                self.of_datagram(at, it)
            }
            Body::Interest(it) => self.of_name(now, it.name.prefix.index(), it.name.segment, 0),
            Body::Data(it) => {
                self.of_name(now, it.name.prefix.index(), it.name.segment, u64::from(it.content))
            }
            _ => None,
        };
        if let Some(row) = row {
            self.push(PacketEvent { kind, place, node: None, ..with_header(row, packet) });
        }
    }

    fn of_segment_on_the_path(
        &self,
        now: Time,
        side: Side,
        segment: &Segment,
    ) -> Option<PacketEvent> {
        let row = self.of_connection(AtEnd { now, side, state: None }, segment.connection)?;
        let (number, acknowledgement) = self.connections.numbers(side, segment);
        let bytes = u64::from(segment.length);
        Some(PacketEvent { number: Some(number), bytes, acknowledgement, ..row })
    }

    /// Of a name that only one consumer asks for.
    fn of_name(&self, now: Time, prefix: usize, segment: u64, bytes: u64) -> Option<PacketEvent> {
        let (consumer, _) = *self.prefixes.get(&prefix)?;
        Some(PacketEvent { bytes, ..self.of_consumer(now, consumer, segment) })
    }
}

/// The prefixes that only one consumer asks for, if that is logged: it, and its node.
fn prefixes(plan: &Plan, is_logged: impl Fn(usize) -> bool) -> BTreeMap<usize, (u32, u32)> {
    let of = |consumer: usize| plan.consumers[consumer].settings.prefix.index();
    let only = |consumer: &usize| {
        (0..plan.consumers.len()).filter(|it| of(*it) == of(*consumer)).count() == 1
    };
    let places = (0..plan.consumers.len()).filter(|it| is_logged(*it)).filter(only);
    places.map(|it| (of(it), (it as u32, plan.consumers[it].node as u32))).collect()
}

/// An event with what the header of its packet says; NDN's has no class of service.
fn with_header(row: PacketEvent, packet: &Packet) -> PacketEvent {
    PacketEvent {
        size: Some(packet.network_size),
        dscp: packet.ip_version().map(|_| packet.dscp()),
        is_marked: packet.marked(),
        ..row
    }
}

fn end(side: Side) -> PacketEventLocation {
    match side {
        Side::Sender => PacketEventLocation::Sender,
        Side::Receiver => PacketEventLocation::Receiver,
    }
}
