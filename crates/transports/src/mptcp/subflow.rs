//! A subflow: an end of a TCP connection, and which data it carries.

use std::collections::VecDeque;

use windtunnel_engine::Time;
use windtunnel_packets::tcp::{Flags, Segment};

use super::scheduler::SubflowState;
use crate::tcp;
use crate::tcp::receive_buffer::ReceiverRtt;
use crate::tcp::sequence::{FIRST, extend};

/// Which data some bytes of a subflow are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    /// The first of them, counted from the subflow's beginning.
    pub(super) start: u64,
    pub(super) length: u64,
    /// The number of that data.
    pub(super) data: u64,
    /// Whether other subflows shall send it again, or have.
    pub(super) is_reinjected: bool,
}

impl Mapping {
    pub(super) fn end(&self) -> u64 {
        self.start + self.length
    }

    pub(super) fn data_end(&self) -> u64 {
        self.data + self.length
    }

    /// What is before `start` is not of interest any more.
    fn skip_to(&mut self, start: u64) {
        let skipped = start.saturating_sub(self.start);
        self.start += skipped;
        self.data += skipped;
        self.length -= skipped;
    }
}

/// One end of a subflow.
#[derive(Clone, Debug)]
pub(super) struct Subflow {
    /// Its number: that of its TCP connection.
    pub(super) number: u32,
    pub(super) endpoint: tcp::Endpoint,
    /// Whether it is only for when no other is usable.
    pub(super) is_backup: bool,
    /// Whether data may be sent on it.
    pub(super) may_send: bool,
    /// Whether the other end is known to have taken it into the connection.
    pub(super) is_confirmed: bool,
    /// When its first acknowledgement is sent again, because nothing has confirmed that it
    /// arrived.
    pub(super) confirms_at: Time,
    /// Whether nothing was acknowledged since its last timeout.
    pub(super) is_failed: bool,
    /// The data that it was given and that the other end has not acknowledged to it.
    pub(super) sent: VecDeque<Mapping>,
    /// The place there of the mapping of what went last for the first time.
    latest: usize,
    /// The data that segments brought and that is not in the subflow's order yet.
    pub(super) arrived: VecDeque<Mapping>,
    /// The round trip as the receiver sees it.
    pub(super) receiver_rtt: ReceiverRtt,
    /// The shift of the windows that the peer advertises on it.
    pub(super) peer_scale: u8,
    /// What was counted at the last look.
    pub(super) timeouts: u64,
    pub(super) acknowledged: u64,
    /// Whether it was given data that it has not tried to send.
    pub(super) has_more_to_send: bool,
    /// Whether it has changed since a scheduler's view of it was made, and since it said when it
    /// wants to be woken next.
    pub(super) view_has_changed: bool,
    pub(super) wake_has_changed: bool,
    wakes_at: Time,
    /// Its largest window so far, in segments.
    pub(super) largest_window: f64,
    /// Bytes that it was given for the first time, and again.
    pub(super) first_bytes: u64,
    pub(super) reinjected_bytes: u64,
}

impl Subflow {
    pub(super) fn new(number: u32, endpoint: tcp::Endpoint, is_backup: bool) -> Self {
        Self {
            number,
            endpoint,
            is_backup,
            may_send: false,
            is_confirmed: false,
            confirms_at: Time::NEVER,
            is_failed: false,
            sent: VecDeque::new(),
            latest: 0,
            arrived: VecDeque::new(),
            receiver_rtt: ReceiverRtt::default(),
            peer_scale: 0,
            timeouts: 0,
            acknowledged: 0,
            has_more_to_send: false,
            view_has_changed: true,
            wake_has_changed: true,
            wakes_at: Time::NEVER,
            largest_window: 0.0,
            first_bytes: 0,
            reinjected_bytes: 0,
        }
    }

    /// Its host will say when its segments leave the host's queue, which is kept small.
    pub(super) fn with_small_queue(self) -> Self {
        Self { endpoint: self.endpoint.with_small_queue(), ..self }
    }

    /// Whether data may be sent on it.
    #[inline]
    pub(super) fn is_usable(&self) -> bool {
        self.may_send && !self.is_failed && self.endpoint.is_established()
    }

    /// Something is done to it.
    #[inline]
    pub(super) fn note_change(&mut self) {
        (self.view_has_changed, self.wake_has_changed) = (true, true);
    }

    /// When its connection wants to be woken next; never, if it does not.
    #[inline]
    pub(super) fn wakes_at(&mut self) -> Time {
        if std::mem::take(&mut self.wake_has_changed) {
            self.wakes_at = self.endpoint.next_wake().unwrap_or(Time::NEVER);
        }
        self.wakes_at
    }

    /// How a scheduler sees it, with its rates or without.
    #[inline]
    pub(super) fn state(&self, with_rates: bool) -> SubflowState {
        let sender = self.endpoint.sender_state(with_rates);
        SubflowState {
            sender: sender.unwrap_or_default(),
            usable: self.is_usable() && sender.is_some(),
            backup: self.is_backup,
            ..SubflowState::default()
        }
    }

    /// The bytes that the other end has acknowledged to it.
    fn acknowledged_bytes(&self) -> u64 {
        self.endpoint.written().saturating_sub(self.endpoint.unacknowledged())
    }

    /// Forgets the data that was acknowledged to it. Whether some was, since the last look.
    pub(super) fn forget_acknowledged(&mut self) -> bool {
        let acknowledged = self.acknowledged_bytes();
        if acknowledged == self.acknowledged {
            return false;
        }
        self.acknowledged = acknowledged;
        while let Some(first) = self.sent.front_mut() {
            if acknowledged < first.end() {
                first.skip_to(acknowledged);
                break;
            }
            self.sent.pop_front();
            self.latest = self.latest.saturating_sub(1);
        }
        true
    }

    /// Whether a timeout went off since the last look.
    pub(super) fn has_timed_out(&mut self) -> bool {
        let timeouts = self.endpoint.counters().timeouts;
        std::mem::replace(&mut self.timeouts, timeouts) < timeouts
    }

    /// The data in a segment that it sends.
    pub(super) fn data_of(&mut self, segment: &Segment) -> Option<Mapping> {
        let start = extend(self.acknowledged + FIRST, segment.sequence) - FIRST;
        let mut mapping = self.sent.get(self.latest)?;
        if start < mapping.start {
            mapping = self.sent.get(self.sent.partition_point(|it| it.end() <= start))?;
        }
        // What goes for the first time goes in order.
        while mapping.end() <= start {
            mapping = self.sent.get(self.latest + 1)?;
            self.latest += 1;
        }
        if start < mapping.start {
            return None;
        }
        let data = mapping.data + (start - mapping.start);
        Some(Mapping { start, length: u64::from(segment.length), data, ..*mapping })
    }

    /// It is given the bytes from `start` to before `end`. With `joins`, segments may have them together
    /// with the data before them.
    pub(super) fn give(&mut self, now: Time, start: u64, end: u64, joins: bool) {
        let (written, length) = (self.endpoint.written(), end - start);
        let last = self.sent.back_mut();
        let last = last.filter(|it| it.data_end() == start && !it.is_reinjected);
        if last.is_some() && joins {
            self.endpoint.continue_record(now, length);
        } else {
            self.endpoint.write_record(now, length);
        }
        match last {
            Some(last) => last.length += length,
            None => {
                let mapping = Mapping { start: written, length, data: start, is_reinjected: false };
                self.sent.push_back(mapping);
            }
        }
        self.has_more_to_send = true;
    }

    /// Whether it has that data in flight or waiting.
    pub(super) fn holds(&self, data: u64) -> bool {
        self.sent.iter().any(|it| (it.data..it.data_end()).contains(&data))
    }

    /// The place of a segment's data among what arrives on it; none before the first byte.
    pub(super) fn place_of(&self, segment: &Segment) -> Option<u64> {
        let near = self.received_bytes() + FIRST;
        extend(near, segment.sequence).checked_sub(FIRST)
    }

    /// The bytes that came in its order.
    #[inline]
    pub(super) fn received_bytes(&self) -> u64 {
        self.endpoint.counters().received_bytes
    }

    /// A segment brought that data.
    pub(super) fn arrive(&mut self, mapping: Mapping) {
        let place = self.arrived.partition_point(|it| it.start < mapping.start);
        if self.arrived.get(place).is_none_or(|it| it.start != mapping.start) {
            self.arrived.insert(place, mapping);
        }
    }

    /// The window that a segment advertises, in bytes; that of a SYN is not scaled, and says how
    /// the others are.
    pub(super) fn window_of(&mut self, segment: &Segment) -> u64 {
        if segment.flags.has(Flags::SYN) {
            self.peer_scale = segment.syn_options().window_scale.unwrap_or(0);
            return u64::from(segment.window);
        }
        u64::from(segment.window) << self.peer_scale
    }

    /// The next data that is in the subflow's order.
    pub(super) fn next_in_order(&mut self) -> Option<Mapping> {
        let received = self.received_bytes();
        self.arrived.front().filter(|it| it.end() <= received)?;
        self.arrived.pop_front()
    }
}
