//! What a pacing rate lets out, where all that can be set is a window.

use windtunnel_engine::{Duration, Time};

/// What a rate has earned and has not been sent: the window may be so much more than what is
/// in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// In bytes; negative where more was sent than the rate allows.
    credit: f64,
    /// The time until which the rate has been counted.
    counted: Time,
    /// Until when what was advanced is kept.
    advanced: Time,
}

impl Allowance {
    /// Nothing is earned before `now`.
    pub(crate) fn new(now: Time) -> Self {
        Self { credit: 0.0, counted: now, advanced: now }
    }

    /// In bytes, of what may be sent now.
    pub(crate) fn credit(&self) -> f64 {
        self.credit
    }

    /// Time has passed until `now`, at `rate` bytes per second; of it counts `most`.
    pub(crate) fn earn(&mut self, now: Time, rate: f64, most: Duration) {
        self.credit += rate * now.since(self.counted).min(most).as_seconds();
        self.counted = self.counted.max(now);
    }

    /// Of what has not been sent until now, no more than `bytes` may be sent later: unused
    /// time gives no credit.
    pub(crate) fn keep(&mut self, now: Time, bytes: f64) {
        if now >= self.advanced {
            self.credit = self.credit.min(bytes);
        }
    }

    /// Nothing is in flight, so that no acknowledgement comes: what `rate` earns in a round
    /// trip may be sent from now on.
    pub(crate) fn lend(&mut self, rate: f64, round_trip: Duration) {
        self.credit = rate * round_trip.as_seconds();
    }

    /// Sending begins at `now` with what was lent for a round trip: for so long no more is
    /// earned.
    pub(crate) fn begin(&mut self, now: Time, round_trip: Duration) {
        self.counted = now + round_trip;
    }

    /// Packets are paced from `now` on, and it may take a round trip until the next acknowledgement: what
    /// `rate` earns in that time may be sent in it.
    pub(crate) fn advance(&mut self, now: Time, rate: f64, round_trip: Duration) {
        self.lend(rate, round_trip);
        self.begin(now, round_trip);
        self.advanced = now + round_trip;
    }

    /// So many bytes were sent.
    pub(crate) fn spend(&mut self, bytes: u64) {
        self.credit -= bytes as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 1_000_000.0;
    const ROUND_TRIP: Duration = Duration::from_millis(100);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn what_is_sent_is_what_the_rate_earns_however_irregular_the_acknowledgements_are() {
        let mut allowance = Allowance::new(at(0));
        let mut sent = 0;
        for now in [1, 2, 30, 31, 90, 91, 100] {
            allowance.earn(at(now), RATE, ROUND_TRIP);
            while allowance.credit() >= 1000.0 {
                allowance.spend(1000);
                sent += 1000;
            }
        }
        assert_eq!(sent, 100_000);
    }

    #[test]
    fn what_is_lent_is_paid_back() {
        let mut allowance = Allowance::new(at(0));
        allowance.lend(RATE, Duration::from_millis(50));
        allowance.begin(at(1000), Duration::from_millis(50));
        allowance.spend(50_000);
        allowance.earn(at(1050), RATE, ROUND_TRIP);
        assert_eq!(allowance.credit(), 0.0);
        allowance.earn(at(1060), RATE, ROUND_TRIP);
        assert!((allowance.credit() - 10_000.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_advanced_is_kept_for_a_round_trip() {
        let mut allowance = Allowance::new(at(0));
        allowance.advance(at(1000), RATE, ROUND_TRIP);
        allowance.earn(at(1050), RATE, ROUND_TRIP);
        allowance.keep(at(1050), 3_000.0);
        assert_eq!(allowance.credit(), 100_000.0);
        allowance.keep(at(1100), 3_000.0);
        assert_eq!(allowance.credit(), 3_000.0);
    }

    #[test]
    fn unused_time_gives_no_credit() {
        let mut allowance = Allowance::new(at(0));
        allowance.earn(at(10_000), RATE, ROUND_TRIP);
        assert_eq!(allowance.credit(), 100_000.0);
        allowance.keep(at(10_000), 3_000.0);
        assert_eq!(allowance.credit(), 3_000.0);
    }
}
