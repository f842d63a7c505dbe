//! One end of simulated connections: a host, and its connections as streams.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;

use windtunnel_controllers::{Controller, Settings};
use windtunnel_engine::{self as engine, Time};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, Place, Read, Role, Stack, State, StreamStack, ports,
};
use windtunnel_transports::tcp::Endpoint;

use crate::connection::Status;
use crate::host::TcpHost;
use crate::settings::settings;
use crate::stream::Stream;

/// One end.
#[derive(Debug)]
pub(crate) struct End {
    place: Place,
    mtu: u16,
    host: TcpHost,
    /// By number.
    streams: BTreeMap<u64, Stream>,
    /// One more than the highest number so far.
    next: u64,
    is_connected: bool,
    events: VecDeque<Event>,
    /// What streams that are over have sent again, and how often they reduced their windows.
    before: [u64; 2],
    /// What the last of them that sent told.
    last: State,
}

impl End {
    pub(crate) fn new(controller: &Settings, mtu: u16, place: Place) -> Self {
        let secret = [place.seed, !place.seed];
        let mut host = TcpHost::new(vec![place.own.ip()], settings(controller, mtu), secret);
        if place.role == Role::Server {
            host.listen(place.own);
        }
        Self {
            place,
            mtu,
            host,
            streams: BTreeMap::new(),
            next: 0,
            is_connected: false,
            events: VecDeque::new(),
            before: [0; 2],
            last: State::default(),
        }
    }

    /// Takes the connections over that the other end has opened.
    fn accept(&mut self) {
        if self.place.role == Role::Client {
            return;
        }
        while let Some(id) = self.host.accept(self.place.own) {
            let port = self.host.peer(id).map_or(0, |it| it.port());
            let number = ports::number(self.place.peer.port(), port, self.next);
            self.next = self.next.max(number + 1);
            self.streams.insert(number, Stream::new(id));
            self.events.push_back(Event::Opened(number));
        }
    }

    /// Tells what has happened, and forgets the streams that are over.
    fn settle(&mut self, now: Time) {
        self.accept();
        let Self { streams, host, events, before, last, mtu, .. } = self;
        streams.retain(|number, stream| {
            stream.tell(*number, host, events);
            let is_over = stream.is_over();
            if is_over {
                let counted = counted(host, stream);
                *before = std::array::from_fn(|it| before[it] + counted[it]);
                *last = told(host, stream, *mtu).unwrap_or(*last);
                host.forget(now, stream.id);
            }
            !is_over
        });
        let is_established = |it: &Stream| host.status(it.id) != Status::Opening;
        if !self.is_connected && streams.values().any(is_established) {
            self.is_connected = true;
            self.events.push_front(Event::Connected);
        }
    }

    fn with<T>(
        &mut self,
        now: Duration,
        stream: u64,
        act: impl FnOnce(&mut Stream, &mut TcpHost, Time) -> T,
    ) -> Option<T> {
        let Self { streams, host, .. } = self;
        streams.get_mut(&stream).map(|it| act(it, host, time(now)))
    }

    fn fail(&mut self, why: String) {
        self.events.push_back(Event::Failed(why));
    }
}

/// A time as the engine has it.
fn time(now: Duration) -> Time {
    Time::ZERO + engine::Duration::from_nanos(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX))
}

/// A length of time of the engine's, in whole nanoseconds, rounded up.
fn rounded_up(picoseconds: u64) -> Duration {
    Duration::from_nanos(picoseconds.div_ceil(1000))
}

/// What a connection sent again, and how often its window was reduced.
fn counted(host: &TcpHost, stream: &Stream) -> [u64; 2] {
    let counters = host.endpoint(stream.id).map(Endpoint::counters);
    counters.map_or([0; 2], |it| [it.retransmissions, it.decreases])
}

/// What a connection tells of its path, once it sends.
fn told(host: &TcpHost, stream: &Stream, mtu: u16) -> Option<State> {
    let endpoint = host.endpoint(stream.id)?;
    let controller = endpoint.controller()?;
    // As the stacks that count bytes tell it, and tables read it: in packets of the largest size.
    let bytes = |segments: f64| (segments * f64::from(mtu)) as u64;
    let ssthresh = controller.ssthresh();
    let rate = controller.pacing_rate();
    let rate = rate.map(|it| it * f64::from(endpoint.settings().maximum_segment));
    Some(State {
        cwnd: Some(bytes(controller.cwnd())),
        ssthresh: ssthresh.is_finite().then(|| bytes(ssthresh)),
        in_flight: Some(endpoint.in_flight() * u64::from(mtu)),
        smoothed_rtt: endpoint.smoothed_rtt().map(|it| rounded_up(it.as_picos())),
        least_rtt: endpoint.counters().rtt_minimum.map(|it| rounded_up(it.as_picos())),
        pacing_rate: rate.map(|it| it as u64),
        ..State::default()
    })
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        for datagram in datagrams {
            self.host.receive(time(now), datagram.bytes);
        }
        self.settle(time(now));
    }

    fn wake(&mut self, now: Duration) {
        self.host.wake(time(now));
        self.settle(time(now));
    }

    fn send(&mut self, _: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let packet = self.host.take_packet()?;
        buffer.extend_from_slice(&packet);
        let (to, segment) = (self.place.peer, packet.len());
        Some(Departure { from: None, to, ecn: Ecn::NotCapable, segment })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        self.host.next_wake().map(|it| rounded_up(it.as_picos()))
    }

    fn state(&self) -> State {
        let counted = self.streams.values().map(|it| counted(&self.host, it));
        let [resent, decreases] =
            counted.fold(self.before, |sum, it| std::array::from_fn(|at| sum[at] + it[at]));
        let mut newest_first = self.streams.values().rev();
        let told = newest_first.find_map(|it| told(&self.host, it, self.mtu));
        State {
            retransmissions: Some(resent),
            decreases: Some(decreases),
            mtu: Some(self.mtu),
            ..told.unwrap_or(self.last)
        }
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        let Place { own, peer, .. } = self.place;
        let from = SocketAddr::new(own.ip(), ports::port(own.port(), self.next));
        let Some(id) = self.host.connect_from(time(now), from, peer) else {
            self.fail(format!("port {} is in use", from.port()));
            return None;
        };
        self.streams.insert(self.next, Stream::new(id));
        self.next += 1;
        Some(self.next - 1)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.with(now, stream, |it, host, now| it.write(host, now, bytes)).unwrap_or(0)
    }

    fn unacknowledged(&self, stream: u64) -> Option<u64> {
        self.streams.get(&stream).map(|it| self.host.unacknowledged(it.id))
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.with(now, stream, |it, host, now| it.finish(host, now));
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        match self.with(now, stream, |it, host, now| it.read(host, now)) {
            Some(Err(why)) => {
                self.fail(why);
                Read::default()
            }
            Some(Ok(read)) => read,
            None => Read::default(),
        }
    }

    fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
