//! Which segment is asked for next, and when.

use std::cmp::Reverse;

use rand_distr::Distribution;
use windtunnel_controllers::Controller;
use windtunnel_engine::Time;
use windtunnel_packets::ndn::wire::size::InterestShape;
use windtunnel_packets::ndn::{Interest, Name};
use windtunnel_packets::{Body, Packet};

use super::requests::State;
use super::settings::{ConsumerWorkload, WindowFraction};
use super::{Consumer, ConsumerOutbox};

impl Consumer {
    pub(super) fn fill_window(&mut self, now: Time, outbox: &mut ConsumerOutbox) {
        if now < self.start || now >= self.settings.stop {
            return;
        }
        self.waits_for_pacer = false;
        let rate = self.controller.pacing_rate();
        let spacing = self.reader.as_ref().and_then(|it| it.spacing(now));
        let is_paced = rate.is_some() || spacing.is_some();
        while self.window_has_room() {
            if is_paced && !self.pacer.allows(now) {
                self.waits_for_pacer = true;
                break;
            }
            let (number, segment) = match self.next_due() {
                Some(number) => {
                    self.requests.put_in_flight(number, now);
                    let request = self.requests.at(number);
                    request.retransmitted = true;
                    self.counters.retransmissions += 1;
                    (number, request.segment)
                }
                None => match self.next_segment() {
                    Some(segment) => {
                        let number = self.requests.add(segment, now);
                        self.remember(segment, number);
                        (number, segment)
                    }
                    None => break,
                },
            };
            if let Some(it) = &mut self.deliveries {
                it.send(now, number, self.requests.in_flight);
            }
            match (spacing, rate) {
                (Some(spacing), _) => self.pacer.wait(now, spacing),
                (None, Some(rate)) => self.pacer.spend(now, 1, rate),
                (None, None) => {}
            }
            self.counters.interests += 1;
            outbox.push(self.interest(segment));
        }
    }

    #[inline]
    fn window_has_room(&self) -> bool {
        let in_flight = self.requests.in_flight as f64;
        match self.settings.window.fraction {
            WindowFraction::Waits => in_flight + 1.0 <= self.controller.cwnd(),
            WindowFraction::Sends => in_flight < self.controller.cwnd(),
        }
    }

    /// The lowest request that is to be sent again.
    fn next_due(&mut self) -> Option<u64> {
        while let Some(Reverse(number)) = self.due.pop() {
            // Its Data may have come in the meantime.
            if self.requests.get(number).is_some_and(|it| it.state == State::Due) {
                return Some(number);
            }
        }
        None
    }

    fn next_segment(&mut self) -> Option<u64> {
        let next = self.requests.next();
        let spanned = self.requests.ring.len() as f64;
        if self.reader.is_some() && spanned + 1.0 > self.controller.cwnd() {
            return None;
        }
        match &self.settings.workload {
            ConsumerWorkload::Stream => Some(next),
            ConsumerWorkload::File { segments } => (next < *segments).then_some(next),
            ConsumerWorkload::Catalogue { popularity } => {
                /// Beyond this many draws in a row, everything popular is in flight.
                const MOST_DRAWS: u32 = 100;
                for _ in 0..MOST_DRAWS {
                    let object = popularity.sample(self.random.generator()) as u64 - 1;
                    if self.number_of_object(object).is_none() {
                        return Some(object);
                    }
                }
                None
            }
        }
    }

    fn interest(&mut self, segment: u64) -> Packet {
        let settings = &self.settings;
        let name = Name { prefix: settings.prefix, segment };
        let shape = InterestShape {
            can_be_prefix: false,
            must_be_fresh: settings.must_be_fresh,
            lifetime_ms: Some(u64::from(settings.lifetime_ms)),
            hop_limit: settings.hop_limit.is_some(),
        };
        let network_size =
            settings.prefix.format().interest_size(settings.prefix_size, segment, &shape);
        let body = Body::Interest(Interest {
            name,
            nonce: self.random.bits(),
            lifetime_ms: settings.lifetime_ms,
            hop_limit: settings.hop_limit,
            must_be_fresh: settings.must_be_fresh,
        });
        Packet::ndn(body, network_size as u16)
    }

    /// The request that a Data or NACK of that name answers. In a stream and a
    /// file the request's number is the segment's.
    #[inline]
    pub(super) fn number_of(&self, name: Name) -> Option<u64> {
        match self.settings.workload {
            ConsumerWorkload::Stream | ConsumerWorkload::File { .. } => Some(name.segment),
            ConsumerWorkload::Catalogue { .. } => self.number_of_object(name.segment),
        }
    }

    fn number_of_object(&self, object: u64) -> Option<u64> {
        let requests = &self.requests;
        let segment = |it: &u64| requests.ring[(*it - requests.base) as usize].segment;
        self.by_segment.find(hash(object), |it| segment(it) == object).copied()
    }

    fn remember(&mut self, segment: u64, number: u64) {
        if matches!(self.settings.workload, ConsumerWorkload::Catalogue { .. }) {
            let requests = &self.requests;
            let rehash = |it: &u64| hash(requests.ring[(*it - requests.base) as usize].segment);
            self.by_segment.insert_unique(hash(segment), number, rehash);
        }
    }

    pub(super) fn forget(&mut self, number: u64) {
        if matches!(self.settings.workload, ConsumerWorkload::Catalogue { .. }) {
            let segment = self.requests.at(number).segment;
            if let Ok(entry) = self.by_segment.find_entry(hash(segment), |it| *it == number) {
                entry.remove();
            }
        }
        self.requests.drop_received();
        if let Some(it) = &mut self.deliveries {
            it.forget_below(self.requests.base);
        }
    }
}

#[inline]
fn hash(object: u64) -> u64 {
    let product = u128::from(object ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
    (product as u64) ^ ((product >> 64) as u64)
}
