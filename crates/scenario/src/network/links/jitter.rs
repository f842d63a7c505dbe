//! Delays that are drawn for each packet.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_links::{Jitter as JitterPlan, JitterDistribution, Shape};

use crate::reading::distributions;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::schema::short_forms;
use crate::reading::timers::above_zero;
use crate::reading::units::{Measured, Share, percent};

/// A delay of each packet beside that of the link, drawn at random.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Jitter", tag = "kind", transform = short_forms)]
pub(crate) enum Jitter {
    /// Uniformly distributed between zero and the maximum.
    Uniform(Uniform),
    /// Normally distributed; what would be negative is zero.
    Normal(About),
    /// Exponentially distributed.
    Exponential(Exponential),
    /// As netem's `pareto`: a Pareto distribution of shape 3, from two thirds of the deviation
    /// below the mean to four deviations above. What would be negative is zero.
    Pareto(About),
    /// As netem's `paretonormal`: a quarter of `normal` and three quarters of `pareto`, both at
    /// the same level. What would be negative is zero.
    #[serde(rename = "paretonormal")]
    ParetoNormal(About),
    /// Each entry of a file equally likely, such as a distribution of netem (iproute2's `.dist`).
    /// What would be negative is zero.
    Table(Table),
}

/// Uniformly distributed between zero and the maximum.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Uniform {
    /// The most.
    most: Located<Measured<Duration>>,
    /// How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    /// then spread less than the distribution says.
    #[serde(default = "uncorrelated")]
    correlation: Located<Measured<Share>>,
    /// Whether packets may overtake each other; otherwise each arrives no earlier than the one
    /// before.
    #[serde(default)]
    reorders: bool,
}

/// A distribution about a mean.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct About {
    /// The mean.
    mean: Measured<Duration>,
    /// The standard deviation, which netem calls jitter: of `pareto` and `paretonormal` before
    /// they are cut off.
    deviation: Located<Measured<Duration>>,
    /// How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    /// then spread less than the distribution says.
    #[serde(default = "uncorrelated")]
    correlation: Located<Measured<Share>>,
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
    /// How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    /// then spread less than the distribution says.
    #[serde(default = "uncorrelated")]
    correlation: Located<Measured<Share>>,
    /// Whether packets may overtake each other; otherwise each arrives no earlier than the one
    /// before.
    #[serde(default)]
    reorders: bool,
}

/// The entries of a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// The file: whole numbers from -32768 to 32767, of which 8192 are one deviation above the
    /// mean. Lines that begin with `#` are comments.
    file: Located<String>,
    /// What the number 0 stands for.
    mean: Measured<Duration>,
    /// What the number 8192 stands for, beside the mean.
    deviation: Located<Measured<Duration>>,
    /// How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    /// then spread less than the distribution says.
    #[serde(default = "uncorrelated")]
    correlation: Located<Measured<Share>>,
    /// Whether packets may overtake each other; otherwise each arrives no earlier than the one
    /// before.
    #[serde(default)]
    reorders: bool,
}

fn uncorrelated() -> Located<Measured<Share>> {
    percent::<0>().into()
}

impl Jitter {
    pub(super) fn plan(&self, files: &mut Files<'_>) -> Result<JitterPlan, Mistake> {
        let (correlation, reorders) = self.succession();
        correlation.checked(
            |it| it.0.0 < 1.0,
            || "`correlation` must be less than 100 %".to_owned(),
            "with 100 % all delays would be the first one; write one such as \"25 %\"",
        )?;
        Ok(JitterPlan {
            distribution: self.distribution(files)?,
            correlation: correlation.value.0.0,
            keeps_order: !reorders,
        })
    }

    /// How the delay of a packet depends on those before.
    fn succession(&self) -> (&Located<Measured<Share>>, bool) {
        match self {
            Self::Uniform(it) => (&it.correlation, it.reorders),
            Self::Normal(it) | Self::Pareto(it) | Self::ParetoNormal(it) => {
                (&it.correlation, it.reorders)
            }
            Self::Exponential(it) => (&it.correlation, it.reorders),
            Self::Table(it) => (&it.correlation, it.reorders),
        }
    }

    fn distribution(&self, files: &mut Files<'_>) -> Result<JitterDistribution, Mistake> {
        match self {
            Self::Uniform(it) => {
                Ok(JitterDistribution::Uniform { most: above_zero(&it.most, "most")? })
            }
            Self::Exponential(it) => {
                Ok(JitterDistribution::Exponential { mean: above_zero(&it.mean, "mean")? })
            }
            Self::Normal(it) => about(it.mean, &it.deviation, Shape::Normal),
            Self::Pareto(it) => about(it.mean, &it.deviation, Shape::Pareto),
            Self::ParetoNormal(it) => about(it.mean, &it.deviation, Shape::ParetoNormal),
            Self::Table(it) => {
                let entries = files.read(&it.file, distributions::delays)?;
                about(it.mean, &it.deviation, Shape::Table(entries.into()))
            }
        }
    }
}

fn about(
    mean: Measured<Duration>,
    deviation: &Located<Measured<Duration>>,
    shape: Shape,
) -> Result<JitterDistribution, Mistake> {
    let deviation = above_zero(deviation, "deviation")?;
    Ok(JitterDistribution::About { mean: mean.0, deviation, shape })
}
