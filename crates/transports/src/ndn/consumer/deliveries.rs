//! Delivery rate samples of a consumer.

use std::collections::VecDeque;

use windtunnel_controllers::{Delivery, Description, Need};
use windtunnel_engine::{Duration, Time};

use crate::delivery::{Account, Snapshot};

/// What is kept for controllers that want delivery rate samples.
#[derive(Clone, Debug)]
pub(super) struct Deliveries {
    pub(super) account: Account,
    /// One for each request kept, from number `base` on.
    pub(super) snapshots: VecDeque<Snapshot>,
    pub(super) base: u64,
    least_rtt: Duration,
    /// Bytes that count as one segment.
    pub(super) segment_size: u32,
}

impl Deliveries {
    /// For a controller that wants samples.
    pub(super) fn wanted(description: &Description, segment_size: u32) -> Option<Box<Self>> {
        description.needs(Need::DeliveryRate).then(|| {
            Box::new(Self {
                account: Account::new(),
                snapshots: VecDeque::new(),
                base: 0,
                least_rtt: Duration::MAX,
                segment_size,
            })
        })
    }

    /// An Interest is sent, the first for its number or another one; this many are
    /// then in flight.
    pub(super) fn send(&mut self, now: Time, number: u64, in_flight: u64) {
        let bytes = in_flight * u64::from(self.segment_size);
        let snapshot = self.account.send(now, in_flight == 1, bytes);
        match self.snapshots.get_mut((number - self.base) as usize) {
            Some(known) => *known = snapshot,
            None => self.snapshots.push_back(snapshot),
        }
    }

    /// Data came for an Interest sent at `sent`, with this round trip if it gives one.
    pub(super) fn deliver(
        &mut self,
        now: Time,
        number: u64,
        sent: Time,
        rtt: Option<Duration>,
    ) -> Delivery {
        self.least_rtt = self.least_rtt.min(rtt.unwrap_or(Duration::MAX));
        self.account.deliver(now, u64::from(self.segment_size));
        let snapshot = self.snapshots[(number - self.base) as usize];
        let sample = self.account.sample(now, sent, &snapshot);
        sample.in_segments(f64::from(self.segment_size), self.least_rtt)
    }

    /// Requests below `base` are no longer kept.
    pub(super) fn forget_below(&mut self, base: u64) {
        self.snapshots.drain(..(base - self.base) as usize);
        self.base = base;
    }
}
