//! CoDel: controlled delay, dropping or marking.
//!
//! Source: RFC 8289, section 5. A packet's sojourn time is compared with
//! `target` when it leaves. Once it stayed above for a whole `interval`, packets
//! are dropped (or marked) at times that draw nearer by the inverse square root
//! of their count, until the sojourn falls below the target.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{Measured, milliseconds};

use crate::backlog::QueueLimit;
use crate::departure::{DepartureDiscipline, Leaving};
use crate::description::{Configured, QueueDescription};
use crate::keys::{Keys, MAXIMUM_PACKET, drop, packets};
use crate::verdict::{CongestionAction, Verdict};

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "codel",
    meaning: "controlled delay: drops or marks while packets stay too long",
    source: "RFC 8289",
    shapes: false,
    is_random: false,
};

/// What CoDel is given (RFC 8289, section 4).
#[derive(Clone, Debug)]
pub struct CoDelSettings {
    /// What becomes of a packet that stayed too long.
    pub action: CongestionAction,
    /// The sojourn time to stay below; 5 ms by default.
    pub target: Duration,
    /// How long it may be above; 100 ms by default.
    pub interval: Duration,
    /// The most bytes that one packet has; a backlog of no more is never
    /// congestion.
    pub maximum_packet: u64,
    /// If set, every ECN-capable packet that stayed longer is marked, for
    /// senders that answer many marks by little each.
    pub ce_threshold: Option<Duration>,
}

impl CoDelSettings {
    /// Whether a packet is ever marked.
    pub(crate) fn marks(&self) -> bool {
        self.action == CongestionAction::Mark || self.ce_threshold.is_some()
    }
}

/// One queue's state (RFC 8289, section 5.3).
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// When the sojourn will have been above target for an interval.
    first_above: Option<Time>,
    dropping: bool,
    next: Time,
    count: u32,
    last_count: u32,
}

impl State {
    pub(super) fn judge(
        &mut self,
        settings: &CoDelSettings,
        now: Time,
        leaving: &Leaving,
    ) -> Verdict {
        if self.chooses(settings, now, leaving) {
            return settings.action.into();
        }
        match settings.ce_threshold {
            Some(threshold) if leaving.sojourn > threshold && leaving.ecn.is_capable() => {
                Verdict::Mark
            }
            _ => Verdict::Pass,
        }
    }

    /// Whether the packet is one of those to drop or to mark.
    fn chooses(&mut self, settings: &CoDelSettings, now: Time, leaving: &Leaving) -> bool {
        if !self.stayed_above(settings, now, leaving) {
            self.dropping = false;
            return false;
        }
        if !self.dropping {
            self.enter(settings.interval, now);
            return true;
        }
        if now < self.next {
            return false;
        }
        self.count += 1;
        self.next += self.spacing(settings.interval);
        true
    }

    /// Whether the sojourn time has been above target for an interval.
    fn stayed_above(&mut self, settings: &CoDelSettings, now: Time, leaving: &Leaving) -> bool {
        if leaving.sojourn < settings.target || leaving.backlog <= settings.maximum_packet {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            None => {
                self.first_above = Some(now + settings.interval);
                false
            }
            Some(first_above) => now >= first_above,
        }
    }

    fn spacing(&self, interval: Duration) -> Duration {
        interval.scaled(1.0 / f64::from(self.count).sqrt())
    }

    /// Starts dropping; soon after the last time, at nearly the rate that
    /// controlled the queue then (RFC 8289, section 5.4).
    fn enter(&mut self, interval: Duration, now: Time) {
        let recently = now.since(self.next) < interval * 16;
        let gained = self.count.saturating_sub(self.last_count);
        self.count = if recently && gained > 1 { gained } else { 1 };
        self.last_count = self.count;
        self.next = now + self.spacing(interval);
        self.dropping = true;
    }
}

/// CoDel on one queue.
#[derive(Clone, Debug)]
pub struct CoDel {
    settings: CoDelSettings,
    state: State,
}

impl CoDel {
    /// CoDel on an empty queue.
    #[must_use]
    pub fn new(settings: CoDelSettings) -> Self {
        Self { settings, state: State::default() }
    }
}

impl Configured for CoDel {
    type Keys = CoDelKeys;
    type Settings = CoDelSettings;

    fn marks(settings: &Self::Settings) -> bool {
        settings.marks()
    }

    fn start(settings: Self::Settings, _random: Random) -> Self {
        Self::new(settings)
    }
}

impl DepartureDiscipline for CoDel {
    fn judge(&mut self, now: Time, leaving: &Leaving) -> Verdict {
        self.state.judge(&self.settings, now, leaving)
    }
}

/// Controlled delay (RFC 8289).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoDelKeys {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "drop")]
    action: CongestionAction,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// The sojourn time above which every ECN-capable packet is marked; default: none.
    ce_threshold: Option<Measured<Duration>>,
}

impl Keys for CoDelKeys {
    type Settings = CoDelSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<CoDelSettings, Mistake> {
        let Self { action, target, interval, ce_threshold, .. } = self;
        settings(*action, target, interval, *ce_threshold)
    }
}

/// What all queues with controlled delay have.
pub(super) fn settings(
    action: CongestionAction,
    target: &Located<Measured<Duration>>,
    interval: &Located<Measured<Duration>>,
    ce_threshold: Option<Measured<Duration>>,
) -> Result<CoDelSettings, Mistake> {
    Ok(CoDelSettings {
        action,
        target: target.value.0,
        interval: above_zero(interval, "interval")?,
        maximum_packet: MAXIMUM_PACKET,
        ce_threshold: ce_threshold.map(|it| it.0),
    })
}
