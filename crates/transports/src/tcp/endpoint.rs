//! One end of a connection: the handshake, a sender, a receiver, the close.

use std::sync::Arc;

use windtunnel_controllers::AnyController;
use windtunnel_engine::{Duration, Rate, Time, prefetch};
use windtunnel_packets::tcp::{Flags, Segment, SynOptions, TIMESTAMPS_SIZE};
use windtunnel_packets::{Body, Ecn, Packet, Route};

use super::accounting::Accounting;
use super::counters::EndpointCounters;
use super::ecn_negotiation::Negotiation;
use super::judgement::Judgement;
use super::limits::{Limit, LimitClock, LimitTimes};
use super::path_mtu::LEAST_SEGMENT;
use super::receive_offload::ReceiveOffload;
use super::receiver::Receiver;
use super::sender::{Sender, Transmission, clock};
use super::sequence::FIRST;
use super::settings::{AfterPathChange, EcnMode, TcpSettings};

/// What is to be sent. Callers keep one and empty it, so that sending allocates
/// nothing once warm.
pub type TcpOutbox = Vec<Packet>;

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

/// How far the handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing was sent.
    Closed,
    /// The SYN, or the answer to it, was sent `attempts` times, first at `since`, and is
    /// due again at `again`.
    Opening {
        attempts: u32,
        since: Time,
        again: Time,
    },
    Established,
    Reset,
}

/// One end of a connection.
#[derive(Debug)]
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
        if segment.length > 0 && self.receiver.changes_echo(ecn) {
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
                let sender = self.sender.as_ref().and_then(|it| it.next_wake());
                let earliest = sender.map_or(due, |it| it.min(due));
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

    /// Bytes written that the other end has not acknowledged; `u64::MAX` for data
    /// without end.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.sender.as_ref().map_or(0, |it| it.unacknowledged())
    }

    /// A segment of `length` bytes of data did not fit into a packet that a link on the path
    /// carries, by `excess` bytes: what is not acknowledged goes again in segments that do. They
    /// do not become larger again. `records` are those of a subflow that are not acknowledged:
    /// the bytes behind each, counted from its beginning.
    pub fn shrink(
        &mut self,
        now: Time,
        [length, excess]: [u16; 2],
        records: impl Iterator<Item = u64>,
        outbox: &mut TcpOutbox,
    ) {
        let segment = length.saturating_sub(excess);
        if !(LEAST_SEGMENT..self.settings.maximum_segment).contains(&segment) {
            return;
        }
        self.set_segment(segment);
        if let Some(sender) = &mut self.sender {
            sender.shrink(&self.settings, records);
        }
        self.transmit(now, outbox);
    }

    /// A router says that it dropped the segment with that sequence number, and that it passes on
    /// packets of at most `largest` bytes. That is believed of what is in flight (RFC 5927,
    /// section 4.1), as far as it makes segments smaller.
    pub fn too_big(&mut self, now: Time, sequence: u32, largest: u16, outbox: &mut TcpOutbox) {
        let segment = largest.saturating_sub(self.settings.headers());
        if !(LEAST_SEGMENT..self.settings.maximum_segment).contains(&segment) {
            return;
        }
        if self.sender.as_mut().is_some_and(|it| it.limit_segment(now, sequence, segment)) {
            self.shrink(now, [segment, 0], std::iter::empty(), outbox);
        }
    }

    /// Sends segments of the size that the sender has found, if that is another than before.
    #[inline]
    fn follow_path(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let Some(segment) = self.sender.as_mut().and_then(|it| it.found_segment()) else { return };
        if segment < self.settings.maximum_segment {
            self.shrink(now, [segment, 0], std::iter::empty(), outbox);
        } else {
            self.set_segment(segment);
            if let Some(sender) = &mut self.sender {
                sender.grow(&self.settings);
            }
        }
    }

    fn set_segment(&mut self, maximum_segment: u16) {
        self.settings = Arc::new(TcpSettings { maximum_segment, ..(*self.settings).clone() });
    }

    /// The network layer takes another path for what is sent from now on.
    pub fn change_path(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.settings.window.after_path_change == AfterPathChange::Restart
            && let Some(sender) = &mut self.sender
        {
            sender.change_path();
            self.transmit(now, outbox);
        }
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

    /// Fetches what lies behind it, before it receives a segment.
    #[inline]
    pub fn prefetch(&self) {
        if let Some(sender) = self.sender.as_deref() {
            prefetch(sender);
        }
    }

    // -- The handshake ------------------------------------------------------

    /// Sends the SYN or the answer to it, for the first time or again.
    fn send_syn(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let (attempts, since) = match self.state {
            State::Opening { attempts, since, .. } => (attempts, since),
            State::Closed | State::Established | State::Reset => (0, now),
        };
        let limits = &self.settings.timeout;
        let wait = limits.initial.scaled(f64::from(attempts.min(30)).exp2()).min(limits.maximum);
        self.state = State::Opening { attempts: attempts + 1, since, again: now + wait };
        self.limits.enter(now, Some(Limit::Handshake));
        let syn = self.syn(now);
        outbox.push(syn);
    }

    fn syn(&mut self, now: Time) -> Packet {
        let flags = Flags::SYN.with_if(Flags::TIMESTAMPS, self.settings.timestamps);
        let mut segment = Segment::new(self.connection, 0, flags);
        let asks = match self.role {
            Role::Client => self.ecn.request(),
            Role::Server => {
                self.receiver.acknowledge(&mut segment, &self.settings);
                self.ecn.answer()
            }
        };
        segment.flags = segment.flags.with_ace(asks.ace());
        // The window of a SYN is never scaled.
        segment.window = self.receiver.first_window(&self.settings);
        if self.settings.timestamps {
            segment.timestamp = clock(now);
        }
        segment.set_syn_options(SynOptions {
            maximum_segment: self.largest_segment,
            window_scale: self.offers_scale.then(|| Receiver::scale(&self.settings)),
            sack_permitted: self.settings.recovery.uses_sack(),
        });
        packet(segment, Ecn::NotCapable, &self.settings)
    }

    fn receive_syn(&mut self, now: Time, segment: &Segment, field: Ecn, outbox: &mut TcpOutbox) {
        let answer = segment.flags.has(Flags::ACK);
        let fits = answer && segment.acknowledgement == FIRST as u32;
        if answer && !fits && (self.state == State::Closed || self.awaits_syn()) {
            outbox.extend(refuse(segment, &self.settings));
            return;
        }
        match (self.role, self.state) {
            (Role::Server, State::Closed) if !answer => {
                self.agree(segment);
                self.ecn.on_request(segment.flags, field);
                self.receiver.open(segment.timestamp, field, self.ecn.receiving);
                self.send_syn(now, outbox);
            }
            // Both ends opened the connection at once (RFC 9293, section 3.5): the peer's
            // answer ends it.
            (Role::Server, State::Opening { attempts, since, .. }) if fits && is_first(segment) => {
                let window = self.window_of(segment);
                self.establish(now, segment, attempts, since, window);
                self.greet(now, outbox);
            }
            // The answer was lost.
            (Role::Server, State::Opening { .. }) if !answer && is_first(segment) => {
                self.ecn.on_repeated_request(segment.flags);
                self.send_syn(now, outbox);
            }
            (Role::Client, State::Opening { .. }) if !answer => {
                self.role = Role::Server;
                self.agree(segment);
                self.ecn.on_request(segment.flags, field);
                self.receiver.open(segment.timestamp, field, self.ecn.receiving);
                self.send_syn(now, outbox);
            }
            (Role::Client, State::Opening { attempts, since, .. }) => {
                self.agree(segment);
                self.ecn.on_answer(segment.flags, field);
                self.receiver.open(segment.timestamp, field, self.ecn.receiving);
                let window = self.window_of(segment);
                self.establish(now, segment, attempts, since, window);
                self.greet(now, outbox);
            }
            // The last step of the handshake was lost.
            (Role::Client, State::Established) if fits && is_first(segment) => {
                self.ecn.on_repeated_answer(segment.flags, field);
                self.end_handshake(now, outbox);
            }
            (_, State::Reset) => outbox.extend(refuse(segment, &self.settings)),
            // RFC 5961, section 4.2, also before the handshake is over.
            (_, State::Opening { .. } | State::Established) => self.challenge(now, outbox),
            (_, State::Closed) => {}
        }
    }

    /// The client's first segment after the handshake: data if there is some, except for
    /// accurate ECN, whose report has no place there.
    fn greet(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let sent = outbox.len();
        if self.ecn.receiving.is_accurate() {
            self.end_handshake(now, outbox);
        }
        self.transmit(now, outbox);
        if outbox.len() == sent {
            self.end_handshake(now, outbox);
        }
    }

    fn establish(&mut self, now: Time, answer: &Segment, attempts: u32, since: Time, window: u64) {
        self.state = State::Established;
        self.limits.enter(now, Some(Limit::Idle));
        self.peer_window = window;
        // Karn's rule: one that was repeated measures nothing, unless the answer says by its
        // timestamp which one it was (RFC 7323, section 4); its clock has milliseconds.
        let age = || Duration::from_millis(u64::from(clock(now).wrapping_sub(answer.echo)).max(1));
        let echoed = || answer.flags.has(Flags::TIMESTAMPS).then(age);
        self.handshake = if attempts == 1 { Some(now.since(since)) } else { echoed() };
        self.receiver.establish(self.handshake);
        if let Some(sender) = &mut self.sender {
            let windows = [window, self.first_window.into()];
            sender.establish(now, windows, self.handshake, self.ecn);
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
            let template: &mut Template<'_> =
                template.get_or_insert_with(|| Template::new(now, connection, settings, receiver));
            template.emit(it, ecn, outbox);
        });
        self.limits.enter(now, (!sender.is_closed()).then_some(limit));
    }

    /// The client's acknowledgement of the answer to its SYN; to accurate ECN, it is a
    /// report on that answer's own ECN field (RFC 9768, section 3.2.2.1).
    fn end_handshake(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let mut segment = self.acknowledgement(now);
        if self.ecn.receiving.is_accurate() {
            segment.flags = segment.flags.with_ace(self.ecn.peer_field_report().ace());
        }
        outbox.push(packet(segment, Ecn::NotCapable, &self.settings));
    }

    pub(super) fn send_acknowledgement(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let segment = self.acknowledgement(now);
        outbox.push(packet(segment, Ecn::NotCapable, &self.settings));
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

/// Whether a SYN is the one that opened the connection, sent again.
fn is_first(segment: &Segment) -> bool {
    segment.sequence == FIRST as u32 - 1
}

/// What all segments sent at one moment have in common.
pub(super) struct Template<'a> {
    segment: Segment,
    settings: &'a TcpSettings,
}

impl<'a> Template<'a> {
    #[inline]
    pub(super) fn new(
        now: Time,
        connection: u32,
        settings: &'a TcpSettings,
        receiver: &mut Receiver,
    ) -> Self {
        let flags = Flags::default().with_if(Flags::TIMESTAMPS, settings.timestamps);
        let mut segment = Segment::new(connection, 0, flags);
        // A segment with data has no room for SACK blocks.
        segment.length = 1;
        if settings.timestamps {
            segment.timestamp = clock(now);
        }
        receiver.acknowledge(&mut segment, settings);
        Self { segment, settings }
    }

    #[inline]
    pub(super) fn packet(&self, sequence: u64, flags: Flags, length: u16, ecn: Ecn) -> Packet {
        let flags = self.segment.flags.with(flags);
        let mut segment = self.segment;
        segment.sequence = sequence as u32;
        segment.flags = flags;
        segment.length = length;
        packet(segment, ecn, self.settings)
    }

    #[inline]
    fn emit(&self, it: Transmission, ecn: EcnMode, outbox: &mut TcpOutbox) {
        let flags = Flags::ACK.with_if(Flags::FIN, it.fin).with_if(Flags::CWR, it.reduced);
        let field = match ecn {
            // RFC 3168, section 6.1.5: a retransmission is not ECN-capable.
            EcnMode::Classic | EcnMode::SomeCongestion if it.retransmission => Ecn::NotCapable,
            _ => ecn.field(),
        };
        outbox.push(self.packet(it.sequence, flags, it.length, field));
    }
}

/// A segment in its IP packet.
#[inline]
fn packet(mut segment: Segment, ecn: Ecn, settings: &TcpSettings) -> Packet {
    segment.dscp = settings.dscp;
    let network_size = settings.ip.header() + segment.size();
    Packet { body: Body::Segment(segment), ecn, network_size, hops: 0, route: Route::default() }
}

/// The answer to a segment for which there is no connection (RFC 9293, section 3.10.7.1); none
/// to a reset.
#[must_use]
pub fn refuse(segment: &Segment, settings: &TcpSettings) -> Option<Packet> {
    if segment.flags.has(Flags::RST) {
        return None;
    }
    let mut answer = Segment::new(segment.connection, 0, Flags::RST);
    if segment.flags.has(Flags::ACK) {
        answer.sequence = segment.acknowledgement;
    } else {
        let is_counted = |flag| u32::from(segment.flags.has(flag));
        let counted = is_counted(Flags::SYN) + is_counted(Flags::FIN) + u32::from(segment.length);
        answer.acknowledgement = segment.sequence.wrapping_add(counted);
        answer.flags = answer.flags.with(Flags::ACK);
    }
    Some(packet(answer, Ecn::NotCapable, settings))
}

/// The acknowledgement of a segment that was sent again to an end that is closed
/// already, from what the segment says alone.
#[must_use]
pub fn acknowledge_again(now: Time, segment: &Segment, settings: &TcpSettings) -> Packet {
    let flags = Flags::ACK.with_if(Flags::TIMESTAMPS, settings.timestamps);
    let mut answer = Segment::new(segment.connection, segment.acknowledgement, flags);
    let counted = u32::from(segment.length) + u32::from(segment.flags.has(Flags::FIN));
    answer.acknowledgement = segment.sequence.wrapping_add(counted);
    if settings.timestamps {
        (answer.timestamp, answer.echo) = (clock(now), segment.timestamp);
    }
    packet(answer, Ecn::NotCapable, settings)
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
