//! What becomes of the window when it was not used: after idleness, and where the
//! application sends less than it allows.
//!
//! RFC 5681, section 4.1 restarts; RFC 2861, as Linux still does it, halves the window for
//! each timeout that passed; RFC 7661 keeps it for five minutes, and lets what was really
//! in use decide after a loss.

use windtunnel_controllers::{Controller, TransmissionStart};
use windtunnel_engine::{Duration, Time};

use super::Sender;
use super::state::Phase;
use crate::tcp::settings::Idleness;
use crate::tcp::validation::NON_VALIDATED_PERIOD;

impl Sender {
    /// Data is about to be sent while none is in flight.
    pub(in crate::tcp) fn begin_again(&mut self, now: Time) {
        let idle = now.since(self.sent_at);
        // A model does not depend on the window.
        if idle > self.estimator.timeout() && !self.is_model_based {
            self.lower_after(now, idle);
        }
        self.sent_at = now;
        let application_limited = self.account.is_limited();
        self.controller.on_transmission_start(&TransmissionStart {
            now: now.as_nanos(),
            application_limited,
            smoothed_rtt: self.estimator.smoothed().map(Duration::as_nanos),
        });
    }

    fn lower_after(&mut self, now: Time, idle: Duration) {
        let cwnd = self.controller.cwnd();
        let initial = self.settings.window.initial;
        if cwnd <= initial {
            return;
        }
        match self.settings.window.after_idleness {
            Idleness::Keep => {}
            Idleness::Restart => {
                self.controller.lower_window(initial, self.controller.ssthresh());
            }
            Idleness::Decay => {
                let timeout = self.estimator.timeout().as_seconds();
                let timeouts = (idle.as_seconds() / timeout).ceil() - 1.0;
                self.halve(timeouts);
            }
            Idleness::Validate => self.validate(now),
        }
    }

    /// Halves the window this many times, down to the initial one; the threshold keeps three
    /// quarters of it (RFC 2861; RFC 7661, section 4.4.3).
    fn halve(&mut self, times: f64) {
        let (cwnd, ssthresh) = (self.controller.cwnd(), self.controller.ssthresh());
        let halved = (cwnd * (-times).exp2()).max(self.settings.window.initial);
        self.controller.lower_window(halved, ssthresh.max(0.75 * cwnd));
    }

    /// RFC 7661, section 4.5.1: three round trips, at least a second.
    fn sampling_period(&self) -> Duration {
        let smoothed = self.estimator.smoothed().unwrap_or(Duration::ZERO);
        (smoothed * 3).max(Duration::from_secs(1))
    }

    /// A round trip has ended, at the acknowledgement of the byte before `unacknowledged`.
    pub(super) fn end_validation_round(&mut self, now: Time) {
        let period = self.sampling_period();
        let unacknowledged = self.board.unacknowledged();
        let Some(validation) = &mut self.validation else { return };
        if self.phase == Phase::Open {
            validation.sample(now, unacknowledged - validation.round_from, period);
        }
        validation.round_from = unacknowledged;
        self.validate(now);
    }

    /// Finds out whether the window is in use: at least half of it was acknowledged in a
    /// round trip. One that was not for five minutes is halved (RFC 7661, section 4.4.3).
    fn validate(&mut self, now: Time) {
        let period = self.sampling_period();
        let window = self.window();
        let Some(validation) = &mut self.validation else { return };
        if validation.used(now, period).is_none_or(|used| 2 * used >= window) {
            validation.unused_since = None;
            return;
        }
        let since = *validation.unused_since.get_or_insert(now);
        if now.since(since) < NON_VALIDATED_PERIOD {
            return;
        }
        validation.unused_since = Some(now);
        self.halve(1.0);
    }

    /// Whether the window may grow: RFC 7661 lets one that is not in use stay as it is.
    pub(super) fn is_validated(&self) -> bool {
        self.validation.as_ref().is_none_or(|it| it.unused_since.is_none())
    }

    /// Before a decrease: it is one of what was in use (RFC 7661, section 4.4.1), `flight`
    /// bytes in flight or more.
    pub(super) fn lower_to_used(&mut self, now: Time, flight: u64) {
        let period = self.sampling_period();
        let Some(validation) = &mut self.validation else { return };
        let used = validation.used(now, period);
        validation.samples = Default::default();
        if let Some(used) = used
            && 2 * used < self.window()
        {
            let used = self.segments(used.max(flight));
            let ssthresh = self.controller.ssthresh();
            self.controller.lower_window(used, ssthresh);
        }
    }
}
