//! What controls the congestion window of quinn.

use std::sync::Arc;

use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use windtunnel_quinn::WindtunnelFactory;

/// The implementation.
pub(super) const NAME: &str = "quinn";

/// What controls its congestion window.
#[derive(Clone, Debug)]
pub enum Controller {
    /// quinn's CUBIC.
    Cubic,
    /// quinn's NewReno.
    NewReno,
    /// quinn's BBR, of the first version.
    Bbr,
    /// One of Windtunnel's.
    Windtunnel(Box<WindtunnelFactory>),
}

impl Controller {
    /// The names of its own; the first is its default.
    pub const OWN: [&str; 3] = ["cubic", "new-reno", "bbr"];

    /// Its own controller of that name; none of any other.
    #[must_use]
    pub fn own(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "new-reno" => Some(Self::NewReno),
            "bbr" => Some(Self::Bbr),
            _ => None,
        }
    }

    pub(super) fn factory(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            Self::Cubic => Arc::new(CubicConfig::default()),
            Self::NewReno => Arc::new(NewRenoConfig::default()),
            Self::Bbr => Arc::new(BbrConfig::default()),
            Self::Windtunnel(it) => Arc::new((**it).clone()),
        }
    }

    pub(super) fn is_deterministic(&self) -> bool {
        true
    }
}
