//! Bridges in the world: the two edges of each, the packets that pass them, and
//! the edges' own.

use windtunnel_engine::{Streams, Time};
use windtunnel_networks::bridge::{
    DestinationCounters, DestinationEdge, DestinationSettings, Duplicates, EdgeOutbox, Keep,
    SourceCounters, SourceEdge, SourceSettings,
};
use windtunnel_packets::bridge::EdgeAcknowledgement;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Body, Ecn, Packet, Route};
use windtunnel_queues::Backlog;

use crate::connections::Alarm;
use crate::event::Event;
use crate::network::{End, Network};
use crate::plan::Plan;
use crate::routing::Ways;

/// Two nodes that work together as the edges of a part of the network. All IP packets
/// from a flow's sender to its receiver come by them whose way leads through the one
/// and later through the other.
#[derive(Clone, Debug)]
pub struct BridgePlan {
    /// Its name.
    pub name: String,
    /// The node of the source edge.
    pub from: usize,
    /// The node of the destination edge.
    pub to: usize,
    /// What the source edge is given.
    pub source: SourceSettings,
    /// What the destination edge is given.
    pub destination: DestinationSettings,
}

/// The places of the two `edges` on a way over these nodes; none if it does not lead
/// from the one to the other.
#[must_use]
pub fn places(nodes: &[usize], edges: [usize; 2]) -> Option<[usize; 2]> {
    let place = |node| nodes.iter().position(|it| *it == node);
    let [from, to] = [place(edges[0])?, place(edges[1])?];
    (from < to).then_some([from, to])
}

impl BridgePlan {
    /// Whether the source edge has to see what comes back.
    pub(crate) fn sees_returned(&self) -> bool {
        self.source.duplicates != Duplicates::Pass
    }
}

/// What a bridge counted, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgeCounters {
    /// What the source edge counted.
    pub source: SourceCounters,
    /// What the destination edge counted.
    pub destination: DestinationCounters,
    /// The octets of all clones made.
    pub cloned_bytes: u64,
    /// Those of all clones sent.
    pub resent_bytes: u64,
    /// Acknowledgements that arrived at the source edge.
    pub acknowledgements_received: u64,
    /// The octets of all acknowledgements given.
    pub acknowledgement_bytes: u64,
    /// The clones that the source edge holds.
    pub stalled: Backlog,
    /// What waits at the destination edge.
    pub waiting: Backlog,
}

/// What a bridge does to a packet that comes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It leaves through the source edge.
    Source,
    /// It arrives at the destination edge.
    Destination,
    /// It comes back to the source edge, towards the hosts.
    Returned,
    /// It is the other edge's acknowledgement.
    Acknowledged,
}

/// The two edges of a bridge.
#[derive(Debug)]
pub(crate) struct Bridge {
    source: SourceEdge,
    destination: DestinationEdge,
    /// The way of an acknowledgement.
    way_back: Route,
    /// The port from the source edge towards the other, if clones wait until its link
    /// has nothing to send.
    idle_port: Option<u32>,
    /// The wake-ups of the source edge and of the destination edge.
    alarms: [Alarm; 2],
    /// Room for what passes the destination edge at once.
    outbox: EdgeOutbox,
    cloned_bytes: u64,
    resent_bytes: u64,
    acknowledgements_received: u64,
    acknowledgement_bytes: u64,
}

impl Bridge {
    /// All bridges of a plan.
    pub(crate) fn all(plan: &Plan, streams: &Streams, ways: &Ways) -> Vec<Self> {
        let bridges = plan.bridges.iter().zip(&ways.bridges);
        bridges
            .map(|(plan, ways)| Self {
                source: SourceEdge::new(
                    plan.source,
                    streams.stream(&format!("bridge {}", plan.name)),
                ),
                destination: DestinationEdge::new(plan.destination),
                way_back: ways.back,
                idle_port: (plan.source.keep == Keep::LowPriority).then_some(ways.port),
                alarms: [Alarm::NONE; 2],
                outbox: EdgeOutbox::new(),
                cloned_bytes: 0,
                resent_bytes: 0,
                acknowledgements_received: 0,
                acknowledgement_bytes: 0,
            })
            .collect()
    }

    pub(crate) fn counters(&self) -> BridgeCounters {
        BridgeCounters {
            source: *self.source.counters(),
            destination: *self.destination.counters(),
            cloned_bytes: self.cloned_bytes,
            resent_bytes: self.resent_bytes,
            acknowledgements_received: self.acknowledgements_received,
            acknowledgement_bytes: self.acknowledgement_bytes,
            stalled: self.source.backlog(),
            waiting: self.destination.backlog(),
        }
    }

    /// A packet leaves through the source edge.
    fn leave(&mut self, now: Time, packet: &mut Packet) {
        let before = self.source.counters().cloned;
        self.source.forward(now, packet);
        if self.source.counters().cloned > before {
            self.cloned_bytes += u64::from(packet.size());
        }
    }

    /// A clone that is to be sent now, if any.
    fn next_resent(&mut self, now: Time) -> Option<Packet> {
        let clone = self.source.next_resent(now)?;
        self.resent_bytes += u64::from(clone.size());
        Some(clone)
    }

    /// A clone for a link that has nothing else to send, if any.
    fn next_idle(&mut self, now: Time) -> Option<Packet> {
        let clone = self.source.next_idle(now)?;
        self.resent_bytes += u64::from(clone.size());
        Some(clone)
    }

    /// The edges' own packet: the acknowledgement of another one, as that was when it
    /// arrived.
    fn acknowledgement(&mut self, of: EdgeAcknowledgement, packet: &Packet) -> Packet {
        let network_size = EdgeAcknowledgement::size(version(packet));
        self.acknowledgement_bytes += u64::from(network_size);
        Packet {
            body: Body::EdgeAcknowledgement { of, route: packet.route },
            ecn: Ecn::NotCapable,
            network_size,
            route: self.way_back,
        }
    }
}

/// The version of IP that carries a segment.
fn version(packet: &Packet) -> IpVersion {
    match &packet.body {
        Body::Segment(it) if packet.network_size - it.size() == IpVersion::V6.header() => {
            IpVersion::V6
        }
        _ => IpVersion::V4,
    }
}

impl Network {
    /// A packet comes by an edge. Returns it if it passes and has arrived with that;
    /// what has arrived otherwise lies in [`Network::arrived`].
    pub(crate) fn meet(
        &mut self,
        now: Time,
        bridge: u32,
        part: Part,
        mut packet: Packet,
    ) -> Option<(End, Packet)> {
        let it = &mut self.bridges[bridge as usize];
        match part {
            Part::Source => {
                it.leave(now, &mut packet);
                let arrived = self.forward(now, packet);
                self.await_idle_link(now, bridge);
                arrived
            }
            Part::Destination => {
                let mut out = std::mem::take(&mut it.outbox);
                if let Some(of) = it.destination.receive(now, packet, &mut out) {
                    let acknowledgement = it.acknowledgement(of, &packet);
                    self.forward(now, acknowledgement);
                }
                self.pass(now, bridge, out);
                None
            }
            Part::Returned => {
                let passes = it.source.returned(now, &packet);
                self.resend(now, bridge);
                if passes { self.forward(now, packet) } else { None }
            }
            Part::Acknowledged => {
                if let Body::EdgeAcknowledgement { of, .. } = &packet.body {
                    it.acknowledgements_received += 1;
                    it.source.acknowledge(of);
                }
                self.resend(now, bridge);
                None
            }
        }
    }

    /// Sends the clones that are to be sent.
    fn resend(&mut self, now: Time, bridge: u32) {
        while let Some(clone) = self.bridges[bridge as usize].next_resent(now) {
            self.forward(now, clone);
        }
    }

    /// A clone may leave, if the link has nothing else to send.
    pub(crate) fn wake_source(&mut self, now: Time, bridge: u32) {
        let it = &mut self.bridges[bridge as usize];
        let Some(port) = it.idle_port.filter(|_| it.alarms[0].rings(now)) else { return };
        if self.ports[port as usize].is_idle(now)
            && let Some(clone) = it.next_idle(now)
        {
            self.forward(now, clone);
        }
        self.await_idle_link(now, bridge);
    }

    /// Looks again when the link towards the other edge is free, if clones wait for
    /// that.
    fn await_idle_link(&mut self, now: Time, bridge: u32) {
        let it = &mut self.bridges[bridge as usize];
        let Some(port) = it.idle_port.filter(|_| it.source.backlog().packets > 0) else { return };
        let free = self.ports[port as usize].free_from();
        if free < Time::NEVER && it.alarms[0].set(free.max(now)) {
            self.schedule(free.max(now), Event::SourceEdge(bridge));
        }
    }

    /// What waits at a destination edge may have to go on.
    pub(crate) fn wake_destination(&mut self, now: Time, bridge: u32) {
        let it = &mut self.bridges[bridge as usize];
        if it.alarms[1].rings(now) {
            let mut out = std::mem::take(&mut it.outbox);
            it.destination.release(now, &mut out);
            self.pass(now, bridge, out);
        }
    }

    /// Packets pass a destination edge.
    fn pass(&mut self, now: Time, bridge: u32, mut out: EdgeOutbox) {
        for packet in out.drain(..) {
            if let Some(arrived) = self.forward(now, packet) {
                self.arrived.push(arrived);
            }
        }
        let it = &mut self.bridges[bridge as usize];
        it.outbox = out;
        let wake = it.destination.next_wake();
        if wake < Time::NEVER && it.alarms[1].set(wake.max(now)) {
            self.schedule(wake.max(now), Event::DestinationEdge(bridge));
        }
    }
}
