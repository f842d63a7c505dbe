//! How the ends of a fixed radio link share the channel.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::schema::short_forms;

use crate::PhysicalLayerMaker;
use crate::fixed_wireless::{self, Access, ExchangePlan, FixedWirelessPlan, TimeDivisionPlan};
use crate::pace::Duplex;

/// How the ends share the channel.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "MediumAccess", tag = "kind", transform = short_forms)]
pub(super) enum MediumAccess {
    /// Terragraph's frames of 400 µs: each end sends in its half, the first node in the first.
    TimeDivision(TimeDivision),
    /// Exchanges of packets and a block acknowledgement, by turns.
    Scheduled(Exchanges),
    /// The same, each after a random time: half of the least contention window. There are no
    /// collisions.
    Contention(Exchanges),
}

/// Each end sends in its half of a frame.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TimeDivision {}

/// Exchanges of packets and a block acknowledgement, on one medium for both directions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchanges {
    /// The most packets of an exchange: 1 to 64.
    #[serde(default = "number::<64>")]
    aggregation: Located<u16>,
}

impl Default for MediumAccess {
    fn default() -> Self {
        Self::TimeDivision(TimeDivision {})
    }
}

impl MediumAccess {
    pub(super) fn plan(&self) -> Result<fixed_wireless::MediumAccess, Mistake> {
        let exchange = |access, it: &Exchanges| {
            let aggregation = it.aggregation()?;
            Ok(fixed_wireless::MediumAccess::Exchange { access, aggregation })
        };
        match self {
            Self::TimeDivision(_) => Ok(fixed_wireless::MediumAccess::TimeDivision),
            Self::Scheduled(it) => exchange(Access::Scheduled, it),
            Self::Contention(it) => exchange(Access::Contention, it),
        }
    }

    /// How one direction gets packets across.
    pub(super) fn layer(
        &self,
        half: u64,
        plan: &FixedWirelessPlan,
        retransmissions: u16,
    ) -> Arc<dyn PhysicalLayerMaker> {
        let (thresholds, retransmissions) = (plan.ladder.thresholds(), retransmissions.into());
        match plan.access {
            fixed_wireless::MediumAccess::TimeDivision => {
                Arc::new(TimeDivisionPlan { half, thresholds, retransmissions })
            }
            fixed_wireless::MediumAccess::Exchange { access, aggregation } => {
                Arc::new(ExchangePlan { access, aggregation, thresholds, retransmissions })
            }
        }
    }

    pub(super) fn duplex(&self) -> Duplex {
        match self {
            Self::TimeDivision(_) => Duplex::ByTime,
            Self::Scheduled(_) | Self::Contention(_) => Duplex::Half,
        }
    }
}

impl Exchanges {
    fn aggregation(&self) -> Result<u32, Mistake> {
        let packets = self.aggregation.value;
        self.aggregation.checked(
            |it| (1..=64).contains(it),
            || format!("`aggregation` must be from 1 to 64 packets, not {packets}"),
            "write 1 to 64, the number that a block acknowledgement can cover",
        )?;
        Ok(packets.into())
    }
}
