//! Autonomous systems whose hosts choose the paths of their packets.

mod autonomous_system;
mod beaconing;
mod flow_policies;
mod frames;
mod relations;
mod section;
mod tables;

use std::sync::Arc;

use windtunnel_networks::scion::ScionMaker;
use windtunnel_packets::ProtocolNumber;
use windtunnel_packets::scion::PROTOCOL;
use windtunnel_scenario::{
    Domains, FlowRequest, FrameContext, FrameError, FramePayload, LayerKind, Mistake, Names,
    SectionTypes, Sections, ServedDomains,
};
use windtunnel_tables::Table;
use windtunnel_world::{DomainsPlan, FlowPlan, LinkPlan, NodePlan, Plan, SeenPacket, World};

use section::File;

/// Networks of autonomous systems.
#[derive(Debug)]
pub(super) struct AutonomousSystems;

impl LayerKind for AutonomousSystems {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn sections(&self) -> SectionTypes {
        SectionTypes::of::<File>()
    }

    fn plan(
        &self,
        sections: &Sections<'_>,
        _nodes: &mut [NodePlan],
        links: &[LinkPlan],
    ) -> Result<Option<Box<dyn Domains>>, Mistake> {
        let file: File = sections.read()?;
        let maker = file.plan(sections.nodes(), links, sections.metric())?;
        Ok(maker.map(|it| Box::new(SystemNetwork(Arc::new(it))) as Box<dyn Domains>))
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

/// The autonomous systems of a scenario.
#[derive(Debug)]
struct SystemNetwork(Arc<ScionMaker>);

impl Domains for SystemNetwork {
    fn plan(&self) -> DomainsPlan {
        domains(Arc::clone(&self.0))
    }

    fn check_flow(&self, flow: &FlowPlan) -> Result<(), Mistake> {
        let ends = [flow.from, flow.to];
        let settings = self.0.settings();
        let [first, second] = ends.map(|it| settings.nodes[it].system);
        if first == second || !self.0.paths(ends).is_empty() {
            return Ok(());
        }
        let [from, to] = ends.map(|it| &settings.system_of(it as u32).name);
        let message = format!(
            "flow `{}` has no path from autonomous system `{from}` to `{to}`: links join them, but \
             none leads up to the core, across it and down again",
            flow.name
        );
        let help = "join the core of their isolation domains, or raise `most_hops` in [beaconing]";
        Err(Mistake::new(message).help(help))
    }

    fn serve(
        &self,
        flows: &[FlowPlan],
        requests: &[FlowRequest<'_>],
        _nodes: &Names<'_>,
    ) -> Result<ServedDomains, Mistake> {
        let policies = flow_policies::of_flows(flows, requests);
        let plan = domains(Arc::new(self.0.with_flows(policies)));
        Ok(ServedDomains { plan, roots: Vec::new(), lookups: Vec::new() })
    }
}

/// Each autonomous system is a domain.
fn domains(maker: Arc<ScionMaker>) -> DomainsPlan {
    let of = maker.settings().nodes.iter().map(|it| it.system).collect();
    DomainsPlan { of, carrier: maker, ndn_header: None, has_plain_paths: false }
}
