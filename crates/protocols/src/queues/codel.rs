//! CoDel: controlled delay, dropping or marking.
//!
//! Source: RFC 8289, section 5. A packet's sojourn time is compared with
//! `target` when it leaves. Once it stayed above for a whole `interval`, packets
//! are dropped (or marked) at times that draw nearer by the inverse square root
//! of their count, until the sojourn falls below the target.

use windtunnel_engine::{Duration, Time};

use super::{Departure, Description, Verdict};

pub(super) const DESCRIPTION: Description = Description {
    name: "codel",
    meaning: "controlled delay: drops or marks while packets stay too long",
    source: "RFC 8289",
};

/// What CoDel does to a packet that stayed too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Drops it and looks at the next.
    Drop,
    /// Marks it; one packet at a time.
    Mark,
}

/// CoDel's state (RFC 8289, section 5.3).
#[derive(Clone, Debug)]
pub struct CoDel {
    action: Action,
    target: Duration,
    interval: Duration,
    /// The most octets that one packet has; a backlog of no more is never
    /// congestion.
    maximum_packet: u64,
    /// When the sojourn will have been above target for an interval.
    first_above: Option<Time>,
    dropping: bool,
    next: Time,
    count: u32,
    last_count: u32,
}

impl CoDel {
    /// CoDel with its `target` (5 ms by default) and `interval` (100 ms).
    #[must_use]
    pub fn new(action: Action, target: Duration, interval: Duration, maximum_packet: u64) -> Self {
        Self {
            action,
            target,
            interval,
            maximum_packet,
            first_above: None,
            dropping: false,
            next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// Whether the sojourn time has been above target for an interval.
    fn stayed_above(&mut self, now: Time, sojourn: Duration, backlog: u64) -> bool {
        if sojourn < self.target || backlog <= self.maximum_packet {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            None => {
                self.first_above = Some(now + self.interval);
                false
            }
            Some(first_above) => now >= first_above,
        }
    }

    fn spacing(&self) -> Duration {
        self.interval.scaled(1.0 / f64::from(self.count).sqrt())
    }

    /// Starts dropping; soon after the last time, at nearly the rate that
    /// controlled the queue then (RFC 8289, section 5.4).
    fn enter(&mut self, now: Time) {
        let recently = now.since(self.next) < self.interval * 16;
        let gained = self.count.saturating_sub(self.last_count);
        self.count = if recently && gained > 1 { gained } else { 1 };
        self.last_count = self.count;
        self.next = now + self.spacing();
        self.dropping = true;
    }
}

impl Departure for CoDel {
    fn judge(&mut self, now: Time, sojourn: Duration, backlog: u64) -> Verdict {
        let above = self.stayed_above(now, sojourn, backlog);
        if !above {
            self.dropping = false;
            return Verdict::Pass;
        }
        if self.dropping {
            if now < self.next {
                return Verdict::Pass;
            }
            self.count += 1;
            self.next += self.spacing();
        } else {
            self.enter(now);
        }
        match self.action {
            Action::Drop => Verdict::Drop,
            Action::Mark => Verdict::Mark,
        }
    }
}
