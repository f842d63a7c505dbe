//! An end of a connection.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use quiche::{Connection, ConnectionError, Error as QuicheError, RecvInfo};
use windtunnel_machine::Machine;
use windtunnel_stack::{Datagram, Departure, Ecn, Event, Place, Read, Stack, State, StreamStack};

use crate::configuration::{self, LARGEST_DATAGRAM};
use crate::controller::Controller;
use crate::secrets::Secrets;
use crate::streams::Streams;

/// One end of a connection.
pub(crate) struct End {
    connection: Connection,
    machine: Machine,
    streams: Streams,
    secrets: Secrets,
    events: VecDeque<Event>,
    /// Until when its pacer holds the next datagram back.
    release: Option<Duration>,
    is_connected: bool,
    has_failed: bool,
    /// Whether anything may have happened that is not told.
    is_untold: bool,
}

impl fmt::Debug for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("End").finish_non_exhaustive()
    }
}

impl End {
    /// One that begins now.
    pub(crate) fn new(
        now: Duration,
        controller: Controller,
        place: &Place,
    ) -> Result<Self, Box<dyn Error>> {
        let (mut machine, secrets) = (Machine::new(place.seed), Secrets::default());
        let connection =
            machine.at(now, || configuration::connection(place, controller, &secrets))?;
        Ok(Self {
            connection,
            machine,
            streams: Streams::default(),
            secrets,
            events: VecDeque::new(),
            release: None,
            is_connected: false,
            has_failed: false,
            is_untold: true,
        })
    }

    /// Tells that the connection has begun or is over.
    fn tell_connection(&mut self) {
        if self.connection.is_established() && !self.is_connected {
            self.is_connected = true;
            self.events.extend([Event::Connected, Event::Available]);
        }
        if let Some(why) = failure(&self.connection)
            && !std::mem::replace(&mut self.has_failed, true)
        {
            self.events.push_back(Event::Failed(why));
        }
    }
}

/// Why a connection is over; none if it is not.
fn failure(connection: &Connection) -> Option<String> {
    let said = |who: &str, error: &ConnectionError| {
        let (code, reason) = (error.error_code, String::from_utf8_lossy(&error.reason));
        format!("{who} closed the connection with error {code:#x}: {reason}")
    };
    if let Some(error) = connection.local_error() {
        Some(said("quiche", error))
    } else if let Some(error) = connection.peer_error() {
        Some(said("the peer", error))
    } else {
        connection.is_closed().then(|| "the connection is closed".to_owned())
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        let Self { machine, connection, .. } = self;
        machine.at(now, || {
            for datagram in datagrams {
                // Decrypted in place. What is wrong with one the connection says, if it is over then.
                let information = RecvInfo { from: datagram.from, to: datagram.to };
                let _ = connection.recv(&mut datagram.bytes.to_vec(), information);
            }
        });
        self.is_untold = true;
    }

    fn wake(&mut self, now: Duration) {
        let Self { machine, connection, .. } = self;
        machine.at(now, || connection.on_timeout());
        self.is_untold = true;
    }

    /// A datagram that quiche is asked for leaves at once: so it is asked first whether it is time.
    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let decision = self.connection.get_next_release_time();
        let release = decision.and_then(|it| it.time(self.machine.instant(now)));
        self.release = release.map(|it| self.machine.time(it));
        if release.is_some() {
            return None;
        }
        buffer.resize(LARGEST_DATAGRAM.into(), 0);
        let Self { machine, connection, .. } = self;
        match machine.at(now, || connection.send(buffer)) {
            Ok((length, to)) => {
                buffer.truncate(length);
                Some(Departure { from: None, to: to.to, ecn: Ecn::NotCapable, segment: length })
            }
            Err(QuicheError::Done) => None,
            Err(_) => {
                self.is_untold = true;
                None
            }
        }
    }

    fn next_wake(&mut self) -> Option<Duration> {
        if self.is_untold || !self.events.is_empty() {
            return Some(Duration::ZERO);
        }
        let timeout = self.connection.timeout_instant().map(|it| self.machine.time(it));
        timeout.into_iter().chain(self.release).min()
    }

    fn state(&self) -> State {
        let Some(path) = self.connection.path_stats().find(|it| it.active) else {
            return State::default();
        };
        State {
            cwnd: Some(path.cwnd as u64),
            smoothed_rtt: path.min_rtt.map(|_| path.rtt),
            least_rtt: path.min_rtt,
            lost_packets: Some(path.lost as u64),
            retransmissions: Some(path.retrans as u64),
            mtu: u16::try_from(path.pmtu).ok(),
            ..State::default()
        }
    }

    fn secrets(&self) -> String {
        self.secrets.lines()
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        let Self { machine, connection, streams, .. } = self;
        machine.at(now, || streams.open(connection))
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        let Self { machine, connection, streams, .. } = self;
        machine.at(now, || streams.write(connection, stream, bytes))
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        let Self { machine, connection, streams, .. } = self;
        machine.at(now, || streams.finish(connection, stream));
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.is_untold = true;
        let Self { machine, connection, streams, events, .. } = self;
        machine.at(now, || streams.read(connection, stream, events))
    }

    fn next_event(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.is_untold) {
            self.tell_connection();
            self.streams.tell(&mut self.connection, &mut self.events);
        }
        self.events.pop_front()
    }
}
