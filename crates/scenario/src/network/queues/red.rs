//! Random early detection.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_queues::{Discipline, QueueLimit, RedSettings, Thresholds};

use super::common::{Action, drop, packets};
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Measured, Share, percent};

/// What idle time is counted by, in bytes.
const TYPICAL_PACKET: u32 = 1000;

/// Random early detection (Floyd and Jacobson 1993).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Red {
    /// How much may wait.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "drop")]
    action: Action,
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

impl Red {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        self.weight.checked(
            |it| *it > 0.0 && *it <= 1.0,
            || "`weight` must be greater than 0 and at most 1".to_owned(),
            "write one such as weight = 0.002",
        )?;
        Ok(Discipline::Red(RedSettings {
            action: self.action.into(),
            thresholds: self.thresholds()?,
            hard_drop: self.hard_drop,
            weight: self.weight.value,
            max_probability: self.max_probability.0.0,
            gentle: self.gentle,
            adaptive: self.adaptive,
            typical_packet: TYPICAL_PACKET,
        }))
    }

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
