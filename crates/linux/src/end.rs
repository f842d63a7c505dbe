//! One end: a guest, and its connections as streams.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, Failure, Place, Read, Role, Stack, State, StreamStack, ports,
};

use crate::agent::{self, Command, Sample};
use crate::device::Offer;
use crate::guest::Guest;
use crate::installation::Installation;

/// How many bytes of a stream may be handed over that the guest has not written to its socket: what a
/// program holds that writes as soon as there is room.
const AHEAD: u64 = 1 << 16;
/// From here on a threshold of the kernel's is none.
const NO_THRESHOLD: u64 = 0x7fff_ffff;
/// This round trip of the kernel's is none.
const NO_ROUND_TRIP: u64 = 0xffff_ffff;
/// The guest numbers the connections that it accepts from here on.
const ACCEPTED: u32 = 1 << 31;

/// One end.
#[derive(Debug)]
pub(crate) struct End {
    place: Place,
    mtu: u16,
    now: Duration,
    guest: Guest,
    /// What the guest is to be told at once.
    commands: Vec<Command>,
    /// By number, and the numbers of those that the guest has accepted, by its own.
    streams: BTreeMap<u64, Stream>,
    accepted: BTreeMap<u32, u64>,
    /// One more than the highest number so far.
    next: u64,
    is_connected: bool,
    events: VecDeque<Event>,
    failure: Failure,
    /// What was sampled last, and what connections that are over have sent again.
    sample: Option<Sample>,
    resent_before: u64,
}

#[derive(Debug, Default)]
struct Stream {
    /// Its number at the guest.
    handle: u32,
    /// Bytes that were handed over, and written to its socket.
    given: u64,
    written: u64,
    is_full: bool,
    received: u64,
    read: u64,
    is_ended: bool,
    is_acknowledged: bool,
    /// Segments that were sent again, and bytes that were acknowledged.
    resent: u64,
    acknowledged: u64,
}

/// What is set in a guest.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The congestion controller; none: the kernel's default.
    pub(crate) controller: Option<String>,
    /// Names and values of the kernel's settings.
    pub(crate) sysctl: Vec<(String, String)>,
    /// What its network device offers.
    pub(crate) offer: Offer,
}

impl Settings {
    /// What sets them in a guest.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut commands = Vec::new();
        if let Some(name) = &self.controller {
            commands.push(Command::Sysctl(format!("net.ipv4.tcp_congestion_control={name}")));
        }
        let set = |(name, value): &(String, String)| Command::Sysctl(format!("{name}={value}"));
        commands.extend(self.sysctl.iter().map(set));
        commands
    }

    /// What has a guest be the end at a place.
    fn commands_at(&self, place: &Place) -> Vec<Command> {
        let mut commands = self.commands();
        if place.own.is_ipv4() {
            commands.push(Command::Sysctl("net.ipv6.conf.eth0.disable_ipv6=1".to_owned()));
        }
        let address = place.own.ip().to_string();
        commands.push(Command::Address(address.clone()));
        if place.role == Role::Server {
            commands.push(Command::Listen(address, place.own.port()));
        }
        commands
    }
}

impl End {
    pub(crate) fn new(
        installation: &Installation,
        settings: &Settings,
        now: Duration,
        place: Place,
    ) -> Result<Self, String> {
        let commands = settings.commands_at(&place);
        let guest = Guest::start(installation, now, settings.offer, place.seed, &commands)?.0;
        Ok(Self {
            place,
            mtu: settings.offer.mtu,
            now,
            guest,
            commands: Vec::new(),
            streams: BTreeMap::new(),
            accepted: BTreeMap::new(),
            next: 0,
            is_connected: false,
            events: VecDeque::new(),
            failure: Failure::default(),
            sample: None,
            resent_before: 0,
        })
    }

    /// Has the guest do something, and takes notice of what has happened in it then.
    fn advance(&mut self, call: impl FnOnce(&mut Guest) -> Result<(), String>) {
        if self.failure.is_set() {
            return;
        }
        let outcome = call(&mut self.guest).and_then(|()| self.settle());
        if let Err(why) = outcome {
            self.failure.set(|| why);
        }
    }

    fn settle(&mut self) -> Result<(), String> {
        while let Some(event) = self.guest.next_event()? {
            self.on_event(event);
        }
        Ok(())
    }

    /// Hands over what the guest is to be told.
    fn hand_over(&mut self) {
        if !self.commands.is_empty() {
            let commands = std::mem::take(&mut self.commands);
            let now = self.now;
            self.advance(|it| it.command(now, &commands));
        }
    }

    fn on_event(&mut self, event: agent::Event) {
        use agent::Event as Told;
        match event {
            Told::Opened(handle, port) => self.accept(handle, port),
            Told::Connected(handle) => self.connected(u64::from(handle)),
            Told::Written(handle, bytes) => self.with(handle, |number, stream, events| {
                stream.written = bytes;
                if std::mem::take(&mut stream.is_full) {
                    events.push_back(Event::Writable(number));
                }
            }),
            Told::Received(handle, bytes) => self.with(handle, |number, stream, events| {
                stream.received = bytes;
                events.push_back(Event::Readable(number));
            }),
            Told::Ended(handle, bytes) => self.with(handle, |number, stream, events| {
                (stream.received, stream.is_ended) = (bytes, true);
                events.push_back(Event::Readable(number));
            }),
            Told::Acknowledged(handle) => self.with(handle, |number, stream, events| {
                stream.is_acknowledged = true;
                events.push_back(Event::Acknowledged(number));
            }),
            Told::Failed(handle, why) => {
                let number = self.number(handle);
                let why = format!("connection {number}: {why}");
                self.events.push_back(Event::Failed(why));
            }
            Told::Sampled(handle, sample) => {
                self.sample = Some(sample);
                self.with(handle, |_, stream, _| {
                    stream.resent = sample.retransmissions;
                    stream.acknowledged = sample.acknowledged;
                });
            }
        }
    }

    fn accept(&mut self, handle: u32, port: u16) {
        let number = ports::number(self.place.peer.port(), port, self.next);
        self.next = self.next.max(number + 1);
        self.accepted.insert(handle, number);
        self.streams.insert(number, Stream { handle, ..Stream::default() });
        self.events.push_back(Event::Opened(number));
        self.connected(number);
    }

    fn connected(&mut self, _number: u64) {
        if !std::mem::replace(&mut self.is_connected, true) {
            self.events.push_front(Event::Connected);
        }
    }

    /// The number of a stream of the guest's.
    fn number(&self, handle: u32) -> u64 {
        match handle < ACCEPTED {
            true => handle.into(),
            false => self.accepted.get(&handle).copied().unwrap_or_default(),
        }
    }

    fn with(&mut self, handle: u32, change: impl FnOnce(u64, &mut Stream, &mut VecDeque<Event>)) {
        let number = self.number(handle);
        if let Some(stream) = self.streams.get_mut(&number) {
            change(number, stream, &mut self.events);
        }
    }

    /// Forgets a stream of which all was told.
    fn forget(&mut self, number: u64) {
        let is_over = |it: &Stream| it.is_ended && it.is_acknowledged && it.read == it.received;
        if self.streams.get(&number).is_some_and(is_over)
            && let Some(stream) = self.streams.remove(&number)
        {
            self.resent_before += stream.resent;
            self.accepted.remove(&stream.handle);
        }
    }

    /// Whether a packet is one between the two ends.
    fn is_between(&self, packet: &[u8]) -> bool {
        let address = |at: usize, length: usize| -> Option<IpAddr> {
            let bytes = packet.get(at..at + length)?;
            match length {
                4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
                _ => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
            }
        };
        let is_six = packet.first().is_some_and(|it| it >> 4 == 6);
        let found = if is_six {
            [address(8, 16), address(24, 16)]
        } else {
            [address(12, 4), address(16, 4)]
        };
        let Place { own, peer, .. } = &self.place;
        found == [own, peer].map(|it: &SocketAddr| Some(it.ip()))
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        self.now = now;
        self.advance(|it| it.receive(now, datagrams.iter().map(|it| it.bytes)));
    }

    fn wake(&mut self, now: Duration) {
        self.now = now;
        self.advance(|it| it.wake(now));
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        self.now = now;
        self.hand_over();
        loop {
            let packet = self.guest.take_sent(now)?;
            // What a kernel sends of itself to others than the peer goes nowhere.
            if self.is_between(&packet) {
                buffer.extend_from_slice(&packet);
                let segment = packet.len();
                let to = self.place.peer;
                return Some(Departure { from: None, to, ecn: Ecn::NotCapable, segment });
            }
        }
    }

    fn next_wake(&mut self) -> Option<Duration> {
        self.hand_over();
        let time = if self.failure.is_set() { None } else { self.guest.next_wake() };
        self.failure.wake(time)
    }

    fn state(&self) -> State {
        let resent = self.streams.values().map(|it| it.resent).sum::<u64>() + self.resent_before;
        let told = State { mtu: Some(self.mtu), ..State::default() };
        let Some(sample) = self.sample else { return told };
        // The kernel counts segments.
        let packet = u64::from(self.mtu);
        State {
            cwnd: Some(sample.cwnd * packet),
            ssthresh: Some(sample.ssthresh).filter(|it| *it < NO_THRESHOLD).map(|it| it * packet),
            in_flight: Some(sample.in_flight * packet),
            smoothed_rtt: Some(Duration::from_micros(sample.rtt)).filter(|it| !it.is_zero()),
            least_rtt: Some(sample.least_rtt)
                .filter(|it| *it < NO_ROUND_TRIP)
                .map(Duration::from_micros),
            pacing_rate: Some(sample.pacing_rate).filter(|it| *it < u64::MAX),
            retransmissions: Some(resent),
            ..told
        }
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.now = now;
        let number = self.next;
        self.next += 1;
        let handle = number as u32 % ACCEPTED;
        let Place { own, peer, .. } = &self.place;
        let addresses = [own, peer].map(|it| it.ip().to_string());
        let from = [ports::port(own.port(), number), peer.port()];
        self.commands.push(Command::Open(handle, addresses, from));
        self.streams.insert(number, Stream { handle, ..Stream::default() });
        Some(number)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        self.now = now;
        let Some(it) = self.streams.get_mut(&stream) else { return 0 };
        // Data without end are written without asking again.
        let room = AHEAD.saturating_sub(it.given.saturating_sub(it.written));
        let taken = if bytes == u64::MAX { bytes } else { bytes.min(room) };
        it.is_full = taken < bytes;
        if taken > 0 {
            it.given = it.given.saturating_add(taken);
            self.commands.push(Command::Write(it.handle, taken));
        }
        taken
    }

    /// As it was sampled last.
    fn unacknowledged(&self, stream: u64) -> Option<u64> {
        let it = self.streams.get(&stream)?;
        Some(it.given.saturating_sub(it.acknowledged))
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.now = now;
        if let Some(it) = self.streams.get(&stream) {
            self.commands.push(Command::Finish(it.handle));
        }
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        self.now = now;
        let Some(it) = self.streams.get_mut(&stream) else { return Read::default() };
        let bytes = it.received - std::mem::replace(&mut it.read, it.received);
        Read { bytes, is_end: it.is_ended }
    }

    fn next_event(&mut self) -> Option<Event> {
        if self.events.is_empty() {
            self.hand_over();
        }
        let event = self.events.pop_front().or_else(|| self.failure.event())?;
        if let Event::Acknowledged(number) = event {
            self.forget(number);
        }
        Some(event)
    }
}
