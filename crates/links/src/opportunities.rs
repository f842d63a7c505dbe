//! A delivery trace: the times at which a link could carry a packet, as mahimahi
//! records them (Netravali et al., USENIX ATC 2015).
//!
//! An opportunity serves what has come by its time. A packet that is larger than
//! what is left of it uses the next ones too; several small ones share one. What
//! nobody waits for is wasted.

use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Time};

/// The bytes of an opportunity.
pub const OPPORTUNITY: u32 = 1500;

/// When a link may carry [`OPPORTUNITY`] bytes each.
#[derive(Clone, Debug, PartialEq)]
pub struct Opportunities {
    /// The times, not falling, from the trace's beginning; at least one.
    pub times: Vec<Duration>,
    /// When the trace begins again, not before its last time and later than zero;
    /// without, the link is silent after its end.
    pub repeat: Option<Duration>,
}

impl Opportunities {
    /// The mean rate of the trace.
    #[must_use]
    pub fn mean_rate(&self) -> Option<Rate> {
        let length = self.repeat.or(self.times.last().copied())?.as_seconds();
        let bits = self.times.len() as f64 * f64::from(OPPORTUNITY) * 8.0;
        Rate::from_bits_per_second((bits / length) as u64)
    }

    /// The mean rate from one time to a later one, in bits per second; what comes at the
    /// end belongs to it.
    #[must_use]
    pub fn rate_between(&self, from: Time, to: Time) -> f64 {
        let until = |time: Time| {
            let (rounds, more) = self.before(time + Duration::from_picos(1));
            rounds * self.times.len() as u64 + more as u64
        };
        let bits = (until(to) - until(from)) as f64 * f64::from(OPPORTUNITY) * 8.0;
        bits / to.since(from).as_seconds()
    }

    /// How many opportunities lie before `time`: full rounds of the trace, and some.
    fn before(&self, time: Time) -> (u64, usize) {
        let Some(last) = time.as_picos().checked_sub(1) else { return (0, 0) };
        let (round, within) = match self.repeat {
            Some(repeat) => (last / repeat.as_picos(), last % repeat.as_picos()),
            None => (0, last),
        };
        (round, self.times.partition_point(|it| it.as_picos() <= within))
    }
}

/// A byte's position in the opportunities of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TracePosition {
    /// How often the trace began again before.
    round: u64,
    /// Which opportunity of the trace.
    opportunity: usize,
    /// The bytes of it that are used.
    used: u32,
}

/// A trace, and how far it is used.
#[derive(Clone, Debug)]
pub struct Cursor {
    trace: Arc<Opportunities>,
    next: TracePosition,
}

impl Cursor {
    /// A trace of which nothing is used.
    #[must_use]
    pub fn new(trace: Arc<Opportunities>) -> Self {
        Self { trace, next: TracePosition::default() }
    }

    /// When the next byte can leave; [`Time::NEVER`] after the trace's end.
    #[must_use]
    pub fn time(&self) -> Time {
        self.time_of(self.next)
    }

    /// Wastes what lies before `time`.
    pub fn skip_to(&mut self, time: Time) {
        if self.time() < time {
            let (round, opportunity) = self.trace.before(time);
            self.next = self.place(round, opportunity as u64, 0);
        }
    }

    /// Uses the next `bytes`, one at least; returns when the last of them leaves. If
    /// the trace ends before, that is never, and nothing is used.
    pub fn take(&mut self, bytes: u64) -> Time {
        let last = self.time_of(self.after(bytes - 1));
        if last != Time::NEVER {
            self.next = self.after(bytes);
        }
        last
    }

    /// Gives back the last `bytes` that were used; nothing was wasted among them.
    pub fn give_back(&mut self, bytes: u64) {
        let TracePosition { round, opportunity, used } = self.next;
        let (size, length) = (u64::from(OPPORTUNITY), self.trace.times.len() as u64);
        let back = bytes.saturating_sub(u64::from(used)).div_ceil(size);
        let used = u64::from(used) + back * size - bytes;
        let rounds = back.saturating_sub(opportunity as u64).div_ceil(length);
        let opportunity = opportunity as u64 + rounds * length - back;
        self.next = TracePosition {
            round: round - rounds,
            opportunity: opportunity as usize,
            used: used as u32,
        };
    }

    /// The place this many bytes after the next.
    fn after(&self, bytes: u64) -> TracePosition {
        let used = u64::from(self.next.used) + bytes;
        let size = u64::from(OPPORTUNITY);
        let opportunity = self.next.opportunity as u64 + used / size;
        self.place(self.next.round, opportunity, (used % size) as u32)
    }

    /// A place, with rounds counted as such where the trace has any.
    fn place(&self, round: u64, opportunity: u64, used: u32) -> TracePosition {
        let length = self.trace.times.len() as u64;
        let rounds = if self.trace.repeat.is_some() { opportunity / length } else { 0 };
        let opportunity = (opportunity - rounds * length) as usize;
        TracePosition { round: round + rounds, opportunity, used }
    }

    fn time_of(&self, place: TracePosition) -> Time {
        let Some(time) = self.trace.times.get(place.opportunity) else { return Time::NEVER };
        let rounds = self.trace.repeat.map_or(Duration::ZERO, |it| it * place.round);
        Time::ZERO + rounds + *time
    }
}
