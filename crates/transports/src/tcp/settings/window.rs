//! The congestion window at the start, and after a time without sending.

use windtunnel_controllers::Start;
#[cfg(feature = "serde")]
use windtunnel_units::{As, Segments};

#[cfg(feature = "serde")]
use super::buffers::BufferSize;

/// The congestion window at the start, and when it begins anew.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct Window {
    /// The window at the start.
    #[cfg_attr(feature = "serde", serde(with = "As::<Segments>"))]
    pub initial: f64,
    /// No decrease goes below this; default: 2 segments, or the initial window if that
    /// is smaller.
    #[cfg_attr(
        feature = "serde",
        serde(with = "As::<Option<Segments>>", skip_serializing_if = "Option::is_none")
    )]
    pub minimum: Option<f64>,
    /// Where the first slow start ends, for controllers that have a slow-start threshold, in
    /// bytes of data; default: unlimited, as RFC 5681, section 3.1, recommends. ns-3 had
    /// 65,535 B up to its release 3.24.
    #[cfg_attr(
        feature = "serde",
        serde(with = "As::<Option<BufferSize>>", skip_serializing_if = "Option::is_none")
    )]
    pub ssthresh: Option<u64>,
    /// What happens to the window when nothing was sent for longer than the timeout. BBR is not
    /// concerned.
    pub after_idleness: Idleness,
    /// What happens to the window and the round-trip estimate when packets take another path by the
    /// flow's `path_policy`.
    pub after_path_change: AfterPathChange,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            initial: Start::default().initial_window,
            minimum: None,
            ssthresh: None,
            after_idleness: Idleness::default(),
            after_path_change: AfterPathChange::default(),
        }
    }
}

impl Window {
    /// Where a controller begins whose segments have this many bytes of data.
    #[must_use]
    pub fn start(&self, segment: u16) -> Start {
        let usual = Start::default();
        let ssthresh = self.ssthresh.map(|it| it as f64 / f64::from(segment));
        Start {
            initial_window: self.initial,
            minimum_window: self.minimum.unwrap_or(self.initial.min(usual.minimum_window)),
            initial_ssthresh: ssthresh.unwrap_or(usual.initial_ssthresh),
            ..usual
        }
    }
}

/// What happens to the window when nothing was sent for longer than the timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Idleness {
    /// Halved for each timeout that passed, down to the initial window (RFC 2861, as in
    /// Linux).
    #[default]
    Decay,
    /// The initial window (RFC 5681, section 4.1).
    Restart,
    /// As before for five minutes; an unused window does not grow, and does not count when it
    /// is decreased (RFC 7661).
    Validate,
    /// As before.
    Keep,
}

/// What happens to the congestion state when packets take another path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum AfterPathChange {
    /// It stays.
    #[default]
    Keep,
    /// The initial window; when all that was sent on the path before is acknowledged, the
    /// controller and the round-trip estimate begin anew.
    Restart,
}
