//! What is sent, and when it may be.

use windtunnel_controllers::Controller;
use windtunnel_engine::{Duration, Time};

use super::state::{ForwardRecovery, Part, Transmission};
use super::{Sender, clock};
use crate::tcp::counters::EndpointCounters;
use crate::tcp::limits::Limit;

/// So many segments of a connection are not paced by Linux (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;

impl Sender {
    /// Sends what may be sent; returns what keeps it from sending more.
    pub(in crate::tcp) fn transmit(
        &mut self,
        now: Time,
        counters: &mut EndpointCounters,
        emit: &mut impl FnMut(Transmission),
    ) -> Limit {
        self.waits_for_pacer = false;
        self.waits_for_queue = false;
        self.waits_since = Time::NEVER;
        if self.writes.is_behind() && self.new_length().is_none() {
            self.write_on();
        }
        // Without new data to try, recovery goes on as usual.
        if matches!(self.forward, ForwardRecovery::Trying(_)) && self.new_length().is_none() {
            self.forward = ForwardRecovery::Off;
        }
        if self.board.is_empty() && self.new_length().is_some() {
            self.begin_again(now);
        }
        if self.path_mtu.is_some() {
            self.probe_path(now, counters, emit);
        }
        let rate = self.pacing_rate();
        // Sending changes neither the window nor the share of the host's queue that follows from it.
        let window = self.window();
        let mut share = None;
        let mut limit = Limit::CongestionWindow;
        // What is left of a burst, what of it went, and whether it has several segments.
        let (mut burst, mut gone, mut several) = (0, 0, false);
        loop {
            let lost = match self.forward {
                ForwardRecovery::Trying(_) => None,
                _ => self.board.lowest_lost(),
            };
            let length = match lost {
                Some(number) => self.board.at(number).length,
                None => match self.new_length() {
                    Some(length) => length,
                    None if self.write_on() => continue,
                    None => {
                        self.note_part(now);
                        limit = self.limit_without_new();
                        break;
                    }
                },
            };
            let is_due = lost.is_some() && self.fast_retransmit;
            let counted = self.board.counted(length);
            if !is_due && !self.allows(counted, window) {
                break;
            }
            if lost.is_none() && self.is_held() {
                if self.write_on() {
                    continue;
                }
                limit = Limit::Application;
                break;
            }
            if burst == 0 {
                if lost.is_none()
                    && let Some(reason) = self.deferred(now)
                {
                    limit = reason;
                    break;
                }
                burst = self.burst(u64::from(length), lost.is_some());
                several = burst > u64::from(length);
                if !self.fits_queue(now, burst, &mut share) {
                    limit = Limit::HostQueue;
                    self.wait_for_queue(now);
                    break;
                }
                if rate.is_some() && !self.pacer.allows(now) {
                    limit = Limit::Pacing;
                    self.waits_for_pacer = true;
                    break;
                }
            }
            burst = burst.saturating_sub(u64::from(length));
            let ends_burst = several && burst == 0;
            let mut emit =
                |it: Transmission| emit(Transmission { push: it.push || ends_burst, ..it });
            match lost {
                Some(number) => self.resend(now, number, counters, &mut emit),
                None => self.send(now, length, counted, counters, &mut emit),
            }
            gone += u32::from(length);
            if burst == 0 {
                self.pace(now, std::mem::take(&mut gone), rate, counters);
            }
        }
        if gone > 0 {
            self.pace(now, gone, rate, counters);
        }
        while self.write_on() {}
        self.note_limit(now, limit, window);
        limit
    }

    /// A burst of so many bytes went, at that rate if packets are paced. Where interfaces segment, pacing is
    /// Linux's, which does not pace the first ten segments.
    #[inline]
    fn pace(&mut self, now: Time, bytes: u32, rate: Option<f64>, counters: &EndpointCounters) {
        let Some(rate) = rate else { return };
        if !self.settings.offload.segmentation {
            self.pacer.spend(now, bytes, rate);
        } else if counters.segments < UNPACED {
            self.pacer.wait(now, Duration::ZERO);
        } else {
            self.pacer.spend_late(now, bytes, rate);
        }
    }

    /// What keeps it from sending new data, of which none is ready.
    fn limit_without_new(&self) -> Limit {
        if self.writes.limit() > self.next {
            self.room_limit()
        } else if self.lacks_window() {
            Limit::CongestionWindow
        } else if self.board.is_empty() {
            Limit::Idle
        } else {
            Limit::Application
        }
    }

    /// What bounds the room for new data: the receiver, or the send buffer.
    pub(super) fn room_limit(&self) -> Limit {
        let buffered = self.board.unacknowledged() + self.settings.buffers.send;
        if self.edge < buffered { Limit::ReceiveWindow } else { Limit::SendBuffer }
    }

    /// The application writes its next piece. Whether it had more.
    #[inline]
    pub(super) fn write_on(&mut self) -> bool {
        self.writes.write_on(self.next, &self.settings)
    }

    /// Whether Nagle's algorithm holds back what waits; not what a timeout's recovery tries, as in
    /// Linux.
    #[inline]
    fn is_held(&self) -> bool {
        self.writes.are_held(self.board.unacknowledged(), self.next, &self.settings)
            && !matches!(self.forward, ForwardRecovery::Trying(_))
    }

    /// Bytes per second, if packets are paced.
    pub(super) fn pacing_rate(&self) -> Option<f64> {
        let is_paced = self.settings.pacing || self.controller.pacing_rate().is_some();
        if is_paced { self.rate() } else { None }
    }

    /// The rate of sending in bytes per second: as the controller says, or like Linux twice
    /// a window a round trip below half the threshold, and 1.2 windows above. None before a
    /// round trip is measured.
    pub(super) fn rate(&self) -> Option<f64> {
        let excess = self.subflow.as_ref().map_or(0, |it| it.accounting.paced_excess);
        let segment = f64::from(self.settings.maximum_segment + excess);
        if let Some(rate) = self.controller.pacing_rate() {
            return Some(rate * segment);
        }
        let (cwnd, ssthresh) = (self.controller.cwnd(), self.controller.ssthresh());
        let ratio = if cwnd < ssthresh / 2.0 { 2.0 } else { 1.2 };
        Some(ratio * cwnd * segment / self.estimator.smoothed()?.as_seconds())
    }

    /// The bytes that the window lets out.
    pub(super) fn window_left(&self) -> u64 {
        match &self.reduction {
            Some(reduction) => reduction.allowance(),
            None => self.window().saturating_sub(self.in_flight()),
        }
    }

    fn allows(&self, length: u64, window: u64) -> bool {
        if let ForwardRecovery::Trying(left) = self.forward {
            return left > 0;
        }
        match &self.reduction {
            Some(reduction) => reduction.allows(length),
            None => self.in_flight() + length <= window,
        }
    }

    /// The bytes of new data that there is room for, at the receiver and in the send buffer.
    pub(super) fn room(&self) -> u64 {
        let buffered = self.board.unacknowledged() + self.settings.buffers.send;
        self.edge.min(buffered).saturating_sub(self.next)
    }

    /// The bytes of the next new segment; `None` if there is nothing to send, or
    /// no room for it at the receiver or in the send buffer.
    pub(super) fn new_length(&self) -> Option<u16> {
        let waiting = self.writes.waiting(self.next);
        if waiting == 0 {
            return self.writes.end_at(self.next).then_some(0);
        }
        let room = self.room();
        let record = self.subflow.as_ref().map_or(u64::MAX, |it| it.left(self.next));
        let length = waiting.min(self.segment()).min(record);
        if length <= room {
            return Some(length as u16);
        }
        // A part of a segment only where nothing else would go on.
        (room > 0 && self.board.is_empty() && self.may_send_part(length)).then_some(room as u16)
    }

    /// Whether a part of a segment of `length` bytes may go: it fills half of the largest window,
    /// it has waited for long enough, or it is not the window that it waits for (RFC 9293, section
    /// 3.8.6.2.1).
    fn may_send_part(&self, length: u64) -> bool {
        let window = self.edge - self.next;
        window >= length || 2 * window >= self.largest_window || self.part == Part::Goes
    }

    /// Whether nothing was written behind the byte before `end`, also not for other subflows.
    #[inline]
    fn is_last_written(&self, end: u64) -> bool {
        self.writes.waiting(end) == 0 && !self.subflow.as_ref().is_some_and(|it| it.more_waits)
    }

    /// There is nothing that may be sent: notes whether a part of a segment waits.
    #[inline]
    fn note_part(&mut self, now: Time) {
        let waits = self.board.is_empty() && self.writes.waiting(self.next) > 0 && self.room() > 0;
        if waits && self.part == Part::None {
            self.timeout_from = now;
        }
        self.part = if waits { Part::Waits } else { Part::None };
    }

    /// Sends a new segment of `length` bytes, which count for `counted`.
    pub(super) fn send(
        &mut self,
        now: Time,
        length: u16,
        counted: u64,
        counters: &mut EndpointCounters,
        emit: &mut impl FnMut(Transmission),
    ) {
        self.part = Part::None;
        let sequence = self.next;
        self.next += u64::from(length);
        let push = length > 0 && self.is_last_written(self.next);
        let fin = self.writes.end_at(self.next);
        self.next += u64::from(fin);
        if u64::from(length) < self.segment() {
            self.writes.send_small(self.next);
        }
        if let Some(subflow) = &mut self.subflow {
            subflow.send(self.next);
        }
        let idle = self.board.is_empty();
        if idle {
            self.timeout_from = now;
        }
        self.probe_from = now;
        self.sent_at = now;
        let snapshot = self.account.send(now, idle, self.board.in_flight() + counted);
        self.board.send(now, self.next, length, counted, snapshot);
        if let Some(reduction) = &mut self.reduction {
            reduction.send(counted);
        }
        if let ForwardRecovery::Trying(left) = &mut self.forward {
            *left -= 1;
        }
        self.enter_queue(length);
        counters.segments += u64::from(length > 0);
        let reduced = std::mem::take(&mut self.reduced);
        emit(Transmission { sequence, length, fin, push, retransmission: false, reduced });
    }

    pub(super) fn resend(
        &mut self,
        now: Time,
        number: u32,
        counters: &mut EndpointCounters,
        emit: &mut impl FnMut(Transmission),
    ) {
        let sent = self.board.at(number);
        let (end, length) = (sent.end, sent.length);
        let counted = self.board.counted(length);
        let snapshot = self.account.send(now, false, self.board.in_flight() + counted);
        // The timeout is that of the first segment (RFC 6298, section 5, as in Linux).
        if self.board.first().is_some_and(|(first, _)| first == number) {
            self.timeout_from = now;
        }
        self.sent_at = now;
        self.fast_retransmit = false;
        self.board.resend(now, number, snapshot);
        if let Some(reduction) = &mut self.reduction {
            reduction.send(counted);
        }
        let fin = self.writes.end_before(end);
        let sequence = end - u64::from(length) - u64::from(fin);
        // A part of it may be acknowledged.
        let acknowledged = self.board.unacknowledged().saturating_sub(sequence);
        let length = length - (acknowledged as u16).min(length);
        let sequence = sequence + acknowledged;
        // Of another than the first unacknowledged one, an earlier one's arrival could
        // seem to be an answer (RFC 3522, section 3.2).
        if self.undo.retransmissions == 0 && sequence == self.board.unacknowledged() {
            self.undo.first = Some((clock(now), end));
        }
        self.undo.retransmissions += 1;
        self.enter_queue(length);
        counters.segments += u64::from(length > 0);
        counters.retransmissions += u64::from(length > 0);
        let push = length > 0 && self.is_last_written(sequence + u64::from(length));
        emit(Transmission { sequence, length, fin, push, retransmission: true, reduced: false });
    }

    /// Notes what stopped the sender, which has that window.
    fn note_limit(&mut self, now: Time, limit: Limit, window: u64) {
        let limited = matches!(limit, Limit::CongestionWindow | Limit::Pacing);
        let in_flight = self.in_flight();
        let ended = self.board.unacknowledged() >= self.limited_end;
        if ended || limited || (!self.window_limited && in_flight > self.most_in_flight) {
            self.window_limited = limited;
            self.most_in_flight = in_flight;
            self.limited_end = self.next;
        }
        let counts = self.subflow.as_ref().is_none_or(|it| it.accounting.application_limited);
        let lacks_data = matches!(limit, Limit::Application | Limit::Idle);
        let ran_out = lacks_data && counts && in_flight < window;
        self.ran_out_at = if ran_out { self.ran_out_at.min(now) } else { Time::NEVER };
    }

    /// The application writes more, or a probe goes, after the sender had nothing to send: the
    /// samples of what is sent until that silence has left the path are only lower bounds
    /// (draft-cheng-iccrg-delivery-rate-estimation-02, on application-limited phases). The
    /// repair of a loss did not wait for the application.
    pub(super) fn end_silence(&mut self, now: Time) {
        if self.ran_out_at < now {
            self.account.limit(self.in_flight());
        }
    }
}
