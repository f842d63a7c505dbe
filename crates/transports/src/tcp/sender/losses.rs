//! How losses are found and answered: RFC 5681 and 6582 without SACK, RFC 6675
//! by counting, RFC 8985 by time.

use windtunnel_controllers::{Congestion, Controller, Signal};
use windtunnel_engine::Time;

use super::Sender;
use super::state::{ForwardRecovery, Phase};
use crate::prr::Reduction;
use crate::tcp::counters::EndpointCounters;
use crate::tcp::rack::DUPLICATE_THRESHOLD;
use crate::tcp::scoreboard::State;
use crate::tcp::settings::{EcnMode, Recovery};

impl Sender {
    /// Marks segments as lost; returns their bytes.
    pub(super) fn find_losses(&mut self, now: Time) -> u64 {
        let lost = match self.settings.recovery {
            Recovery::Rack => self.find_losses_by_time(now),
            Recovery::Sack => self.find_losses_by_count(),
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => self.find_loss_of_first(),
        };
        let lost = if lost > 0 { lost - self.lost_of_path_probe(now).min(lost) } else { 0 };
        if lost > 0 {
            self.account.lose(lost);
        }
        lost
    }

    /// RFC 8985, section 6.2, step 5.
    fn find_losses_by_time(&mut self, now: Time) -> u64 {
        self.reordering_until = None;
        let recovering = matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_));
        let smoothed = self.estimator.smoothed();
        let window = self.rack.window(recovering, self.board.delivered(), smoothed);
        let mut lost = 0;
        while let Some((number, sent)) = self.board.oldest() {
            if !self.rack.is_older(sent) {
                break;
            }
            if self.rack.deadline(sent, window) > now {
                self.reordering_until = Some(self.rack.last_deadline(window));
                break;
            }
            lost += self.board.counted(sent.length);
            self.board.lose(number);
        }
        lost
    }

    /// RFC 6675's IsLost in segments: three of them above were delivered. One that
    /// was sent again is not looked at again.
    fn find_losses_by_count(&mut self) -> u64 {
        if self.board.delivered() < DUPLICATE_THRESHOLD {
            return 0;
        }
        let base = self.board.next().wrapping_sub(self.board.len());
        let from = |number: u32| number.wrapping_sub(base);
        if from(self.examined) > self.board.len() {
            self.examined = base;
        }
        // Below the third highest that was delivered, what was not is lost.
        let mut threshold = self.board.highest_delivered();
        let mut above = 0;
        while above < DUPLICATE_THRESHOLD && from(threshold) > from(self.examined) {
            threshold = threshold.wrapping_sub(1);
            above += u32::from(self.board.at(threshold).state == State::Delivered);
        }
        if above < DUPLICATE_THRESHOLD {
            return 0;
        }
        let mut lost = 0;
        while from(self.examined) < from(threshold) {
            let sent = self.board.at(self.examined);
            if sent.state == State::InFlight && sent.retransmissions == 0 {
                lost += self.board.counted(sent.length);
                self.board.lose(self.examined);
            }
            self.examined = self.examined.wrapping_add(1);
        }
        lost
    }

    /// Without SACK: the third duplicate, or in NewReno's recovery an advance that
    /// does not end it, means that the first segment is lost.
    fn find_loss_of_first(&mut self) -> u64 {
        let unacknowledged = self.board.unacknowledged();
        let Some((number, first)) = self.board.first() else { return 0 };
        let (in_flight, length) =
            (first.state == State::InFlight, self.board.counted(first.length));
        let fresh = first.retransmissions == 0;
        let lost = match self.phase {
            Phase::Open | Phase::Reducing(_) => {
                self.duplicates == DUPLICATE_THRESHOLD && self.is_beyond_repair()
            }
            Phase::Recovery(point) => {
                self.settings.recovery == Recovery::NewReno && fresh && unacknowledged < point
            }
            Phase::Loss(_) => false,
        };
        if !lost || !in_flight {
            return 0;
        }
        self.board.lose(number);
        // Also one that a partial acknowledgement shows (RFC 6582, section 3.2, step 3).
        self.fast_retransmit = true;
        length
    }

    /// Whether more was acknowledged than the last repair was about: until then
    /// duplicates may come from what it sent twice (RFC 6582, section 3.2, step 2:
    /// `recover`). Reno knows no such rule.
    fn is_beyond_repair(&self) -> bool {
        self.settings.recovery == Recovery::Reno || self.board.unacknowledged() > self.repaired
    }

    /// Ends what congestion began, if all that had been sent then is acknowledged.
    pub(super) fn leave_phase(&mut self, now: Time) {
        let unacknowledged = self.board.unacknowledged();
        if self.waits_for_path() {
            return;
        }
        let over = match self.phase {
            Phase::Open => return,
            // Reno's recovery ends with the first advance; then, there is none of
            // the first segment's retransmission in flight.
            Phase::Recovery(_) if self.settings.recovery == Recovery::Reno => {
                self.board.first().is_none_or(|(_, it)| it.retransmissions == 0)
                    && self.board.lowest_lost().is_none()
            }
            Phase::Reducing(point) | Phase::Recovery(point) | Phase::Loss(point) => {
                unacknowledged >= point
            }
        };
        if !over {
            return;
        }
        if matches!(self.phase, Phase::Recovery(_)) {
            self.rack.recovered();
        }
        if let Phase::Recovery(point) | Phase::Loss(point) = self.phase {
            self.repaired = point;
        }
        self.phase = Phase::Open;
        self.reduction = None;
        self.duplicates = 0;
        self.forward = ForwardRecovery::Off;
        self.controller.on_recovered(now.as_nanos());
    }

    pub(super) fn answer_losses(
        &mut self,
        now: Time,
        lost: u64,
        flight: u64,
        counters: &mut EndpointCounters,
    ) {
        let reducing = match self.phase {
            _ if lost == 0 => return,
            Phase::Recovery(_) | Phase::Loss(_) => return,
            // The window came down already for this round trip's congestion.
            Phase::Reducing(_) => true,
            Phase::Open => false,
        };
        if self.settings.recovery == Recovery::Tahoe {
            self.restart(now, counters);
            return;
        }
        self.remember();
        // RFC 5681, section 3.2; RFC 6675, section 5, step 4.3.
        self.fast_retransmit = true;
        // What a probe repairs is answered with what it has shown (as in Linux).
        self.probe = None;
        self.phase = Phase::Recovery(self.next);
        if !reducing {
            self.decrease(now, Signal::Loss, flight, counters);
        }
        // A controller that goes back to slow start repairs the loss in it.
        if self.controller.cwnd() < self.controller.ssthresh() && !self.is_model_based {
            self.phase = Phase::Loss(self.next);
            self.reduction = None;
        }
    }

    /// Tahoe goes back to slow start, and sends again from the first segment on.
    fn restart(&mut self, now: Time, counters: &mut EndpointCounters) {
        for number in self.board.numbers() {
            if self.board.at(number).state == State::InFlight {
                self.board.lose(number);
            }
        }
        self.duplicates = 0;
        self.phase = Phase::Loss(self.next);
        counters.decreases += 1;
        self.congest(now, Signal::Timeout);
    }

    /// Reports congestion to the controller, and lets what is in flight decrease.
    pub(super) fn decrease(
        &mut self,
        now: Time,
        signal: Signal,
        flight: u64,
        counters: &mut EndpointCounters,
    ) {
        counters.decreases += 1;
        self.lower_to_used(now, flight);
        self.congest(now, signal);
        if self.settings.recovery.uses_sack() && !self.is_model_based {
            self.reduction = Some(Reduction::new(flight, self.window(), self.segment()));
        }
    }

    pub(super) fn congest(&mut self, now: Time, signal: Signal) {
        // RFC 3168, section 6.1.2: for whatever reason the window was reduced.
        self.reduced = matches!(self.ecn, EcnMode::Classic | EcnMode::SomeCongestion);
        if signal == Signal::Mark {
            // What a spurious loss brought about cannot be told from it any more.
            self.undo.possible = false;
        }
        if let Some(subflow) = &mut self.subflow
            && signal != Signal::Mark
        {
            subflow.lose(self.account.delivered());
        }
        let in_flight = self.segments(self.in_flight());
        self.controller.on_congestion(&Congestion { now: now.as_nanos(), signal, in_flight });
    }
}
