//! One end of a multipath connection.

mod closing;
mod receiving;
mod sending;

use std::collections::VecDeque;
use std::ops::AddAssign;
use std::sync::Arc;

use windtunnel_controllers::{AnyController, Need, Sibling};
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_packets::multipath::Multipath;
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_packets::{Body, Ecn, Packet};

use super::closing::Closing;
use super::receiving::Receiving;
use super::scheduler::{Scheduler, SubflowState};
use super::sending::{Sending, most_windows};
use super::settings::MultipathSettings;
use super::subflow::Subflow;
use crate::tcp::limits::LimitClock;
use crate::tcp::{self, EndpointCounters, Role, TcpOutbox, TcpSettings};

/// What one end of a multipath connection counted beside what its subflows did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MultipathCounters {
    /// Bytes given to a subflow again that another one had been given.
    pub reinjected_bytes: u64,
    /// How often data that goes for the first time went over another subflow than the data
    /// before.
    pub switches: u64,
    /// How often a subflow's window was halved because it kept the others waiting.
    pub penalties: u64,
}

/// What one end counted of a subflow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SubflowCounters {
    /// What its TCP connection counted.
    pub tcp: EndpointCounters,
    /// Bytes that it was given for the first time, and again.
    pub first_bytes: u64,
    /// Bytes that it was given although another one had been given them.
    pub reinjected_bytes: u64,
    /// Whether its handshake is over.
    pub is_established: bool,
    /// Segments in flight.
    pub in_flight: u64,
}

impl AddAssign for MultipathCounters {
    fn add_assign(&mut self, other: Self) {
        let Self { reinjected_bytes, switches, penalties } = other;
        self.reinjected_bytes += reinjected_bytes;
        self.switches += switches;
        self.penalties += penalties;
    }
}

impl AddAssign<&Self> for SubflowCounters {
    fn add_assign(&mut self, other: &Self) {
        let Self { tcp, first_bytes, reinjected_bytes, is_established, in_flight } = other;
        self.tcp += tcp;
        self.first_bytes += first_bytes;
        self.reinjected_bytes += reinjected_bytes;
        self.is_established |= is_established;
        self.in_flight += in_flight;
    }
}

/// One end of a multipath connection.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(super) settings: Arc<MultipathSettings>,
    pub(super) role: Role,
    /// On each path one.
    pub(super) subflows: Vec<Subflow>,
    /// The first subflow alone carries plain TCP, because an end does not know the protocol.
    pub(super) is_plain: bool,
    pub(super) sending: Sending,
    pub(super) receiving: Receiving,
    pub(super) closing: Closing,
    pub(super) scheduler: Box<dyn Scheduler>,
    /// How the subflows fare, with their rates or without.
    pub(super) states: Vec<SubflowState>,
    pub(super) wants_rates: bool,
    /// How many of its largest windows a subflow may hold.
    pub(super) most_windows: f64,
    /// Whether the subflows' controllers want to know what the others do.
    is_coupled: bool,
    siblings: Vec<Sibling>,
    /// Whether all subflows were opened, and the addresses of the server that the client was
    /// told of: one bit each.
    pub(super) all_opened: bool,
    pub(super) known_addresses: u64,
    /// Those that the server has told of without an echo, and when it does so again.
    pub(super) unheard_addresses: u64,
    pub(super) announces_at: Time,
    /// How many of the changes of paths are done.
    pub(super) next_change: usize,
    /// Addresses and priorities that the other end shall be told of, and on which subflow.
    pub(super) signals: VecDeque<(usize, Multipath)>,
    pub(super) counters: MultipathCounters,
    pub(super) limits: LimitClock,
}

impl Endpoint {
    /// One end of a connection whose subflows are the TCP connections of those numbers, one for
    /// each path, before anything was sent.
    #[must_use]
    pub fn new(
        numbers: impl Iterator<Item = u32>,
        role: Role,
        settings: &Arc<MultipathSettings>,
    ) -> Self {
        let subflow = |(number, path): (u32, &super::PathSettings)| {
            let endpoint = tcp::Endpoint::new(number, role, &settings.subflow);
            let mut endpoint = endpoint.as_subflow(settings.accounting());
            endpoint.bound_window(settings.tcp.buffers.initial_receive_size());
            Subflow::new(number, endpoint, path.is_backup)
        };
        let scheduler = settings.scheduler.make();
        Self {
            role,
            subflows: numbers.zip(&settings.paths).map(subflow).collect(),
            is_plain: role == Role::Server && !settings.options.server_is_capable,
            sending: Sending::default(),
            receiving: Receiving::new(&settings.tcp),
            closing: Closing::default(),
            most_windows: most_windows(&settings.tcp.controller),
            wants_rates: scheduler.wants_rates(),
            scheduler,
            states: vec![SubflowState::default(); settings.paths.len()],
            is_coupled: settings.paths.len() > 1
                && settings.tcp.controller.needs().any(|it| it == Need::Siblings),
            siblings: Vec::with_capacity(settings.paths.len()),
            all_opened: false,
            known_addresses: 0,
            unheard_addresses: 0,
            announces_at: Time::NEVER,
            next_change: 0,
            signals: VecDeque::new(),
            counters: MultipathCounters::default(),
            limits: LimitClock::default(),
            settings: Arc::clone(settings),
        }
    }

    /// The host of a path will say when segments leave its queue, which is kept small.
    #[must_use]
    pub fn with_small_queues(mut self, small: impl Iterator<Item = bool>) -> Self {
        let subflows = std::mem::take(&mut self.subflows);
        let keep = |(it, small): (Subflow, bool)| if small { it.with_small_queue() } else { it };
        self.subflows = subflows.into_iter().zip(small).map(keep).collect();
        self
    }

    /// Whether its host is to say when the segments of that subflow leave the host's queue.
    #[must_use]
    pub fn keeps_queue_small(&self, number: u32) -> bool {
        self.find(number).is_some_and(|it| self.subflows[it].endpoint.keeps_queue_small())
    }

    /// The same of the first subflow.
    #[must_use]
    pub fn keeps_first_queue_small(&self) -> bool {
        self.subflows[0].endpoint.keeps_queue_small()
    }

    /// A segment of a subflow leaves the queue of its host at that time.
    pub fn leave_queue(&mut self, now: Time, number: u32, bytes: u16, leaves: Time) {
        if let Some(place) = self.find(number) {
            let subflow = &mut self.subflows[place];
            subflow.wake_has_changed = true;
            subflow.endpoint.leave_queue(now, bytes, leaves);
        }
    }

    /// The link before which the queue of a subflow's host is sends at another rate; none: it
    /// stops.
    pub fn change_queue_rate(&mut self, now: Time, number: u32, from: Rate, to: Option<Rate>) {
        if let Some(place) = self.find(number) {
            let subflow = &mut self.subflows[place];
            subflow.wake_has_changed = true;
            subflow.endpoint.change_queue_rate(now, from, to);
        }
    }

    /// The place of the subflow of that number.
    #[inline]
    pub(super) fn find(&self, number: u32) -> Option<usize> {
        self.subflows.iter().position(|it| it.number == number)
    }

    /// The client opens the connection on the first path.
    pub fn open(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.role == Role::Client {
            self.on_subflow(0, outbox, |it, outbox| it.open(now, outbox));
            self.note_limit(now);
        }
    }

    /// The application hands over `bytes` more; without end for `u64::MAX`.
    pub fn write(&mut self, now: Time, bytes: u64, outbox: &mut TcpOutbox) {
        self.sending.write(bytes);
        self.prepare(now);
        self.transmit(now, outbox);
        self.note_limit(now);
    }

    /// The application will write nothing more.
    pub fn close(&mut self, now: Time, outbox: &mut TcpOutbox) {
        self.sending.close();
        self.prepare(now);
        self.transmit(now, outbox);
        self.go_on_closing(now, outbox);
        self.note_limit(now);
    }

    /// Makes the subflows ready to send.
    fn prepare(&mut self, now: Time) {
        for place in 0..self.subflows.len() {
            let subflow = &mut self.subflows[place];
            if subflow.endpoint.is_established() {
                subflow.endpoint.prepare(now);
                subflow.note_change();
            }
        }
    }

    /// Calls a subflow, and puts into what it sends what the connection says.
    pub(super) fn on_subflow(
        &mut self,
        place: usize,
        outbox: &mut TcpOutbox,
        call: impl FnOnce(&mut tcp::Endpoint, &mut TcpOutbox),
    ) {
        let before = outbox.len();
        let subflow = &mut self.subflows[place];
        subflow.note_change();
        subflow.endpoint.tell_of_more(!self.sending.has_given_all());
        call(&mut subflow.endpoint, outbox);
        if outbox.len() > before {
            self.put_options(place, &mut outbox[before..]);
        }
    }

    /// A segment of a subflow did not fit: see [`tcp::Endpoint::shrink`].
    pub fn shrink(
        &mut self,
        now: Time,
        connection: u32,
        lengths: [u16; 2],
        outbox: &mut TcpOutbox,
    ) {
        let Some(place) = self.find(connection) else { return };
        let records: Vec<u64> = self.subflows[place].sent.iter().map(|it| it.end()).collect();
        self.on_subflow(place, outbox, |it, outbox| {
            it.shrink(now, lengths, records.into_iter(), outbox);
        });
        self.note_limit(now);
    }

    /// A subflow takes another path: see [`tcp::Endpoint::change_path`].
    pub fn change_path(&mut self, now: Time, connection: u32, outbox: &mut TcpOutbox) {
        let Some(place) = self.find(connection) else { return };
        self.on_subflow(place, outbox, |it, outbox| it.change_path(now, outbox));
        self.note_limit(now);
    }

    /// Receives a segment of one of its subflows that came with that ECN field.
    pub fn receive(&mut self, now: Time, segment: &Segment, ecn: Ecn, outbox: &mut TcpOutbox) {
        let Some(place) = self.find(segment.connection) else { return };
        let multipath = segment.multipath();
        let brought = self.data_in(place, segment, multipath);
        let subflow = &mut self.subflows[place];
        let was_established = subflow.endpoint.is_established();
        let was_reset = subflow.endpoint.is_reset();
        let window = subflow.window_of(segment);
        if segment.length > 0 {
            subflow.receiver_rtt.measure(now, segment);
        }
        if multipath.is_none() && place == 0 && segment.flags.has(Flags::SYN) {
            self.is_plain = true;
        }
        self.tell_siblings(place);
        self.on_subflow(place, outbox, |it, outbox| it.receive(now, segment, ecn, outbox));
        if let Some(multipath) = multipath {
            self.take_options(now, place, multipath, segment, outbox);
        }
        if !was_reset && self.subflows[place].endpoint.is_reset() {
            self.on_reset(place);
        }
        if !was_established && self.subflows[place].endpoint.is_established() {
            self.on_established(now, place, outbox);
        }
        self.take_data(now, place, brought, outbox);
        if self.is_plain {
            self.take_plain_acknowledgement(window);
        } else if let Some(acknowledgement) = data_acknowledgement(multipath) {
            self.sending.acknowledge(acknowledgement, window);
        }
        self.after(now, place, outbox);
        self.note_limit(now);
    }

    /// What follows when a subflow has received something or checked its timers.
    fn after(&mut self, now: Time, place: usize, outbox: &mut TcpOutbox) {
        let subflow = &mut self.subflows[place];
        if subflow.forget_acknowledged() {
            subflow.is_failed = false;
        }
        if subflow.has_timed_out() {
            self.on_timeout(place);
        }
        if self.is_coupled && self.subflows[place].endpoint.controller().is_some_and(abandons) {
            self.abandon(place);
        }
        self.establish_others(now, outbox);
        self.transmit(now, outbox);
        self.go_on_closing(now, outbox);
        self.send_signals(now, outbox);
    }

    /// Tells a subflow's controller what the others do, if it wants to know.
    #[inline]
    fn tell_siblings(&mut self, place: usize) {
        if !self.is_coupled {
            return;
        }
        self.siblings.clear();
        let others = self
            .subflows
            .iter()
            .enumerate()
            .filter(|(it, other)| *it != place && other.is_usable());
        self.siblings.extend(others.filter_map(|(_, it)| it.endpoint.sibling()));
        self.subflows[place].endpoint.on_siblings(&self.siblings);
    }

    /// The radio that its data goes over reports to all subflows.
    pub fn on_radio_report(&mut self, now: Time, sinr: f64, bandwidth: f64) {
        for it in &mut self.subflows {
            it.endpoint.on_radio_report(now, sinr, bandwidth);
            it.note_change();
        }
    }

    /// The application takes `bytes` of what came in order.
    pub fn take(&mut self, now: Time, bytes: u64, outbox: &mut TcpOutbox) {
        self.receiving.take(now, bytes, &self.settings.tcp);
        self.bound_windows();
        let grown = self.subflows.iter().map(|it| it.endpoint.grown_window()).max();
        if self.receiving.opens(grown.unwrap_or(u64::MAX), &self.settings.tcp) {
            for place in 0..self.subflows.len() {
                if self.subflows[place].endpoint.is_established() {
                    self.on_subflow(place, outbox, |it, outbox| it.send_bare(now, outbox));
                }
            }
        }
    }

    /// Handles the timers that are due.
    pub fn wake(&mut self, now: Time, outbox: &mut TcpOutbox) {
        for place in 0..self.subflows.len() {
            if self.subflows[place].wakes_at() <= now {
                self.tell_siblings(place);
                self.on_subflow(place, outbox, |it, outbox| it.wake(now, outbox));
                self.take_data(now, place, None, outbox);
                self.after(now, place, outbox);
            }
            self.confirm_again(now, place, outbox);
        }
        self.announce_again(now, outbox);
        self.change_paths(now, outbox);
        self.wake_closing(now, outbox);
        self.probe(now, outbox);
        self.note_limit(now);
    }

    /// When [`Endpoint::wake`] wants to be called next, if ever.
    pub fn next_wake(&mut self) -> Option<Time> {
        let others = self.closing.due().min(self.sending.probes_at()).min(self.announces_at);
        let others = others.min(self.changes_at());
        let subflows = self.subflows.iter_mut();
        let earliest = subflows
            .fold(others, |it, subflow| it.min(subflow.wakes_at()).min(subflow.confirms_at));
        (earliest != Time::NEVER).then_some(earliest)
    }

    /// Whether the peer has sent everything.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        if self.is_plain {
            return self.subflows[0].endpoint.is_finished();
        }
        self.receiving.is_finished()
    }

    /// Bytes written that the other end has not acknowledged; `u64::MAX` for data without end.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.sending.unacknowledged_bytes()
    }

    /// Bytes received in order.
    #[inline]
    #[must_use]
    pub fn received_bytes(&self) -> u64 {
        self.receiving.in_order()
    }

    /// Bytes received that wait for others before them, which another subflow has: in the order
    /// of the connection. What waits inside a subflow is not counted.
    #[must_use]
    pub fn waiting_bytes(&self) -> u64 {
        self.receiving.waiting()
    }

    /// How each subflow's connection, and the buffers behave.
    #[must_use]
    pub fn settings(&self) -> &TcpSettings {
        &self.settings.tcp
    }

    /// What the subflows' connections counted, all together; the bytes are those of the
    /// connection.
    #[must_use]
    pub fn counters(&self) -> EndpointCounters {
        let mut counters = EndpointCounters::default();
        self.subflows.iter().for_each(|it| counters += it.endpoint.counters());
        counters.received_bytes = self.receiving.in_order();
        counters.acknowledged_bytes = self.sending.acknowledged_bytes();
        counters
    }

    /// What it counted beside that.
    #[must_use]
    pub fn multipath_counters(&self) -> &MultipathCounters {
        &self.counters
    }

    /// What it counted of each subflow, and how that fares once it is ready to send.
    pub fn subflows(&self) -> impl Iterator<Item = (SubflowCounters, Option<&AnyController>)> {
        self.subflows.iter().map(|it| {
            let counters = SubflowCounters {
                tcp: *it.endpoint.counters(),
                first_bytes: it.first_bytes,
                reinjected_bytes: it.reinjected_bytes,
                is_established: it.endpoint.is_established(),
                in_flight: it.endpoint.in_flight(),
            };
            (counters, it.endpoint.controller())
        })
    }

    /// The end of the TCP connection of that number here, if it is one of its subflows.
    #[must_use]
    pub fn subflow(&self, number: u32) -> Option<&tcp::Endpoint> {
        self.subflows.iter().find(|it| it.number == number).map(|it| &it.endpoint)
    }

    /// The smoothed round trip of a subflow, once there is a sample.
    #[must_use]
    pub fn smoothed_rtt(&self, place: usize) -> Option<Duration> {
        self.subflows[place].endpoint.smoothed_rtt()
    }

    /// What is in flight, in segments, rounded up.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.subflows.iter().map(|it| it.endpoint.in_flight()).sum()
    }

    /// The sum of the windows, in segments, once something was written.
    #[must_use]
    pub fn cwnd(&self) -> Option<f64> {
        use windtunnel_controllers::Controller;
        let controllers = self.subflows.iter().filter_map(|it| it.endpoint.controller());
        controllers.map(AnyController::cwnd).reduce(|sum, it| sum + it)
    }

    /// Fetches what lies behind it, before it receives a segment.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if let Some(place) = self.find(number) {
            self.subflows[place].endpoint.prefetch();
        }
    }

    /// Puts into packets of a subflow what the connection says.
    fn put_options(&mut self, place: usize, packets: &mut [Packet]) {
        let grown = self.subflows[place].endpoint.grown_window();
        let room = self.receiving.offer(grown, &self.settings.tcp);
        for packet in packets {
            let Body::Segment(segment) = &mut packet.body else { continue };
            self.receiving.advertise(segment, room);
            if !self.is_plain {
                let multipath = self.option_for(place, segment);
                say(packet, multipath, &self.settings);
            }
        }
    }

    /// What a segment of a subflow says.
    fn option_for(&mut self, place: usize, segment: &Segment) -> Multipath {
        let subflow = &mut self.subflows[place];
        let acknowledgement = self.receiving.acknowledgement();
        if segment.flags.has(Flags::SYN) {
            return self.greeting(place);
        }
        if segment.flags.has(Flags::RST) {
            return Multipath::Reset;
        }
        if segment.length == 0 {
            // The other end may not have the keys yet.
            return match self.role {
                Role::Client if !subflow.is_confirmed => self.greeting(place),
                _ => Multipath::Acknowledgement { acknowledgement },
            };
        }
        match subflow.data_of(segment) {
            Some(it) if it.data == 0 && self.greets_with_data(place) => Multipath::Capable,
            Some(it) => {
                let fin = self.sending.ends_with(it.data_end());
                Multipath::Mapping { sequence: it.data, acknowledgement, fin }
            }
            None => Multipath::Acknowledgement { acknowledgement },
        }
    }
}

/// Lets a packet's segment say that.
#[inline]
pub(super) fn say(packet: &mut Packet, multipath: Multipath, settings: &MultipathSettings) {
    let Body::Segment(segment) = &mut packet.body else { return };
    segment.set_multipath(multipath, settings.version);
    packet.network_size = settings.tcp.ip.header() + segment.size();
}

fn abandons(controller: &AnyController) -> bool {
    use windtunnel_controllers::Controller;
    controller.abandons()
}

/// The data acknowledgement that a segment has.
fn data_acknowledgement(multipath: Option<Multipath>) -> Option<u64> {
    match multipath? {
        Multipath::Acknowledgement { acknowledgement }
        | Multipath::Mapping { acknowledgement, .. } => Some(acknowledgement),
        // Of the first data nothing is acknowledged yet, but there is a window.
        Multipath::Capable => Some(0),
        _ => None,
    }
}
