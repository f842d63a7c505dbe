//! One connection: a TCP end, the numbers that its segments have on the wire, and the bytes that
//! it sends and receives.

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::{Addresses, encode_segment_with};
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::{Ecn, Packet};
use windtunnel_transports::tcp::{Endpoint, EndpointCounters, Role, TcpOutbox, TcpSettings};

use crate::bytes::Bytes;
use crate::numbers::Numbers;
use crate::state::State;

/// How long a connection that this end closed first is remembered, so that the peer's last
/// segments are answered: as in Linux, half of what RFC 9293, section 3.4.2 has.
pub const TIME_WAIT: Duration = Duration::from_secs(60);
/// After so long without any answer the connection is given up (RFC 9293, section 3.8.3: at
/// least 100 s, and 3 minutes for a SYN).
pub const GIVE_UP: Duration = Duration::from_secs(180);

/// How far a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The handshake is not over.
    Opening,
    /// Data can go both ways, as far as neither end has closed.
    Established,
    /// Both ends have closed, and both know.
    Closed,
    /// One of the ends reset it, or refused to open it.
    Reset,
    /// The peer does not answer any more.
    TimedOut,
}

/// The state of that name (RFC 9293, section 3.3.2), once both ends have closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeWait {
    NotYet,
    Until(Time),
    Over,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    endpoint: Endpoint,
    /// From here to the peer.
    pub(crate) addresses: Addresses,
    numbers: Numbers,
    /// Bytes that were written and not acknowledged, and the place behind the last.
    sending: Bytes,
    written: u64,
    /// Bytes that were received and not read.
    receiving: Bytes,
    is_closing: bool,
    /// Once its FIN was sent: whether the peer's had come before.
    closed_second: Option<bool>,
    /// When the peer was heard last, or was first asked for an answer since.
    heard: Time,
    time_wait: TimeWait,
    has_timed_out: bool,
    outbox: TcpOutbox,
    scratch: Vec<u8>,
}

impl Connection {
    pub(crate) fn new(
        now: Time,
        role: Role,
        addresses: Addresses,
        numbers: Numbers,
        settings: &Arc<TcpSettings>,
    ) -> Self {
        Self {
            endpoint: Endpoint::new(0, role, settings).with_path_mtu_discovery(),
            addresses,
            numbers,
            sending: Bytes::default(),
            written: 0,
            receiving: Bytes::default(),
            is_closing: false,
            closed_second: None,
            heard: now,
            time_wait: TimeWait::NotYet,
            has_timed_out: false,
            outbox: TcpOutbox::new(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn status(&self) -> Status {
        if self.has_timed_out {
            Status::TimedOut
        } else if self.endpoint.is_reset() {
            Status::Reset
        } else if self.endpoint.is_closed() {
            Status::Closed
        } else if self.endpoint.is_established() {
            Status::Established
        } else {
            Status::Opening
        }
    }

    /// Its state at a time, by the name of RFC 9293. What the application has closed is so, although
    /// its FIN waits for data before it.
    pub(crate) fn state(&self, now: Time) -> State {
        let peer_closed = self.endpoint.is_finished();
        match self.status() {
            Status::Opening if self.endpoint.role() == Role::Client => State::SynSent,
            Status::Opening => State::SynReceived,
            Status::Reset | Status::TimedOut => State::Closed,
            Status::Closed if self.is_remembered(now) => State::TimeWait,
            Status::Closed => State::Closed,
            Status::Established if !self.is_closing => {
                if peer_closed {
                    State::CloseWait
                } else {
                    State::Established
                }
            }
            Status::Established if self.closed_second.unwrap_or(peer_closed) => State::LastAck,
            Status::Established => match (peer_closed, self.endpoint.has_closed()) {
                (true, _) => State::Closing,
                (false, false) => State::FinWait1,
                (false, true) => State::FinWait2,
            },
        }
    }

    pub(crate) fn counters(&self) -> &EndpointCounters {
        self.endpoint.counters()
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Whether it has nothing more to do.
    pub(crate) fn is_over(&self, now: Time) -> bool {
        match self.status() {
            Status::Opening | Status::Established => false,
            Status::Reset | Status::TimedOut => true,
            Status::Closed => !self.is_remembered(now),
        }
    }

    /// Whether both ends have closed, and the peer's last segments are waited for.
    pub(crate) fn is_remembered(&self, now: Time) -> bool {
        matches!(self.time_wait, TimeWait::Until(end) if end > now)
    }

    /// Whether a SYN that comes while it is remembered opens the next connection between the
    /// same ends: it follows what was received (RFC 9293, section 3.10.7.4; RFC 6191).
    pub(crate) fn is_followed_by(&self, now: Time, segment: &Segment) -> bool {
        let end = self.numbers.peer.wrapping_add(self.counters().received_bytes as u32);
        self.is_remembered(now)
            && !segment.flags.has(Flags::ACK)
            && segment.sequence.wrapping_sub(end).cast_signed() > 2
    }

    /// The peer's SYN has that number.
    pub(crate) fn expect(&mut self, number: u32) {
        self.numbers.peer = number;
    }

    // -- The application ----------------------------------------------------

    pub(crate) fn open(&mut self, now: Time, output: &mut dyn FnMut(Vec<u8>)) {
        self.act(now, output, |it, outbox| it.open(now, outbox));
    }

    /// How many bytes it takes now.
    pub(crate) fn room(&self) -> usize {
        let may = matches!(self.status(), Status::Opening | Status::Established);
        if self.is_closing || !may {
            return 0;
        }
        let most = self.endpoint.settings().buffers.send as usize;
        most.saturating_sub(self.sending.len())
    }

    /// Takes as many of these bytes as there is room for; returns how many.
    pub(crate) fn write(
        &mut self,
        now: Time,
        bytes: &[u8],
        output: &mut dyn FnMut(Vec<u8>),
    ) -> usize {
        let count = bytes.len().min(self.room());
        if count == 0 {
            return 0;
        }
        if self.endpoint.unacknowledged() == 0 && self.status() == Status::Established {
            self.heard = now;
        }
        self.sending.push(&bytes[..count]);
        self.written += count as u64;
        self.act(now, output, |it, outbox| it.write(now, count as u64, outbox));
        count
    }

    /// How many bytes can be read.
    pub(crate) fn readable(&self) -> u64 {
        self.counters().received_bytes - self.receiving.start()
    }

    /// Reads bytes that came in order; returns how many.
    pub(crate) fn read(
        &mut self,
        now: Time,
        buffer: &mut [u8],
        output: &mut dyn FnMut(Vec<u8>),
    ) -> usize {
        let most = usize::try_from(self.readable()).unwrap_or(usize::MAX);
        let count = self.receiving.take(most, buffer);
        if count > 0 {
            self.act(now, output, |it, outbox| it.take(now, count as u64, outbox));
        }
        count
    }

    /// Whether the peer has closed, and everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.endpoint.is_finished() && self.readable() == 0
    }

    /// Bytes that were written and that the peer has not acknowledged.
    pub(crate) fn unacknowledged(&self) -> u64 {
        self.sending.len() as u64
    }

    pub(crate) fn close(&mut self, now: Time, output: &mut dyn FnMut(Vec<u8>)) {
        if !self.is_closing {
            self.is_closing = true;
            self.heard = now;
            self.act(now, output, |it, outbox| it.close(now, outbox));
        }
    }

    /// Resets it, unless it is over.
    pub(crate) fn reset(&mut self, now: Time, output: &mut dyn FnMut(Vec<u8>)) {
        if matches!(self.status(), Status::Opening | Status::Established) {
            self.act(now, output, |it, outbox| it.reset(now, outbox));
        }
    }

    // -- The network --------------------------------------------------------

    /// A segment came from the peer, with these data and this ECN field.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        segment: &Segment,
        data: &[u8],
        ecn: Ecn,
        output: &mut dyn FnMut(Vec<u8>),
    ) {
        if segment.flags.has(Flags::SYN) && self.endpoint.awaits_syn() {
            self.numbers.peer = segment.sequence;
        }
        let segment = self.numbers.inside(segment);
        if self.endpoint.takes(&segment) {
            self.heard = now;
            // The first byte comes after the SYN.
            self.receiving.put(self.receiving.place(segment.sequence.wrapping_sub(1)), data);
        }
        let ends_again = self.endpoint.ends_again(&segment);
        self.act(now, output, |it, outbox| it.receive(now, &segment, ecn, outbox));
        if ends_again && self.is_remembered(now) {
            self.time_wait = TimeWait::Until(now + TIME_WAIT);
        }
    }

    /// A router says that it dropped the segment with that number, because it passes on packets
    /// of at most `largest` bytes.
    pub(crate) fn too_big(
        &mut self,
        now: Time,
        number: u32,
        largest: u16,
        output: &mut dyn FnMut(Vec<u8>),
    ) {
        let sequence = number.wrapping_sub(self.numbers.own);
        self.act(now, output, |it, outbox| it.too_big(now, sequence, largest, outbox));
    }

    /// When it wants to be woken next, if ever.
    pub(crate) fn next_wake(&self) -> Option<Time> {
        if self.has_timed_out {
            return None;
        }
        let given_up = self.waits_for_peer().then(|| self.heard + GIVE_UP);
        let remembered = match self.time_wait {
            TimeWait::Until(end) => Some(end),
            TimeWait::NotYet | TimeWait::Over => None,
        };
        [self.endpoint.next_wake(), given_up, remembered].into_iter().flatten().min()
    }

    pub(crate) fn wake(&mut self, now: Time, output: &mut dyn FnMut(Vec<u8>)) {
        if self.waits_for_peer() && self.heard + GIVE_UP <= now {
            self.has_timed_out = true;
            self.act(now, output, |it, outbox| it.reset(now, outbox));
        } else {
            self.act(now, output, |it, outbox| it.wake(now, outbox));
        }
        // Its application may hold it for longer.
        if matches!(self.time_wait, TimeWait::Until(end) if end <= now) {
            self.time_wait = TimeWait::Over;
        }
    }

    /// Whether the peer owes an answer.
    fn waits_for_peer(&self) -> bool {
        match self.status() {
            Status::Opening => true,
            Status::Established => {
                self.unacknowledged() > 0 || (self.is_closing && !self.endpoint.has_closed())
            }
            Status::Closed | Status::Reset | Status::TimedOut => false,
        }
    }

    /// Does something to the end, and sends what it sends.
    fn act(
        &mut self,
        now: Time,
        output: &mut dyn FnMut(Vec<u8>),
        act: impl FnOnce(&mut Endpoint, &mut TcpOutbox),
    ) {
        let mut outbox = std::mem::take(&mut self.outbox);
        act(&mut self.endpoint, &mut outbox);
        for packet in outbox.drain(..) {
            self.send(&packet, output);
        }
        self.outbox = outbox;
        let acknowledged = self.written.saturating_sub(self.endpoint.unacknowledged());
        self.sending.forget_until(acknowledged);
        if self.time_wait == TimeWait::NotYet
            && self.endpoint.is_closed()
            && self.closed_second != Some(true)
        {
            self.time_wait = TimeWait::Until(now + TIME_WAIT);
        }
    }

    fn send(&mut self, packet: &Packet, output: &mut dyn FnMut(Vec<u8>)) {
        let Some(segment) = packet.segment() else { return };
        if segment.flags.has(Flags::FIN) && self.closed_second.is_none() {
            self.closed_second = Some(self.endpoint.is_finished());
        }
        let outside = self.numbers.outside(segment);
        let place = self.sending.place(segment.sequence.wrapping_sub(1));
        self.sending.copy(place, segment.length.into(), &mut self.scratch);
        output(encode_segment_with(&outside, packet.ecn, &self.addresses, &self.scratch));
    }
}
