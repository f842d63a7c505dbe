//! All connections of an address or two: packets in, packets out, and what applications do with
//! the connections. It has no clock, no network and no threads of its own.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::ip::{
    Addresses, IpVersion, MalformedSegment, ReceivedSegment, TooBig, decode_segment,
    decode_too_big, encode_segment_with,
};
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_transports::tcp::{Endpoint, Role, TcpSettings, refuse};

use crate::connection::{Connection, Status};
use crate::numbers::{Numbers, Secret};
use crate::state::State;

/// How many connections of a listener wait to be accepted at the most, while further ones are not
/// answered; and how many wait for the end of their handshake, while the oldest of these goes for
/// each further one (RFC 4987, section 3.4).
const BACKLOG: usize = 128;
/// The ports that are given for a time (RFC 6335, section 6).
const DYNAMIC: u16 = 49_152;

/// A connection of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId(u64);

/// What a host counted of the packets that it received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostCounters {
    /// Segments for its addresses.
    pub segments: u64,
    /// Packets that are not TCP over IP, or for other addresses.
    pub ignored: u64,
    /// Packets with wrong checksums, and those that are not whole.
    pub malformed: u64,
    /// Segments for which there was no connection, most of them answered by a reset.
    pub refused: u64,
}

/// A connection, and its place in the host.
#[derive(Debug)]
struct Entry {
    connection: Connection,
    /// The listener that it waits at, until it is accepted.
    waits_at: Option<SocketAddr>,
    /// The application does not ask for it any more.
    is_forgotten: bool,
    /// When it wants to be woken, as `wakes` of the host has it.
    wake: Option<Time>,
}

/// The connections of a host.
#[derive(Debug)]
pub struct TcpHost {
    addresses: Vec<IpAddr>,
    settings: [Arc<TcpSettings>; 2],
    secret: Secret,
    entries: BTreeMap<ConnectionId, Entry>,
    by_ends: BTreeMap<[SocketAddr; 2], ConnectionId>,
    /// With the connections that wait to be accepted, in the order in which they came.
    listeners: BTreeMap<SocketAddr, BTreeSet<ConnectionId>>,
    /// Which connection wants to be woken when.
    wakes: BTreeSet<(Time, ConnectionId)>,
    next: u64,
    output: VecDeque<Vec<u8>>,
    counters: HostCounters,
}

impl TcpHost {
    /// A host with these addresses, whose connections over IPv4 and IPv6 behave like that. From
    /// the secret, which nobody else knows, the first numbers of its connections are made.
    #[must_use]
    pub fn new(addresses: Vec<IpAddr>, settings: [TcpSettings; 2], secret: [u64; 2]) -> Self {
        Self {
            addresses,
            settings: settings.map(Arc::new),
            secret: Secret(secret),
            entries: BTreeMap::new(),
            by_ends: BTreeMap::new(),
            listeners: BTreeMap::new(),
            wakes: BTreeSet::new(),
            next: 0,
            output: VecDeque::new(),
            counters: HostCounters::default(),
        }
    }

    /// What it counted.
    #[must_use]
    pub fn counters(&self) -> &HostCounters {
        &self.counters
    }

    /// How a connection over that version of IP behaves, before it agrees with its peer.
    fn settings(&self, version: IpVersion) -> Arc<TcpSettings> {
        let [v4, v6] = &self.settings;
        Arc::clone(match version {
            IpVersion::V4 => v4,
            IpVersion::V6 => v6,
        })
    }

    // -- Applications -------------------------------------------------------

    /// Opens a connection to a peer from a port of its choice; none if no address of the host is
    /// of that version of IP, or no port is free.
    pub fn connect(&mut self, now: Time, peer: SocketAddr) -> Option<ConnectionId> {
        let own = *self.addresses.iter().find(|it| it.is_ipv4() == peer.is_ipv4())?;
        // Others cannot guess it (RFC 6056, section 3.3.3).
        const PURPOSE: u8 = 2;
        let first = self.secret.number(PURPOSE, [SocketAddr::new(own, 0), peer]) as u16;
        let ports = (0..=u16::MAX - DYNAMIC)
            .map(|it| DYNAMIC | first.wrapping_add(self.next as u16).wrapping_add(it));
        let mut froms = ports.map(|port| SocketAddr::new(own, port));
        let from = froms.find(|it| !self.by_ends.contains_key(&[*it, peer]))?;
        self.connect_from(now, from, peer)
    }

    /// Opens a connection to a peer from an address and port of its own; none if there is one
    /// already.
    pub fn connect_from(
        &mut self,
        now: Time,
        own: SocketAddr,
        peer: SocketAddr,
    ) -> Option<ConnectionId> {
        let ends = [own, peer];
        if self.by_ends.contains_key(&ends) {
            return None;
        }
        let id = self.insert(now, Role::Client, ends, None)?;
        self.with(id, |connection, output| connection.open(now, output));
        Some(id)
    }

    /// Waits for connections to that address and port of its own.
    pub fn listen(&mut self, address: SocketAddr) {
        self.listeners.entry(address).or_default();
    }

    /// Listens to an address and port no longer: connections to it that were not accepted are
    /// reset, and further ones are refused.
    pub fn stop_listening(&mut self, now: Time, address: SocketAddr) {
        for id in self.listeners.remove(&address).unwrap_or_default() {
            self.reset(now, id);
            self.remove(id);
        }
    }

    /// The connection that waits longest to be accepted at an address and port, whether its
    /// handshake is over or not; `None` where it does not listen.
    #[must_use]
    pub fn waiting(&self, address: SocketAddr) -> Option<Option<ConnectionId>> {
        self.listeners.get(&address).map(|it| it.first().copied())
    }

    /// The next connection to an address and port that it listens to, once there is one.
    pub fn accept(&mut self, address: SocketAddr) -> Option<ConnectionId> {
        let Self { entries, listeners, .. } = self;
        let waiting = listeners.get_mut(&address)?;
        let is_ready = |id: &ConnectionId| {
            entries.get(id).is_some_and(|it| it.connection.status() != Status::Opening)
        };
        let id = waiting.iter().copied().find(is_ready)?;
        waiting.remove(&id);
        let entry = entries.get_mut(&id)?;
        entry.waits_at = None;
        Some(id)
    }

    /// How far a connection is; closed, if it is not known any more.
    #[must_use]
    pub fn status(&self, id: ConnectionId) -> Status {
        self.entries.get(&id).map_or(Status::Closed, |it| it.connection.status())
    }

    /// The state of a connection at a time, by the name of RFC 9293; closed, if it is not known any
    /// more.
    #[must_use]
    pub fn state(&self, now: Time, id: ConnectionId) -> State {
        self.entries.get(&id).map_or(State::Closed, |it| it.connection.state(now))
    }

    /// The end of a connection, with what it counts.
    #[must_use]
    pub fn endpoint(&self, id: ConnectionId) -> Option<&Endpoint> {
        self.entries.get(&id).map(|it| it.connection.endpoint())
    }

    /// The peer of a connection.
    #[must_use]
    pub fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.entries.get(&id).map(|it| it.connection.addresses.destination())
    }

    /// Sends as many of these bytes as there is room for; returns how many.
    pub fn write(&mut self, now: Time, id: ConnectionId, bytes: &[u8]) -> usize {
        self.with(id, |connection, output| connection.write(now, bytes, output)).unwrap_or(0)
    }

    /// Reads bytes that came in order; returns how many.
    pub fn read(&mut self, now: Time, id: ConnectionId, buffer: &mut [u8]) -> usize {
        self.with(id, |connection, output| connection.read(now, buffer, output)).unwrap_or(0)
    }

    /// Whether the peer has closed, and everything was read.
    #[must_use]
    pub fn is_at_end(&self, id: ConnectionId) -> bool {
        self.entries.get(&id).is_none_or(|it| it.connection.is_at_end())
    }

    /// How many bytes can be written now.
    #[must_use]
    pub fn room(&self, id: ConnectionId) -> usize {
        self.entries.get(&id).map_or(0, |it| it.connection.room())
    }

    /// Bytes that were written and that the peer has not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self, id: ConnectionId) -> u64 {
        self.entries.get(&id).map_or(0, |it| it.connection.unacknowledged())
    }

    /// Nothing more will be written: what was is sent, then a FIN.
    pub fn close(&mut self, now: Time, id: ConnectionId) {
        self.with(id, |connection, output| connection.close(now, output));
    }

    /// Resets a connection; what was not acknowledged is lost.
    pub fn reset(&mut self, now: Time, id: ConnectionId) {
        self.with(id, |connection, output| connection.reset(now, output));
    }

    /// The application does not ask for a connection any more; it goes on until it is over.
    pub fn forget(&mut self, now: Time, id: ConnectionId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.is_forgotten = true;
        }
        self.remove_if_over(now, id);
    }

    // -- The network --------------------------------------------------------

    /// A packet came. What is malformed is counted and dropped.
    pub fn receive(&mut self, now: Time, packet: &[u8]) {
        match decode_segment(packet) {
            Ok(it) if self.addresses.contains(&it.addresses.destination().ip()) => {
                self.counters.segments += 1;
                self.receive_segment(now, &it);
            }
            Err(MalformedSegment::Protocol) => match decode_too_big(packet) {
                Some(report) => self.receive_report(now, &report),
                None => self.counters.ignored += 1,
            },
            Ok(_) => self.counters.ignored += 1,
            Err(_) => self.counters.malformed += 1,
        }
    }

    fn receive_segment(&mut self, now: Time, it: &ReceivedSegment<'_>) {
        let ends = [it.addresses.destination(), it.addresses.source()];
        if self.opens_the_next(now, ends, &it.segment) {
            self.make_way(ends);
        }
        let known = self.by_ends.get(&ends).copied();
        let Some(id) = known.or_else(|| self.open(now, ends, it)) else { return };
        self.with(id, |connection, output| {
            connection.receive(now, &it.segment, it.data, it.ecn, output);
        });
        self.remove_if_over(now, id);
    }

    /// Whether a segment is a SYN for a listener, between the ends of a connection that is over, or that
    /// the next one may follow.
    fn opens_the_next(&self, now: Time, ends: [SocketAddr; 2], segment: &Segment) -> bool {
        let known = self.by_ends.get(&ends).and_then(|id| self.entries.get(id));
        segment.flags.has(Flags::SYN)
            && self.listeners.contains_key(&ends[0])
            && known.is_some_and(|Entry { connection: it, .. }| {
                it.is_over(now) || it.is_followed_by(now, segment)
            })
    }

    /// Leaves the ends of a connection to the next one. An application that has not noticed its end may
    /// still ask for it.
    fn make_way(&mut self, ends: [SocketAddr; 2]) {
        if let Some(id) = self.by_ends.remove(&ends)
            && self.entries.get(&id).is_some_and(|it| it.is_forgotten)
        {
            self.take(id);
        }
    }

    /// A router says that a packet of ours was too large. One that its next link carries, or that
    /// all links do (RFC 791; RFC 8201, section 4), cannot have been.
    fn receive_report(&mut self, now: Time, it: &TooBig) {
        let least = match it.addresses.version() {
            IpVersion::V4 => 68,
            IpVersion::V6 => 1280,
        };
        let ends = [it.addresses.source(), it.addresses.destination()];
        let Some(&id) = self.by_ends.get(&ends) else { return };
        if (least..it.length).contains(&it.mtu) {
            let largest = u16::try_from(it.mtu).unwrap_or(u16::MAX);
            self.with(id, |connection, output| {
                connection.too_big(now, it.sequence, largest, output);
            });
        }
    }

    /// A segment for which there is no connection: it opens one, or it is refused (RFC 9293,
    /// sections 3.10.7.1 and 3.10.7.2).
    fn open(
        &mut self,
        now: Time,
        ends: [SocketAddr; 2],
        it: &ReceivedSegment<'_>,
    ) -> Option<ConnectionId> {
        let (flags, listens) = (it.segment.flags, self.listeners.contains_key(&ends[0]));
        let opens = flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !flags.has(Flags::RST);
        if opens && !is_one_host(ends[1].ip()) {
            return None;
        }
        if opens && listens {
            self.make_room(ends[0])?;
            let id = self.insert(now, Role::Server, ends, Some(ends[0]))?;
            let entry = self.entries.get_mut(&id)?;
            entry.connection.expect(it.segment.sequence);
            return Some(id);
        }
        self.counters.refused += 1;
        // Where connections are waited for, only a SYN and an acknowledgement are answered.
        if listens && !flags.has(Flags::ACK) {
            return None;
        }
        let settings = self.settings(it.addresses.version());
        // The data of a SYN is refused with it.
        let mut segment = it.segment;
        segment.length = it.data.len() as u16;
        if let Some(packet) = refuse(&segment, &settings)
            && let Some(segment) = packet.segment()
        {
            let addresses = it.addresses.reversed();
            self.output.push_back(encode_segment_with(segment, packet.ecn, &addresses, &[]));
        }
        None
    }

    /// Makes room for another connection of a listener; none if there is none.
    fn make_room(&mut self, listener: SocketAddr) -> Option<()> {
        let waiting = self.listeners.get(&listener).into_iter().flatten();
        let (half_open, ready): (Vec<_>, Vec<_>) =
            waiting.map(|id| (*id, self.status(*id))).partition(|it| it.1 == Status::Opening);
        if ready.len() >= BACKLOG {
            return None;
        }
        // In the order in which they came.
        if let Some((oldest, _)) = half_open.first().filter(|_| half_open.len() >= BACKLOG) {
            self.remove(*oldest);
        }
        Some(())
    }

    fn insert(
        &mut self,
        now: Time,
        role: Role,
        ends: [SocketAddr; 2],
        waits_at: Option<SocketAddr>,
    ) -> Option<ConnectionId> {
        let addresses = Addresses::between(ends[0], ends[1])?;
        let numbers = Numbers::new(now, self.secret, ends);
        let settings = self.settings(addresses.version());
        let connection = Connection::new(now, role, addresses, numbers, &settings);
        let id = ConnectionId(self.next);
        self.next += 1;
        let entry = Entry { connection, waits_at, is_forgotten: false, wake: None };
        self.entries.insert(id, entry);
        self.by_ends.insert(ends, id);
        if let Some(waiting) = waits_at.and_then(|it| self.listeners.get_mut(&it)) {
            waiting.insert(id);
        }
        Some(id)
    }

    /// When [`wake`](Self::wake) is to be called next, if ever.
    #[must_use]
    pub fn next_wake(&self) -> Option<Time> {
        self.wakes.first().map(|it| it.0)
    }

    /// Handles the timers that are due.
    pub fn wake(&mut self, now: Time) {
        let due = self.wakes.iter().take_while(|it| it.0 <= now).map(|it| it.1);
        for id in due.collect::<Vec<_>>() {
            self.with(id, |connection, output| connection.wake(now, output));
            self.remove_if_over(now, id);
        }
    }

    /// The next packet that is to be sent.
    pub fn take_packet(&mut self) -> Option<Vec<u8>> {
        self.output.pop_front()
    }

    /// Whether connections remain that an application has not closed, or that have something to
    /// send or to answer.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.entries.is_empty() && self.output.is_empty()
    }

    fn with<T>(
        &mut self,
        id: ConnectionId,
        act: impl FnOnce(&mut Connection, &mut dyn FnMut(Vec<u8>)) -> T,
    ) -> Option<T> {
        let Self { entries, output, wakes, .. } = self;
        let entry = entries.get_mut(&id)?;
        let done = act(&mut entry.connection, &mut |packet| output.push_back(packet));
        let wake = entry.connection.next_wake();
        if wake != entry.wake {
            let before = std::mem::replace(&mut entry.wake, wake);
            if let Some(at) = before {
                wakes.remove(&(at, id));
            }
            wakes.extend(wake.map(|at| (at, id)));
        }
        Some(done)
    }

    /// Forgets a connection that is over and that nobody asks for any more: one that was not
    /// accepted is never asked for.
    fn remove_if_over(&mut self, now: Time, id: ConnectionId) {
        let is_over = self.entries.get(&id).is_some_and(|it| {
            let is_unwanted = it.is_forgotten || it.waits_at.is_some();
            is_unwanted && it.connection.is_over(now)
        });
        if is_over {
            self.remove(id);
        }
    }

    /// Takes a connection out of all but its place between its ends.
    fn take(&mut self, id: ConnectionId) -> Option<Entry> {
        let entry = self.entries.remove(&id)?;
        if let Some(at) = entry.wake {
            self.wakes.remove(&(at, id));
        }
        if let Some(waiting) = entry.waits_at.and_then(|it| self.listeners.get_mut(&it)) {
            waiting.remove(&id);
        }
        Some(entry)
    }

    fn remove(&mut self, id: ConnectionId) {
        if let Some(entry) = self.take(id) {
            let addresses = entry.connection.addresses;
            let ends = [addresses.source(), addresses.destination()];
            // The next connection between them may have come already.
            if self.by_ends.get(&ends) == Some(&id) {
                self.by_ends.remove(&ends);
            }
        }
    }
}

/// Whether an address is that of one host: no other can open a connection.
fn is_one_host(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(it) if it.is_broadcast());
    !(address.is_multicast() || address.is_unspecified() || is_broadcast)
}
