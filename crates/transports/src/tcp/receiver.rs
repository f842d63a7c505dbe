//! The receiving half: what is held, what is acknowledged and when, and how
//! much more there is room for.
//!
//! Acknowledgements are delayed by RFC 9293, section 3.8.6.3, and sent at once
//! where RFC 5681, section 4.2 wants them. The ECN echo is that of RFC 3168,
//! RFC 8257 or accurate ECN (RFC 9768), as it was agreed on in the handshake.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::{Flags, Segment};

use super::accurate_ecn::MarksReceived;
use super::counters::EndpointCounters;
use super::quick_acknowledgements::QuickAcknowledgements;
use super::reassembly::{Arrival, Reassembly};
use super::receive_buffer::ReceiveBuffer;
use super::receiver_control::{ReceiverControl, Taken};
use super::sack_compression::SackCompression;
use super::sequence::{FIRST, extend};
use super::settings::{EcnMode, Misbehaviour, Reading, TcpSettings};

/// Data that was sent this many milliseconds before what came in order is taken in: one tick of
/// the clock, as in Linux.
const LATEST: i32 = 1;

/// The largest shift of a window (RFC 7323, section 2.3).
pub(super) const MOST_SCALE: u8 = 14;

/// By how many bits windows are scaled down where a receive buffer has at most this many bytes.
pub(crate) fn scale_for(maximum: u64) -> u8 {
    let bits = u64::BITS - maximum.leading_zeros();
    (bits.saturating_sub(u16::BITS) as u8).min(MOST_SCALE)
}

/// The FIN's byte before it came: a number that no connection reaches.
const NO_FIN: u64 = u64::MAX;
/// So many segments that waited are read together with the one that they waited for: Linux joins segments as
/// long as they have at most 17 pages (`MAX_SKB_FRAGS`).
const MOST_JOINED: u64 = 17;

/// The receiving half of a connection.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    reassembly: Reassembly,
    buffer: ReceiveBuffer,
    /// The byte of the sender's FIN, once it came; [`NO_FIN`] before.
    fin: u64,
    /// The last byte acknowledged (RFC 7323's Last.ACK.sent).
    acknowledged: u64,
    /// Bytes that the application has taken, if it says so.
    taken: u64,
    /// The window advertised with it.
    advertised: u32,
    /// When an acknowledgement must be sent.
    due: Time,
    /// How long those of segments beyond a gap wait, where they do.
    compression: Option<Box<SackCompression>>,
    /// Which are sent at once, where more are than the standards ask for.
    quick: Option<Box<QuickAcknowledgements>>,
    /// The timestamp to echo.
    echo: u32,
    /// The latest timestamp that came.
    latest: u32,
    /// RFC 3168: marked data came, and its sender has not said that it reduced.
    /// RFC 8257: the last data that came was marked.
    marked: bool,
    /// The last data that came carried the milder mark.
    some_congestion: bool,
    /// What is reported of marks.
    ecn: EcnMode,
    /// What accurate ECN counts.
    marks: MarksReceived,
    /// A controller of its own, which bounds what is advertised.
    control: Option<Box<ReceiverControl>>,
}

impl Receiver {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        Self {
            reassembly: Reassembly::new(FIRST),
            buffer: ReceiveBuffer::new(settings),
            fin: NO_FIN,
            acknowledged: FIRST,
            taken: 0,
            advertised: 0,
            due: Time::NEVER,
            compression: (settings.acknowledgements.sack_compression
                && settings.recovery.uses_sack())
            .then(Box::default),
            quick: (settings.acknowledgements.quick)
                .then(|| Box::new(QuickAcknowledgements::new(settings))),
            echo: 0,
            latest: 0,
            marked: false,
            some_congestion: false,
            ecn: EcnMode::Off,
            marks: MarksReceived::new(),
            control: ReceiverControl::of(settings),
        }
    }

    /// By how many bits a window is scaled down.
    pub(super) fn scale(settings: &TcpSettings) -> u8 {
        scale_for(settings.buffers.maximum_receive_size())
    }

    /// The peer's SYN, or its answer, came with this timestamp and this ECN field; marks
    /// are reported like that.
    pub(super) fn open(&mut self, timestamp: u32, field: Ecn, ecn: EcnMode) {
        (self.echo, self.latest) = (timestamp, timestamp);
        self.ecn = ecn;
        self.marks.count(field, 0, 1);
    }

    /// The connection is established; the handshake may have measured a round trip.
    pub(super) fn establish(&mut self, now: Time, rtt: Option<Duration>, settings: &TcpSettings) {
        self.buffer.begin(now);
        let Some(rtt) = rtt else { return };
        if let Some(compression) = &mut self.compression {
            compression.measure(rtt);
        }
        if let Some(quick) = &mut self.quick {
            quick.measure(rtt, settings);
        }
    }

    /// The window that grows with what comes has at most this many bytes.
    pub(super) fn bound_window(&mut self, bytes: u64) {
        if let Some(quick) = &mut self.quick {
            quick.bound(bytes);
        }
    }

    /// How large the window is that grows with what comes; [`u64::MAX`] if there is none.
    pub(super) fn grown_window(&self) -> u64 {
        self.quick.as_ref().map_or(u64::MAX, |it| it.window())
    }

    /// The last byte acknowledged, and the bytes beyond it that came in order.
    pub(super) fn unacknowledged(&self) -> (u64, u64) {
        (self.acknowledged, self.reassembly.next() - self.acknowledged)
    }

    /// When an acknowledgement must be sent at the latest.
    #[inline]
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Whether everything came, and the FIN behind it.
    pub(super) fn is_finished(&self) -> bool {
        self.reassembly.next() > self.fin
    }

    /// The bytes of data that wait for others before them.
    pub(super) fn waiting_bytes(&self) -> u64 {
        let fin_waits = self.fin != NO_FIN && !self.is_finished();
        self.reassembly.held() - u64::from(fin_waits)
    }

    /// The bytes that it can hold beyond those in order.
    #[inline]
    fn free(&self, settings: &TcpSettings) -> u64 {
        let held = match settings.socket.reading {
            Reading::AtOnce => 0,
            Reading::AsTaken => self.reassembly.next() - FIRST - self.taken,
        };
        self.buffer.size().saturating_sub(held)
    }

    /// The bytes that are offered beyond those in order: windows smaller than a segment are
    /// not (RFC 9293, section 3.8.6.2.2).
    fn room(&self, settings: &TcpSettings) -> u64 {
        let free = self.free(settings);
        let offered = self.quick.as_ref().map_or(free, |it| it.window().min(free));
        if offered < self.least_window(settings) { 0 } else { offered }
    }

    /// The smallest window, other than none, that is worth a segment.
    fn least_window(&self, settings: &TcpSettings) -> u64 {
        u64::from(settings.maximum_segment).min(self.buffer.size() / 2)
    }

    /// Whether a segment's sequence number is the next one in order.
    #[inline]
    pub(super) fn is_next(&self, segment: &Segment) -> bool {
        segment.sequence == self.reassembly.next() as u32
    }

    /// A segment's first number, and the one after its last.
    #[inline]
    fn numbers_of(&self, segment: &Segment) -> [u64; 2] {
        let start = extend(self.reassembly.next(), segment.sequence);
        let fin = u64::from(segment.flags.has(Flags::FIN));
        [start, start + u64::from(segment.length) + fin]
    }

    /// Whether a segment has a number in the window, or is at its edge: there a peer that has
    /// filled it acknowledges (RFC 9293, section 3.10.7.4, table 6, except the edge, as in Linux).
    #[inline]
    pub(super) fn is_acceptable(&self, segment: &Segment, settings: &TcpSettings) -> bool {
        self.is_next(segment) || self.reaches_window(segment, settings)
    }

    fn reaches_window(&self, segment: &Segment, settings: &TcpSettings) -> bool {
        let next = self.reassembly.next();
        let [start, end] = self.numbers_of(segment);
        // Nothing comes behind a FIN.
        let edge = self.edge(settings).min(self.fin.saturating_add(1));
        start <= edge && (start > next || end > next)
    }

    /// The byte after the last that there is room for.
    #[inline]
    fn edge(&self, settings: &TcpSettings) -> u64 {
        self.reassembly.next() + self.free(settings)
    }

    /// Whether a segment begins in the window, and not with the next number in order.
    pub(super) fn is_within(&self, segment: &Segment, settings: &TcpSettings) -> bool {
        let start = extend(self.reassembly.next(), segment.sequence);
        start > self.reassembly.next() && start < self.edge(settings)
    }

    /// Whether everything that a segment has came already, at most a window ago.
    pub(super) fn came_already(&self, segment: &Segment) -> bool {
        let next = self.reassembly.next();
        let [start, end] = self.numbers_of(segment);
        start < next && end <= next && start + self.buffer.size() >= next
    }

    /// Whether a segment was sent before what came in order (PAWS: RFC 7323, section 5.3). So is
    /// one that a path delivers after the retransmission of another, sent later.
    #[inline]
    pub(super) fn is_outdated(&self, segment: &Segment, settings: &TcpSettings) -> bool {
        settings.timestamps && segment.flags.has(Flags::TIMESTAMPS) && self.age(segment) > LATEST
    }

    /// By how many milliseconds a segment was sent before what came in order. Timestamps are
    /// modulo 2³² (RFC 7323, section 5.2).
    #[inline]
    fn age(&self, segment: &Segment) -> i32 {
        self.echo.wrapping_sub(segment.timestamp).cast_signed()
    }

    /// Whether there is room for a segment's data, if it has any.
    pub(super) fn fits(&self, segment: &Segment, settings: &TcpSettings) -> bool {
        if segment.length == 0 {
            return true;
        }
        let end = extend(self.reassembly.next(), segment.sequence) + u64::from(segment.length);
        end <= self.edge(settings).min(self.fin)
    }

    /// Data of `count` segments from before is not taken in; what came already is reported as a
    /// duplicate.
    pub(super) fn refuse(
        &mut self,
        segment: &Segment,
        count: u16,
        counters: &mut EndpointCounters,
    ) {
        let start = extend(self.reassembly.next(), segment.sequence);
        let came = self.reassembly.repeat(start, start + u64::from(segment.length));
        counters.received_segments += u64::from(count);
        counters.reordered += u64::from(count);
        counters.duplicates += if came { u64::from(count) } else { 0 };
    }

    /// The settings are those that both ends agreed on.
    pub(super) fn agree(&mut self, settings: &TcpSettings) {
        self.buffer = ReceiveBuffer::new(settings);
        if !settings.recovery.uses_sack() {
            self.compression = None;
        }
        if settings.receiver_controller.is_none() {
            self.control = None;
        }
    }

    /// What may be under way beyond those in order.
    fn offer(&self, settings: &TcpSettings) -> u64 {
        let room = self.room(settings);
        self.control.as_ref().map_or(room, |it| it.offer(room))
    }

    /// The window of a SYN, which is not scaled.
    pub(super) fn first_window(&mut self, settings: &TcpSettings) -> u16 {
        let initial = settings.buffers.initial_receive_size().min(u64::from(u16::MAX));
        match &mut self.control {
            Some(control) => control.advertise(FIRST, initial, 0),
            None => initial as u16,
        }
    }

    /// The application takes this many bytes of what came in order.
    pub(super) fn take(&mut self, now: Time, bytes: u64, settings: &TcpSettings) {
        let in_order = self.reassembly.next() - FIRST;
        self.taken = in_order.min(self.taken.saturating_add(bytes));
        self.buffer.take(now, self.taken, 0, settings);
    }

    /// Whether there is so much more room than was advertised that a new window is to be
    /// advertised: the window was closed or worth no segment, or it grows by half the buffer (RFC
    /// 9293, section 3.8.6.2.2).
    pub(super) fn opens(&self, settings: &TcpSettings) -> bool {
        let (room, least) = (self.offer(settings), self.least_window(settings));
        let edge = self.acknowledged + u64::from(self.advertised);
        let advertised = edge.saturating_sub(self.reassembly.next());
        (advertised == 0 && room > 0)
            || (advertised < least && room >= least)
            || room.saturating_sub(advertised) >= self.buffer.size() / 2
    }

    /// Whether an acknowledgement of what came so far must go first, because the
    /// echo changes with this segment (RFC 8257, section 3.2).
    #[inline]
    pub(super) fn changes_echo(&self, ecn: Ecn, settings: &TcpSettings) -> bool {
        let (waiting, ecn) = (self.due != Time::NEVER, Self::reported(ecn, settings));
        match self.ecn {
            EcnMode::Dctcp => waiting && (ecn == Ecn::Congestion) != self.marked,
            EcnMode::SomeCongestion => waiting && (ecn == Ecn::Scalable) != self.some_congestion,
            EcnMode::Off | EcnMode::Classic | EcnMode::Accurate | EcnMode::Scalable => false,
        }
    }

    /// The ECN field of what is reported for one that came.
    #[inline]
    fn reported(ecn: Ecn, settings: &TcpSettings) -> Ecn {
        settings.acknowledgements.misbehaviour.map_or(ecn, |it| it.reported(ecn))
    }

    /// Notes how a segment came. Whether it must be acknowledged at once.
    #[inline]
    fn note_mark(
        &mut self,
        segment: &Segment,
        ecn: Ecn,
        count: u16,
        settings: &TcpSettings,
    ) -> bool {
        if self.ecn == EcnMode::Off {
            return false;
        }
        let ecn = Self::reported(ecn, settings);
        let marked = ecn == Ecn::Congestion;
        match self.ecn {
            EcnMode::Off => {}
            EcnMode::Accurate | EcnMode::Scalable => {
                return self.marks.count(ecn, segment.length, count);
            }
            // Only accurate ECN counts them.
            _ if segment.length == 0 => {}
            EcnMode::Classic | EcnMode::SomeCongestion => {
                let answered = segment.flags.has(Flags::CWR);
                self.marked = marked || (self.marked && !answered);
                self.some_congestion = ecn == Ecn::Scalable;
            }
            EcnMode::Dctcp => self.marked = marked,
        }
        false
    }

    /// Whether a segment was sent before one that came already.
    #[inline]
    fn is_reordered(&mut self, segment: &Segment) -> bool {
        if !segment.flags.has(Flags::TIMESTAMPS) {
            return false;
        }
        // Timestamps are modulo 2³² (RFC 7323, section 5.2).
        let later = segment.timestamp.wrapping_sub(self.latest).cast_signed();
        if later > 0 {
            self.latest = segment.timestamp;
        }
        later < 0
    }

    /// Takes in the data and the FIN of a segment, or of `count` that were merged.
    #[inline]
    pub(super) fn receive(
        &mut self,
        now: Time,
        segment: &Segment,
        ecn: Ecn,
        count: u16,
        settings: &TcpSettings,
        counters: &mut EndpointCounters,
    ) {
        let before = self.reassembly.next();
        let fin = segment.flags.has(Flags::FIN);
        let [start, end] = self.numbers_of(segment);
        // What has come already as a whole lies outside the window, and its timestamp does not count
        // (RFC 7323, section 5.3, R2 before R3): it may be later than those of data under way.
        if segment.flags.has(Flags::TIMESTAMPS)
            && start <= self.acknowledged
            && end >= self.acknowledged
            && self.age(segment) <= 0
        {
            self.echo = segment.timestamp;
        }
        let reports = self.note_mark(segment, ecn, count, settings);
        if end == start {
            // A probe of a closed window starts before it.
            if start < before {
                self.due = now;
            }
            return;
        }
        if segment.length > 0 {
            counters.received_segments += u64::from(count);
            counters.marks += if ecn == Ecn::Congestion { u64::from(count) } else { 0 };
            counters.reordered += if self.is_reordered(segment) { u64::from(count) } else { 0 };
        }
        // Nothing comes behind a FIN.
        let edge = self.edge(settings).min(self.fin);
        if end > edge + u64::from(fin) {
            self.due = now;
            return;
        }
        if fin && !self.ends_at(end - 1) {
            self.due = now;
            return;
        }
        let invents = settings.acknowledgements.misbehaviour
            == Some(Misbehaviour::InventedDuplicates)
            && start < self.reassembly.end();
        let arrival = self.reassembly.insert(start, end);
        let next = self.reassembly.next();
        if invents {
            self.reassembly.report_twice(start, end);
        }
        counters.duplicates += if arrival == Arrival::Duplicate { u64::from(count) } else { 0 };
        // The FIN takes a number, but is no data.
        let finished = next > before && self.is_finished();
        counters.received_bytes += next - before - u64::from(finished);
        if self.quick.is_some() && segment.length > 0 {
            self.note_arrival(now, arrival, settings);
        }
        if self.buffer.size() < settings.buffers.maximum_receive_size() {
            self.fit_buffer(now, segment, next - before, settings);
        }
        if self.control.is_some() && segment.length > 0 {
            self.report(now, segment, start, arrival, settings);
        }
        let quick = self.quick.as_ref().is_some_and(|it| it.are_due());
        let pushed = self.quick.is_some() && segment.flags.has(Flags::PSH);
        let at_once = match arrival {
            _ if quick => true,
            Arrival::InOrder { overlaps } => {
                overlaps || fin || reports || pushed || self.is_full(next, settings)
            }
            Arrival::OutOfOrder { .. } | Arrival::Duplicate => true,
        };
        let wait = match &mut self.compression {
            // A third range could be one too many for the blocks of a later acknowledgement.
            Some(compression) if !quick && arrival == (Arrival::OutOfOrder { recent: true }) => {
                compression.wait(next)
            }
            _ if at_once => Duration::ZERO,
            _ => settings.acknowledgements.within,
        };
        self.due = self.due.min(now + wait);
    }

    /// Data came: what of it is acknowledged at once as in Linux.
    fn note_arrival(&mut self, now: Time, arrival: Arrival, settings: &TcpSettings) {
        // Data beyond a gap takes room too.
        let free = self.free(settings).saturating_sub(self.waiting_bytes());
        let Some(quick) = &mut self.quick else { return };
        match arrival {
            Arrival::InOrder { .. } => quick.receive_in_order(now),
            Arrival::OutOfOrder { .. } => {}
            Arrival::Duplicate => {
                quick.begin();
                return;
            }
        }
        quick.grow(free, settings);
    }

    /// Tells the receiver's controller of data.
    #[cold]
    fn report(
        &mut self,
        now: Time,
        segment: &Segment,
        start: u64,
        arrival: Arrival,
        settings: &TcpSettings,
    ) {
        let (next, room) = (self.reassembly.next(), self.room(settings));
        let length = u64::from(segment.length);
        let fresh = if arrival == Arrival::Duplicate { 0 } else { length };
        if let Some(control) = &mut self.control {
            control.receive(now, segment, &Taken { start, end: start + length, fresh, next, room });
        }
    }

    /// Lets the buffer grow with what comes, of which so many bytes are in order now. What was waiting for
    /// the segment is read after it, unless it is so little that both are joined.
    fn fit_buffer(&mut self, now: Time, segment: &Segment, more: u64, settings: &TcpSettings) {
        let next = self.reassembly.next();
        self.buffer.receive(now, next, segment, settings);
        if more > 0 && settings.socket.reading == Reading::AtOnce {
            let waited = more.saturating_sub(u64::from(segment.length));
            let joined = MOST_JOINED * u64::from(settings.maximum_segment);
            let unread = if waited > joined { waited } else { 0 };
            self.buffer.take(now, next - FIRST - unread, unread, settings);
        }
    }

    /// Whether so much came in order that it is acknowledged at once.
    #[inline]
    fn is_full(&self, next: u64, settings: &TcpSettings) -> bool {
        let later = u64::from(settings.acknowledgements.every).saturating_sub(1);
        next - self.acknowledged > later * u64::from(settings.maximum_segment)
    }

    /// A FIN comes with that number. Whether it may end there: where an earlier one did, and
    /// before no data that came.
    #[cold]
    fn ends_at(&mut self, number: u64) -> bool {
        if self.fin == NO_FIN && self.reassembly.end() <= number {
            self.fin = number;
        }
        self.fin == number
    }

    /// Fills in what a segment to the peer reports of data received: the acknowledgement,
    /// the window, the echoes; SACK blocks on a segment without data.
    #[inline]
    pub(super) fn acknowledge(&mut self, segment: &mut Segment, settings: &TcpSettings) {
        let next = self.reassembly.next();
        // The edge stays where it is until it can move by a segment.
        let kept = (self.acknowledged + u64::from(self.advertised)).saturating_sub(next);
        self.acknowledged = next;
        // A gap is reported by an acknowledgement without data: only that has room for
        // SACK blocks, and only that counts as a duplicate (RFC 5681, section 2).
        if segment.length == 0 || !self.reassembly.has_gap() {
            let was_due = std::mem::replace(&mut self.due, Time::NEVER) != Time::NEVER;
            if let Some(quick) = self.quick.as_mut().filter(|_| was_due) {
                quick.acknowledge();
            }
            if let Some(compression) = &mut self.compression {
                compression.acknowledge();
            }
        }
        segment.acknowledgement = next as u32;
        if settings.timestamps {
            segment.echo = self.echo;
        }
        let kept = kept.min(self.free(settings));
        let (room, scale) = (self.room(settings).max(kept), Self::scale(settings));
        segment.window = match &mut self.control {
            Some(control) => control.advertise(next, room, scale),
            None => (room >> scale).min(u64::from(u16::MAX)) as u16,
        };
        self.advertised = u32::from(segment.window) << scale;
        segment.flags = segment.flags.with(Flags::ACK);
        self.report_marks(segment);
        if segment.length == 0 && settings.recovery.uses_sack() {
            self.reassembly.report(|block| segment.add_sack_block(block));
        }
    }
    /// Fills in what a segment reports of marks.
    #[inline]
    fn report_marks(&mut self, segment: &mut Segment) {
        let echo = Flags::default().with_if(Flags::ECE, self.marked);
        let flags = segment.flags;
        match self.ecn {
            EcnMode::Off => {}
            EcnMode::Classic | EcnMode::Dctcp => segment.flags = flags.with(echo),
            EcnMode::SomeCongestion => {
                segment.flags = flags.with(echo.with_if(Flags::AE, self.some_congestion));
            }
            EcnMode::Accurate | EcnMode::Scalable => self.marks.report(segment),
        }
    }
}
