//! Links that send at a rate.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;
use windtunnel_reading::located::Each;
use windtunnel_reading::units::Measured;

use crate::keys::Keys;
use crate::pace::Pace;

/// A link that sends at a rate.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireKeys {
    /// How fast it sends.
    rate: Each<Measured<Rate>>,
}

impl Keys for WireKeys {
    fn pace(&self, _files: &mut Files<'_>, _duration: Duration) -> Result<Pace, Mistake> {
        Ok(Pace::of(self.rate.0.map(|it| it.0)))
    }

    fn is_constant(&self) -> bool {
        true
    }
}
