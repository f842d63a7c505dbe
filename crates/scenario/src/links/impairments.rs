//! Packets that a link delivers twice, late, or as late as its load makes them.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};
use windtunnel_links::{
    Impairment, Jitter as JitterPlan, JitterDistribution, LoadDelay as LoadDelayPlan,
};

use crate::error::Mistake;
use crate::located::{Located, number};
use crate::schema::short_forms;
use crate::timers::above_zero;
use crate::units::{Measured, Share};

/// Which packets a link delivers late.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reordering {
    /// The probability that a packet is delivered late.
    probability: Measured<Share>,
    /// How much later; what is sent within that time overtakes it.
    lateness: Located<Measured<Duration>>,
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

/// A delay of each packet beside that of the link, drawn at random.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Jitter", tag = "kind", transform = short_forms)]
pub(crate) enum Jitter {
    /// Equally likely between zero and the most.
    Uniform(Uniform),
    /// Normally distributed; what would be negative is zero.
    Normal(Normal),
    /// Exponentially distributed.
    Exponential(Exponential),
}

/// Equally likely between zero and the most.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Uniform {
    /// The most.
    most: Located<Measured<Duration>>,
    /// Whether packets may overtake each other; otherwise each arrives no earlier than the one
    /// before.
    #[serde(default)]
    reorders: bool,
}

/// Normally distributed; what would be negative is zero.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Normal {
    /// The mean.
    mean: Measured<Duration>,
    /// The standard deviation.
    deviation: Located<Measured<Duration>>,
    /// Whether packets may overtake each other; otherwise each arrives no earlier than the one
    /// before.
    #[serde(default)]
    reorders: bool,
}

/// Exponentially distributed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exponential {
    /// The mean.
    mean: Located<Measured<Duration>>,
    /// Whether packets may overtake each other; otherwise each arrives no earlier than the one
    /// before.
    #[serde(default)]
    reorders: bool,
}

impl Jitter {
    fn plan(&self) -> Result<JitterPlan, Mistake> {
        let (distribution, reorders) = match self {
            Self::Uniform(it) => {
                let most = above_zero(&it.most, "most")?;
                (JitterDistribution::Uniform { most }, it.reorders)
            }
            Self::Normal(it) => {
                let deviation = above_zero(&it.deviation, "deviation")?;
                (JitterDistribution::Normal { mean: it.mean.0, deviation }, it.reorders)
            }
            Self::Exponential(it) => {
                let mean = above_zero(&it.mean, "mean")?;
                (JitterDistribution::Exponential { mean }, it.reorders)
            }
        };
        Ok(JitterPlan { distribution, keeps_order: !reorders })
    }
}

/// Which packets one direction of a link delivers twice or late.
pub(super) fn plan(
    duplication: Option<Measured<Share>>,
    reordering: Option<&Reordering>,
    mixing: Option<&Located<Measured<Duration>>>,
    jitter: Option<&Located<Jitter>>,
    load_delay: Option<&Located<LoadDelay>>,
) -> Result<Impairment, Mistake> {
    if let Some(it) = jitter {
        let is_alone = duplication.is_none()
            && reordering.is_none()
            && mixing.is_none()
            && load_delay.is_none();
        it.checked(
            |_| is_alone,
            || "on a link with `jitter` nothing else may delay or duplicate packets".to_owned(),
            "remove `jitter`, or `duplication`, `reordering`, `mixing` and `load_delay`",
        )?;
    }
    if let Some(it) = load_delay {
        it.checked(
            |_| duplication.is_none() && reordering.is_none() && mixing.is_none(),
            || {
                "on a link with `load_delay` no packet can be duplicated, reordered or mixed"
                    .to_owned()
            },
            "remove `load_delay`, or `duplication`, `reordering` and `mixing`",
        )?;
    }
    let load_delay = load_delay.map(|it| it.value.plan()).transpose()?;
    let lateness = reordering.map(|it| above_zero(&it.lateness, "lateness")).transpose()?;
    if let Some(mixing) = mixing {
        mixing.checked(
            |_| reordering.is_none(),
            || "a link that mixes has no order that `reordering` could change".to_owned(),
            "remove one of them",
        )?;
    }
    let mixing = mixing.map(|it| above_zero(it, "mixing")).transpose()?;
    Ok(Impairment {
        jitter: jitter.map(|it| it.value.plan()).transpose()?,
        load_delay,
        mixing: mixing.unwrap_or(Duration::ZERO),
        duplication: duplication.map_or(0.0, |it| it.0.0),
        reordering: reordering.map_or(0.0, |it| it.probability.0.0),
        lateness: lateness.unwrap_or(Duration::ZERO),
    })
}
