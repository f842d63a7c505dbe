//! RED: random early detection, with its gentle and adaptive variants.
//!
//! Source: Floyd and Jacobson, IEEE/ACM Transactions on Networking 1993; RFC 2309;
//! RFC 3168, section 7, for marks; Floyd, Gummadi and Shenker 2001 for the
//! adaptive variant.
//!
//! With each arrival the average queue moves by `weight` towards what waits; after
//! the link was idle it moves as if typical packets had arrived to an empty queue.
//!
//! - average below `minimum`: the packet passes
//! - from there to `maximum`: it is chosen with `pb / (1 - count pb)`, where
//!   `pb = max_probability (average - minimum) / (maximum - minimum)`, and `count`
//!   packets passed since the last one chosen: gaps are even from 1 to `1 / pb`
//! - gentle: from `maximum` to twice that, `pb` rises on to certainty
//! - beyond, all are chosen
//!
//! What is chosen is dropped or, by `action`, marked. With `hard_drop` nothing is marked from
//! `maximum` on: what is chosen there is dropped (RFC 3168, section 7). Two equal thresholds
//! are a step: with a `max_probability` of 1 and a weight of 1, that of DCTCP (RFC 8257,
//! section 3.1).
//!
//! Adaptive: twice a second `max_probability` moves so that the average comes to
//! lie in the middle fifth between the two thresholds. It is caught up with when a
//! packet arrives.

use windtunnel_engine::{Duration, Random, Time};

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::verdict::{CongestionAction, Verdict};

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "red",
    meaning: "random early detection: drops or marks by the average queue",
    source: "Floyd and Jacobson 1993; RFC 2309; Floyd, Gummadi and Shenker 2001",
    shapes: false,
    is_random: true,
};

/// How often the adaptive variant looks at the average.
const ADAPTATION: Duration = Duration::from_millis(500);
/// It moves the probability between these two.
const LEAST_PROBABILITY: f64 = 0.01;
const MOST_PROBABILITY: f64 = 0.5;

/// The thresholds of the average queue, both in packets or both in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    minimum: f64,
    maximum: f64,
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Packets,
    Bytes,
}

impl Thresholds {
    /// The two; `None` if one counts packets and the other bytes, or if the
    /// maximum is below the minimum.
    #[must_use]
    pub fn new(minimum: QueueLimit, maximum: QueueLimit) -> Option<Self> {
        let (minimum, maximum, unit) = match (minimum, maximum) {
            (QueueLimit::Packets(minimum), QueueLimit::Packets(maximum)) => {
                (f64::from(minimum), f64::from(maximum), Unit::Packets)
            }
            (QueueLimit::Bytes(minimum), QueueLimit::Bytes(maximum)) => {
                (minimum as f64, maximum as f64, Unit::Bytes)
            }
            _ => return None,
        };
        (minimum <= maximum).then_some(Self { minimum, maximum, unit })
    }

    fn measure(&self, backlog: Backlog) -> f64 {
        match self.unit {
            Unit::Packets => f64::from(backlog.packets),
            Unit::Bytes => backlog.bytes as f64,
        }
    }

    /// Where an average lies between the two: 0 at the minimum, 1 at the maximum, also where
    /// they are equal.
    fn place(&self, average: f64) -> f64 {
        if self.minimum == self.maximum {
            return if average < self.minimum { 0.0 } else { 1.0 };
        }
        (average - self.minimum) / (self.maximum - self.minimum)
    }
}

/// The settings of RED.
#[derive(Clone, Debug)]
pub struct RedSettings {
    /// What becomes of a packet that was chosen.
    pub action: CongestionAction,
    /// Below and above which average it does nothing or everything.
    pub thresholds: Thresholds,
    /// Whether packets chosen from the upper threshold on are dropped whatever the action.
    pub hard_drop: bool,
    /// The weight of one arrival in the average; 0.002 by default.
    pub weight: f64,
    /// The probability at the upper threshold; 0.1 by default.
    pub max_probability: f64,
    /// Whether the probability rises gently beyond the upper threshold.
    pub gentle: bool,
    /// Whether `max_probability` is only where it starts.
    pub adaptive: bool,
    /// The bytes of a typical packet, by which idle time is counted.
    pub typical_packet: u32,
}

/// RED's state.
#[derive(Clone, Debug)]
pub struct Red {
    settings: RedSettings,
    random: Random,
    average: f64,
    /// Packets that passed since the last one chosen.
    count: u32,
    /// The adaptive variant's next look.
    next: Time,
}

impl Red {
    /// RED on an empty queue, with its own random stream.
    #[must_use]
    pub fn new(settings: RedSettings, random: Random) -> Self {
        Self { settings, random, average: 0.0, count: 0, next: Time::ZERO + ADAPTATION }
    }

    /// The average queue, in the thresholds' unit.
    #[must_use]
    pub fn average(&self) -> f64 {
        self.average
    }

    /// The probability at the upper threshold, as it is now.
    #[must_use]
    pub fn max_probability(&self) -> f64 {
        self.settings.max_probability
    }

    /// The average at `now`, if nothing arrived since the link became free.
    fn decayed(&self, now: Time, arriving: &Arriving) -> f64 {
        let idle = now.since(arriving.free);
        if idle == Duration::ZERO {
            return self.average;
        }
        let typical = arriving.rate.transmission_time(self.settings.typical_packet);
        let missed = idle.as_picos() as f64 / typical.as_picos() as f64;
        self.average * libm::pow(1.0 - self.settings.weight, missed)
    }

    fn update_average(&mut self, now: Time, arriving: &Arriving) {
        if arriving.free < now {
            self.average = self.decayed(now, arriving);
        } else {
            let queue = self.settings.thresholds.measure(arriving.backlog);
            self.average += self.settings.weight * (queue - self.average);
        }
    }

    /// Catches up with the adaptation, at the average of each of its instants.
    fn adapt(&mut self, now: Time, arriving: &Arriving) {
        while self.next <= now {
            let average = self.decayed(self.next, arriving);
            let place = self.settings.thresholds.place(average);
            let probability = &mut self.settings.max_probability;
            if place > 0.6 && *probability <= MOST_PROBABILITY {
                *probability += (*probability / 4.0).min(0.01);
            } else if place < 0.4 && *probability >= LEAST_PROBABILITY {
                *probability *= 0.9;
            } else if place < 0.4 && arriving.free <= self.next {
                // Nothing moves any more while the link stays idle.
                let looks = now.since(self.next).as_picos() / ADAPTATION.as_picos();
                self.next += ADAPTATION * looks;
            }
            self.next += ADAPTATION;
        }
    }

    /// The probability of being chosen, were each packet judged by itself.
    fn probability(&self) -> f64 {
        let RedSettings { thresholds, max_probability, gentle, .. } = &self.settings;
        let average = self.average;
        if average < thresholds.minimum {
            0.0
        } else if average < thresholds.maximum {
            max_probability * thresholds.place(average)
        } else if *gentle {
            let beyond = average / thresholds.maximum - 1.0;
            (max_probability + (1.0 - max_probability) * beyond).min(1.0)
        } else {
            1.0
        }
    }

    /// Whether the packet is chosen, so that gaps between those chosen are even.
    fn chooses(&mut self, probability: f64) -> bool {
        let passed = f64::from(self.count) * probability;
        let chosen = passed >= 1.0 || self.random.happens(probability / (1.0 - passed));
        self.count = if chosen || probability == 0.0 { 0 } else { self.count.saturating_add(1) };
        chosen
    }
}

impl Configured for Red {
    type Settings = RedSettings;

    fn marks(settings: &Self::Settings) -> bool {
        settings.action == CongestionAction::Mark
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(settings, random)
    }
}

impl ArrivalDiscipline for Red {
    fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict {
        if self.settings.adaptive {
            self.adapt(now, arriving);
        }
        self.update_average(now, arriving);
        let probability = self.probability();
        if !self.chooses(probability) {
            Verdict::Pass
        } else if self.settings.hard_drop && self.average >= self.settings.thresholds.maximum {
            Verdict::Drop
        } else {
            self.settings.action.into()
        }
    }
}
