//! quinn's state machines, where noq's differ.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use quinn_proto::EndpointConfig;
use windtunnel_stack::State;

pub(super) use quinn_proto::crypto::rustls::QuicClientConfig;
pub(super) use quinn_proto::rustls;
pub(super) use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event,
    ServerConfig, Side, StreamEvent, StreamId, Transmit, TransportConfig,
};

pub(super) fn endpoint(seed: [u8; 32], server: Option<ServerConfig>) -> Endpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(seed));
    Endpoint::new(Arc::new(config), server.map(Arc::new), true, None)
}

pub(super) fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    peer: SocketAddr,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, peer, None, ecn, bytes, answer)
}

pub(super) fn transmit(
    connection: &mut Connection,
    now: Instant,
    most: usize,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    connection.poll_transmit(now, most, buffer)
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
        decreases: Some(path.congestion_events),
        mtu: Some(path.current_mtu),
    }
}
