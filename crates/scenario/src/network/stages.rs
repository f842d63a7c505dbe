//! What is known of a run before its plan is whole.
//!
//! Each stage is made of the one before it, and a function takes the first stage that has what it
//! needs: what comes later is not there to be asked for.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ndn::{PacketFormat, wire};
use windtunnel_world::{
    BridgePlan, ConsumerPlan, DomainsPlan, FlowPlan, LinkPlan, NodePlan, ProducerPlan, RootPlan,
    Routing, SessionsPlan, SkyPlan, Topology, TunnelPlan,
};

use crate::network::layers::{Domains, NdnBetweenDomains};
use crate::network::nodes::Names;
use crate::reading::error::Mistake;

/// Nodes, and the links between them.
pub(crate) struct Network {
    pub(crate) nodes: Vec<NodePlan>,
    pub(crate) links: Vec<LinkPlan>,
    pub(crate) sky: Option<SkyPlan>,
    /// How long it runs.
    pub(crate) duration: Duration,
}

impl Network {
    /// By which the scenario refers to nodes.
    pub(crate) fn node_names(&self) -> Names<'_> {
        Names::among("node", self.nodes.iter().map(|it| it.name.as_str()))
    }

    /// By which the scenario refers to links.
    pub(crate) fn link_names(&self) -> Names<'_> {
        Names::among("link", self.links.iter().map(|it| it.name.as_str()))
    }

    /// When the run ends.
    pub(crate) fn end(&self) -> Time {
        Time::ZERO + self.duration
    }
}

/// What is asked for by name, who asks, and who serves.
pub(crate) struct Content {
    pub(crate) prefixes: Vec<wire::Name<'static>>,
    pub(crate) formats: Vec<PacketFormat>,
    pub(crate) producers: Vec<ProducerPlan>,
    pub(crate) consumers: Vec<ConsumerPlan>,
}

/// A network whose packets find their way.
pub(crate) struct Routed {
    pub(crate) network: Network,
    pub(crate) content: Content,
    pub(crate) routing: Routing,
    /// The domains of the nodes, if IP does not join all of them.
    pub(crate) domains: Option<DomainsPlan>,
    /// What the layer between these domains knows of the scenario.
    pub(crate) between: Option<Box<dyn Domains>>,
}

impl Routed {
    /// The topology at the start.
    pub(crate) fn topology(&self) -> Topology {
        let Network { nodes, links, sky, .. } = &self.network;
        Topology::of(nodes.len(), links, sky.as_ref(), &self.routing)
    }

    /// Whether hosts choose the paths of their packets between domains.
    pub(crate) fn hosts_choose_paths(&self) -> bool {
        self.domains.as_ref().is_some_and(|it| it.carrier.hosts_choose_paths())
    }

    /// Whether another network layer than IP carries packets between two nodes.
    pub(crate) fn are_apart(&self, nodes: [usize; 2]) -> bool {
        self.domains.as_ref().is_some_and(|it| it.are_apart(nodes))
    }
}

/// A routed network with all tunnels, connections that are faces included.
pub(crate) struct Carried {
    pub(crate) routed: Routed,
    pub(crate) tunnels: Vec<TunnelPlan>,
}

impl Carried {
    /// Checks what NDN's packets go over between domains.
    pub(crate) fn check_ndn(&self) -> Result<(), Mistake> {
        let Self { routed: Routed { network, content, between, .. }, tunnels } = self;
        let Some(domains) = between else { return Ok(()) };
        let is_over_tcp = |link| tunnels.iter().any(|it| it.face() == Some(link));
        let (links, formats) = (&network.links, &content.formats);
        domains.check_ndn(&NdnBetweenDomains { links, formats, is_over_tcp: &is_over_tcp })
    }
}

/// A network with all that uses it.
pub(crate) struct Loaded {
    pub(crate) carried: Carried,
    /// The domains, with what flows ask of them.
    pub(crate) domains: Option<DomainsPlan>,
    /// The roots that names are asked of.
    pub(crate) roots: Vec<RootPlan>,
    /// Those of the scenario, and then those that carry the messages of sessions.
    pub(crate) flows: Vec<FlowPlan>,
    pub(crate) bridges: Vec<BridgePlan>,
    pub(crate) sessions: Vec<SessionsPlan>,
}
