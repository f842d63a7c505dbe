//! One end of a tunnel that is a TCP connection: packets in its stream of bytes. IP packets have
//! their length before them; NDN's and CCNx's have it inside.
//!
//! The packets themselves wait here until the other end has received their bytes; segments
//! carry only how many these are.

use std::collections::VecDeque;
use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_networks::function::{FunctionActions, LinkState, NetworkFunction, Tap};
use windtunnel_networks::tunnel::{LEAVE, TunnelCounters};
use windtunnel_packets::tunnel::connection;
use windtunnel_packets::{Body, Packet, PacketStore};
use windtunnel_transports::tcp::{Endpoint, EndpointCounters, Role, TcpOutbox};

use crate::plan::TcpTunnelPlan;

/// The bytes of an IP packet's length.
const LENGTH: u32 = 2;

/// One end of such a tunnel.
#[derive(Clone, Debug)]
pub(crate) struct TcpTunnelEnd {
    endpoint: Endpoint,
    /// Whether it opens the connection, and has not yet.
    opens: bool,
    /// Whether it is one of a face.
    is_face: bool,
    /// The most bytes that wait for an acknowledgement.
    buffer: u64,
    /// The bytes written.
    written: u64,
    /// The packets that the other end has not received, each with the place of its last byte
    /// in the stream.
    inside: VecDeque<(u64, Packet)>,
    outbox: TcpOutbox,
    counters: TunnelCounters,
}

impl TcpTunnelEnd {
    /// The end on one side of the tunnel of that number; that on side 0 opens the connection,
    /// when the run begins.
    pub(crate) fn new(tunnel: usize, side: usize, plan: &TcpTunnelPlan) -> Self {
        let role = if side == 0 { Role::Client } else { Role::Server };
        let settings = Arc::clone(&plan.settings);
        Self {
            endpoint: Endpoint::new(connection(tunnel as u32, side as u32), role, &settings),
            opens: role == Role::Client,
            is_face: plan.face.is_some(),
            buffer: plan.buffer,
            written: 0,
            inside: VecDeque::new(),
            outbox: TcpOutbox::new(),
            counters: TunnelCounters::default(),
        }
    }

    /// What it counted of packets.
    pub(crate) fn counters(&self) -> TunnelCounters {
        self.counters
    }

    /// What its end of the connection counted.
    pub(crate) fn connection(&self) -> &EndpointCounters {
        self.endpoint.counters()
    }

    /// The next packet of which the other end has received all, if that has received this many
    /// bytes.
    pub(crate) fn next_received(&mut self, bytes: u64) -> Option<Packet> {
        let (end, _) = self.inside.front()?;
        if *end <= bytes { self.inside.pop_front().map(|it| it.1) } else { None }
    }

    /// A packet that entered at the other end leaves here.
    pub(crate) fn count_left(&mut self) {
        self.counters.left += 1;
    }

    /// Writes a packet into the stream, if there is room for it.
    fn enter(&mut self, now: Time, packet: Packet, packets: &mut PacketStore) {
        let (packet, length) = if self.is_face {
            packet.in_stream()
        } else {
            (packet, u32::from(packet.network_size) + LENGTH)
        };
        let length = u64::from(length);
        if self.endpoint.unacknowledged() + length > self.buffer {
            self.counters.dropped += 1;
            packets.discard(&packet);
            return;
        }
        self.written += length;
        self.inside.push_back((self.written, packet));
        self.counters.entered += 1;
        self.counters.entered_bytes += length;
        self.endpoint.write(now, length, &mut self.outbox);
    }
}

impl NetworkFunction for TcpTunnelEnd {
    fn receive(
        &mut self,
        now: Time,
        tap: Tap,
        packet: Packet,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    ) {
        match packet.body {
            Body::Segment(segment) if tap == LEAVE => {
                self.endpoint.receive(now, &segment, packet.ecn, &mut self.outbox);
            }
            _ => self.enter(now, packet, packets),
        }
        actions.sent.append(&mut self.outbox);
    }

    fn next_wake(&self, _link: LinkState) -> Time {
        if self.opens { Time::ZERO } else { self.endpoint.next_wake().unwrap_or(Time::NEVER) }
    }

    fn wake(&mut self, now: Time, _link: LinkState, actions: &mut FunctionActions) {
        if std::mem::take(&mut self.opens) {
            self.endpoint.open(now, &mut self.outbox);
        } else {
            self.endpoint.wake(now, &mut self.outbox);
        }
        actions.sent.append(&mut self.outbox);
    }
}
