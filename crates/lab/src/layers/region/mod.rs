//! The region protocol.

mod frames;
mod names;
mod tables;

use windtunnel_packets::ProtocolNumber;
use windtunnel_packets::region::PROTOCOL;
use windtunnel_scenario::{FrameContext, FrameError, FramePayload, LayerKind};
use windtunnel_tables::Table;
use windtunnel_world::{Plan, SeenPacket, World};

/// Networks of regions.
#[derive(Debug)]
pub(super) struct Regions;

impl LayerKind for Regions {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn tables(&self, plan: &Plan, world: &World) -> Vec<Table> {
        vec![
            tables::regions(plan, world),
            tables::totals(plan, world),
            tables::changes(plan, world),
            names::lookups(plan, world),
        ]
    }

    fn frame(
        &self,
        seen: &SeenPacket,
        context: &FrameContext<'_>,
    ) -> Result<FramePayload, FrameError> {
        frames::encode(seen, context)
    }
}
