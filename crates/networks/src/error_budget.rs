//! How many error messages a router may send.

use windtunnel_engine::{Duration, Time};

/// From one error message to the next, in the long run (RFC 4443, section 2.4 (f)).
const INTERVAL: Duration = Duration::from_millis(100);
/// So many may follow each other at once.
const BURST: u32 = 10;

/// A token bucket: ten error messages a second, ten at once.
#[derive(Clone, Copy, Debug)]
pub struct ErrorBudget {
    tokens: u32,
    /// When the last token came in.
    since: Time,
}

impl Default for ErrorBudget {
    fn default() -> Self {
        Self { tokens: BURST, since: Time::ZERO }
    }
}

impl ErrorBudget {
    /// Whether one may be sent now; it is counted.
    #[must_use]
    pub fn allows(&mut self, now: Time) -> bool {
        while self.tokens < BURST && self.since + INTERVAL <= now {
            self.tokens += 1;
            self.since += INTERVAL;
        }
        if self.tokens == BURST {
            self.since = now;
        }
        let has_one = self.tokens > 0;
        self.tokens -= u32::from(has_one);
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_come_at_once_and_ten_in_each_second() {
        let mut budget = ErrorBudget::default();
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let count = |budget: &mut ErrorBudget, times: std::ops::Range<u64>| {
            times.filter(|it| budget.allows(at(*it))).count()
        };
        assert_eq!(count(&mut budget, 5000..5001), 1);
        assert_eq!(count(&mut budget, 5001..5050), 9);
        assert_eq!(count(&mut budget, 5050..8050), 30);
        assert_eq!(count(&mut budget, 60_000..60_011), 10);
    }
}
