//! Hybrid ARQ and radio link control.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::schema::short_forms;
use windtunnel_reading::units::{Measured, Share, microseconds, milliseconds};

use crate::AirPlan;

/// With more errors than this HARQ would try almost for ever.
const MOST_ERROR: f64 = 0.99;
const MOST_ATTEMPTS: u16 = 100;

/// Hybrid ARQ: a block that was received with errors is sent again.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Harq {
    /// How long a block is on the link: what is sent within that time arrives together
    /// or not at all; LTE has 1 ms.
    #[serde(default = "microseconds::<125>")]
    slot: Located<Measured<Duration>>,
    /// The probability that an attempt fails.
    #[serde(default = "error")]
    error: Located<Measured<Share>>,
    /// The time to the next attempt.
    #[serde(default = "milliseconds::<1>")]
    round_trip: Located<Measured<Duration>>,
    /// How often it tries: 1 to 100 times.
    #[serde(default = "number::<4>")]
    attempts: Located<u16>,
}

fn error() -> Located<Measured<Share>> {
    Measured(Share(0.1)).into()
}

impl Default for Harq {
    fn default() -> Self {
        Self {
            slot: microseconds::<125>(),
            error: error(),
            round_trip: milliseconds::<1>(),
            attempts: number::<4>(),
        }
    }
}

/// Radio link control: what becomes of a packet that HARQ gives up.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Rlc", tag = "kind", transform = short_forms)]
pub(crate) enum Rlc {
    /// The packet is sent again: nothing is lost, at the cost of delay.
    Acknowledged(Acknowledged),
    /// The packet is lost.
    Unacknowledged(Unacknowledged),
}

/// The packet is sent again: nothing is lost, at the cost of delay.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Acknowledged {
    /// The time until a status report says that the packet is missing.
    #[serde(default = "milliseconds::<20>")]
    status: Located<Measured<Duration>>,
}

/// The packet is lost.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unacknowledged {}

impl Default for Rlc {
    fn default() -> Self {
        Self::Acknowledged(Acknowledged { status: milliseconds::<20>() })
    }
}

impl Rlc {
    fn status(&self) -> Option<Duration> {
        match self {
            Self::Acknowledged(it) => Some(it.status.value.0),
            Self::Unacknowledged(_) => None,
        }
    }
}

/// What HARQ and RLC do to the packets of a radio; none where every attempt succeeds.
pub(super) fn plan(harq: &Harq, rlc: &Rlc) -> Result<Option<AirPlan>, Mistake> {
    let block_error = harq.error.value.0.0;
    harq.error.checked(
        |_| block_error <= MOST_ERROR,
        || "the error probability of an attempt is too high".to_owned(),
        "write at most \"99 %\"",
    )?;
    let attempts = u32::from(harq.attempts.value);
    harq.attempts.checked(
        |it| (1..=MOST_ATTEMPTS).contains(it),
        || format!("`attempts` must be from 1 to {MOST_ATTEMPTS}, not {attempts}"),
        &format!("write 1 to {MOST_ATTEMPTS}"),
    )?;
    let (slot, round_trip, status) = (harq.slot.value.0, harq.round_trip.value.0, rlc.status());
    Ok((block_error > 0.0).then_some(AirPlan { slot, block_error, round_trip, attempts, status }))
}
