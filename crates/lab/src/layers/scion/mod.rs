//! Autonomous systems whose hosts choose the paths of their packets.

mod frames;
mod tables;

use windtunnel_networks::scion::ScionMaker;
use windtunnel_packets::ProtocolNumber;
use windtunnel_packets::scion::PROTOCOL;
use windtunnel_scenario::{FrameContext, FrameError, FramePayload, LayerKind, Mistake};
use windtunnel_tables::Table;
use windtunnel_world::{DomainsPlan, FlowPlan, Plan, SeenPacket, World};

/// Networks of autonomous systems.
#[derive(Debug)]
pub(super) struct AutonomousSystems;

impl LayerKind for AutonomousSystems {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn check_flow(&self, domains: &DomainsPlan, flow: &FlowPlan) -> Result<(), Mistake> {
        let Some(maker) = domains.carrier::<ScionMaker>() else { return Ok(()) };
        let ends = [flow.from, flow.to];
        if !domains.are_apart(ends) || !maker.paths(ends).is_empty() {
            return Ok(());
        }
        let [from, to] = ends.map(|it| &maker.settings().system_of(it as u32).name);
        let message = format!(
            "flow `{}` has no path from autonomous system `{from}` to `{to}`: links join them, but \
             none leads up to the core, across it and down again",
            flow.name
        );
        let help = "join the core of their isolation domains, or raise `most_hops` in [beaconing]";
        Err(Mistake::new(message).help(help))
    }

    fn tables(&self, plan: &Plan, world: &World) -> Vec<Table> {
        vec![
            tables::systems(plan, world),
            tables::routers(plan, world),
            tables::paths(plan, world),
            tables::changes(plan, world),
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
