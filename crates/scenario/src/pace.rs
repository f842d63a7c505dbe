//! How fast a link sends.

use std::sync::Arc;

use windtunnel_engine::Rate;
use windtunnel_links::{ChannelMaker, Opportunities, PhysicalLayerMaker};

/// How fast a link sends.
pub(crate) struct Pace {
    /// At first, or on average, in each direction.
    pub(crate) rates: [Rate; 2],
    /// When each direction may send, if it has a delivery trace.
    pub(crate) opportunities: [Option<Arc<Opportunities>>; 2],
    /// How packets get across, if not in one attempt at the rate.
    pub(crate) physical_layer: Option<Arc<dyn PhysicalLayerMaker>>,
    /// What the rates follow, if they are not always the same.
    pub(crate) channel: Option<Arc<dyn ChannelMaker>>,
}

impl Pace {
    /// Always the same rates.
    pub(crate) fn of(rates: [Rate; 2]) -> Self {
        Self { rates, opportunities: [None, None], physical_layer: None, channel: None }
    }
}
