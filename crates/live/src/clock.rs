//! Real time, as the state machines have it.

use std::time::{Duration as RealDuration, Instant};

use windtunnel_engine::{Duration, Time};

/// A monotonic clock that shows zero when it is started.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    /// A clock that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// The time since it was started, in whole nanoseconds.
    #[must_use]
    pub fn now(&self) -> Time {
        let nanoseconds = self.started.elapsed().as_nanos();
        Time::ZERO + Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    /// How long it is until `time`; zero if that is past.
    #[must_use]
    pub fn until(&self, time: Time) -> RealDuration {
        let now = self.now();
        if time <= now {
            return RealDuration::ZERO;
        }
        RealDuration::from_nanos(time.since(now).as_picos() / 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_go_back_and_says_how_long_it_is_until_a_time() {
        let clock = Clock::start();
        let now = clock.now();
        assert_eq!(clock.until(now), RealDuration::ZERO);
        std::thread::sleep(clock.until(now + Duration::from_millis(2)));
        assert!(clock.now() >= now + Duration::from_millis(2));
    }
}
