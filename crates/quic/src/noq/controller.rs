//! What controls the congestion window of noq.

use std::sync::Arc;

use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use windtunnel_quinn::WindtunnelFactory;

/// The implementation.
pub(super) const NAME: &str = "noq";

/// What controls its congestion window.
#[derive(Clone, Debug)]
pub enum Controller {
    /// noq's CUBIC.
    Cubic,
    /// noq's NewReno.
    NewReno,
    /// noq's BBRv3, whose random numbers differ from run to run.
    Bbr3,
    /// One of Windtunnel's.
    Windtunnel(Box<WindtunnelFactory>),
}

impl Controller {
    /// The names of its own; the first is its default.
    pub const OWN: [&str; 3] = ["cubic", "new-reno", "bbr3"];

    /// Its own controller of that name; none of any other.
    #[must_use]
    pub fn own(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "new-reno" => Some(Self::NewReno),
            "bbr3" => Some(Self::Bbr3),
            _ => None,
        }
    }

    pub(super) fn factory(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            Self::Cubic => Arc::new(CubicConfig::default()),
            Self::NewReno => Arc::new(NewRenoConfig::default()),
            Self::Bbr3 => Arc::new(Bbr3Config::default()),
            Self::Windtunnel(it) => Arc::new((**it).clone()),
        }
    }

    pub(super) fn is_deterministic(&self) -> bool {
        // Its generator has a seed that cannot be set.
        !matches!(self, Self::Bbr3)
    }
}
