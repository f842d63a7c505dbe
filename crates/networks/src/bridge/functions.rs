//! The two edges as functions inside the network: which packets they see, and their
//! messages.

use windtunnel_engine::Time;
use windtunnel_packets::bridge::{EdgeAcknowledgement, PROTOCOL};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Body, Packet, PacketStore};

use super::destination::DestinationEdge;
use super::source::SourceEdge;
use crate::function::{FunctionActions, LinkState, NetworkFunction, Tap};

/// A packet leaves through the source edge, or arrives at the destination edge.
pub const FORTH: Tap = Tap(0);
/// A packet comes back to the source edge, towards the hosts.
pub const RETURNED: Tap = Tap(1);
/// The other edge's acknowledgement arrives at the source edge.
pub const ACKNOWLEDGED: Tap = Tap(2);

/// A source edge in its node.
#[derive(Clone, Debug)]
pub struct SourceFunction {
    edge: SourceEdge,
    /// Whether clones wait until the link has nothing else to send.
    waits_for_idle_link: bool,
    cloned_bytes: u64,
    resent_bytes: u64,
    acknowledgements_received: u64,
}

impl SourceFunction {
    /// An edge that has seen nothing yet.
    #[must_use]
    pub fn new(edge: SourceEdge, waits_for_idle_link: bool) -> Self {
        Self {
            edge,
            waits_for_idle_link,
            cloned_bytes: 0,
            resent_bytes: 0,
            acknowledgements_received: 0,
        }
    }

    /// The edge.
    #[must_use]
    pub fn edge(&self) -> &SourceEdge {
        &self.edge
    }

    /// The bytes of all clones made.
    #[must_use]
    pub fn cloned_bytes(&self) -> u64 {
        self.cloned_bytes
    }

    /// The bytes of all clones sent.
    #[must_use]
    pub fn resent_bytes(&self) -> u64 {
        self.resent_bytes
    }

    /// Acknowledgements that arrived.
    #[must_use]
    pub fn acknowledgements_received(&self) -> u64 {
        self.acknowledgements_received
    }

    fn leave(&mut self, now: Time, mut packet: Packet, actions: &mut FunctionActions) {
        let before = self.edge.counters().cloned;
        self.edge.forward(now, &mut packet);
        if self.edge.counters().cloned > before {
            self.cloned_bytes += u64::from(packet.size());
        }
        actions.forwarded.push(packet);
    }

    /// Sends the clones that are to be sent.
    fn resend(&mut self, now: Time, actions: &mut FunctionActions) {
        while let Some(clone) = self.edge.next_resent(now) {
            self.resent_bytes += u64::from(clone.size());
            actions.forwarded.push(clone);
        }
    }
}

impl NetworkFunction for SourceFunction {
    fn receive(
        &mut self,
        now: Time,
        tap: Tap,
        packet: Packet,
        _packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        match (tap, &packet.body) {
            (RETURNED, _) => {
                let passes = self.edge.returned(now, &packet);
                self.resend(now, actions);
                actions.forwarded.extend(passes.then_some(packet));
            }
            (ACKNOWLEDGED, Body::Message(message)) => {
                self.acknowledgements_received += 1;
                self.edge.acknowledge(&EdgeAcknowledgement::from_words(&message.words));
                self.resend(now, actions);
            }
            _ => self.leave(now, packet, actions),
        }
    }

    fn next_wake(&self, link: LinkState) -> Time {
        let waits = self.waits_for_idle_link && self.edge.backlog().packets > 0;
        if waits { link.free_from } else { Time::NEVER }
    }

    fn wake(&mut self, now: Time, link: LinkState, actions: &mut FunctionActions) {
        if !(self.waits_for_idle_link && link.is_idle) {
            return;
        }
        if let Some(clone) = self.edge.next_idle(now) {
            self.resent_bytes += u64::from(clone.size());
            actions.forwarded.push(clone);
        }
    }
}

/// A destination edge in its node.
#[derive(Clone, Debug)]
pub struct DestinationFunction {
    edge: DestinationEdge,
    /// The bridge's number: what its messages are known by at routers.
    number: u32,
    acknowledgement_bytes: u64,
}

impl DestinationFunction {
    /// An edge of bridge `number` that has seen nothing yet.
    #[must_use]
    pub fn new(edge: DestinationEdge, number: u32) -> Self {
        Self { edge, number, acknowledgement_bytes: 0 }
    }

    /// The edge.
    #[must_use]
    pub fn edge(&self) -> &DestinationEdge {
        &self.edge
    }

    /// The bytes of all acknowledgements sent.
    #[must_use]
    pub fn acknowledgement_bytes(&self) -> u64 {
        self.acknowledgement_bytes
    }

    /// The message that carries an acknowledgement of a packet.
    fn message(&mut self, of: EdgeAcknowledgement, version: IpVersion) -> Packet {
        let network_size = EdgeAcknowledgement::size(version);
        self.acknowledgement_bytes += u64::from(network_size);
        Packet::message(PROTOCOL, self.number, &of.words(), network_size)
    }
}

impl NetworkFunction for DestinationFunction {
    fn receive(
        &mut self,
        now: Time,
        _tap: Tap,
        packet: Packet,
        _packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        let version = version(&packet);
        if let Some(of) = self.edge.receive(now, packet, &mut actions.forwarded) {
            let message = self.message(of, version);
            actions.sent.push(message);
        }
    }

    fn next_wake(&self, _link: LinkState) -> Time {
        self.edge.next_wake()
    }

    fn wake(&mut self, now: Time, _link: LinkState, actions: &mut FunctionActions) {
        self.edge.release(now, &mut actions.forwarded);
    }
}

/// The version of IP that carries a segment.
fn version(packet: &Packet) -> IpVersion {
    match packet.segment() {
        Some(it) if packet.network_size - it.size() == IpVersion::V6.header() => IpVersion::V6,
        _ => IpVersion::V4,
    }
}
