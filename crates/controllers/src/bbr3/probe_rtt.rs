//! The minimum round trip, and ProbeRTT.

use super::model::{Bbr3, Feedback, PROBE_RTT_WINDOW_GAIN, State};
use crate::bbr::{LEAST, MIN_RTT_MEMORY, RttProbe, SECOND};
use crate::{Acknowledgement, Nanoseconds, TransmissionStart};

const PROBE_RTT_INTERVAL: Nanoseconds = 5 * SECOND;

impl Bbr3 {
    /// BBROnInit (section 5.2.1): the first round trip is that of the handshake, if that measured
    /// one.
    pub(super) fn take_first_rtt(&mut self, start: &TransmissionStart) {
        if let Some(rtt) = start.smoothed_rtt
            && self.min_rtt == Nanoseconds::MAX
        {
            self.min_rtt = rtt.max(1);
            self.min_rtt_seen = start.now;
            self.set_first_pacing_rate(rtt);
        }
    }

    pub(super) fn update_min_rtt(&mut self, acknowledgement: &Acknowledgement) {
        let now = acknowledgement.now;
        let known = self.probe_rtt_min != Nanoseconds::MAX;
        let expired = known && now > self.probe_rtt_seen.saturating_add(PROBE_RTT_INTERVAL);
        if let Some(rtt) = acknowledgement.rtt
            && (rtt < self.probe_rtt_min || expired)
        {
            self.probe_rtt_min = rtt.max(1);
            self.probe_rtt_seen = now;
        }
        let forgotten = now > self.min_rtt_seen.saturating_add(MIN_RTT_MEMORY);
        if self.probe_rtt_min < self.min_rtt || forgotten {
            self.min_rtt = self.probe_rtt_min;
            self.min_rtt_seen = self.probe_rtt_seen;
        }
        let probing = matches!(self.state, State::ProbeRtt(_));
        if expired && !self.from_idle && !probing {
            self.save_window();
            self.state = State::ProbeRtt(RttProbe::default());
            self.begin_limit();
            self.probe.feedback = Feedback::Stopping;
            self.rounds.restart();
        }
        self.probe_rtt(acknowledgement);
        self.from_idle = false;
    }

    /// From here on samples are limited, unless they still are.
    fn begin_limit(&mut self) {
        if self.limited_until < self.rounds.total {
            self.limited_from = self.rounds.total;
        }
    }

    /// Whether data sent when this much was delivered was sent with a window that a
    /// probe for the round trip limited.
    pub(super) fn was_held_down(&self, total_at_send: f64) -> bool {
        (self.limited_from..=self.limited_until).contains(&total_at_send)
    }

    pub(super) fn probe_rtt_window(&self) -> f64 {
        self.bdp(self.bw(), PROBE_RTT_WINDOW_GAIN).max(LEAST)
    }

    fn probe_rtt(&mut self, acknowledgement: &Acknowledgement) {
        let State::ProbeRtt(mut probe) = self.state else { return };
        self.limited_until = self.rounds.total + acknowledgement.in_flight;
        let low = acknowledgement.in_flight <= self.probe_rtt_window();
        let over = probe.advance(acknowledgement.now, low, &mut self.rounds);
        self.state = State::ProbeRtt(probe);
        if over {
            self.end_probe_rtt(acknowledgement.now);
        }
    }

    pub(super) fn end_probe_rtt(&mut self, now: Nanoseconds) {
        self.probe_rtt_seen = now;
        self.window.set(self.window.cwnd().max(self.prior_window));
        self.reset_short_term();
        if self.full_pipe.reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
