//! Packets that a link delivers twice, late, or as late as its load makes them.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};
use windtunnel_links::{
    Impairment, Jitter as JitterPlan, LoadDelay as LoadDelayPlan, Reordering as ReorderingPlan,
};

use super::jitter::Jitter;
use super::loss::numbers;
use crate::reading::error::Mistake;
use crate::reading::located::{Located, number};
use crate::reading::schema::short_forms;
use crate::reading::timers::above_zero;
use crate::reading::units::{Measured, Share};

/// Which packets a link delivers late.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Reordering", tag = "kind", transform = short_forms)]
pub(crate) enum Reordering {
    /// Each packet is late independently of all others.
    Independent(Independent),
    /// One packet of every *n*.
    Periodic(Periodic),
    /// Exactly the packets of certain numbers, as for `listed` losses.
    Listed(Listed),
}

/// Each packet is late independently of all others.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Independent {
    /// The probability that a packet is delivered late.
    probability: Measured<Share>,
    /// How much later; what is sent within that time overtakes it.
    lateness: Located<Measured<Duration>>,
}

/// One packet of every *n*.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Periodic {
    /// The number of packets of which the last one is late: with 50 the 50th, the 100th, and so
    /// on, of all that the link sends in that direction.
    every: Located<u64>,
    /// How much later; what is sent within that time overtakes it.
    lateness: Located<Measured<Duration>>,
}

/// Exactly the packets of certain numbers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listed {
    /// The numbers, rising: the first packet that the link sends in that direction has number 1.
    packets: Located<Vec<u64>>,
    /// How much later; what is sent within that time overtakes it.
    lateness: Located<Measured<Duration>>,
}

impl Reordering {
    /// Which packets are late, and by how much.
    fn plan(&self) -> Result<(ReorderingPlan, Duration), Mistake> {
        let (reordering, lateness) = match self {
            Self::Independent(it) => {
                (ReorderingPlan::Independent(it.probability.0.0), &it.lateness)
            }
            Self::Periodic(it) => (ReorderingPlan::Periodic(it.period()?), &it.lateness),
            Self::Listed(it) => (ReorderingPlan::Listed(numbers(&it.packets)?), &it.lateness),
        };
        Ok((reordering, above_zero(lateness, "lateness")?))
    }
}

impl Periodic {
    fn period(&self) -> Result<NonZeroU64, Mistake> {
        NonZeroU64::new(self.every.value).ok_or_else(|| {
            let message = "`every` must be greater than zero";
            self.every.mistake(message).help("write one such as every = 50")
        })
    }
}

/// A delay that grows with the load of a link: `delay` times the load in parts of `at`, to the
/// given power.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadDelay {
    /// What it adds to the delay of each packet at the load `at`.
    delay: Measured<Duration>,
    /// The load at which that is so. It is counted with all headers, and may be less or more
    /// than the rate of the link.
    at: Measured<Rate>,
    /// The power of the load, from 1 to 8.
    #[serde(default = "number::<1>")]
    power: Located<u16>,
    /// How long the load is measured before it counts: the delay follows from the load in the
    /// last full window.
    window: Located<Measured<Duration>>,
}

/// The highest power of a load.
const MOST_POWER: u16 = 8;

impl LoadDelay {
    fn plan(&self) -> Result<LoadDelayPlan, Mistake> {
        let power = self.power.value;
        self.power.checked(
            |it| (1..=MOST_POWER).contains(it),
            || format!("`power` must be from 1 to {MOST_POWER}, not {power}"),
            "write one such as power = 2",
        )?;
        let window = above_zero(&self.window, "window")?;
        Ok(LoadDelayPlan { delay: self.delay.0, at: self.at.0, power: power as u8, window })
    }
}

/// Which packets one direction of a link delivers twice or late.
pub(super) fn plan(
    duplication: Option<Measured<Share>>,
    reordering: Option<&Reordering>,
    mixing: Option<&Located<Measured<Duration>>>,
    jitter: Option<(&Located<Jitter>, JitterPlan)>,
    load_delay: Option<&Located<LoadDelay>>,
) -> Result<Impairment, Mistake> {
    if let Some((it, _)) = &jitter {
        let is_alone = duplication.is_none()
            && reordering.is_none()
            && mixing.is_none()
            && load_delay.is_none();
        it.checked(
            |_| is_alone,
            || "`jitter` cannot be set beside what else delays or duplicates packets".to_owned(),
            "remove `jitter`, or `duplication`, `reordering`, `mixing` and `load_delay`",
        )?;
    }
    if let Some(it) = load_delay {
        it.checked(
            |_| duplication.is_none() && reordering.is_none() && mixing.is_none(),
            || {
                "`load_delay` cannot be set beside `duplication`, `reordering` or `mixing`"
                    .to_owned()
            },
            "remove `load_delay`, or `duplication`, `reordering` and `mixing`",
        )?;
    }
    let load_delay = load_delay.map(|it| it.value.plan()).transpose()?;
    let (late, lateness) = reordering.map(Reordering::plan).transpose()?.unwrap_or_default();
    if let Some(mixing) = mixing {
        mixing.checked(
            |_| reordering.is_none(),
            || "`mixing` and `reordering` cannot both be set".to_owned(),
            "remove one of them",
        )?;
    }
    let mixing = mixing.map(|it| above_zero(it, "mixing")).transpose()?;
    Ok(Impairment {
        jitter: jitter.map(|(_, it)| it),
        load_delay,
        mixing: mixing.unwrap_or(Duration::ZERO),
        duplication: duplication.map_or(0.0, |it| it.0.0),
        reordering: late,
        lateness,
        ..Impairment::default()
    })
}
