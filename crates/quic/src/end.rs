//! An end of a connection, by the state machines of quinn or of noq, which is a fork of it: this file
//! is a part of both modules, and `api` is where they differ.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, Path, Place, Read, Role, Stack, State, StreamStack, content,
};

use super::api::{
    self, ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint,
    StreamEvent, StreamId, Transmit, TransportConfig,
};
use super::configuration;
use crate::identity::NAME;
use crate::implementation::Options;
use crate::secrets::Secrets;
use crate::sessions::Sessions;

/// How many datagrams leave as one at most, as with segmentation offload on Linux.
const MOST_DATAGRAMS: usize = 10;

/// That of a stream which nobody gave another one (RFC 9218, section 4.1).
const DEFAULT_URGENCY: i32 = 3;

/// What is the same for all ends of a flow.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) transport: Arc<TransportConfig>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) options: Options,
}

/// One end of a connection.
#[derive(Debug)]
pub(super) struct End {
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
    /// How often the rates of paths were reduced that are no more.
    decreases: u64,
    /// Of the end that connects.
    secrets: Arc<Secrets>,
    /// Paths that it opens, once it may.
    further: VecDeque<Path>,
    /// Whether it serves streams by their urgency.
    has_priorities: bool,
}

impl End {
    /// One that does not connect by itself.
    pub(super) fn new(setting: &Setting, now: Duration, place: &Place) -> Result<Self, String> {
        let Setting { transport, sessions, options } = setting;
        let as_server = match place.role {
            Role::Client => None,
            Role::Server => {
                Some(configuration::server(Arc::clone(transport), Arc::clone(sessions))?)
            }
        };
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&place.seed.to_le_bytes());
        Ok(Self {
            endpoint: api::endpoint(seed, as_server),
            began: Instant::now() - now,
            connection: None,
            streams: BTreeMap::new(),
            answers: VecDeque::new(),
            events: VecDeque::new(),
            state: State::default(),
            decreases: 0,
            secrets: Arc::default(),
            further: VecDeque::new(),
            has_priorities: options.priorities,
        })
    }

    /// One that connects.
    pub(super) fn client(
        setting: &Setting,
        config: ClientConfig,
        secrets: Arc<Secrets>,
        now: Duration,
        place: &Place,
    ) -> Result<Self, String> {
        let mut end = Self { secrets, ..Self::new(setting, now, place)? };
        let connected = end.endpoint.connect(end.began + now, config, place.peer, NAME);
        end.connection = Some(connected.map_err(|it| it.to_string())?);
        if setting.options.multipath {
            end.further.extend(&place.further);
        }
        Ok(end)
    }

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
        let ends = Path { own: datagram.to, peer: datagram.from };
        match api::handle(&mut self.endpoint, now, ends, ecn, bytes, &mut answer) {
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
    fn settle(&mut self, now: Duration) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(path) = self.further.front()
            && !connection.is_handshaking()
            && api::open_path(connection, self.began + now, *path)
        {
            self.further.pop_front();
        }
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
                event => self.decreases += api::decreases_of(&event),
            }
        }
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        for datagram in datagrams {
            self.handle(self.began + now, datagram);
        }
        self.settle(now);
    }

    fn wake(&mut self, now: Duration) {
        let instant = self.began + now;
        if let Some((_, connection)) = &mut self.connection
            && connection.poll_timeout().is_some_and(|it| it <= instant)
        {
            connection.handle_timeout(instant);
        }
        self.settle(now);
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
        Some(Departure { from: transmit.src_ip, to: transmit.destination, ecn, segment })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let (_, connection) = self.connection.as_mut()?;
        self.state = api::state(connection);
        self.state.decreases = self.state.decreases.map(|it| it + self.decreases);
        Some(connection.poll_timeout()?.saturating_duration_since(self.began))
    }

    fn moved(&mut self, now: Duration, own: SocketAddr) {
        if let Some((_, connection)) = &mut self.connection {
            api::moved(connection, self.began + now, own.ip());
        }
        self.settle(now);
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
        // quinn says that there is room again once it had none for a piece.
        content::write(written, bytes, |it| connection.send_stream(id).write(it).unwrap_or(0))
    }

    /// What has a greater priority is sent first; that of a stream is 0 until it is set.
    fn prioritise(&mut self, _now: Duration, stream: u64, urgency: u8) {
        let id = self.stream(stream);
        if let Some((_, connection)) = self.connection.as_mut().filter(|_| self.has_priorities) {
            // The peer may have stopped it.
            let _ = connection.send_stream(id).set_priority(DEFAULT_URGENCY - i32::from(urgency));
        }
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

    /// As in the interface that its users have, the oldest that wait to leave make room for new ones.
    fn send_datagram(&mut self, _now: Duration, data: &[u8]) -> bool {
        let Some((_, connection)) = &mut self.connection else { return false };
        connection.datagrams().send(Bytes::copy_from_slice(data), true).is_ok()
    }

    fn receive_datagram(&mut self, buffer: &mut Vec<u8>) -> bool {
        let connection = self.connection.as_mut().map(|it| &mut it.1);
        let Some(data) = connection.and_then(|it| it.datagrams().recv()) else { return false };
        buffer.extend_from_slice(&data);
        true
    }

    fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
