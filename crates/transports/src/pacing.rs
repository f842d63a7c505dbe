//! Pacing: packets leave at a rate, not in bursts.

use windtunnel_engine::{Duration, Time};

/// When the next packet may leave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    next: Time,
}

impl Pacer {
    /// Whether a packet may leave now.
    #[inline]
    #[must_use]
    pub fn allows(&self, now: Time) -> bool {
        self.next <= now
    }

    /// When the next packet may leave.
    #[inline]
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// A packet of `bytes` leaves now, at `rate` bytes per second; a rate of
    /// nothing leaves a second between packets.
    #[inline]
    pub fn spend(&mut self, now: Time, bytes: u32, rate: f64) {
        self.wait(now, gap(bytes, rate));
    }

    /// A burst of `bytes` leaves now. What it is late by counts as waited already, up to half of its own
    /// time: as in Linux (`tcp_update_skb_after_send`), where timers are late.
    #[inline]
    pub fn spend_late(&mut self, now: Time, bytes: u32, rate: f64) {
        let gap = gap(bytes, rate);
        let half = Duration::from_picos(gap.as_picos() / 2);
        let late = now.since(self.next.min(now));
        self.wait(now, gap - late.min(half));
    }

    /// A packet leaves now, and the next one so much later.
    #[inline]
    pub fn wait(&mut self, now: Time, gap: Duration) {
        // Unused time gives no credit, so there is no burst.
        self.next = self.next.max(now) + gap;
    }
}

/// How long so many bytes take, a second at the most.
fn gap(bytes: u32, rate: f64) -> Duration {
    let longest = Duration::from_secs(1);
    Duration::from_seconds(f64::from(bytes) / rate).unwrap_or(longest).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_leave_at_the_rate() {
        let mut pacer = Pacer::default();
        let mut now = Time::ZERO;
        for _ in 0..1000 {
            assert!(pacer.allows(now));
            pacer.spend(now, 1500, 1_500_000.0);
            now = pacer.next();
        }
        assert_eq!(now, Time::ZERO + Duration::from_secs(1));
    }

    #[test]
    fn idle_time_gives_no_burst() {
        let mut pacer = Pacer::default();
        let later = Time::ZERO + Duration::from_secs(10);
        pacer.spend(later, 1500, 1_500_000.0);
        assert!(!pacer.allows(later));
    }

    #[test]
    fn at_a_rate_of_next_to_nothing_a_packet_leaves_each_second() {
        for rate in [0.0, 1e-300, 1.0, 1499.0] {
            let mut pacer = Pacer::default();
            pacer.spend(Time::ZERO, 1500, rate);
            assert_eq!(pacer.next(), Time::ZERO + Duration::from_secs(1), "{rate}");
        }
    }

    /// 1500 bytes take 1 ms: a burst 0.2 ms late is followed after 0.8 ms, and one that is later after half of it.
    #[test]
    fn up_to_half_of_the_time_that_a_burst_is_late_counts_as_waited() {
        for (late, gap) in [(0, 1_000), (200, 800), (500, 500), (5_000, 500)] {
            let mut pacer = Pacer::default();
            pacer.spend(Time::ZERO, 1500, 1_500_000.0);
            let now = pacer.next() + Duration::from_micros(late);
            pacer.spend_late(now, 1500, 1_500_000.0);
            assert_eq!(pacer.next(), now + Duration::from_micros(gap));
        }
    }

    #[test]
    fn packets_that_leave_early_push_back_those_after_them() {
        let mut pacer = Pacer::default();
        (0..3).for_each(|_| pacer.spend(Time::ZERO, 1500, 15_000.0));
        let due = Duration::from_millis(300);
        assert!(!pacer.allows(Time::ZERO + (due - Duration::from_picos(1))));
        assert!(pacer.allows(Time::ZERO + due));
    }
}
