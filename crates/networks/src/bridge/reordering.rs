//! Puts a connection's segments back in order at the destination edge, so that the
//! receiver behind it does not see the gaps that the source edge fills.
//!
//! It is not part of the paper. It needs state for each connection, which the rest of
//! the system does not have: the next byte, and the segments after a gap. Both are
//! bounded.
//!
//! A segment after a gap waits until the gap is filled, for a limited time; then it
//! passes, with all that wait before it, and the gap is given up. The same happens to
//! the segment that has waited longest when there is no room for another.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Packet;
use windtunnel_packets::tcp::Flags;
use windtunnel_queues::Backlog;

use super::connections::Connections;
use super::counters::DestinationCounters;

/// What passes on. Callers keep one and empty it, so that passing packets on
/// allocates nothing once warm.
pub type EdgeOutbox = Vec<Packet>;

/// A segment that takes sequence numbers.
#[derive(Clone, Copy, Debug)]
struct Piece {
    connection: u32,
    start: u32,
    /// The number after its last byte; a SYN and a FIN count as one each.
    end: u32,
    /// Whether a connection begins with it.
    opens: bool,
    packet: Packet,
}

/// A connection as the edge sees it.
#[derive(Clone, Debug, Default)]
struct Connection {
    /// The number after the highest that passed.
    next: u32,
    /// What waits behind a gap, in order of sequence.
    held: VecDeque<Piece>,
}

/// A segment that waits, and until when.
#[derive(Clone, Copy, Debug)]
struct Wait {
    until: Time,
    connection: u32,
    start: u32,
}

/// Segments that wait for others.
#[derive(Clone, Debug)]
pub(super) struct Reordering {
    patience: Duration,
    /// How many bytes may wait.
    most: u64,
    connections: Connections<Connection>,
    /// In order of arrival; some have passed since, but never the first.
    waits: VecDeque<Wait>,
    backlog: Backlog,
}

/// Whether a sequence number comes after another one.
fn is_after(number: u32, other: u32) -> bool {
    number.wrapping_sub(other) as i32 > 0
}

impl Piece {
    fn of(packet: Packet) -> Option<Self> {
        let segment = packet.segment()?;
        let has = |flag| segment.flags.has(flag);
        let opens = has(Flags::SYN);
        let taken = u32::from(segment.length) + u32::from(opens) + u32::from(has(Flags::FIN));
        let (connection, start) = (segment.connection, segment.sequence);
        let end = start.wrapping_add(taken);
        (taken > 0).then_some(Self { connection, start, end, opens, packet })
    }
}

impl Connection {
    /// A segment passes, and what has waited for it.
    fn pass(&mut self, piece: Piece, backlog: &mut Backlog, out: &mut EdgeOutbox) {
        out.push(piece.packet);
        self.advance(piece.end);
        self.pass_held(|first, next| !is_after(first.start, next), backlog, out);
    }

    /// What waits up to the number `last` passes, whatever is missing, and what has
    /// waited for it.
    fn give_up(&mut self, last: u32, backlog: &mut Backlog, out: &mut EdgeOutbox) {
        let goes =
            |first: &Piece, next| !is_after(first.start, last) || !is_after(first.start, next);
        self.pass_held(goes, backlog, out);
    }

    /// What waits passes, from the first on, while it `goes` for the next number.
    fn pass_held(
        &mut self,
        goes: impl Fn(&Piece, u32) -> bool,
        backlog: &mut Backlog,
        out: &mut EdgeOutbox,
    ) {
        while let Some(first) = self.held.front().copied()
            && goes(&first, self.next)
        {
            self.held.pop_front();
            backlog.remove(first.packet.size());
            out.push(first.packet);
            self.advance(first.end);
        }
    }

    fn advance(&mut self, end: u32) {
        if is_after(end, self.next) {
            self.next = end;
        }
    }

    fn hold(&mut self, piece: Piece) {
        let place = match self.held.back() {
            Some(last) if is_after(last.start, piece.start) => {
                self.held.partition_point(|it| !is_after(it.start, piece.start))
            }
            _ => self.held.len(),
        };
        self.held.insert(place, piece);
    }
}

impl Reordering {
    pub(super) fn new(patience: Duration, most: u64) -> Self {
        Self {
            patience,
            most,
            connections: Connections::default(),
            waits: VecDeque::new(),
            backlog: Backlog::default(),
        }
    }

    /// What waits.
    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// When the next gap is to be given up.
    #[inline]
    pub(super) fn next_wake(&self) -> Time {
        self.waits.front().map_or(Time::NEVER, |it| it.until)
    }

    /// A packet arrives; what passes goes to `out`.
    pub(super) fn receive(
        &mut self,
        now: Time,
        packet: Packet,
        out: &mut EdgeOutbox,
        counters: &mut DestinationCounters,
    ) {
        match Piece::of(packet) {
            Some(piece) => self.place(now, piece, out, counters),
            None => out.push(packet),
        }
        self.forget();
    }

    fn place(
        &mut self,
        now: Time,
        piece: Piece,
        out: &mut EdgeOutbox,
        counters: &mut DestinationCounters,
    ) {
        self.begin(&piece, out);
        let size = piece.packet.size();
        while self.is_ahead(&piece) && self.backlog.bytes + u64::from(size) > self.most {
            counters.overflows += 1;
            match self.waits.pop_front() {
                Some(first) => self.give_up(first, out),
                None => self.known(piece.connection).next = piece.start,
            }
            self.forget();
        }
        if self.is_ahead(&piece) {
            self.known(piece.connection).hold(piece);
            let Piece { connection, start, .. } = piece;
            self.waits.push_back(Wait { until: now + self.patience, connection, start });
            self.backlog.add(size);
            counters.held += 1;
            counters.largest = counters.largest.or_more(self.backlog);
        } else if let Some(it) = self.connections.get_mut(piece.connection) {
            it.pass(piece, &mut self.backlog, out);
        }
    }

    /// Gives up the gaps whose time has come; what waited behind them goes to `out`.
    pub(super) fn release(
        &mut self,
        now: Time,
        out: &mut EdgeOutbox,
        counters: &mut DestinationCounters,
    ) {
        while self.next_wake() <= now
            && let Some(first) = self.waits.pop_front()
        {
            counters.expired += 1;
            self.give_up(first, out);
            self.forget();
        }
    }

    /// Makes sure that the connection of an arriving segment is known. One that is
    /// new, or begins again, is taken to begin with this segment. What waits of it,
    /// or of the one that had its place, passes.
    fn begin(&mut self, piece: &Piece, out: &mut EdgeOutbox) {
        // A connection that begins again has higher numbers (RFC 9293, section
        // 3.6.1); a lower one is a late copy of the SYN that it began with.
        if let Some(known) = self.connections.get_mut(piece.connection)
            && !(piece.opens && is_after(piece.start, known.next))
        {
            return;
        }
        let place = self.connections.place_mut(piece.connection);
        let (number, connection) = place.get_or_insert_default();
        connection.pass_held(|_, _| true, &mut self.backlog, out);
        *number = piece.connection;
        connection.next = piece.start;
    }

    fn known(&mut self, connection: u32) -> &mut Connection {
        self.connections.get_mut(connection).expect("an arriving segment's connection has begun")
    }

    fn is_ahead(&mut self, piece: &Piece) -> bool {
        is_after(piece.start, self.known(piece.connection).next)
    }

    fn give_up(&mut self, wait: Wait, out: &mut EdgeOutbox) {
        if let Some(connection) = self.connections.get_mut(wait.connection) {
            connection.give_up(wait.start, &mut self.backlog, out);
        }
    }

    /// Forgets the first waits, while their segments have passed.
    fn forget(&mut self) {
        while let Some(first) = self.waits.front() {
            let connection = self.connections.get_mut(first.connection);
            if connection.is_some_and(|it| is_after(first.start, it.next)) {
                break;
            }
            self.waits.pop_front();
        }
    }
}
