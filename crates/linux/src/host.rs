//! A guest that is the host of one end of a flow, or of those of all flows of a node: their connections
//! are those of one kernel.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use windtunnel_stack::{Event, HostCommand, Path, Place, Read, Role, State, ports};

use crate::agent::{self, Command, Paths, Sample};
use crate::guest::Guest;
use crate::installation::Installation;
use crate::packet::Addresses;
use crate::settings::{Settings, interfaces};

/// How many bytes of a stream may be handed over that the guest has not written to its socket: what a
/// program holds that writes as soon as there is room.
const AHEAD: u64 = 1 << 16;
/// From here on a threshold of the kernel's is none.
const NO_THRESHOLD: u64 = 0x7fff_ffff;
/// This round trip of the kernel's is none.
const NO_ROUND_TRIP: u64 = 0xffff_ffff;
/// The guest numbers the connections that it accepts from here on.
const ACCEPTED: u32 = 1 << 31;

/// A guest, and the connections of its ends.
#[derive(Debug)]
pub(crate) struct Host {
    guest: Guest,
    /// When one of its ends was called last.
    pub(crate) now: Duration,
    mtu: u16,
    paths: Paths,
    /// What the guest is to be told at once.
    commands: Vec<Command>,
    /// In the order of the places; none of those that are over.
    ends: Vec<Option<Connections>>,
    /// Which end has a stream, by its number at the guest, and its number there.
    streams: BTreeMap<u32, (usize, u64)>,
    /// How many the guest was told to open.
    opened: u32,
    /// Whose the next packet is that the guest has sent, once that was found out: an end's, or nobody's.
    next_of: Option<Option<usize>>,
    /// The commands that it runs, and how many of them it was told to.
    commands_run: Vec<HostCommand>,
    begun: usize,
    /// Why the guest is over, if it is.
    failure: Option<String>,
}

/// The connections of one end.
#[derive(Debug)]
struct Connections {
    place: Place,
    /// By number.
    streams: BTreeMap<u64, Stream>,
    /// One more than the highest number so far.
    next: u64,
    is_connected: bool,
    events: VecDeque<Event>,
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

impl Host {
    /// One with ends at these places, of which there is at least one.
    pub(crate) fn new(
        installation: &Installation,
        settings: &Settings,
        now: Duration,
        places: Vec<Place>,
    ) -> Result<Self, String> {
        let seed = places.first().map_or(0, |it| it.seed);
        let interfaces = interfaces(&places);
        let commands = settings.commands_at(&places, &interfaces);
        let (guest, _) =
            Guest::start(installation, now, settings.offer, seed, interfaces, &commands)?;
        Ok(Self {
            guest,
            now,
            mtu: settings.offer.mtu,
            paths: settings.paths,
            commands: Vec::new(),
            ends: places.into_iter().map(|it| Some(Connections::at(it))).collect(),
            streams: BTreeMap::new(),
            opened: 0,
            next_of: None,
            commands_run: settings.run.iter().map(command).collect(),
            begun: 0,
            failure: None,
        })
    }

    /// Why the guest is over, if it is.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Has the guest do something, and takes notice of what has happened in it then.
    fn advance(&mut self, call: impl FnOnce(&mut Guest) -> Result<(), String>) {
        if self.failure.is_none() {
            self.next_of = None;
            self.failure = call(&mut self.guest).and_then(|()| self.settle()).err();
        }
    }

    fn settle(&mut self) -> Result<(), String> {
        while let Some(event) = self.guest.next_event()? {
            self.on_event(event);
        }
        Ok(())
    }

    /// IP packets arrive.
    pub(crate) fn receive<'a>(&mut self, packets: impl Iterator<Item = &'a [u8]>) {
        let now = self.now;
        self.advance(|it| it.receive(now, packets));
    }

    /// The time has come that it asked for.
    pub(crate) fn wake(&mut self) {
        let now = self.now;
        self.advance(|it| it.wake(now));
        while let Some(it) = self.commands_run.get(self.begun).filter(|it| it.at <= now) {
            self.commands.push(Command::Run(self.begun as u32, it.command.clone()));
            self.begun += 1;
        }
    }

    /// Hands over what the guest is to be told.
    fn hand_over(&mut self) {
        if !self.commands.is_empty() {
            let (now, commands) = (self.now, std::mem::take(&mut self.commands));
            self.advance(|it| it.command(now, &commands));
        }
    }

    /// The next packet that it has sent, if that is one of an end's.
    pub(crate) fn take_sent(&mut self, end: usize) -> Option<Vec<u8>> {
        self.hand_over();
        loop {
            let of = match self.next_of {
                Some(of) => of,
                None => self.guest.next_sent(self.now).map(|it| end_of(&self.ends, it))?,
            };
            self.next_of = Some(of);
            if of.is_some_and(|it| it != end) {
                return None;
            }
            self.next_of = None;
            let packet = self.guest.take_sent()?;
            // What a kernel sends of itself to others than the peers goes nowhere.
            if of.is_some() {
                return Some(packet);
            }
        }
    }

    /// When it is to be woken, or has sent something.
    pub(crate) fn next_wake(&mut self) -> Option<Duration> {
        self.hand_over();
        if self.failure.is_some() {
            return None;
        }
        let command = self.commands_run.get(self.begun).map(|it| it.at);
        self.guest.next_wake().into_iter().chain(command).min()
    }

    /// The next thing that has happened to an end's streams.
    pub(crate) fn next_event(&mut self, end: usize) -> Option<Event> {
        if self.end(end)?.events.is_empty() {
            self.hand_over();
        }
        let event = self.end(end)?.events.pop_front()?;
        if let Event::Acknowledged(number) = event {
            self.forget(end, number);
        }
        Some(event)
    }

    /// What became of its commands so far.
    pub(crate) fn commands(&self) -> Vec<HostCommand> {
        self.commands_run[..self.begun].to_vec()
    }

    /// What an end's connections tell.
    pub(crate) fn state(&self, end: usize) -> State {
        let told = State { mtu: Some(self.mtu), ..State::default() };
        self.ends[end].as_ref().map_or(told, |it| it.state(told))
    }

    /// An end is over.
    pub(crate) fn end_is_over(&mut self, end: usize) {
        self.ends[end] = None;
        self.next_of = None;
    }

    fn end(&mut self, end: usize) -> Option<&mut Connections> {
        self.ends[end].as_mut()
    }

    pub(crate) fn open(&mut self, end: usize) -> Option<u64> {
        // 0 is the kernel itself.
        let handle = 1 + self.opened % (ACCEPTED - 1);
        self.opened = self.opened.wrapping_add(1);
        let paths = self.paths;
        let it = self.end(end)?;
        let number = it.next;
        it.next += 1;
        it.streams.insert(number, Stream { handle, ..Stream::default() });
        let addresses = [it.place.own, it.place.peer].map(|it| it.ip().to_string());
        let from = [ports::port(it.place.own.port(), number), it.place.peer.port()];
        self.commands.push(Command::Open(handle, addresses, from, paths));
        self.streams.insert(handle, (end, number));
        Some(number)
    }

    pub(crate) fn write(&mut self, end: usize, stream: u64, bytes: u64) -> u64 {
        let Some(it) = self.end(end).and_then(|it| it.streams.get_mut(&stream)) else { return 0 };
        // Data without end are written without asking again.
        let room = AHEAD.saturating_sub(it.given.saturating_sub(it.written));
        let taken = if bytes == u64::MAX { bytes } else { bytes.min(room) };
        it.is_full = taken < bytes;
        if taken > 0 {
            it.given = it.given.saturating_add(taken);
            let command = Command::Write(it.handle, taken);
            self.commands.push(command);
        }
        taken
    }

    /// As it was sampled last.
    pub(crate) fn unacknowledged(&self, end: usize, stream: u64) -> Option<u64> {
        let it = self.ends[end].as_ref()?.streams.get(&stream)?;
        Some(it.given.saturating_sub(it.acknowledged))
    }

    pub(crate) fn finish(&mut self, end: usize, stream: u64) {
        if let Some(it) = self.end(end).and_then(|it| it.streams.get(&stream)) {
            let command = Command::Finish(it.handle);
            self.commands.push(command);
        }
    }

    pub(crate) fn read(&mut self, end: usize, stream: u64) -> Read {
        let Some(it) = self.end(end).and_then(|it| it.streams.get_mut(&stream)) else {
            return Read::default();
        };
        let bytes = it.received - std::mem::replace(&mut it.read, it.received);
        Read { bytes, is_end: it.is_ended }
    }

    fn on_event(&mut self, event: agent::Event) {
        use agent::Event as Told;
        match event {
            Told::Opened { stream, from, to } => self.accept(stream, from, to),
            Told::Connected(handle) => self.with(handle, |_, it| it.connected()),
            Told::Written(handle, bytes) => self.with_stream(handle, |number, stream, events| {
                stream.written = bytes;
                if std::mem::take(&mut stream.is_full) {
                    events.push_back(Event::Writable(number));
                }
            }),
            Told::Received(handle, bytes) => self.with_stream(handle, |number, stream, events| {
                stream.received = bytes;
                events.push_back(Event::Readable(number));
            }),
            Told::Ended(handle, bytes) => self.with_stream(handle, |number, stream, events| {
                (stream.received, stream.is_ended) = (bytes, true);
                events.push_back(Event::Readable(number));
            }),
            Told::Acknowledged(handle) => self.with_stream(handle, |number, stream, events| {
                stream.is_acknowledged = true;
                events.push_back(Event::Acknowledged(number));
            }),
            Told::Failed(0, why) => self.failure = Some(why),
            Told::Failed(handle, why) => self.with(handle, |number, it| {
                it.events.push_back(Event::Failed(format!("connection {number}: {why}")));
            }),
            Told::Output(number, bytes) => {
                if let Some(it) = self.commands_run.get_mut(number as usize) {
                    it.output.extend(bytes);
                }
            }
            Told::Exited(number, code) => {
                let now = self.now;
                if let Some(it) = self.commands_run.get_mut(number as usize) {
                    it.exited = Some((now, code));
                }
            }
            Told::Sampled(handle, sample) => {
                self.with(handle, |_, it| it.sample = Some(sample));
                self.with_stream(handle, |_, stream, _| {
                    stream.resent = sample.retransmissions;
                    stream.acknowledged = sample.acknowledged;
                });
            }
        }
    }

    /// A peer has connected from a port to the one of an end.
    fn accept(&mut self, handle: u32, from: u16, to: u16) {
        let is_here = |it: &Option<Connections>| {
            let place = it.as_ref().map(|it| &it.place);
            place.is_some_and(|it| it.role == Role::Server && it.own.port() == to)
        };
        let Some(end) = self.ends.iter().position(is_here) else { return };
        let Some(it) = self.end(end) else { return };
        let number = ports::number(it.place.peer.port(), from, it.next);
        it.next = it.next.max(number + 1);
        it.streams.insert(number, Stream { handle, ..Stream::default() });
        it.events.push_back(Event::Opened(number));
        it.connected();
        self.streams.insert(handle, (end, number));
    }

    /// Changes the end that has a stream of the guest's.
    fn with(&mut self, handle: u32, change: impl FnOnce(u64, &mut Connections)) {
        if let Some((end, number)) = self.streams.get(&handle).copied()
            && let Some(it) = self.end(end)
        {
            change(number, it);
        }
    }

    fn with_stream(
        &mut self,
        handle: u32,
        change: impl FnOnce(u64, &mut Stream, &mut VecDeque<Event>),
    ) {
        self.with(handle, |number, it| {
            if let Some(stream) = it.streams.get_mut(&number) {
                change(number, stream, &mut it.events);
            }
        });
    }

    /// Forgets a stream of which all was told.
    fn forget(&mut self, end: usize, number: u64) {
        let is_over = |it: &Stream| it.is_ended && it.is_acknowledged && it.read == it.received;
        if let Some(it) = self.end(end)
            && it.streams.get(&number).is_some_and(is_over)
            && let Some(stream) = it.streams.remove(&number)
        {
            it.resent_before += stream.resent;
            self.streams.remove(&stream.handle);
        }
    }
}

impl Connections {
    /// Those of an end that begins.
    fn at(place: Place) -> Self {
        Self {
            place,
            streams: BTreeMap::new(),
            next: 0,
            is_connected: false,
            events: VecDeque::new(),
            sample: None,
            resent_before: 0,
        }
    }

    fn connected(&mut self) {
        if !std::mem::replace(&mut self.is_connected, true) {
            self.events.push_front(Event::Connected);
        }
    }

    /// What was sampled last, beside what is `told` in any case.
    fn state(&self, told: State) -> State {
        let resent = self.streams.values().map(|it| it.resent).sum::<u64>() + self.resent_before;
        let Some(sample) = self.sample else { return told };
        // The kernel counts segments.
        let packet = told.mtu.map_or(0, u64::from);
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

fn command((at, command): &(Duration, String)) -> HostCommand {
    HostCommand { at: *at, command: command.clone(), exited: None, output: Vec::new() }
}

/// Whose packet one is that the guest has sent.
fn end_of(ends: &[Option<Connections>], packet: &[u8]) -> Option<usize> {
    let addresses = Addresses::of(packet)?;
    let ends = || ends.iter().enumerate().filter_map(|(at, it)| Some((at, &it.as_ref()?.place)));
    let is_between = |it: &Place| {
        let first = Path { own: it.own, peer: it.peer };
        let mut paths = [first].into_iter().chain(it.further.iter().copied());
        paths.any(|it| addresses.are_between(it.own.ip(), it.peer.ip()))
    };
    // A connection has the server's port, which no two flows have in common.
    let is_of = |it: &Place| match it.role {
        Role::Client => addresses.ports.map(|it| it[1]) == Some(it.peer.port()),
        Role::Server => addresses.ports.map(|it| it[0]) == Some(it.own.port()),
    };
    let found = ends().find(|(_, it)| is_between(it) && is_of(it));
    let of_programs = || ends().find(|(_, it)| is_between(it) && it.has_other_packets);
    // Without a flow of these, it is of any flow to that peer.
    let any = || ends().find(|(_, it)| is_between(it));
    found.or_else(of_programs).or_else(any).map(|it| it.0)
}
