//! The window of a consumer.

use windtunnel_controllers::Start;
#[cfg(feature = "serde")]
use windtunnel_units::{As, Segments};

/// The window of a consumer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct ConsumerWindow {
    /// The window at the start.
    #[cfg_attr(feature = "serde", serde(with = "As::<Segments>"))]
    pub initial: f64,
    /// The smallest window; default: the initial one.
    #[cfg_attr(
        feature = "serde",
        serde(with = "As::<Option<Segments>>", skip_serializing_if = "Option::is_none")
    )]
    pub minimum: Option<f64>,
    /// What a fraction of a segment in the window allows.
    pub fraction: WindowFraction,
}

impl Default for ConsumerWindow {
    fn default() -> Self {
        Self { initial: 2.0, minimum: None, fraction: WindowFraction::default() }
    }
}

impl ConsumerWindow {
    /// Where the controller begins.
    #[must_use]
    pub fn start(&self) -> Start {
        Start {
            initial_window: self.initial,
            minimum_window: self.minimum.unwrap_or(self.initial),
            restart_window: self.initial,
            initial_ssthresh: f64::INFINITY,
        }
    }
}

/// What a fraction of a segment in the window allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum WindowFraction {
    /// Nothing: what is in flight never exceeds the window.
    #[default]
    Waits,
    /// One more Interest, as in ndnSIM.
    Sends,
}
