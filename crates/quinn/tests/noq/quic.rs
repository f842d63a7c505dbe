//! noq's state machines, where quinn's differ.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use noq_proto::{Endpoint, EndpointConfig, FourTuple, PathId};

pub(crate) use noq_proto::congestion::{Controller, ControllerFactory};
pub(crate) use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Event,
    ServerConfig, StreamId, Transmit, TransportConfig, VarInt,
};

use windtunnel_quinn::WindtunnelController;

pub(crate) type QuicEndpoint = Endpoint;

pub(crate) fn endpoint(seed: u8, server: Option<ServerConfig>) -> QuicEndpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some([seed; 32]));
    Endpoint::new(Arc::new(config), server.map(Arc::new), true)
}

pub(crate) fn handle(
    endpoint: &mut QuicEndpoint,
    now: Instant,
    peer: SocketAddr,
    ecn: Option<EcnCodepoint>,
    bytes: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::new(peer, None), ecn, bytes, answer)
}

pub(crate) fn transmit(
    connection: &mut Connection,
    now: Instant,
    most: usize,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    connection.poll_transmit(now, NonZeroUsize::new(most)?, buffer)
}

pub(crate) fn controller(connection: &Connection) -> WindtunnelController {
    let state = connection.congestion_state(PathId::ZERO).expect("the path is open");
    *state.clone_box().into_any().downcast().expect("the factory makes no other")
}
