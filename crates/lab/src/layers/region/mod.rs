//! The region protocol.

mod agreements;
mod dns_file;
mod frames;
mod named_region;
mod names;
mod roots;
mod section;
mod tables;

use windtunnel_packets::ProtocolNumber;
use windtunnel_packets::region::PROTOCOL;
use windtunnel_scenario::{
    Domains, FlowRequest, FrameContext, FrameError, FramePayload, LayerKind, Mistake, Names,
    NdnBetweenDomains, SectionTypes, Sections, ServedDomains,
};
use windtunnel_tables::Table;
use windtunnel_world::{DomainsPlan, FlowPlan, LinkPlan, NodePlan, Plan, SeenPacket, World};

pub use dns_file::read_dns;
use section::{File, RegionNetwork};

/// Networks of regions.
#[derive(Debug)]
pub(super) struct Regions;

impl LayerKind for Regions {
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
        let network = RegionNetwork::read(sections, links)?;
        Ok(network.map(|it| Box::new(it) as Box<dyn Domains>))
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

impl Domains for RegionNetwork {
    fn plan(&self) -> DomainsPlan {
        self.plan.clone()
    }

    fn check_ndn(&self, ndn: &NdnBetweenDomains<'_>) -> Result<(), Mistake> {
        self.file.region_protocol.check_ndn(&self.plan, ndn)
    }

    fn serve(
        &self,
        _flows: &[FlowPlan],
        requests: &[FlowRequest<'_>],
        nodes: &Names<'_>,
    ) -> Result<ServedDomains, Mistake> {
        let roots = self.roots(nodes)?;
        let lookups = self.lookups(requests, &roots, nodes)?;
        Ok(ServedDomains { plan: self.plan.clone(), roots, lookups })
    }
}
