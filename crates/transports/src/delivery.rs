//! Delivery rate samples: how fast the network took data away, measured from
//! what each acknowledgement newly delivers.
//!
//! Source: draft-ietf-ccwg-bbr, section 4.1 (delivery rate estimation). A sample
//! spans the flight of the most recently sent of the newly delivered packets:
//! what was delivered in the meantime, over the longer of the time that its
//! flight took to send and the time that it took to be acknowledged.
//!
//! Samples are limited by the application as in draft-cheng-iccrg-delivery-rate-estimation-02
//! and Linux: from what is written after the sender had nothing to send. By the newer draft
//! what is sent again then is limited too, although it repairs losses at the rate of the path;
//! with that, BBRv1 does not leave startup on answers whose end is lost.

use windtunnel_engine::{Duration, Time};

/// The state of a connection when a packet was sent, kept with the packet.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    /// Bytes delivered until then.
    delivered: u64,
    /// When the last of them were.
    delivered_at: Time,
    /// When the first packet of this flight was sent.
    flight_start: Time,
    /// Bytes considered lost until then.
    lost: u64,
    /// Bytes in flight with this packet.
    in_flight: u32,
    /// Whether the application had nothing to send shortly before.
    application_limited: bool,
}

impl Snapshot {
    /// Bytes delivered until the packet was sent.
    #[inline]
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }
}

/// A connection's account of what was delivered and lost.
#[derive(Clone, Debug)]
pub struct Account {
    delivered: u64,
    delivered_at: Time,
    flight_start: Time,
    lost: u64,
    /// Samples are limited by the application until so much is delivered; 0 if
    /// they are not.
    limited_until: u64,
}

/// The sample of one acknowledgement, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Delivered between the packet's sending and now.
    pub delivered: u64,
    /// In so much time.
    pub interval: Duration,
    /// Delivered in all.
    pub total: u64,
    /// In flight just after the packet was sent.
    pub in_flight_at_send: u32,
    /// Considered lost since the packet was sent.
    pub lost_since_send: u64,
    /// Whether the application had nothing to send shortly before the packet.
    pub application_limited: bool,
}

impl Account {
    /// Nothing delivered yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            delivered: 0,
            delivered_at: Time::ZERO,
            flight_start: Time::ZERO,
            lost: 0,
            limited_until: 0,
        }
    }

    /// A packet is sent, with which `in_flight` bytes are in flight. It begins a
    /// new flight if nothing was unacknowledged before it: `idle`.
    #[inline]
    pub fn send(&mut self, now: Time, idle: bool, in_flight: u64) -> Snapshot {
        if idle {
            self.flight_start = now;
            self.delivered_at = now;
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            flight_start: self.flight_start,
            lost: self.lost,
            in_flight: u32::try_from(in_flight).unwrap_or(u32::MAX),
            application_limited: self.limited_until > 0,
        }
    }

    /// Bytes in all that were delivered.
    #[inline]
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Some bytes are newly delivered.
    #[inline]
    pub fn deliver(&mut self, now: Time, bytes: u64) {
        self.delivered += bytes;
        self.delivered_at = now;
        if self.limited_until < self.delivered {
            self.limited_until = 0;
        }
    }

    /// Some bytes are considered lost.
    #[inline]
    pub fn lose(&mut self, bytes: u64) {
        self.lost += bytes;
    }

    /// The application had nothing to send, and has now, while `in_flight` bytes are in flight.
    #[inline]
    pub fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// Whether the application had nothing to send, and what was in flight when it had something
    /// again is not delivered yet.
    #[inline]
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.limited_until > 0
    }

    /// The sample of an acknowledgement whose most recently sent newly delivered
    /// packet was sent at `sent` with `snapshot`.
    #[inline]
    pub fn sample(&mut self, now: Time, sent: Time, snapshot: &Snapshot) -> Sample {
        self.flight_start = sent;
        let sending = sent.since(snapshot.flight_start);
        let acknowledging = now.since(snapshot.delivered_at);
        Sample {
            delivered: self.delivered - snapshot.delivered,
            interval: sending.max(acknowledging),
            total: self.delivered,
            in_flight_at_send: snapshot.in_flight,
            lost_since_send: self.lost - snapshot.lost,
            application_limited: snapshot.application_limited,
        }
    }
}

impl Default for Account {
    fn default() -> Self {
        Self::new()
    }
}

impl Sample {
    /// The sample as a controller gets it, with `segment` bytes to a segment. A sample
    /// shorter than the least round trip gives no rate.
    #[inline]
    #[must_use]
    pub fn in_segments(
        &self,
        segment: f64,
        least_rtt: Duration,
    ) -> windtunnel_controllers::Delivery {
        let is_long_enough = self.interval >= least_rtt && self.interval > Duration::ZERO;
        windtunnel_controllers::Delivery {
            rate: is_long_enough
                .then(|| self.delivered as f64 / segment / self.interval.as_seconds()),
            total: self.total as f64 / segment,
            total_at_send: (self.total - self.delivered) as f64 / segment,
            in_flight_at_send: f64::from(self.in_flight_at_send) / segment,
            lost_since_send: self.lost_since_send as f64 / segment,
            application_limited: self.application_limited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(milliseconds: u64) -> Time {
        Time::from_picos(milliseconds * 1_000_000_000)
    }

    #[test]
    fn a_steady_link_is_measured_at_its_rate() {
        let mut account = Account::new();
        // A packet of 1000 bytes every millisecond, each 10 ms in flight.
        let mut sent = Vec::new();
        for now in 0..100 {
            if now >= 10 {
                let snapshot: Snapshot = sent[now - 10];
                account.deliver(at(now as u64), 1000);
                let sample = account.sample(at(now as u64), at(now as u64 - 10), &snapshot);
                if now >= 30 {
                    assert_eq!(sample.delivered, 10_000);
                    assert_eq!(sample.interval, Duration::from_millis(10));
                }
            }
            let in_flight = 1000 * (now + 1).min(10) as u64;
            sent.push(account.send(at(now as u64), now == 0, in_flight));
        }
    }

    #[test]
    fn compressed_acknowledgements_do_not_inflate_the_rate() {
        let mut account = Account::new();
        let first = account.send(at(0), true, 1000);
        account.deliver(at(20), 1000);
        let _ = account.sample(at(20), at(0), &first);
        // Ten packets over 9 ms, all acknowledged at one moment much later.
        let flight: Vec<Snapshot> =
            (0..10).map(|it| account.send(at(20 + it), it == 0, 1000 * (it + 1))).collect();
        account.deliver(at(50), 10_000);
        let sample = account.sample(at(50), at(29), &flight[9]);
        assert_eq!(sample.interval, Duration::from_millis(30));
    }

    /// Section 4.1.2 of the draft: acknowledgements may come faster than data went; the
    /// rate is then that of sending. Eleven packets go, one each 10 ms; the first takes
    /// 100 ms, the last 50, with all others behind the first.
    #[test]
    fn a_shorter_round_trip_does_not_make_the_rate_more_than_that_of_sending() {
        let mut account = Account::new();
        let first = account.send(at(0), true, 1000);
        for number in 1..10 {
            account.send(at(10 * number), false, 1000 * (number + 1));
        }
        account.deliver(at(100), 1000);
        let _ = account.sample(at(100), at(0), &first);
        let last = account.send(at(100), false, 10_000);
        account.deliver(at(150), 10_000);
        let sample = account.sample(at(150), at(100), &last);
        assert_eq!(sample.delivered, 10_000);
        assert_eq!(sample.interval, Duration::from_millis(100), "1000 bytes each 10 ms");
    }

    /// A sample shorter than the least round trip says nothing (section 4.1.3 of the draft), and
    /// one without any duration has no rate.
    #[test]
    fn a_rate_is_what_was_delivered_in_its_interval_of_a_round_trip_at_least() {
        let sample = |milliseconds| Sample {
            delivered: 10_000,
            interval: Duration::from_millis(milliseconds),
            total: 50_000,
            in_flight_at_send: 20_000,
            lost_since_send: 3_000,
            application_limited: true,
        };
        let in_segments = |milliseconds, least| {
            sample(milliseconds).in_segments(1000.0, Duration::from_millis(least))
        };
        assert_eq!(in_segments(20, 20).rate, Some(500.0));
        assert_eq!(in_segments(20, 21).rate, None);
        assert_eq!(in_segments(0, 0).rate, None);
        let it = in_segments(20, 20);
        let totals = (it.total, it.total_at_send, it.in_flight_at_send, it.lost_since_send);
        assert_eq!(totals, (50.0, 40.0, 20.0, 3.0));
        assert!(it.application_limited);
    }

    #[test]
    fn samples_are_marked_while_the_application_was_the_limit() {
        let mut account = Account::new();
        let first = account.send(at(0), true, 1000);
        account.limit(1000);
        let second = account.send(at(5), false, 2000);
        account.deliver(at(10), 1000);
        assert!(!account.sample(at(10), at(0), &first).application_limited);
        account.deliver(at(15), 1000);
        assert!(account.sample(at(15), at(5), &second).application_limited);
        let third = account.send(at(20), true, 1000);
        account.deliver(at(30), 1000);
        assert!(!account.sample(at(30), at(20), &third).application_limited);
    }
}
