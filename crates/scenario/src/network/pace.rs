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
    pub(crate) physical_layer: [Option<Arc<dyn PhysicalLayerMaker>>; 2],
    /// What the rates follow, if they are not always the same.
    pub(crate) channel: Option<Arc<dyn ChannelMaker>>,
    /// Whether both directions can send at once.
    pub(crate) duplex: Duplex,
}

/// Whether both directions of a link can send at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplex {
    /// They can, unless the link shares a medium.
    Full,
    /// They share a medium: one of their own, or one that is named.
    Half,
    /// Each has its own times, and the medium to itself.
    ByTime,
}

impl Pace {
    /// Always the same rates.
    pub(crate) fn of(rates: [Rate; 2]) -> Self {
        Self {
            rates,
            opportunities: [None, None],
            physical_layer: [None, None],
            channel: None,
            duplex: Duplex::Full,
        }
    }
}
