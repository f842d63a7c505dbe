//! A second ray over water.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::lengths::positive;
use windtunnel_reading::located::{Each, Located};
use windtunnel_reading::units::{Length, Measured, Share, percent};

use crate::fixed_wireless;

/// Calm water, or flat ground, between both ends, which reflects a second ray.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reflection {
    /// How high each end is above it.
    heights: Each<Located<Measured<Length>>>,
    /// The share of the field strength that it reflects.
    #[serde(default = "percent::<100>")]
    coefficient: Measured<Share>,
    /// The standard deviation of its surface's height; default: it is smooth.
    roughness: Option<Located<Measured<Length>>>,
}

impl Reflection {
    pub(super) fn plan(&self) -> Result<fixed_wireless::Reflection, Mistake> {
        let [first, second] = &self.heights.0;
        let height = |it| positive(it, "heights", "16 m");
        let roughness = self.roughness.as_ref();
        let roughness = roughness.map(|it| positive(it, "roughness", "5 mm")).transpose()?;
        Ok(fixed_wireless::Reflection {
            heights: [height(first)?, height(second)?],
            coefficient: self.coefficient.0.0,
            roughness: roughness.unwrap_or(0.0),
        })
    }
}
