//! A link with a rate, a delay and a drop-tail queue.

use std::collections::VecDeque;
use std::time::Duration;

use windtunnel_engine::Rate;

/// The bytes of the headers of UDP and IPv4.
pub(crate) const HEADERS: usize = 28;

/// What a link is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkSettings {
    pub(crate) rate: Rate,
    pub(crate) delay: Duration,
    /// This many packets wait at most.
    pub(crate) limit: usize,
    /// A packet that finds this many before it is marked.
    pub(crate) mark: Option<usize>,
}

/// What a link counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LinkCounters {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    pub(crate) drops: u64,
    pub(crate) marks: u64,
    pub(crate) waited: Duration,
}

/// One direction.
#[derive(Debug)]
pub(crate) struct Link {
    settings: LinkSettings,
    /// When each packet that waits begins to be sent, and when the last one is sent.
    begins: VecDeque<Duration>,
    free: Duration,
    pub(crate) counters: LinkCounters,
}

impl Link {
    pub(crate) fn new(settings: LinkSettings) -> Self {
        let (begins, free) = (VecDeque::new(), Duration::ZERO);
        Self { settings, begins, free, counters: LinkCounters::default() }
    }

    /// A datagram of `bytes` is sent; returns when it arrives and whether it is marked, or
    /// `None` if it is dropped.
    pub(crate) fn send(&mut self, now: Duration, bytes: usize) -> Option<(Duration, bool)> {
        while self.begins.front().is_some_and(|it| *it <= now) {
            self.begins.pop_front();
        }
        if self.begins.len() >= self.settings.limit {
            self.counters.drops += 1;
            return None;
        }
        let marked = self.settings.mark.is_some_and(|it| self.begins.len() >= it);
        let size = u32::try_from(bytes + HEADERS).expect("a datagram is short");
        let takes = self.settings.rate.transmission_time(size).as_nanos();
        let begins = self.free.max(now);
        if begins > now {
            self.begins.push_back(begins);
        }
        self.free = begins + Duration::from_nanos(takes);
        self.counters.packets += 1;
        self.counters.bytes += u64::from(size);
        self.counters.marks += u64::from(marked);
        self.counters.waited += begins - now;
        Some((self.free + self.settings.delay, marked))
    }
}
