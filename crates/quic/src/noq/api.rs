//! noq's state machines, where quinn's differ.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use noq_proto::{
    EndpointConfig, FourTuple, NetworkChangeHint, PathEvent, PathId, PathStats, PathStatus,
};
use windtunnel_stack::{Path, State};

pub(super) use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
pub(super) use noq_proto::rustls;
pub(super) use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event,
    ServerConfig, Side, StreamEvent, StreamId, Transmit, TransportConfig,
};

/// draft-ietf-quic-multipath.
pub(super) const HAS_MULTIPATH: bool = true;

pub(super) fn set_paths(transport: &mut TransportConfig, paths: usize) {
    transport.max_concurrent_multipath_paths(paths as u32);
}

/// Opens a path from the end that connected; whether that could be done already.
pub(super) fn open_path(connection: &mut Connection, now: Instant, path: Path) -> bool {
    let network_path = FourTuple::new(path.peer, Some(path.own.ip()));
    connection.open_path(network_path, PathStatus::Available, now).is_ok()
}

pub(super) fn endpoint(seed: [u8; 32], server: Option<ServerConfig>) -> Endpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(seed));
    Endpoint::new(Arc::new(config), server.map(Arc::new), true)
}

pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    path: Path,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    let network_path = FourTuple::new(path.peer, Some(path.own.ip()));
    endpoint.handle(now, network_path, ecn, bytes, answer)
}

pub(super) fn transmit(
    connection: &mut Connection,
    now: Instant,
    most: usize,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    connection.poll_transmit(now, NonZeroUsize::new(most)?, buffer)
}

/// The address that a host has now: a path with another one is over.
#[derive(Debug)]
struct Remaining(IpAddr);

impl NetworkChangeHint for Remaining {
    fn is_path_recoverable(&self, _path: PathId, network_path: FourTuple) -> bool {
        network_path.local_ip().is_none_or(|it| it == self.0)
    }
}

/// The host has another address now.
pub(super) fn moved(connection: &mut Connection, now: Instant, own: IpAddr) {
    connection.handle_network_change(Some(&Remaining(own)), now);
}

/// How often the rate of a path was reduced that is no more.
pub(super) fn decreases_of(event: &Event) -> u64 {
    match event {
        Event::Path(PathEvent::Discarded { path_stats, .. }) => path_stats.congestion_events,
        _ => 0,
    }
}

/// Of all paths that there are; round trips are those of the first.
pub(super) fn state(connection: &mut Connection) -> State {
    let lost_packets = Some(connection.stats().lost_packets);
    let paths: Vec<PathId> = connection.paths();
    let metrics = paths.first().and_then(|it| connection.congestion_state(*it));
    let metrics = metrics.map(|it| it.metrics());
    let all: Vec<PathStats> = paths.iter().filter_map(|it| connection.path_stats(*it)).collect();
    let Some(first) = all.first() else { return State { lost_packets, ..State::default() } };
    let is_alone = all.len() == 1;
    State {
        cwnd: Some(all.iter().map(|it| it.cwnd).sum()),
        ssthresh: metrics.as_ref().and_then(|it| it.ssthresh).filter(|_| is_alone),
        in_flight: None,
        smoothed_rtt: Some(first.rtt),
        least_rtt: None,
        pacing_rate: metrics.as_ref().and_then(|it| it.pacing_rate).filter(|_| is_alone),
        lost_packets,
        retransmissions: None,
        decreases: Some(all.iter().map(|it| it.congestion_events).sum()),
        mtu: Some(first.current_mtu),
    }
}
