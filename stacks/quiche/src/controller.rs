//! What controls the congestion window.

use quiche::{Config, CongestionControlAlgorithm as Algorithm};

/// One of quiche's controllers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Controller {
    /// CUBIC, which is the default.
    Cubic,
    /// NewReno.
    Reno,
    /// BBRv2.
    Bbr2,
    /// CUBIC as it was until quiche repaired what it does after an idle period, which it takes to have
    /// begun when the last packet was sent.
    CubicWithoutIdleFix,
}

impl Controller {
    /// That of a name; none of any other.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "reno" => Some(Self::Reno),
            "bbr2" => Some(Self::Bbr2),
            "cubic-without-idle-fix" => Some(Self::CubicWithoutIdleFix),
            _ => None,
        }
    }

    /// Chooses it.
    pub(crate) fn choose(self, config: &mut Config) {
        config.set_cc_algorithm(match self {
            Self::Cubic | Self::CubicWithoutIdleFix => Algorithm::CUBIC,
            Self::Reno => Algorithm::Reno,
            Self::Bbr2 => Algorithm::Bbr2Gcongestion,
        });
        config.set_enable_cubic_idle_restart_fix(!matches!(self, Self::CubicWithoutIdleFix));
    }
}
