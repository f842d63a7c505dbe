//! What leaves and arrives at hosts, for the log of packets.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Packet;
use windtunnel_stack as stack;

use super::sockets::Socket;
use super::stack_ends::inside;
use super::state::Hosts;
use crate::network::Network;
use crate::packet_events::SendingState;
use crate::packet_log::{AtEnd, RoundTrips, lock};
use crate::side::Side;

/// Nothing was measured.
const NONE: [RoundTrips; 2] = [(Duration::ZERO, 0); 2];

/// A socket's end of one of its connections.
fn at(socket: &Socket, now: Time, connection: u32) -> AtEnd {
    AtEnd { now, side: socket.key.side(), state: socket.endpoint.sending_state(connection) }
}

impl Hosts {
    /// A socket receives a segment.
    #[cold]
    pub(super) fn receive_logged(
        &mut self,
        network: &Network,
        now: Time,
        place: u32,
        packet: &Packet,
    ) {
        let Some(segment) = packet.segment() else { return };
        let (socket, number) = (&mut self.sockets[place], segment.connection);
        let before = socket.endpoint.round_trips(number);
        socket.endpoint.receive(now, segment, packet.ecn, &mut self.outbox);
        let rtt = [before, socket.endpoint.round_trips(number)];
        if let Some(log) = &network.log {
            lock(log).segment_arrived(at(socket, now, number), packet, rtt);
        }
    }

    /// A socket checks its timers, and may take in what has arrived before.
    #[cold]
    pub(super) fn wake_logged(&mut self, network: &Network, now: Time, place: u32) {
        let socket = &mut self.sockets[place];
        let others = socket.others.iter().map(|it| it.0.number());
        let numbers: Vec<u32> = std::iter::once(socket.key.number()).chain(others).collect();
        let before: Vec<RoundTrips> =
            numbers.iter().map(|it| socket.endpoint.round_trips(*it)).collect();
        socket.endpoint.wake(now, &mut self.outbox);
        let Some(log) = &network.log else { return };
        for (number, before) in numbers.into_iter().zip(before) {
            let rtt = [before, socket.endpoint.round_trips(number)];
            lock(log).polled(at(socket, now, number), number, rtt);
        }
    }

    /// What a socket has to send leaves it.
    #[cold]
    pub(super) fn log_departures(&self, network: &Network, now: Time, place: u32) {
        let (Some(log), socket) = (&network.log, &self.sockets[place]) else { return };
        for packet in &self.outbox {
            let Some(segment) = packet.segment() else { continue };
            lock(log).segment_left(at(socket, now, segment.connection), packet);
        }
    }
}

/// A segment arrives for which there is no socket.
pub(super) fn unknown_arrived(network: &Network, now: Time, side: Side, packet: &Packet) {
    if let Some(log) = &network.log {
        lock(log).segment_arrived(AtEnd { now, side, state: None }, packet, NONE);
    }
}

/// A segment leaves that no socket sends.
pub(super) fn answer_left(network: &Network, now: Time, side: Side, packet: &Packet) {
    if let Some(log) = &network.log {
        lock(log).segment_left(AtEnd { now, side, state: None }, packet);
    }
}

/// A datagram leaves an end of its flow, of which only a stack says how it fares.
#[cold]
pub(super) fn datagram_left(
    network: &Network,
    now: Time,
    side: Side,
    told: Option<&stack::State>,
    packet: &Packet,
) {
    if let Some(log) = &network.log {
        lock(log).datagram_left(AtEnd { now, side, state: told.and_then(sending_state) }, packet);
    }
}

/// A datagram arrives at an end of its flow, whose stack told that before it.
#[cold]
pub(super) fn datagram_arrived(
    network: &Network,
    now: Time,
    side: Side,
    told: Option<&stack::State>,
    packet: &Packet,
) {
    if let Some(log) = &network.log {
        let state = told.and_then(sending_state);
        lock(log).datagram_arrived(AtEnd { now, side, state }, packet);
    }
}

/// A datagram arrives at an end of its flow, whose socket has no room for it.
#[cold]
pub(super) fn datagram_dropped(network: &Network, now: Time, side: Side, packet: &Packet) {
    if let Some(log) = &network.log {
        lock(log).datagram_dropped(AtEnd { now, side, state: None }, packet);
    }
}

/// How an end fares, by what its stack tells; none if that is not its window.
fn sending_state(state: &stack::State) -> Option<SendingState> {
    let segment = f64::from(state.mtu?);
    let segments = |bytes: u64| bytes as f64 / segment;
    Some(SendingState {
        cwnd: segments(state.cwnd?),
        // Before the first reduction some say none, and some the largest number.
        ssthresh: state.ssthresh.filter(|it| *it < u64::MAX).map_or(f64::INFINITY, segments),
        in_flight: state.in_flight.map(|it| segments(it).ceil() as u64),
        smoothed_rtt: state.smoothed_rtt.map(inside),
        pacing_rate_bps: state.pacing_rate.map(|it| 8.0 * it as f64),
    })
}
