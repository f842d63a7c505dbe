//! How fast a link sends.

use std::sync::Arc;

use windtunnel_engine::Rate;

use crate::{ChannelMaker, Opportunities, PhysicalLayerMaker};

/// How fast a link sends.
pub struct Pace {
    /// At first, or on average, in each direction.
    pub rates: [Rate; 2],
    /// When each direction may send, if it has a delivery trace.
    pub opportunities: [Option<Arc<Opportunities>>; 2],
    /// How packets get across, if not in one attempt at the rate.
    pub physical_layer: [Option<Arc<dyn PhysicalLayerMaker>>; 2],
    /// What the rates follow, if they are not always the same.
    pub channel: Option<Arc<dyn ChannelMaker>>,
    /// Whether both directions can send at once.
    pub duplex: Duplex,
}

/// Whether both directions of a link can send at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Duplex {
    /// They can, unless the link shares a medium.
    Full,
    /// They share a medium: one of their own, or one that is named.
    Half,
    /// Each has its own times, and the medium to itself.
    ByTime,
}

impl Pace {
    /// Always the same rates.
    #[must_use]
    pub fn of(rates: [Rate; 2]) -> Self {
        Self {
            rates,
            opportunities: [None, None],
            physical_layer: [None, None],
            channel: None,
            duplex: Duplex::Full,
        }
    }
}
