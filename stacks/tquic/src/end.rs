//! An end of a connection.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use tquic::endpoint::Endpoint;
use tquic::{CongestionControlAlgorithm as Algorithm, Connection, PacketInfo};
use windtunnel_machine::Machine;
use windtunnel_stack::{Datagram, Departure, Ecn, Event, Place, Read, Stack, State, StreamStack};

use crate::handler;
use crate::machinery::Machinery;
use crate::streams::Streams;
use crate::tls;

/// How long it sleeps at least: timers may be due at once, as tquic says, and not expire yet.
const LEAST_SLEEP: Duration = Duration::from_micros(100);

/// One end of a connection: an endpoint with one connection.
pub(crate) struct End {
    machinery: Machinery,
    machine: Machine,
    place: Place,
    streams: Streams,
    /// Of the end that connects.
    secrets: String,
    events: VecDeque<Event>,
    timeout: Option<Duration>,
    state: State,
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
    pub(crate) fn new(now: Duration, controller: Algorithm, place: &Place) -> Result<Self, String> {
        let mut machine = Machine::new(place.seed);
        let machinery = machine.at(now, || Machinery::begun(controller, place))?;
        let mut end = Self {
            machinery,
            machine,
            place: place.clone(),
            streams: Streams::default(),
            secrets: String::new(),
            events: VecDeque::new(),
            timeout: None,
            state: State::default(),
            is_connected: false,
            has_failed: false,
            is_untold: true,
        };
        end.with(now, |_, _, _| ());
        Ok(end)
    }

    /// Does something with the endpoint, and asks what follows of it.
    fn with<T>(
        &mut self,
        now: Duration,
        work: impl FnOnce(&mut Endpoint, &mut Streams, &mut VecDeque<Event>) -> T,
    ) -> T {
        let Self { machinery: Machinery { endpoint, .. }, machine, streams, events, .. } = self;
        let (done, sleep) =
            machine.at(now, || (work(endpoint, streams, events), endpoint.timeout()));
        self.timeout = sleep.map(|it| now + it.max(LEAST_SLEEP));
        self.secrets.push_str(&tls::take_secrets());
        done
    }

    /// Does something with the connection, if there is one.
    fn with_connection<T: Default>(
        &mut self,
        now: Duration,
        work: impl FnOnce(&mut Connection, &mut Streams, &mut VecDeque<Event>) -> T,
    ) -> T {
        let index = self.machinery.handler.0.borrow().connection;
        self.with(now, |endpoint, streams, events| {
            let connection = index.and_then(|it| endpoint.conn_get_mut(it));
            connection.map(|it| work(it, streams, events)).unwrap_or_default()
        })
    }

    /// Tells what has happened.
    fn tell(&mut self) {
        let Self { machinery, streams, events, .. } = self;
        let mut told = machinery.handler.0.borrow_mut();
        told.closed.drain(..).for_each(|id| streams.close(id, events));
        let mut why = told.failure.take();
        let connection = told.connection.and_then(|it| machinery.endpoint.conn_get_mut(it));
        if let Some(connection) = connection {
            if connection.is_established() && !std::mem::replace(&mut self.is_connected, true) {
                events.extend([Event::Connected, Event::Available]);
            }
            why = why.or_else(|| handler::failure(connection));
            streams.tell(connection, events);
        }
        if let Some(why) = why
            && !std::mem::replace(&mut self.has_failed, true)
        {
            events.push_back(Event::Failed(why));
        }
    }

    fn note_state(&mut self, now: Duration) {
        let Place { own, peer, .. } = self.place;
        let state = self.with_connection(now, |connection, _, _| {
            let told = connection.get_path_stats(own, peer).ok()?;
            let microseconds = |it: u64| (it > 0).then(|| Duration::from_micros(it));
            Some(State {
                cwnd: Some(told.final_cwnd).filter(|it| *it > 0),
                smoothed_rtt: microseconds(told.srtt),
                least_rtt: microseconds(told.min_rtt),
                pacing_rate: Some(told.pacing_rate).filter(|it| *it > 0),
                lost_packets: Some(told.lost_count),
                ..State::default()
            })
        });
        let mtu = self.state.mtu;
        self.state = State { mtu, ..state.unwrap_or(self.state) };
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        let time = self.machine.instant(now);
        self.with(now, |endpoint, _, _| {
            for datagram in datagrams {
                // Decrypted in place. What is wrong with one the connection says, if it is over then.
                let information = PacketInfo { src: datagram.from, dst: datagram.to, time };
                let _ = endpoint.recv(&mut datagram.bytes.to_vec(), &information);
            }
        });
        self.is_untold = true;
        self.note_state(now);
    }

    fn wake(&mut self, now: Duration) {
        let time = self.machine.instant(now);
        self.with(now, |endpoint, _, _| endpoint.on_timeout(time));
        self.is_untold = true;
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let handler = self.machinery.handler.clone();
        let mut leaving = handler.0.borrow_mut().leaving.pop_front();
        if leaving.is_none() {
            let done = self.with(now, |endpoint, _, _| endpoint.process_connections());
            if let Err(error) = done {
                handler.0.borrow_mut().failure.get_or_insert(error.to_string());
            }
            let mut told = handler.0.borrow_mut();
            self.is_untold |= !told.closed.is_empty() || told.failure.is_some();
            leaving = told.leaving.pop_front();
        }
        let (bytes, to) = leaving?;
        buffer.extend_from_slice(&bytes);
        let size = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        self.state.mtu = self.state.mtu.max(Some(size));
        Some(Departure { from: None, to, ecn: Ecn::NotCapable, segment: bytes.len() })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        if self.is_untold || !self.events.is_empty() {
            return Some(Duration::ZERO);
        }
        self.timeout
    }

    fn state(&self) -> State {
        self.state
    }

    fn secrets(&self) -> String {
        self.secrets.clone()
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.with_connection(now, |connection, streams, _| streams.open(connection))
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.with_connection(now, |connection, streams, _| streams.write(connection, stream, bytes))
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.with_connection(now, |connection, _, _| Streams::finish(connection, stream));
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.with_connection(now, |connection, streams, events| {
            streams.read(connection, stream, events)
        })
    }

    fn next_event(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.is_untold) {
            self.tell();
        }
        self.events.pop_front()
    }
}
