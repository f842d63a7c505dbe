//! How fast a link sends.

use std::sync::Arc;

use windtunnel_engine::Rate;
use windtunnel_world::{AirPlan, ChannelPlan, Opportunities};

/// How fast a link sends.
pub(crate) struct Pace {
    /// At first, or on average, in each direction.
    pub(crate) rates: [Rate; 2],
    /// When each direction may send, if it has a delivery trace.
    pub(crate) opportunities: [Option<Arc<Opportunities>>; 2],
    /// What the air interface does, if there is one.
    pub(crate) air: Option<AirPlan>,
    /// What the rates follow, if they are not always the same.
    pub(crate) channel: Option<ChannelPlan>,
}

impl Pace {
    /// Always the same rates.
    pub(crate) fn of(rates: [Rate; 2]) -> Self {
        Self { rates, opportunities: [None, None], air: None, channel: None }
    }
}
