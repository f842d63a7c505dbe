//! One end of a connection: a sender and a receiver, what its application does, and its timers.
//!
//! `handshake` opens it, `segments` are what it sends, and `path` is what follows from the path.

mod handshake;
mod path;
mod segments;
mod state;

use std::sync::Arc;

use windtunnel_controllers::AnyController;
use windtunnel_engine::{Duration, Rate, Time, prefetch};
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::{Flags, Segment, TIMESTAMPS_SIZE};

use super::accounting::Accounting;
use super::accurate_ecn::MarksReported;
use super::counters::EndpointCounters;
use super::ecn_negotiation::Negotiation;
use super::judgement::Judgement;
use super::limits::{Limit, LimitClock, LimitTimes};
use super::outstanding::{Agreed, Outstanding};
use super::receive_offload::ReceiveOffload;
use super::receiver::Receiver;
use super::sender::{Sender, clock};
use super::sequence::FIRST;
use super::settings::{EcnMode, Misbehaviour, TcpSettings};
pub(super) use segments::Template;
use segments::packet;
pub use segments::{TcpOutbox, acknowledge_again, refuse};
pub(super) use state::State;

/// The largest window that a segment can advertise (RFC 7323, section 2.3).
pub(super) const LARGEST_WINDOW: u64 = (u16::MAX as u64) << 14;

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one that opens it.
    Client,
    /// The one that is opened to.
    Server,
}

/// One end of a connection.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(super) settings: Arc<TcpSettings>,
    pub(super) connection: u32,
    pub(super) role: Role,
    /// Whether its host says when its segments leave the host's queue.
    keeps_queue_small: bool,
    /// Whether it finds out by itself how large segments may be.
    discovers_path_mtu: bool,
    /// How its sender counts, if it is a subflow.
    pub(super) subflow: Option<Accounting>,
    pub(super) state: State,
    pub(super) ecn: Negotiation,
    /// What arrived and was not taken in yet.
    receive_offload: Option<Box<ReceiveOffload>>,
    pub(super) receiver: Receiver,
    /// What sends data: made when there is some.
    pub(super) sender: Option<Box<Sender>>,
    /// The window that the peer advertised when the connection was opened, and by
    /// how much it scales others down.
    pub(super) peer_window: u64,
    pub(super) peer_scale: u8,
    /// The window of its SYN, which is not scaled.
    pub(super) first_window: u16,
    /// The largest segment that it takes, with options, and whether it offers to scale windows.
    pub(super) largest_segment: u16,
    pub(super) offers_scale: bool,
    /// When a segment that is not acceptable may be answered again.
    pub(super) answers_from: Time,
    /// The round trip of the handshake.
    handshake: Option<Duration>,
    pub(super) counters: EndpointCounters,
    pub(super) limits: LimitClock,
}

impl Endpoint {
    /// One end of connection number `connection`, before anything was sent.
    #[must_use]
    pub fn new(connection: u32, role: Role, settings: &Arc<TcpSettings>) -> Self {
        let offload = |it| Box::new(ReceiveOffload::new(it, settings.headers()));
        Self {
            settings: Arc::clone(settings),
            connection,
            role,
            keeps_queue_small: false,
            discovers_path_mtu: false,
            subflow: None,
            state: State::Closed,
            ecn: Negotiation::new(match role {
                Role::Client => settings.ecn,
                Role::Server => settings.server_ecn,
            }),
            receive_offload: settings.offload.receive.then(|| offload(settings.offload.coalescing)),
            receiver: Receiver::new(settings),
            sender: None,
            peer_window: 0,
            peer_scale: 0,
            first_window: 0,
            // Room for the options is taken from the data (RFC 6691).
            largest_segment: settings.maximum_segment
                + if settings.timestamps { TIMESTAMPS_SIZE } else { 0 },
            offers_scale: true,
            answers_from: Time::ZERO,
            handshake: None,
            counters: EndpointCounters::default(),
            limits: LimitClock::default(),
        }
    }

    /// Its host will say by [`leave_queue`](Self::leave_queue) when its segments with data
    /// leave the host's queue, of which they may not fill more than a little.
    #[must_use]
    pub fn with_small_queue(self) -> Self {
        Self { keeps_queue_small: true, ..self }
    }

    /// It finds out by itself how large segments may be on the path, from losses and by probes
    /// (RFC 4821; RFC 8899), and from what routers say ([`too_big`](Self::too_big)).
    #[must_use]
    pub fn with_path_mtu_discovery(self) -> Self {
        Self { discovers_path_mtu: true, ..self }
    }

    /// Whether its host is to say when its segments leave the host's queue.
    #[inline]
    #[must_use]
    pub fn keeps_queue_small(&self) -> bool {
        self.keeps_queue_small
    }

    /// A segment with this many bytes of data, the first that was sent and of which this was not
    /// said, leaves the queue of its host at that time, or has left it.
    #[inline]
    pub fn leave_queue(&mut self, now: Time, bytes: u16, leaves: Time) {
        if let Some(sender) = &mut self.sender {
            sender.leave_queue(now, bytes, leaves);
        }
    }

    /// The link before which the host's queue is sends at another rate; none: it stops.
    pub fn change_queue_rate(&mut self, now: Time, from: Rate, to: Option<Rate>) {
        if let Some(sender) = &mut self.sender {
            sender.change_queue_rate(now, from, to);
        }
    }

    /// The client sends its SYN.
    pub fn open(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.state == State::Closed && self.role == Role::Client {
            self.send_syn(now, outbox);
        }
    }

    /// The application hands over `bytes` more; without end for `u64::MAX`. It may
    /// do so before the connection is established.
    pub fn write(&mut self, now: Time, bytes: u64, outbox: &mut TcpOutbox) {
        self.sender(now).write(now, bytes);
        self.transmit(now, outbox);
    }

    /// The application will write nothing more: what it wrote is sent, then a FIN.
    /// Of data without end, what has been sent is the end.
    pub fn close(&mut self, now: Time, outbox: &mut TcpOutbox) {
        self.sender(now).close();
        self.transmit(now, outbox);
    }

    /// The sender, made if there is none.
    pub(super) fn sender(&mut self, now: Time) -> &mut Sender {
        let established = self.state == State::Established;
        self.sender.get_or_insert_with(|| {
            let mut sender = Box::new(Sender::new(&self.settings));
            if self.keeps_queue_small {
                sender.keep_queue_small();
            }
            if self.discovers_path_mtu {
                sender.discover_path_mtu();
            }
            if let Some(accounting) = self.subflow {
                sender.become_subflow(accounting);
            }
            if established {
                let windows = [self.peer_window, self.first_window.into()];
                sender.establish(now, windows, self.handshake, self.ecn);
            }
            sender
        })
    }

    /// Receives a segment that came with that ECN field.
    #[inline]
    pub fn receive(&mut self, now: Time, segment: &Segment, ecn: Ecn, outbox: &mut TcpOutbox) {
        if segment.flags.has(Flags::RST) {
            self.receive_reset(now, segment, outbox);
            return;
        }
        if segment.flags.has(Flags::SYN) {
            self.receive_syn(now, segment, ecn, outbox);
            return;
        }
        if !segment.flags.has(Flags::ACK) {
            return;
        }
        match self.state {
            State::Established => {
                if let Some(offload) = &mut self.receive_offload {
                    offload.arrive(now, segment, ecn);
                    return;
                }
            }
            // A client waits for the answer to its SYN.
            State::Opening { attempts, since, .. } if self.role == Role::Server => {
                if !self.ends_handshake(segment) {
                    self.refuse_in_handshake(now, segment, outbox);
                    return;
                }
                if segment.length == 0 && segment.sack_blocks().next().is_none() {
                    self.ecn.on_end(segment.flags);
                }
                let window = self.window_of(segment);
                self.establish(now, segment, attempts, since, window);
            }
            State::Closed => return,
            State::Opening { .. } => {
                // An acknowledgement of what was not sent; that of the SYN comes with another
                // SYN.
                if segment.acknowledgement != FIRST as u32 {
                    outbox.extend(refuse(segment, &self.settings));
                }
                return;
            }
            State::Reset => {
                outbox.extend(refuse(segment, &self.settings));
                return;
            }
        }
        self.take_in(now, segment, ecn, 1, outbox);
    }

    /// The window that a segment advertises, in bytes; that of a SYN is not scaled. To a subflow
    /// it is no limit: its connection has one for all.
    #[inline]
    fn window_of(&self, segment: &Segment) -> u64 {
        if self.subflow.is_some() {
            return LARGEST_WINDOW;
        }
        let scale = if segment.flags.has(Flags::SYN) { 0 } else { self.peer_scale };
        u64::from(segment.window) << scale
    }

    /// Takes in what arrived until the host's interface was polled.
    fn poll(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let Some(offload) = &mut self.receive_offload else { return };
        if offload.poll() > now {
            return;
        }
        let arrived = offload.take();
        for it in &arrived {
            self.take_in(now, &it.segment, it.ecn, it.count, outbox);
        }
        if let Some(offload) = &mut self.receive_offload {
            offload.give_back(arrived);
        }
    }

    /// Takes in a segment, or `count` merged into one.
    #[inline]
    fn take_in(
        &mut self,
        now: Time,
        segment: &Segment,
        ecn: Ecn,
        count: u16,
        outbox: &mut TcpOutbox,
    ) {
        match self.judge(segment) {
            Judgement::Acceptable => {}
            other => {
                self.refuse(now, segment, count, other, outbox);
                return;
            }
        }
        if segment.length > 0 && self.receiver.changes_echo(ecn, &self.settings) {
            self.send_acknowledgement(now, outbox);
        }
        self.receiver.receive(now, segment, ecn, count, &self.settings, &mut self.counters);
        let window = self.window_of(segment);
        if let Some(sender) = &mut self.sender {
            sender.acknowledge(now, segment, window, &mut self.counters);
            self.follow_path(now, outbox);
            self.transmit(now, outbox);
        }
        if self.receiver.due() <= now {
            self.send_acknowledgement(now, outbox);
        }
    }

    /// The radio that its data goes over reports its signal to interference and noise
    /// ratio in decibels, and the channel's bandwidth in hertz, both finite. The
    /// controller gets them with each acknowledgement until the next report; an end
    /// that sends no data ignores them.
    pub fn on_radio_report(&mut self, now: Time, sinr: f64, bandwidth: f64) {
        if let Some(sender) = &mut self.sender {
            sender.on_radio_report(now, sinr, bandwidth);
        }
    }

    /// The application takes `bytes` of what came in order, where
    /// [`Reading::AsTaken`](super::Reading::AsTaken) requires it. The peer gets
    /// an acknowledgement if that opens the window again.
    pub fn take(&mut self, now: Time, bytes: u64, outbox: &mut TcpOutbox) {
        self.receiver.take(now, bytes, &self.settings);
        // A peer that has sent everything needs no room, and may be gone.
        let receives = self.state == State::Established && !self.receiver.is_finished();
        if receives && self.receiver.opens(&self.settings) {
            self.send_acknowledgement(now, outbox);
        }
    }

    /// Handles the timers that are due.
    pub fn wake(&mut self, now: Time, outbox: &mut TcpOutbox) {
        match self.state {
            State::Opening { again, .. } if again <= now => {
                self.ecn.on_timeout();
                self.send_syn(now, outbox);
            }
            State::Established => self.wake_established(now, outbox),
            State::Opening { .. } | State::Closed | State::Reset => {}
        }
    }

    fn wake_established(&mut self, now: Time, outbox: &mut TcpOutbox) {
        self.poll(now, outbox);
        if self.receiver.due() <= now {
            self.send_acknowledgement(now, outbox);
        }
        let Some(sender) = &mut self.sender else { return };
        let (connection, settings, receiver) =
            (self.connection, &self.settings, &mut self.receiver);
        let ecn = self.ecn.sending;
        let asks = sender.wake(now, &mut self.counters, &mut |it| {
            Template::new(now, connection, settings, receiver).emit(it, ecn, outbox);
        });
        if asks {
            self.ask(now, outbox);
        }
        self.follow_path(now, outbox);
        self.transmit(now, outbox);
    }

    /// When [`Endpoint::wake`] wants to be called next, if ever. It moves with
    /// what is received and sent; an earlier call does no harm.
    #[inline]
    #[must_use]
    pub fn next_wake(&self) -> Option<Time> {
        match self.state {
            State::Closed | State::Reset => None,
            State::Opening { again, .. } => Some(again),
            State::Established => {
                let poll = self.receive_offload.as_ref().map_or(Time::NEVER, |it| it.poll());
                let due = self.receiver.due().min(poll);
                let sender = self.sender.as_ref().map_or(Time::NEVER, |it| it.next_wake());
                let earliest = due.min(sender);
                (earliest != Time::NEVER).then_some(earliest)
            }
        }
    }

    /// Whether the peer has sent everything, its FIN as well.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.receiver.is_finished()
    }

    /// Whether the FINs of both ends were acknowledged.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_finished() && self.sender.as_ref().is_some_and(|it| it.is_closed())
    }

    /// Which end it is.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// Bytes written that the other end has not acknowledged; `u64::MAX` for data
    /// without end.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.sender.as_ref().map_or(0, |it| it.unacknowledged())
    }

    /// How it behaves.
    #[must_use]
    pub fn settings(&self) -> &TcpSettings {
        &self.settings
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &EndpointCounters {
        &self.counters
    }

    /// For how long each of its limits was in force until now: together, from when the
    /// connection was opened here until all data and the FIN were acknowledged.
    #[must_use]
    pub fn limits(&self, now: Time) -> LimitTimes {
        self.limits.times(now)
    }

    /// The limit that is in force.
    #[inline]
    pub(crate) fn limit(&self) -> Option<Limit> {
        self.limits.current()
    }

    /// Bytes of data received that wait for others before them.
    #[must_use]
    pub fn waiting_bytes(&self) -> u64 {
        self.receiver.waiting_bytes()
    }

    /// The sender's controller, once something was written.
    #[must_use]
    pub fn controller(&self) -> Option<&AnyController> {
        self.sender.as_ref().map(|it| it.controller())
    }

    /// The smoothed round trip, once there is a sample.
    #[must_use]
    pub fn smoothed_rtt(&self) -> Option<Duration> {
        self.sender.as_ref().and_then(|it| it.smoothed_rtt())
    }

    /// What is in flight (RFC 6675's pipe), in segments, rounded up.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        let bytes = self.sender.as_ref().map_or(0, |it| it.in_flight());
        bytes.div_ceil(u64::from(self.settings.maximum_segment))
    }

    /// The segments that it has sent and that are not acknowledged in order: it takes as long as
    /// there are segments.
    #[must_use]
    pub fn outstanding(&self) -> Outstanding {
        self.sender.as_ref().map(|it| it.outstanding()).unwrap_or_default()
    }

    /// What both ends have agreed on; before that, what this end offers.
    #[must_use]
    pub fn agreed(&self) -> Agreed {
        Agreed {
            timestamps: self.settings.timestamps,
            sack: self.settings.recovery.uses_sack(),
            window_scale: self.offers_scale,
            ecn: [self.ecn.sending, self.ecn.receiving].iter().any(|it| *it != EcnMode::Off),
        }
    }

    /// How many of its packets came marked, says the peer: with accurate ECN.
    #[must_use]
    pub fn delivered_marked(&self) -> Option<u32> {
        let first = u32::from(self.ecn.came_marked);
        let all = self.sender.as_ref().map_or(first, |it| it.delivered_marked());
        self.ecn.sending.is_accurate().then_some(all)
    }

    /// How many bytes of its data came with each ECN field, modulo 2²⁴, says the peer: with accurate
    /// ECN.
    #[must_use]
    pub fn delivered_bytes(&self) -> Option<[(Ecn, u32); 3]> {
        let none = || MarksReported::new(false).delivered_bytes();
        let all = self.sender.as_ref().map_or_else(none, |it| it.delivered_bytes());
        self.ecn.sending.is_accurate().then_some(all)
    }

    /// Behind how many segments others may come late, by what was seen, once something was
    /// written: 3 at least.
    #[must_use]
    pub fn reordering(&self) -> Option<u64> {
        self.sender.as_ref().map(|it| it.reordering())
    }

    /// Fetches what lies behind it, before it receives a segment.
    #[inline]
    pub fn prefetch(&self) {
        if let Some(sender) = self.sender.as_deref() {
            prefetch(sender);
        }
    }

    // -- Sending ------------------------------------------------------------

    #[inline]
    pub(super) fn transmit(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.state != State::Established {
            return;
        }
        let Some(sender) = &mut self.sender else { return };
        let mut template = None;
        let (connection, settings, receiver) =
            (self.connection, &self.settings, &mut self.receiver);
        let ecn = self.ecn.sending;
        let limit = sender.transmit(now, &mut self.counters, &mut |it| {
            // Whatever is sent acknowledges what came.
            let template =
                template.get_or_insert_with(|| Template::new(now, connection, settings, receiver));
            template.emit(it, ecn, outbox);
        });
        self.limits.enter(now, (!sender.is_closed()).then_some(limit));
    }

    pub(super) fn send_acknowledgement(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let misbehaviour = self.settings.acknowledgements.misbehaviour;
        let is_divided = misbehaviour == Some(Misbehaviour::DividedAcknowledgements);
        let divided = is_divided.then(|| self.receiver.unacknowledged());
        let segment = self.acknowledgement(now);
        if let Some((before, fresh)) = divided {
            self.send_parts(&segment, before, fresh, outbox);
        }
        outbox.push(packet(segment, Ecn::NotCapable, &self.settings));
    }

    /// Acknowledges first the parts of what a segment does: `fresh` bytes beyond `before`.
    #[cold]
    fn send_parts(&self, segment: &Segment, before: u64, fresh: u64, outbox: &mut TcpOutbox) {
        let parts = Misbehaviour::PARTS.min(fresh);
        for part in 1..parts {
            let mut part_of = Segment::new(self.connection, segment.sequence, segment.flags);
            (part_of.timestamp, part_of.echo) = (segment.timestamp, segment.echo);
            part_of.window = segment.window;
            part_of.acknowledgement = (before + fresh * part / parts) as u32;
            outbox.push(packet(part_of, Ecn::NotCapable, &self.settings));
        }
    }

    /// Says that the connection is reset, also to whoever sends to it afterwards (RFC 9293,
    /// section 3.5.2).
    pub(super) fn send_reset(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let mut segment = self.acknowledgement(now);
        segment.flags = segment.flags.with(Flags::RST);
        outbox.push(packet(segment, Ecn::NotCapable, &self.settings));
    }

    /// The connection is reset: nothing is sent on it from now on.
    pub(super) fn end_reset(&mut self, now: Time) {
        self.state = State::Reset;
        self.limits.enter(now, None);
    }

    /// The sequence number of a segment without data.
    pub(super) fn next_sequence(&self) -> u64 {
        self.sender.as_ref().map_or(FIRST, |it| it.next())
    }

    fn acknowledgement(&mut self, now: Time) -> Segment {
        let next = self.next_sequence();
        let flags = Flags::ACK.with_if(Flags::TIMESTAMPS, self.settings.timestamps);
        let mut segment = Segment::new(self.connection, next as u32, flags);
        if self.settings.timestamps {
            segment.timestamp = clock(now);
        }
        self.receiver.acknowledge(&mut segment, &self.settings);
        segment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside the segments in flight: both ends, the sender, and the copy of its
    /// controller that a spurious decrease would restore.
    #[test]
    fn a_connection_takes_at_most_2_5_kib() {
        let ends = 2 * size_of::<Endpoint>();
        let sender = size_of::<Sender>() + size_of::<AnyController>();
        assert!(ends + sender <= 2560, "{ends} and {sender} bytes");
    }
}
