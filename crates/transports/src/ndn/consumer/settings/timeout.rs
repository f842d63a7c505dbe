//! When an Interest times out, and what that means.

use windtunnel_engine::Duration;
#[cfg(feature = "serde")]
use windtunnel_units::{As, PositiveDuration};

use crate::rtt::RtoLimits;

/// When an Interest times out, and what that means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct ConsumerTimeout {
    /// The timeout before the first round trip is measured.
    #[cfg_attr(feature = "serde", serde(with = "As::<PositiveDuration>"))]
    pub initial: Duration,
    /// The smallest timeout.
    #[cfg_attr(feature = "serde", serde(with = "As::<Duration>"))]
    pub minimum: Duration,
    /// The greatest timeout.
    #[cfg_attr(feature = "serde", serde(with = "As::<PositiveDuration>"))]
    pub maximum: Duration,
    /// When a timeout doubles the timeout.
    pub backoff: Backoff,
    /// How often the timeout may have been doubled; default: no limit.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub most_doublings: Option<u8>,
    /// How much one round trip moves the smoothed one.
    pub rtt_gain: RttGain,
    /// How often timeouts are looked for; default: when they expire.
    #[cfg_attr(
        feature = "serde",
        serde(with = "As::<Option<Duration>>", skip_serializing_if = "Option::is_none")
    )]
    pub check: Option<Duration>,
    /// What a timeout means to the controller.
    pub meaning: TimeoutMeaning,
    /// What Data does whose Interest timed out and was not sent again yet.
    pub late_data: LateData,
}

impl Default for ConsumerTimeout {
    fn default() -> Self {
        let RtoLimits { initial, minimum, maximum, .. } = RtoLimits::default();
        Self {
            initial,
            minimum,
            maximum,
            backoff: Backoff::default(),
            most_doublings: None,
            rtt_gain: RttGain::default(),
            check: None,
            meaning: TimeoutMeaning::default(),
            late_data: LateData::default(),
        }
    }
}

impl ConsumerTimeout {
    /// The limits of the timeout.
    #[must_use]
    pub fn limits(&self) -> RtoLimits {
        let usual = RtoLimits::default();
        let most_backoff = self.most_doublings.map(|it| f64::from(it).exp2());
        RtoLimits {
            initial: self.initial,
            minimum: self.minimum,
            maximum: self.maximum,
            most_backoff: most_backoff.unwrap_or(usual.most_backoff),
            ..usual
        }
    }
}

/// When a timeout doubles the timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Backoff {
    // A burst of losses is one sign, however long its timeouts take to come (RFC 6298, section 5,
    // whose one timer starts again when it is doubled).
    /// Once for all Interests that were sent before it was doubled last.
    #[default]
    OncePerRoundTrip,
    /// Once for all Interests found timed out at the same time.
    EachEvent,
    /// For each Interest, as in ndnSIM.
    EachInterest,
}

/// How much one measured round trip moves the smoothed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum RttGain {
    /// The gains of RFC 6298, shared among the samples of a round trip, as in
    /// ndn-cxx.
    #[default]
    PerRoundTrip,
    /// The gains of RFC 6298 for each sample, as in ndnSIM.
    PerSample,
}

/// What a timeout means to the controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum TimeoutMeaning {
    /// A loss: the ordinary decrease.
    #[default]
    Loss,
    /// Start again from the initial window.
    Restart,
}

/// What Data does whose Interest timed out and was not sent again yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum LateData {
    // It is of the only Interest, so that Karn's rule allows it; its timeout has ended that
    // Interest's time in flight.
    /// Its round trip is measured, which lengthens a timeout that was too short.
    #[default]
    Measures,
    /// It lowers the number in flight once more, as its timeout did, and its round trip
    /// is not measured, as in ndnSIM.
    LowersInFlight,
}
