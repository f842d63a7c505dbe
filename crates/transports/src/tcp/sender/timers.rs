//! What is done when nothing arrives: retransmission timeouts (RFC 6298), tail loss
//! probes (RFC 8985, section 7), reordering timers, probes of a closed window (RFC 9293,
//! section 3.8.6.1), and windows that stay smaller than a segment.

use windtunnel_controllers::{Controller, Signal};
use windtunnel_engine::{Duration, Time};

use super::Sender;
use super::state::{Delivered, ForwardRecovery, Part, Phase, Probe, Transmission};
use crate::tcp::counters::EndpointCounters;
use crate::tcp::settings::Recovery;

/// How much later than two round trips a probe is sent at least: two ticks of a clock of
/// 1 kHz, as in Linux, so that it does not race with what it waits for.
const LEAST_MARGIN: Duration = Duration::from_millis(2);

/// How long a part of a segment waits for room at least and at most, where that is not the
/// retransmission timeout (RFC 9293, section 3.8.6.2.1).
const OVERRIDE: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

impl Sender {
    /// When the sender wants to be woken; never, if it does not.
    #[inline]
    pub(in crate::tcp) fn next_wake(&self) -> Time {
        let may_send = if self.waits_for_pacer {
            self.pacer.next()
        } else if self.waits_for_queue {
            self.all_leave_queue()
        } else {
            Time::NEVER
        };
        may_send.min(self.next_timer())
    }

    /// When the next timer expires.
    #[inline]
    fn next_timer(&self) -> Time {
        if self.board.is_empty() {
            // A closed window is probed.
            let due = self.waits_for_room().then(|| self.timeout_due()).or(self.part_due());
            return due.unwrap_or(Time::NEVER);
        }
        let timeout = self.timeout_due();
        let probe = self.probe_due(timeout).unwrap_or(timeout);
        self.reordering_until.unwrap_or(timeout).min(timeout).min(probe)
    }

    /// When the retransmission timeout is over, or a closed window is to be probed.
    #[inline]
    fn timeout_due(&self) -> Time {
        self.timeout_from + self.estimator.timeout()
    }

    /// When a part of a segment that waits for room goes all the same.
    fn part_due(&self) -> Option<Time> {
        let [least, most] = OVERRIDE;
        let wait = || self.estimator.timeout().max(least).min(most);
        (self.part == Part::Waits).then(|| self.timeout_from + wait())
    }

    /// Whether there is data, and the receiver's window is closed.
    #[inline]
    pub(super) fn waits_for_room(&self) -> bool {
        self.writes.limit() > self.next && self.edge <= self.next
    }

    /// When a tail loss probe is due, if it may be sent (RFC 8985, section 7.2: in no loss
    /// recovery): a timeout that would come first is replaced by it.
    #[inline]
    fn probe_due(&self, timeout: Time) -> Option<Time> {
        let may = self.settings.recovery == Recovery::Rack
            && matches!(self.phase, Phase::Open | Phase::Reducing(_))
            && self.probe.is_none()
            && self.probe_allowed
            && self.board.delivered() == 0
            && self.reordering_until.is_none()
            && !self.estimator.backed_off();
        if !may {
            return None;
        }
        let wait = match self.estimator.smoothed() {
            None => Duration::from_secs(1),
            // A single segment may be acknowledged late.
            Some(rtt) if self.board.len() == 1 => rtt * 2 + self.settings.timeout.minimum,
            Some(rtt) => rtt * 2 + LEAST_MARGIN,
        };
        Some((self.probe_from + wait).min(timeout))
    }

    /// Looks at the timers; returns whether the closed window is to be probed.
    pub(in crate::tcp) fn wake(
        &mut self,
        now: Time,
        counters: &mut EndpointCounters,
        emit: &mut impl FnMut(Transmission),
    ) -> bool {
        if self.board.is_empty() {
            if self.part_due().is_some_and(|it| it <= now) {
                self.part = Part::Goes;
            }
            let asks = self.waits_for_room() && self.timeout_due() <= now;
            if asks {
                self.estimator.back_off();
                self.timeout_from = now;
            }
            return asks;
        }
        if self.reordering_until.is_some_and(|it| it <= now) {
            let flight = self.in_flight();
            let lost = self.find_losses(now);
            self.lost_unreported += lost;
            self.answer_losses(now, lost, flight, counters);
        }
        let timeout = self.timeout_due();
        if self.probe_due(timeout).is_some_and(|it| it <= now) {
            self.send_probe(now, counters, emit);
        } else if timeout <= now {
            self.time_out(now, counters, emit);
        }
        false
    }

    /// RFC 6298, section 5: the first segment is sent again, and the window starts
    /// from the beginning.
    fn time_out(
        &mut self,
        now: Time,
        counters: &mut EndpointCounters,
        emit: &mut impl FnMut(Transmission),
    ) {
        counters.timeouts += 1;
        let first = self.timed_out != self.board.unacknowledged();
        self.timed_out = self.board.unacknowledged();
        self.estimator.back_off();
        self.timeout_from = now;
        // RFC 5682, section 3.1, step 1: in the midst of a repair what still arrives
        // gives no information; and what would be restored is the state before the repair.
        let repairing = matches!(self.phase, Phase::Loss(_) | Phase::Recovery(_));
        if first && !repairing {
            self.remember();
        }
        self.note_timeout(now, first);
        let flight = self.in_flight();
        let lost = self.lose_after_timeout(now);
        self.account.lose(lost);
        self.lost_unreported += lost;
        self.duplicates = 0;
        self.probe = None;
        self.reordering_until = None;
        self.rack.forget_distance();
        self.reduction = None;
        self.phase = Phase::Loss(self.next);
        self.forward = match (first && !repairing, self.settings.recovery) {
            (true, Recovery::NewReno | Recovery::Sack | Recovery::Rack) => ForwardRecovery::Probing,
            _ => ForwardRecovery::Off,
        };
        // A repeated timeout of the same data finds the window where it is.
        if first {
            counters.decreases += 1;
            self.lower_to_used(now, flight);
            self.congest(now, Signal::Timeout);
        }
        if let Some((number, _)) = self.board.first() {
            self.resend(now, number, counters, emit);
        }
    }

    /// After a timeout everything is considered lost; by RACK what is overdue
    /// (RFC 8985, section 6.3).
    fn lose_after_timeout(&mut self, now: Time) -> u64 {
        let smoothed = self.estimator.smoothed();
        let window = self.rack.window(true, self.board.delivered(), smoothed);
        let by_time = self.settings.recovery == Recovery::Rack;
        let mut lost = 0;
        while let Some((number, sent)) = self.board.oldest() {
            let is_first = self.board.first().is_some_and(|(it, _)| it == number);
            if by_time && !is_first && self.rack.deadline(sent, window) > now {
                break;
            }
            lost += self.board.counted(sent.length);
            self.board.lose(number);
        }
        lost
    }

    /// RFC 8985, section 7.3: new data if there is any, else the last segment.
    fn send_probe(
        &mut self,
        now: Time,
        counters: &mut EndpointCounters,
        emit: &mut impl FnMut(Transmission),
    ) {
        counters.probes += 1;
        self.probe_allowed = false;
        self.end_silence(now);
        let new = self.new_length();
        match (new, self.board.last()) {
            (Some(length), _) => {
                let counted = self.board.counted(length);
                self.send(now, length, counted, counters, emit);
            }
            (None, Some((number, _))) => self.resend(now, number, counters, emit),
            (None, None) => {}
        }
        // The timeout runs anew, so that it leaves the probe its time.
        self.timeout_from = now;
        // The window that comes down after a mark does so for all that was sent before it.
        let answered = matches!(self.phase, Phase::Reducing(point) if point == self.next);
        let is_to_be_answered = new.is_none() && !answered;
        self.probe = Some(Probe { end: self.next, is_to_be_answered });
    }

    /// RFC 8985, section 7.4: whether the probe itself repaired a loss, which nothing
    /// else would detect.
    pub(super) fn answer_probe(
        &mut self,
        now: Time,
        probe: Probe,
        delivered: &Delivered,
        repeats: bool,
        counters: &mut EndpointCounters,
    ) {
        let unacknowledged = self.board.unacknowledged();
        let both_arrived = delivered.duplicate || (repeats && delivered.bytes == 0);
        // Of the original and the probe, one has arrived: it is open whether both do.
        let open = unacknowledged == probe.end && probe.is_to_be_answered && !both_arrived;
        if unacknowledged < probe.end || open {
            return;
        }
        self.probe = None;
        let repairing = matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_));
        if probe.is_to_be_answered && !both_arrived && !repairing {
            counters.decreases += 1;
            self.undo.possible = false;
            self.congest(now, Signal::Loss);
            self.controller.on_recovered(now.as_nanos());
        }
    }
}
