//! Which subflow gets what, at an end.

use windtunnel_engine::Time;

use super::Endpoint;
use crate::mptcp::memory::held_in;
use crate::mptcp::scheduler::{Choice, SubflowState, nearest};
use crate::mptcp::sending::{LEAST_WINDOW, MUCH_SLOWER, PROBE_WITHIN, Reinjection, SMALL_WINDOW};
use crate::mptcp::subflow::Subflow;
use crate::tcp::TcpOutbox;

impl Endpoint {
    /// Gives subflows what they may have.
    pub(in crate::mptcp) fn transmit(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if !self.sending.is_used() {
            return;
        }
        for place in 0..self.subflows.len() {
            if self.subflows[place].view_has_changed {
                self.look_at(place);
            }
        }
        while !self.sending.reinjections.is_empty() && self.send_again(now) {}
        if self.sending.writes.waiting(self.sending.next) == 0 {
            self.write_on();
        }
        while self.send_next(now) || self.write_on() {}
        for place in 0..self.subflows.len() {
            if std::mem::take(&mut self.subflows[place].has_more_to_send) {
                self.on_subflow(place, outbox, |it, outbox| it.send(now, outbox));
            }
        }
        self.arrange_probe(now);
    }

    /// The application writes its next piece, and the first of several once a subflow can take
    /// it. Whether it had more.
    fn write_on(&mut self) -> bool {
        let settings = &self.settings.tcp;
        let may = settings.socket.write_size.is_none() || self.states.iter().any(|it| it.usable);
        may && self.sending.writes.write_on(self.sending.next, settings)
    }

    /// Notes how a subflow fares, of which something has changed.
    #[inline]
    fn look_at(&mut self, place: usize) {
        let state = self.subflows[place].state(self.wants_rates);
        let subflow = &mut self.subflows[place];
        subflow.view_has_changed = false;
        // While a window is full, Linux's send buffer does not grow.
        let is_full = state.sender.in_flight >= state.sender.cwnd.floor();
        if !is_full || !self.settings.tcp.offload.segmentation {
            subflow.largest_window = subflow.largest_window.max(state.sender.cwnd);
        }
        self.states[place] = state;
        self.note_fullness(place);
    }

    /// What the scheduler chooses, if it is possible.
    fn choose(&mut self, now: Time, excluded: Option<usize>) -> Option<Choice> {
        let view = self.sending.view(now, &self.states, &self.settings.tcp, excluded);
        let minds_itself = self.fills_window();
        let takes = |it: &SubflowState| it.usable && (minds_itself || !it.is_full);
        self.scheduler.choose(&view).filter(|it| self.states.get(it.subflow).is_some_and(takes))
    }

    /// Notes whether a subflow holds as much as it may.
    #[inline]
    fn note_fullness(&mut self, place: usize) {
        let windows = self.most_windows * self.subflows[place].largest_window.max(LEAST_WINDOW);
        let in_pieces = self.settings.tcp.offload.segmentation;
        let most = held_in(windows, self.segment_of(place), in_pieces);
        let state = &mut self.states[place];
        state.is_full = state.sender.in_flight + state.sender.queued >= most;
    }

    /// Whether data goes in pieces as small as the window has room for.
    fn fills_window(&self) -> bool {
        self.settings.tcp.offload.segmentation && self.scheduler.fills_window()
    }

    /// Data that was late on one subflow goes to another: the first for which there is one.
    /// Whether some went.
    fn send_again(&mut self, now: Time) -> bool {
        self.sending.forget_acknowledged();
        let mut tried = None;
        for index in 0..self.sending.reinjections.len() {
            let it = self.sending.reinjections[index];
            // What the same subflow held finds the same others.
            let start = it.start.max(self.sending.unacknowledged);
            if start >= it.end || tried == Some(it.from) {
                continue;
            }
            tried = Some(it.from);
            let Some(choice) = self.choose(now, Some(it.from)) else { continue };
            let end = it.end.min(start + self.segment_of(choice.subflow));
            if end == it.end {
                self.sending.reinjections.remove(index);
            } else {
                self.sending.reinjections[index].start = end;
            }
            self.give(now, choice.subflow, start, end);
            return true;
        }
        false
    }

    /// The next segment goes to a subflow. Whether one went.
    fn send_next(&mut self, now: Time) -> bool {
        let sending = &self.sending;
        let (waiting, next) = (sending.ready(&self.settings.tcp), sending.next);
        let unacknowledged = sending.unacknowledged.min(next);
        let room = sending.room(self.settings.tcp.buffers.send);
        let segment = u64::from(self.settings.tcp.maximum_segment);
        let length = waiting.min(segment);
        let repeats = self.scheduler.repeats();
        // A part of a segment goes only where nothing else would go on (RFC 9293, section
        // 3.8.6.2.1).
        let waits_for_room = || !self.fills_window() && self.has_any_in_flight();
        let is_blocked = waiting > 0 && length > room && (room == 0 || waits_for_room());
        if is_blocked {
            self.scheduler.on_window_full(now);
            self.send_what_blocks(now);
        }
        if (waiting == 0 || is_blocked) && !repeats {
            return false;
        }
        let Some(choice) = self.choose(now, None) else { return false };
        let from = choice.from.map_or(next, |it| it.clamp(unacknowledged, next));
        let segment = self.segment_of(choice.subflow);
        let (start, end) = if from < next {
            (from, next.min(from + segment))
        } else if is_blocked || waiting == 0 {
            return false;
        } else {
            (next, next + length.min(room).min(segment).min(choice.most))
        };
        self.give(now, choice.subflow, start, end);
        true
    }

    /// The bytes in a full segment of a subflow.
    fn segment_of(&self, place: usize) -> u64 {
        u64::from(self.subflows[place].endpoint.settings().maximum_segment)
    }

    fn has_any_in_flight(&self) -> bool {
        self.states.iter().any(|it| it.sender.in_flight + it.sender.queued > 0.0)
    }

    /// Gives a subflow the bytes from `start` to before `end`.
    fn give(&mut self, now: Time, place: usize, start: u64, end: u64) {
        let length = end - start;
        let is_first = start == self.sending.next;
        let fills = self.fills_window();
        let subflow = &mut self.subflows[place];
        subflow.give(now, start, end, fills);
        if is_first {
            subflow.first_bytes += length;
            self.sending.next = end;
            if length < u64::from(subflow.endpoint.settings().maximum_segment) {
                self.sending.writes.send_small(end);
            }
            self.counters.switches += u64::from(self.sending.last.is_some_and(|it| it != place));
            self.sending.last = Some(place);
        } else {
            subflow.reinjected_bytes += length;
            self.counters.reinjected_bytes += length;
        }
        if self.sending.ends_with(end) && !self.is_plain {
            self.closing.note_fin(now);
        }
        self.scheduler.on_sent(place, start, end);
        // What else has changed is looked at when it goes.
        let segment = f64::from(self.settings.tcp.maximum_segment);
        self.states[place].sender.queued += length as f64 / segment;
        self.note_fullness(place);
    }

    /// What fills the receiver's window because a slower subflow has it goes again on a faster
    /// one, and the slower one is penalised (Raiciu et al., NSDI 2012, section 4.2, with the
    /// conditions of version 0.95).
    fn send_what_blocks(&mut self, now: Time) {
        if !self.settings.options.opportunistic_retransmission {
            return;
        }
        let head = self.sending.unacknowledged;
        let view = self.sending.view(now, &self.states, &self.settings.tcp, None);
        let Some(fast) = nearest(view.open()) else { return };
        let Some(slow) = self.subflows.iter().position(|it| it.holds(head)) else { return };
        if slow == fast || self.subflows[fast].holds(head) {
            return;
        }
        let (one, other) = (self.states[fast], self.states[slow]);
        if one.rtt() < other.rtt() {
            let rtt = one.sender.smoothed_rtt.unwrap_or(PROBE_WITHIN);
            if self.sending.penalised.is_none_or(|it| now.since(it) >= rtt) {
                self.sending.penalised = Some(now);
                self.subflows[slow].endpoint.penalise();
                self.counters.penalties += 1;
                self.look_at(slow);
            }
        }
        let much_slower = other.rtt() > MUCH_SLOWER * one.rtt();
        if head < self.sending.repeated || !(other.sender.cwnd <= SMALL_WINDOW || much_slower) {
            return;
        }
        let end = (head + self.segment_of(fast)).min(self.sending.next);
        self.sending.repeated = end;
        self.give(now, fast, head, end);
    }

    /// A subflow's timeout went off: others send what it holds.
    pub(in crate::mptcp) fn on_timeout(&mut self, place: usize) {
        self.subflows[place].is_failed = true;
        self.reinject(place);
    }

    /// A subflow is not used any more.
    pub(in crate::mptcp) fn abandon(&mut self, place: usize) {
        let others = self.subflows.iter().enumerate();
        let has_other = others.filter(|(it, _)| *it != place).any(|(_, it)| it.is_usable());
        if has_other && self.subflows[place].may_send {
            self.subflows[place].may_send = false;
            self.reinject(place);
        }
    }

    /// What a subflow holds shall go again, once.
    pub(in crate::mptcp) fn reinject(&mut self, place: usize) {
        let unacknowledged = self.sending.unacknowledged;
        for it in &mut self.subflows[place].sent {
            if it.is_reinjected || it.data_end() <= unacknowledged {
                continue;
            }
            it.is_reinjected = true;
            let (start, end) = (it.data.max(unacknowledged), it.data_end());
            match self.sending.reinjections.back_mut() {
                Some(last) if last.end == start && last.from == place => last.end = end,
                _ => self.sending.reinjections.push_back(Reinjection { start, end, from: place }),
            }
        }
    }

    /// In plain TCP, what the first subflow acknowledges is the data.
    pub(in crate::mptcp) fn take_plain_acknowledgement(&mut self, window: u64) {
        let endpoint = &self.subflows[0].endpoint;
        let acknowledged = endpoint.written().saturating_sub(endpoint.unacknowledged());
        self.sending.acknowledge(acknowledged, window);
    }

    /// The other end is asked what it has, and how much room, where nothing is in flight that it
    /// would answer: an acknowledgement may be lost that opened the window, or that told of data
    /// which its subflow had acknowledged before.
    fn arrange_probe(&mut self, now: Time) {
        let it = &self.sending;
        let waits =
            it.unacknowledged < it.next || it.writes.limit() > it.next && it.edge <= it.next;
        let is_busy = |it: &Subflow| it.is_usable() && it.endpoint.is_sending();
        if !waits || self.subflows.iter().any(is_busy) {
            (self.sending.probes_at, self.sending.probe_wait) = (Time::NEVER, PROBE_WITHIN);
        } else if self.sending.probes_at == Time::NEVER {
            self.sending.probes_at = now + self.sending.probe_wait;
        }
    }

    /// Asks the other end, if it is time.
    pub(in crate::mptcp) fn probe(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.sending.probes_at > now {
            return;
        }
        let longest = self.settings.tcp.timeout.maximum;
        self.sending.probe_wait = (self.sending.probe_wait * 2).min(longest);
        self.sending.probes_at = now + self.sending.probe_wait;
        if let Some(place) = self.subflows.iter().position(|it| it.is_usable()) {
            self.on_subflow(place, outbox, |it, outbox| it.ask(now, outbox));
        }
    }
}
