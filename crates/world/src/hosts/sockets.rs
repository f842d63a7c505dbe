//! The ends of connections at the hosts of a world. Places are used again, so that
//! connections may come and go without end.

use hashbrown::HashTable;
use windtunnel_engine::{Time, hash, prefetch};
use windtunnel_packets::Route;
use windtunnel_transports::tcp::TcpOutbox;

use super::end::End;
use crate::alarm::Alarm;
use crate::network::{Network, RateChange};
use crate::side::Side;

/// One end of a connection, and what its application waits for.
#[derive(Clone, Debug)]
pub(crate) struct Socket {
    pub(crate) endpoint: End,
    pub(crate) alarm: Alarm,
    /// Its node, and the path of what it sends.
    pub(crate) node: u32,
    pub(crate) route: Route,
    pub(crate) key: Key,
    /// The other subflows of a multipath connection, and their paths.
    pub(crate) others: Box<[(Key, Route)]>,
    /// The application that it belongs to.
    pub(crate) application: u32,
    /// The application is called when this many bytes were received; never for
    /// [`u64::MAX`].
    pub(crate) awaited: u64,
    /// Whether the application is called whenever the socket was active.
    pub(crate) awaits_acknowledgements: bool,
    /// Whether the application will write nothing more.
    pub(crate) is_closing: bool,
}

/// The number of a connection and the end of it, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) u32);

impl Key {
    #[inline]
    pub(crate) fn new(number: u32, side: Side) -> Self {
        Self(number << 1 | side as u32)
    }

    #[inline]
    fn hash(self) -> u64 {
        hash(self.0.into())
    }

    /// The connection's number.
    pub(crate) fn number(self) -> u32 {
        self.0 >> 1
    }

    /// Which end it is.
    pub(crate) fn side(self) -> Side {
        if self.0 & 1 == Side::Sender as u32 { Side::Sender } else { Side::Receiver }
    }
}

const NOWHERE: u32 = u32::MAX;

/// Where the socket of each key is.
#[derive(Clone, Debug)]
struct Places {
    /// Of low keys, by key: of connections that are the only one of their class.
    low: Vec<u32>,
    others: HashTable<(Key, u32)>,
}

impl Places {
    #[inline]
    fn find(&self, key: Key) -> Option<u32> {
        match self.low.get(key.0 as usize) {
            Some(&NOWHERE) => None,
            Some(&place) => Some(place),
            None => self.others.find(key.hash(), |it| it.0 == key).map(|it| it.1),
        }
    }

    fn set(&mut self, key: Key, place: u32) {
        match self.low.get_mut(key.0 as usize) {
            Some(known) => *known = place,
            None => {
                let entry = self.others.entry(key.hash(), |it| it.0 == key, |it| it.0.hash());
                entry.insert((key, place));
            }
        }
    }

    fn forget(&mut self, key: Key) {
        if let Some(known) = self.low.get_mut(key.0 as usize) {
            *known = NOWHERE;
        } else if let Ok(known) = self.others.find_entry(key.hash(), |it| it.0 == key) {
            known.remove();
        }
    }
}

/// All sockets in use.
#[derive(Clone, Debug)]
pub(crate) struct Sockets {
    sockets: Vec<Socket>,
    free: Vec<u32>,
    places: Places,
}

impl Sockets {
    /// None yet; connections with numbers below `low` are found without a search.
    pub(crate) fn new(low: u32) -> Self {
        let places = Places { low: vec![NOWHERE; 2 * low as usize], others: HashTable::new() };
        Self { sockets: Vec::new(), free: Vec::new(), places }
    }

    /// The place of the socket of that key, if it is in use.
    #[inline]
    pub(crate) fn find(&self, key: Key) -> Option<u32> {
        self.places.find(key)
    }

    /// Puts a socket in; returns its place.
    pub(crate) fn insert(&mut self, socket: Socket) -> u32 {
        let place = self.free.pop().unwrap_or(self.sockets.len() as u32);
        for key in socket.keys() {
            self.places.set(key, place);
        }
        match self.sockets.get_mut(place as usize) {
            Some(free) => *free = socket,
            None => self.sockets.push(socket),
        }
        place
    }

    /// Gives the place of a socket back, whose keys mean nothing from now on.
    pub(crate) fn remove(&mut self, place: u32) {
        for key in self.sockets[place as usize].keys() {
            self.places.forget(key);
        }
        self.free.push(place);
    }

    /// Fetches the socket of that key.
    #[inline]
    pub(crate) fn prefetch(&self, key: Key) {
        if let Some(place) = self.find(key) {
            prefetch(&self[place]);
        }
    }
}

impl std::ops::Index<u32> for Sockets {
    type Output = Socket;
    #[inline]
    fn index(&self, place: u32) -> &Socket {
        &self.sockets[place as usize]
    }
}

impl std::ops::IndexMut<u32> for Sockets {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut Socket {
        &mut self.sockets[place as usize]
    }
}

impl Socket {
    /// Its keys: one for each subflow.
    fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        std::iter::once(self.key).chain(self.others.iter().map(|it| it.0))
    }

    /// Whether the application's wait for received bytes is over.
    #[inline]
    pub(crate) fn has_awaited(&self) -> bool {
        self.awaited != u64::MAX && self.endpoint.received_bytes() >= self.awaited
    }

    /// Sends the packets of a multipath connection, each on the path of its subflow.
    pub(crate) fn send_subflows(
        &mut self,
        network: &mut Network,
        now: Time,
        outbox: &mut TcpOutbox,
    ) {
        for packet in outbox.drain(..) {
            let Some(segment) = packet.segment() else { continue };
            let (number, data) = (segment.connection, segment.length);
            let other = self.others.iter().find(|it| it.0.number() == number);
            let route = other.map_or(self.route, |it| it.1);
            let End::Multipath(endpoint) = &mut self.endpoint else { continue };
            if endpoint.keeps_queue_small(number) {
                let leaves = network.send_own(now, self.node, route, packet);
                if data > 0 {
                    endpoint.leave_queue(now, number, data, leaves);
                }
            } else {
                network.send(now, self.node, route, packet);
            }
        }
    }

    /// The link of a port sends at another rate: what waits there leaves at another time. Returns
    /// whether the socket sends over it.
    pub(crate) fn follow_rate(&mut self, network: &Network, now: Time, it: &RateChange) -> bool {
        let Some(from) = it.from else { return false };
        let mut is_concerned = false;
        let first = std::iter::once((self.key, self.route));
        for (key, route) in first.chain(self.others.iter().copied()) {
            if network.first_port(route) == Some(it.port) {
                self.endpoint.change_queue_rate(now, key.number(), from, it.to);
                is_concerned = true;
            }
        }
        is_concerned
    }

    /// When its next wake-up must be scheduled, if that is not scheduled in time.
    #[inline]
    pub(crate) fn next_wake(&mut self, now: Time) -> Option<Time> {
        // What is overdue is done immediately.
        let time = self.endpoint.next_wake()?.max(now);
        self.alarm.set(time).then_some(time)
    }
}
