//! [quinn](https://docs.rs/quinn-proto)'s state machines as a stack.
//!
//! A connection sees the same instants in every run: those since the run began, from an instant that
//! nothing depends on. Keys and connection IDs differ from run to run, but no size does.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::rustls::RootCertStore;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint,
    EndpointConfig, ServerConfig, StreamEvent, StreamId, Transmit, TransportConfig,
};
use windtunnel_quinn::WindtunnelFactory;
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, MakeStack, Place, Read, Role, Stack, State, StreamStack,
};

use crate::content;
use crate::identity::{self, NAME};

/// How many datagrams leave as one at most, as with segmentation offload on Linux.
const MOST_DATAGRAMS: usize = 10;
/// What its search for the path's MTU ends at by default.
const LARGEST_DATAGRAM: u16 = 1452;

/// quinn, with its defaults but for the congestion controller.
#[derive(Clone, Debug)]
pub struct Quinn {
    controller: QuinnController,
}

/// What controls its congestion window.
#[derive(Clone, Debug)]
pub enum QuinnController {
    /// quinn's CUBIC, which is its default.
    Cubic,
    /// quinn's NewReno.
    NewReno,
    /// quinn's BBR, of the first version.
    Bbr,
    /// One of Windtunnel's.
    Windtunnel(WindtunnelFactory),
}

impl QuinnController {
    /// The names of quinn's own.
    pub const OWN: [&str; 3] = ["cubic", "new-reno", "bbr"];

    /// quinn's own controller of that name; none of any other.
    #[must_use]
    pub fn own(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "new-reno" => Some(Self::NewReno),
            "bbr" => Some(Self::Bbr),
            _ => None,
        }
    }

    fn factory(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            Self::Cubic => Arc::new(CubicConfig::default()),
            Self::NewReno => Arc::new(NewRenoConfig::default()),
            Self::Bbr => Arc::new(BbrConfig::default()),
            Self::Windtunnel(it) => Arc::new(it.clone()),
        }
    }
}

impl Quinn {
    /// With this controller.
    #[must_use]
    pub fn new(controller: QuinnController) -> Self {
        Self { controller }
    }

    fn transport(&self) -> Arc<TransportConfig> {
        let mut transport = TransportConfig::default();
        transport.congestion_controller_factory(self.controller.factory());
        Arc::new(transport)
    }

    fn server(&self) -> Result<ServerConfig, String> {
        let chain = vec![identity::certificate()];
        let mut server =
            ServerConfig::with_single_cert(chain, identity::key()).map_err(|it| it.to_string())?;
        server.transport_config(self.transport());
        Ok(server)
    }

    fn client(&self) -> Result<ClientConfig, String> {
        let mut roots = RootCertStore::empty();
        roots.add(identity::certificate()).map_err(|it| it.to_string())?;
        let mut client =
            ClientConfig::with_root_certificates(Arc::new(roots)).map_err(|it| it.to_string())?;
        client.transport_config(self.transport());
        Ok(client)
    }
}

impl MakeStack for Quinn {
    fn name(&self) -> &'static str {
        "quinn"
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let server = match place.role {
            Role::Client => None,
            Role::Server => Some(Arc::new(self.server()?)),
        };
        let mut config = EndpointConfig::default();
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&place.seed.to_le_bytes());
        config.rng_seed(Some(seed));
        let began = Instant::now() - now;
        let mut end = QuinnEnd {
            endpoint: Endpoint::new(Arc::new(config), server, true, None),
            began,
            connection: None,
            streams: BTreeMap::new(),
            answers: VecDeque::new(),
            events: VecDeque::new(),
        };
        if place.role == Role::Client {
            let connected = end.endpoint.connect(began + now, self.client()?, place.peer, NAME);
            end.connection = Some(connected.map_err(|it| it.to_string())?);
        }
        Ok(Box::new(end))
    }
}

/// One end of a connection.
#[derive(Debug)]
struct QuinnEnd {
    endpoint: Endpoint,
    /// The instant at which the run began.
    began: Instant,
    connection: Option<(ConnectionHandle, Connection)>,
    /// By number, what was written to a stream and read of it.
    streams: BTreeMap<u64, [u64; 2]>,
    /// What the endpoint answers by itself.
    answers: VecDeque<(Transmit, Vec<u8>)>,
    events: VecDeque<Event>,
}

impl QuinnEnd {
    fn stream(&self, number: u64) -> StreamId {
        StreamId::new(quinn_proto::Side::Client, Dir::Bi, number)
    }

    fn handle(&mut self, now: Instant, datagram: &Datagram<'_>) {
        let mut answer = Vec::new();
        let ecn = match datagram.ecn {
            Ecn::NotCapable => None,
            Ecn::Capable0 => Some(EcnCodepoint::Ect0),
            Ecn::Capable1 => Some(EcnCodepoint::Ect1),
            Ecn::Congestion => Some(EcnCodepoint::Ce),
        };
        let bytes = BytesMut::from(datagram.bytes);
        match self.endpoint.handle(now, datagram.from, None, ecn, bytes, &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                match self.endpoint.accept(incoming, now, &mut answer, None) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(error) => {
                        self.events.push_back(Event::Failed(error.cause.to_string()));
                        self.answers.extend(error.response.map(|it| (it, answer)));
                    }
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(it)) => self.answers.push_back((it, answer)),
            None => {}
        }
    }

    /// Passes on what the connection and its endpoint have for each other, and notes what has
    /// happened.
    fn settle(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                quinn_proto::Event::Connected => {
                    self.events.extend([Event::Connected, Event::Available]);
                }
                quinn_proto::Event::ConnectionLost { reason } => {
                    self.events.push_back(Event::Failed(reason.to_string()));
                }
                quinn_proto::Event::Stream(event) => match event {
                    StreamEvent::Opened { .. } => {
                        while let Some(id) = connection.streams().accept(Dir::Bi) {
                            self.streams.insert(id.index(), [0; 2]);
                            let number = id.index();
                            self.events.extend([Event::Opened(number), Event::Readable(number)]);
                        }
                    }
                    StreamEvent::Readable { id } => {
                        self.events.push_back(Event::Readable(id.index()));
                    }
                    StreamEvent::Writable { id } => {
                        self.events.push_back(Event::Writable(id.index()));
                    }
                    StreamEvent::Finished { id } => {
                        self.events.push_back(Event::Acknowledged(id.index()));
                    }
                    StreamEvent::Available { .. } => self.events.push_back(Event::Available),
                    StreamEvent::Stopped { .. } => {}
                },
                _ => {}
            }
        }
    }
}

impl Stack for QuinnEnd {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        for datagram in datagrams {
            self.handle(self.began + now, datagram);
        }
        self.settle();
    }

    fn wake(&mut self, now: Duration) {
        let now = self.began + now;
        if let Some((_, connection)) = &mut self.connection
            && connection.poll_timeout().is_some_and(|it| it <= now)
        {
            connection.handle_timeout(now);
        }
        self.settle();
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let transmit = match self.answers.pop_front() {
            Some((transmit, bytes)) => {
                buffer.extend_from_slice(&bytes[..transmit.size]);
                transmit
            }
            None => {
                let (_, connection) = self.connection.as_mut()?;
                connection.poll_transmit(self.began + now, MOST_DATAGRAMS, buffer)?
            }
        };
        buffer.truncate(transmit.size);
        let ecn = match transmit.ecn {
            None => Ecn::NotCapable,
            Some(EcnCodepoint::Ect0) => Ecn::Capable0,
            Some(EcnCodepoint::Ect1) => Ecn::Capable1,
            Some(EcnCodepoint::Ce) => Ecn::Congestion,
        };
        let segment = transmit.segment_size.unwrap_or(transmit.size);
        Some(Departure { to: transmit.destination, ecn, segment })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let timeout = self.connection.as_mut()?.1.poll_timeout()?;
        Some(timeout.saturating_duration_since(self.began))
    }

    fn state(&self) -> State {
        let Some((_, connection)) = &self.connection else { return State::default() };
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
}

impl StreamStack for QuinnEnd {
    fn open(&mut self, _now: Duration) -> Option<u64> {
        let (_, connection) = self.connection.as_mut()?;
        let number = connection.streams().open(Dir::Bi)?.index();
        self.streams.insert(number, [0; 2]);
        Some(number)
    }

    fn write(&mut self, _now: Duration, stream: u64, bytes: u64) -> u64 {
        let id = self.stream(stream);
        let Some((_, connection)) = &mut self.connection else { return 0 };
        let Some([written, _]) = self.streams.get_mut(&stream) else { return 0 };
        let mut left = bytes;
        while left > 0 {
            let piece = content::piece(*written, left);
            let Ok(count) = connection.send_stream(id).write(piece) else { break };
            *written += count as u64;
            left -= count as u64;
        }
        bytes - left
    }

    fn finish(&mut self, _now: Duration, stream: u64) {
        let id = self.stream(stream);
        if let Some((_, connection)) = &mut self.connection {
            // The peer may have stopped it.
            let _ = connection.send_stream(id).finish();
        }
    }

    fn read(&mut self, _now: Duration, stream: u64) -> Read {
        let id = self.stream(stream);
        let mut read = Read::default();
        let Some((_, connection)) = &mut self.connection else { return read };
        let Some([_, offset]) = self.streams.get_mut(&stream) else { return read };
        let mut receive = connection.recv_stream(id);
        let Ok(mut chunks) = receive.read(true) else { return read };
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    if !content::are_right(*offset, &chunk.bytes) {
                        let what = format!("stream {stream} brought other bytes than were sent");
                        self.events.push_back(Event::Failed(what));
                    }
                    *offset += chunk.bytes.len() as u64;
                    read.bytes += chunk.bytes.len() as u64;
                }
                Ok(None) => {
                    read.is_end = true;
                    break;
                }
                Err(_) => break,
            }
        }
        let _ = chunks.finalize();
        read
    }

    fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
