//! quinn's state machines, where noq's differ.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use quinn_proto::{Endpoint, EndpointConfig};

pub(crate) use quinn_proto::congestion::{Controller, ControllerFactory};
pub(crate) use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Event,
    ServerConfig, StreamId, Transmit, TransportConfig, VarInt,
};

use windtunnel_quinn::WindtunnelController;

pub(crate) type QuicEndpoint = Endpoint;

pub(crate) fn endpoint(seed: u8, server: Option<ServerConfig>) -> QuicEndpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some([seed; 32]));
    Endpoint::new(Arc::new(config), server.map(Arc::new), true, None)
}

pub(crate) fn handle(
    endpoint: &mut QuicEndpoint,
    now: Instant,
    peer: SocketAddr,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, peer, None, ecn, bytes, answer)
}

pub(crate) fn transmit(
    connection: &mut Connection,
    now: Instant,
    most: usize,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    connection.poll_transmit(now, most, buffer)
}

pub(crate) fn controller(connection: &Connection) -> WindtunnelController {
    let any = connection.congestion_state().clone_box().into_any();
    *any.downcast().expect("the factory makes no other")
}
