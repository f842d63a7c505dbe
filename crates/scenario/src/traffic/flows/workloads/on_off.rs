//! Sending in turns with silence.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::OnOffPeriods;
use windtunnel_engine::Duration;

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::periods::Periods;
use crate::reading::timers::above_zero;
use crate::reading::units::Measured;

/// Sending in turns with silence.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnOff {
    /// How long it sends.
    on: Located<Measured<Duration>>,
    /// How long it is silent.
    off: Located<Measured<Duration>>,
    /// Whether the times are always as long, or exponentially distributed with that
    /// mean.
    #[serde(default)]
    periods: Periods,
}

impl OnOff {
    pub(crate) fn turns(&self) -> Result<OnOffPeriods, Mistake> {
        let length = |it, key| Ok(self.periods.of(above_zero(it, key)?));
        Ok(OnOffPeriods { on: length(&self.on, "on")?, off: length(&self.off, "off")? })
    }
}
