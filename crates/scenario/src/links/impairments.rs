//! Packets that a link delivers twice or late.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_links::Impairment;

use crate::error::Mistake;
use crate::located::Located;
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

/// Which packets one direction of a link delivers twice or late.
pub(super) fn plan(
    duplication: Option<Measured<Share>>,
    reordering: Option<&Reordering>,
    mixing: Option<&Located<Measured<Duration>>>,
) -> Result<Impairment, Mistake> {
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
        mixing: mixing.unwrap_or(Duration::ZERO),
        duplication: duplication.map_or(0.0, |it| it.0.0),
        reordering: reordering.map_or(0.0, |it| it.probability.0.0),
        lateness: lateness.unwrap_or(Duration::ZERO),
    })
}
