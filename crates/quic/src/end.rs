//! An end of a connection, by the state machines of quinn or of noq, which is a fork of it: this file
//! is a part of both modules, and `api` is where they differ.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, Place, Read, Role, Stack, State, StreamStack, content,
};

use super::api::rustls::crypto::ring::default_provider;
use super::api::rustls::{self, RootCertStore};
use super::api::{
    self, ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint,
    QuicClientConfig, ServerConfig, StreamEvent, StreamId, Transmit, TransportConfig,
};
use crate::identity::{self, NAME};
use crate::secrets::Secrets;

/// How many datagrams leave as one at most, as with segmentation offload on Linux.
const MOST_DATAGRAMS: usize = 10;

fn server(transport: Arc<TransportConfig>) -> Result<ServerConfig, String> {
    let chain = vec![identity::certificate()];
    let mut server =
        ServerConfig::with_single_cert(chain, identity::key()).map_err(|it| it.to_string())?;
    server.transport_config(transport);
    Ok(server)
}

fn client(transport: Arc<TransportConfig>, secrets: Arc<Secrets>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add(identity::certificate()).map_err(|it| it.to_string())?;
    let mut client = rustls::ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|it| it.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.enable_early_data = true;
    client.key_log = secrets;
    let client = QuicClientConfig::try_from(client).map_err(|it| it.to_string())?;
    let mut client = ClientConfig::new(Arc::new(client));
    client.transport_config(transport);
    Ok(client)
}

/// An end that begins now.
pub(super) fn make(
    transport: TransportConfig,
    now: Duration,
    place: Place,
) -> Result<Box<dyn StreamStack>, String> {
    let transport = Arc::new(transport);
    let as_server = match place.role {
        Role::Client => None,
        Role::Server => Some(server(Arc::clone(&transport))?),
    };
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&place.seed.to_le_bytes());
    let began = Instant::now() - now;
    let mut end = End {
        endpoint: api::endpoint(seed, as_server),
        began,
        connection: None,
        streams: BTreeMap::new(),
        answers: VecDeque::new(),
        events: VecDeque::new(),
        state: State::default(),
        secrets: Arc::default(),
    };
    if place.role == Role::Client {
        let client = client(transport, Arc::clone(&end.secrets))?;
        let connected = end.endpoint.connect(began + now, client, place.peer, NAME);
        end.connection = Some(connected.map_err(|it| it.to_string())?);
    }
    Ok(Box::new(end))
}

/// One end of a connection.
#[derive(Debug)]
struct End {
    endpoint: Endpoint,
    /// The instant at which the run began: of the machine's clock, and nothing depends on it.
    began: Instant,
    connection: Option<(ConnectionHandle, Connection)>,
    /// By number, what was written to a stream and read of it.
    streams: BTreeMap<u64, [u64; 2]>,
    /// What the endpoint answers by itself.
    answers: VecDeque<(Transmit, Vec<u8>)>,
    events: VecDeque<Event>,
    state: State,
    /// Of the end that connects.
    secrets: Arc<Secrets>,
}

impl End {
    fn stream(&self, number: u64) -> StreamId {
        StreamId::new(api::Side::Client, Dir::Bi, number)
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
        match api::handle(&mut self.endpoint, now, datagram.from, ecn, bytes, &mut answer) {
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
                api::Event::Connected => {
                    self.events.extend([Event::Connected, Event::Available]);
                }
                api::Event::ConnectionLost { reason } => {
                    self.events.push_back(Event::Failed(reason.to_string()));
                }
                api::Event::Stream(event) => match event {
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

impl Stack for End {
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
                api::transmit(connection, self.began + now, MOST_DATAGRAMS, buffer)?
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
        let (_, connection) = self.connection.as_mut()?;
        self.state = api::state(connection);
        Some(connection.poll_timeout()?.saturating_duration_since(self.began))
    }

    fn state(&self) -> State {
        self.state
    }

    fn secrets(&self) -> String {
        self.secrets.lines()
    }
}

impl StreamStack for End {
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
