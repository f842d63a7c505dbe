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

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Measured, Share, percent};

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::keys::{Keys, drop, packets};
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
    type Keys = RedKeys;
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

/// What idle time is counted by, in bytes.
const TYPICAL_PACKET: u32 = 1000;

/// Random early detection (Floyd and Jacobson 1993).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "drop")]
    action: CongestionAction,
    /// The average queue above which packets are dropped or marked.
    #[serde(default = "minimum_threshold")]
    minimum_threshold: Located<Measured<QueueLimit>>,
    /// The average queue at which `max_probability` is reached; default: three times
    /// the minimum threshold. It may be equal to the minimum threshold: with it, a
    /// `max_probability` of 100 % and a weight of 1, all packets are marked above one threshold,
    /// as DCTCP has it.
    maximum_threshold: Option<Located<Measured<QueueLimit>>>,
    /// The weight of one arrival in the average.
    #[serde(default = "weight")]
    weight: Located<f64>,
    /// The probability at the maximum threshold.
    #[serde(default = "percent::<10>")]
    max_probability: Measured<Share>,
    /// Whether the probability rises gently above the maximum threshold.
    #[serde(default = "yes")]
    gentle: bool,
    /// Whether `max_probability` adapts, to hold the average midway.
    #[serde(default)]
    adaptive: bool,
    /// Whether packets are dropped, and not marked, from the maximum threshold on (RFC 3168,
    /// section 7); otherwise ECN-capable packets are marked up to `limit`, as in Linux without
    /// `harddrop`.
    #[serde(default)]
    hard_drop: bool,
}

fn minimum_threshold() -> Located<Measured<QueueLimit>> {
    packets::<5>().into()
}

fn weight() -> Located<f64> {
    0.002.into()
}

fn yes() -> bool {
    true
}

impl Keys for RedKeys {
    type Settings = RedSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<RedSettings, Mistake> {
        self.weight.checked(
            |it| *it > 0.0 && *it <= 1.0,
            || "`weight` must be greater than 0 and at most 1".to_owned(),
            "write one such as weight = 0.002",
        )?;
        Ok(RedSettings {
            action: self.action,
            thresholds: self.thresholds()?,
            hard_drop: self.hard_drop,
            weight: self.weight.value,
            max_probability: self.max_probability.0.0,
            gentle: self.gentle,
            adaptive: self.adaptive,
            typical_packet: TYPICAL_PACKET,
        })
    }
}

impl RedKeys {
    fn thresholds(&self) -> Result<Thresholds, Mistake> {
        let minimum = self.minimum_threshold.value.0;
        let threefold = match minimum {
            QueueLimit::Packets(it) => QueueLimit::Packets(it.saturating_mul(3)),
            QueueLimit::Bytes(it) => QueueLimit::Bytes(it.saturating_mul(3)),
        };
        let maximum = self.maximum_threshold.as_ref();
        Thresholds::new(minimum, maximum.map_or(threefold, |it| it.value.0)).ok_or_else(|| {
            let span = maximum.and_then(|it| it.span.clone());
            let message =
                "the maximum threshold must be at least the minimum threshold, in the same unit";
            Mistake::new(message)
                .at(span.or_else(|| self.minimum_threshold.span.clone()))
                .help("write both, such as \"5 packets\" and \"15 packets\"")
        })
    }
}
