//! The ends of tunnels, as functions in their nodes: here of those that carry IP packets in IP
//! packets.
//!
//! A tunnel that is a TCP connection has its two ends in one part of the world
//! (`crates/world/src/tcp_tunnel.rs`), as has a link with a face over TCP (`Face` in
//! `crates/world/src/nodes`).

mod cipher;
mod session;
mod wireguard;

use windtunnel_engine::Time;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Body, Packet, PacketStore};

pub use wireguard::{WireGuardEnd, WireGuardSettings};

use crate::function::{FunctionActions, LinkState, NetworkFunction, Tap};

/// A packet enters the tunnel.
pub const ENTER: Tap = Tap(0);
/// A packet of the other end's arrives, and what is inside leaves the tunnel.
pub const LEAVE: Tap = Tap(1);

/// What an end of a tunnel counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TunnelCounters {
    /// Packets that entered here.
    pub entered: u64,
    /// Their bytes, with the outer headers.
    pub entered_bytes: u64,
    /// Packets for which there was no room in another one, or that were larger than the MTU.
    pub too_large: u64,
    /// Packets dropped because too many waited for a session, or to be encrypted or decrypted.
    pub dropped: u64,
    /// The handshakes begun here.
    pub handshakes: u64,
    /// Packets that left here.
    pub left: u64,
    /// Those of them that were marked in the tunnel.
    pub marks: u64,
    /// Packets dropped here because they were marked in the tunnel and their senders
    /// support no marks.
    pub unmarkable: u64,
}

/// One end of a tunnel.
#[derive(Clone, Debug)]
pub struct TunnelEnd {
    /// The nodes of this end and of the other.
    nodes: [u32; 2],
    version: IpVersion,
    counters: TunnelCounters,
}

impl TunnelEnd {
    /// The end at the first of two nodes, of a tunnel to the second whose outer headers are of
    /// that version of IP.
    #[must_use]
    pub fn new(nodes: [u32; 2], version: IpVersion) -> Self {
        Self { nodes, version, counters: TunnelCounters::default() }
    }

    /// What it counted.
    #[must_use]
    pub fn counters(&self) -> &TunnelCounters {
        &self.counters
    }

    fn enter(&mut self, packet: Packet, packets: &mut PacketStore, actions: &mut FunctionActions) {
        match packets.wrap(packet, self.nodes, self.version) {
            Ok(outer) => {
                self.counters.entered += 1;
                self.counters.entered_bytes += u64::from(outer.size());
                actions.sent.push(outer);
            }
            Err(packet) => {
                self.counters.too_large += 1;
                packets.discard(&packet);
            }
        }
    }

    fn leave(&mut self, outer: &Packet, packets: &mut PacketStore, actions: &mut FunctionActions) {
        let Body::Tunnelled(tunnelled) = outer.body else { return };
        let was_marked = packets[tunnelled.inside].marked();
        match packets.unwrap(tunnelled, outer.ecn) {
            Ok(packet) => {
                self.counters.left += 1;
                self.counters.marks += u64::from(packet.marked() && !was_marked);
                actions.forwarded.push(packet);
            }
            Err(packet) => {
                self.counters.unmarkable += 1;
                packets.discard(&packet);
            }
        }
    }
}

impl NetworkFunction for TunnelEnd {
    fn receive(
        &mut self,
        _now: Time,
        tap: Tap,
        packet: Packet,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        if tap == LEAVE {
            self.leave(&packet, packets, actions);
        } else {
            self.enter(packet, packets, actions);
        }
    }

    fn next_wake(&self, _link: LinkState) -> Time {
        Time::NEVER
    }

    fn wake(&mut self, _now: Time, _link: LinkState, _actions: &mut FunctionActions) {}
}
