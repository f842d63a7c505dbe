//! The region protocol.

mod frames;
mod names;
mod tables;

use arrow_array::RecordBatch;
use windtunnel_packets::ProtocolNumber;
use windtunnel_packets::region::PROTOCOL;
use windtunnel_scenario::{FrameContext, FrameError, FramePayload, LayerKind};
use windtunnel_world::{Plan, SeenPacket, World};

/// Networks of regions.
#[derive(Debug)]
pub(super) struct Regions;

impl LayerKind for Regions {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn tables(&self, plan: &Plan, world: &World) -> Vec<(&'static str, RecordBatch)> {
        vec![
            ("regions", tables::regions(plan, world)),
            ("routers", tables::totals(plan, world)),
            ("route_changes", tables::changes(plan, world)),
            ("name_lookups", names::lookups(plan, world)),
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
