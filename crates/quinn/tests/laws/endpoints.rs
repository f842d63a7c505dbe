//! One end of a connection: quinn's state machines, and an application that sends or takes
//! data.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use quinn::rustls::RootCertStore;
use quinn::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::quic::{
    self, ClientConfig, Connection, ConnectionHandle, ControllerFactory, DatagramEvent, Dir,
    EcnCodepoint, Event, QuicEndpoint, ServerConfig, StreamId, TransportConfig, VarInt,
};

/// The bytes of the largest datagram.
pub(crate) const MTU: u16 = 1452;
/// The datagrams that one call may return, as with segmentation offload on Linux.
const MOST_DATAGRAMS: usize = 10;
const NAME: &str = "windtunnel";
/// What is sent, over and over.
static PIECE: [u8; 1 << 16] = [0; 1 << 16];

/// A datagram on its way.
#[derive(Debug)]
pub(crate) struct Datagram {
    pub(crate) arrives: Duration,
    pub(crate) ecn: Option<EcnCodepoint>,
    pub(crate) bytes: BytesMut,
}

/// What the application of an end does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sending {
    Nothing,
    /// As much as it can.
    Always,
    /// So many bytes every so often.
    Periods {
        bytes: usize,
        period: Duration,
    },
}

/// One end.
#[derive(Debug)]
pub(crate) struct End {
    endpoint: QuicEndpoint,
    pub(crate) connection: Option<(ConnectionHandle, Connection)>,
    pub(crate) inbox: VecDeque<Datagram>,
    sending: Sending,
    stream: Option<StreamId>,
    /// Bytes that the application has offered, and those that it has received.
    offered: u64,
    written: u64,
    pub(crate) received: u64,
    next_period: Duration,
}

/// The transport of both ends, with flow control that limits nothing. Packets that are smaller
/// than the MTU at first find out that they may be larger.
fn transport(
    factory: Arc<dyn ControllerFactory + Send + Sync>,
    initial_mtu: u16,
) -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    if initial_mtu == MTU {
        transport.mtu_discovery_config(None);
    }
    let large = VarInt::from_u32(1 << 30);
    transport
        .initial_mtu(initial_mtu)
        .min_mtu(initial_mtu)
        .stream_receive_window(large)
        .receive_window(large)
        .send_window(1 << 24)
        .max_idle_timeout(None)
        .congestion_controller_factory(factory);
    Arc::new(transport)
}

/// The same sizes each time, because the key and its signatures have a fixed one.
fn certificate() -> rcgen::CertifiedKey<rcgen::KeyPair> {
    let signing_key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).expect("it is known");
    let mut parameters = rcgen::CertificateParams::new([NAME.to_owned()]).expect("it is a name");
    parameters.serial_number = Some(vec![1].into());
    let cert = parameters.self_signed(&signing_key).expect("the key signs");
    rcgen::CertifiedKey { cert, signing_key }
}

pub(crate) fn address(side: usize) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, side as u8 + 1)), 4433)
}

/// A client, which connects to a server.
pub(crate) fn ends(
    now: Instant,
    factory: Arc<dyn ControllerFactory + Send + Sync>,
    initial_mtu: u16,
    sending: Sending,
) -> [End; 2] {
    let certificate = certificate();
    let key =
        PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(certificate.signing_key.serialize_der()));
    let chain = vec![certificate.cert.der().clone()];
    let mut roots = RootCertStore::empty();
    roots.add(chain[0].clone()).expect("it is a certificate");
    let transport = transport(factory, initial_mtu);
    let mut server = ServerConfig::with_single_cert(chain, key).expect("they belong together");
    server.transport_config(Arc::clone(&transport));
    let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).expect("it is enough");
    client.transport_config(transport);

    let end = |server: Option<ServerConfig>, seed: u8, sending| {
        let endpoint = quic::endpoint(seed, server);
        End {
            endpoint,
            connection: None,
            inbox: VecDeque::new(),
            sending,
            stream: None,
            offered: 0,
            written: 0,
            received: 0,
            next_period: Duration::ZERO,
        }
    };
    let mut ends = [end(None, 1, sending), end(Some(server), 2, Sending::Nothing)];
    let connected = ends[0].endpoint.connect(now, client, address(1), NAME);
    ends[0].connection = Some(connected.expect("the address is a good one"));
    ends
}

impl End {
    /// Takes in what has arrived, and does what is due.
    pub(crate) fn receive(&mut self, began: Instant, now: Duration, peer: SocketAddr) {
        let instant = began + now;
        let mut answer = Vec::new();
        while self.inbox.front().is_some_and(|it| it.arrives <= now) {
            let Some(Datagram { ecn, bytes, .. }) = self.inbox.pop_front() else { break };
            match quic::handle(&mut self.endpoint, instant, peer, ecn, bytes, &mut answer) {
                Some(DatagramEvent::ConnectionEvent(_, event)) => {
                    if let Some((_, connection)) = &mut self.connection {
                        connection.handle_event(event);
                    }
                }
                Some(DatagramEvent::NewConnection(incoming)) => {
                    let accepted = self.endpoint.accept(incoming, instant, &mut answer, None);
                    self.connection = Some(accepted.unwrap_or_else(|it| panic!("{}", it.cause)));
                }
                Some(DatagramEvent::Response(_)) | None => {}
            }
        }
        let Some((handle, connection)) = &mut self.connection else { return };
        if connection.poll_timeout().is_some_and(|it| it <= instant) {
            connection.handle_timeout(instant);
        }
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => self.stream = connection.streams().open(Dir::Uni),
                Event::ConnectionLost { reason } => panic!("{reason}"),
                _ => {}
            }
        }
        self.write(now);
        self.read();
    }

    fn write(&mut self, now: Duration) {
        let (Some((_, connection)), Some(stream)) = (&mut self.connection, self.stream) else {
            return;
        };
        match self.sending {
            Sending::Nothing => return,
            Sending::Always => self.offered = u64::MAX,
            Sending::Periods { bytes, period } => {
                if now >= self.next_period {
                    self.offered += bytes as u64;
                    self.next_period = now + period;
                }
            }
        }
        while self.written < self.offered {
            let length = (self.offered - self.written).min(PIECE.len() as u64) as usize;
            let Ok(written) = connection.send_stream(stream).write(&PIECE[..length]) else { break };
            self.written += written as u64;
        }
    }

    fn read(&mut self) {
        let Some((_, connection)) = &mut self.connection else { return };
        if self.stream.is_none() || self.sending == Sending::Nothing {
            self.stream = connection.streams().accept(Dir::Uni).or(self.stream);
        }
        let Some(stream) = self.stream.filter(|_| self.sending == Sending::Nothing) else { return };
        if stream.initiator() == connection.side() {
            return;
        }
        let mut receive = connection.recv_stream(stream);
        let Ok(mut chunks) = receive.read(true) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.received += chunk.bytes.len() as u64;
        }
        let _ = chunks.finalize();
    }

    /// What it sends now, datagram by datagram.
    pub(crate) fn transmit(
        &mut self,
        instant: Instant,
        mut emit: impl FnMut(Option<EcnCodepoint>, BytesMut),
    ) -> bool {
        let Some((_, connection)) = &mut self.connection else { return false };
        let mut buffer = Vec::new();
        let mut sent = false;
        while let Some(transmit) = quic::transmit(connection, instant, MOST_DATAGRAMS, &mut buffer)
        {
            sent = true;
            let segment = transmit.segment_size.unwrap_or(transmit.size);
            for datagram in buffer[..transmit.size].chunks(segment) {
                emit(transmit.ecn, BytesMut::from(datagram));
            }
            buffer.clear();
        }
        sent
    }

    /// When it has something to do next.
    pub(crate) fn wakes(&mut self, began: Instant) -> Option<Duration> {
        let timeout = self.connection.as_mut().and_then(|it| it.1.poll_timeout());
        let timeout = timeout.map(|it| it.saturating_duration_since(began));
        let arrival = self.inbox.front().map(|it| it.arrives);
        let in_periods = matches!(self.sending, Sending::Periods { .. }) && self.stream.is_some();
        let period = in_periods.then_some(self.next_period);
        [timeout, arrival, period].into_iter().flatten().min()
    }
}
