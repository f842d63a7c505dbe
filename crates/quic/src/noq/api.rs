//! noq's state machines, where quinn's differ.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use noq_proto::{EndpointConfig, FourTuple, PathId};
use windtunnel_stack::State;

pub(super) use noq_proto::crypto::rustls::QuicClientConfig;
pub(super) use noq_proto::rustls;
pub(super) use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event,
    ServerConfig, Side, StreamEvent, StreamId, Transmit, TransportConfig,
};

pub(super) fn endpoint(seed: [u8; 32], server: Option<ServerConfig>) -> Endpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(seed));
    Endpoint::new(Arc::new(config), server.map(Arc::new), true)
}

pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    peer: SocketAddr,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::new(peer, None), ecn, bytes, answer)
}

pub(super) fn transmit(
    connection: &mut Connection,
    now: Instant,
    most: usize,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    connection.poll_transmit(now, NonZeroUsize::new(most)?, buffer)
}

/// Of the first path.
pub(super) fn state(connection: &mut Connection) -> State {
    let Some(path) = connection.path_stats(PathId::ZERO) else { return State::default() };
    let metrics = connection.congestion_state(PathId::ZERO).map(|it| it.metrics());
    State {
        cwnd: Some(path.cwnd),
        ssthresh: metrics.as_ref().and_then(|it| it.ssthresh),
        in_flight: None,
        smoothed_rtt: Some(path.rtt),
        least_rtt: None,
        pacing_rate: metrics.as_ref().and_then(|it| it.pacing_rate),
        lost_packets: Some(path.lost_packets),
        decreases: Some(path.congestion_events),
        mtu: Some(path.current_mtu),
    }
}
