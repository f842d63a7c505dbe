//! quinn's state machines, where noq's differ.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use quinn_proto::EndpointConfig;
use windtunnel_stack::{Path, State};

pub(super) use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
pub(super) use quinn_proto::rustls;
pub(super) use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event,
    ServerConfig, Side, StreamEvent, StreamId, Transmit, TransportConfig,
};

/// It has no multipath.
pub(super) const HAS_MULTIPATH: bool = false;

pub(super) fn set_paths(_transport: &mut TransportConfig, _paths: usize) {}

/// Opens a path of those that are left; it opens none.
pub(super) fn open_path(_connection: &mut Connection, _now: Instant, _path: Path) -> bool {
    false
}

pub(super) fn endpoint(seed: [u8; 32], server: Option<ServerConfig>) -> Endpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(seed));
    Endpoint::new(Arc::new(config), server.map(Arc::new), true, None)
}

pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    path: Path,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, path.peer, None, ecn, bytes, answer)
}

pub(super) fn transmit(
    connection: &mut Connection,
    now: Instant,
    most: usize,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    connection.poll_transmit(now, most, buffer)
}

/// The host has another address now.
pub(super) fn moved(connection: &mut Connection, _now: Instant, _own: IpAddr) {
    connection.local_address_changed();
}

/// How often the rate of a path was reduced that is no more: there is only one.
pub(super) fn decreases_of(_event: &Event) -> u64 {
    0
}

pub(super) fn state(connection: &mut Connection) -> State {
    let path = connection.stats().path;
    let metrics = connection.congestion_state().metrics();
    State {
        cwnd: Some(path.cwnd),
        ssthresh: metrics.ssthresh,
        in_flight: None,
        smoothed_rtt: Some(path.rtt),
        least_rtt: Some(path.min_rtt),
        pacing_rate: metrics.pacing_rate,
        lost_packets: Some(path.lost_packets),
        retransmissions: None,
        decreases: Some(path.congestion_events),
        mtu: Some(path.current_mtu),
    }
}
