//! What a world is made of: plain data, already checked by whoever made it.

mod changes;
mod flows;
mod functions;
mod names;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_controllers::Settings as ControllerSettings;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_links::{
    ChannelMaker, Impairment, Loss, Opportunities, PhysicalLayerMaker, Victims,
};
use windtunnel_networks::layer::LayerMaker;
use windtunnel_networks::ndn::content_store::ReplacementPolicy;
use windtunnel_networks::ndn::forwarder::ForwarderMarks;
use windtunnel_networks::ndn::link_service::LinkServiceSettings;
use windtunnel_orbits::{GroundPath, Sky};
use windtunnel_packets::ndn::{PacketFormat, wire};
use windtunnel_queues::{Discipline, QueueLimit};
use windtunnel_transports::ndn::consumer::ConsumerSettings;
use windtunnel_transports::ndn::producer::Producer;

use crate::port_id::PortId;
use crate::series::RecordingPlan;
use crate::sessions::SessionsPlan;
pub(crate) use changes::places_in_order;
pub use changes::{ChangePlan, LinkChange, LossChange};
pub use flows::{
    FlowPlan, Migration, MultipathPlan, SplitPlan, StackData, StackPathPlan, StackSettings,
    Transport,
};
pub use functions::{BridgePlan, TcpTunnelPlan, TunnelCarrier, TunnelPlan};
pub use names::{NameLookupPlan, RootPlan};

/// Everything about one run. Nodes, links and prefixes are referred to by
/// their place in these lists.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The nodes.
    pub nodes: Vec<NodePlan>,
    /// The links between them.
    pub links: Vec<LinkPlan>,
    /// What happens to links in the course of time.
    pub changes: Vec<ChangePlan>,
    /// All prefixes in use; their place is their number.
    pub prefixes: Vec<wire::Name<'static>>,
    /// How the packets below each of them are encoded.
    pub formats: Vec<PacketFormat>,
    /// Who serves what.
    pub producers: Vec<ProducerPlan>,
    /// Who asks for what.
    pub consumers: Vec<ConsumerPlan>,
    /// Who sends to whom over IP.
    pub flows: Vec<FlowPlan>,
    /// Which nodes work together as the edges of a bridge.
    pub bridges: Vec<BridgePlan>,
    /// Between which nodes IP packets travel inside others.
    pub tunnels: Vec<TunnelPlan>,
    /// Who has sessions whose state is paged.
    pub sessions: Vec<SessionsPlan>,
    /// The domains of the nodes, if IP does not join all of them.
    pub domains: Option<DomainsPlan>,
    /// The roots of regions that names are asked of.
    pub roots: Vec<RootPlan>,
    /// How names and packets find their way.
    pub routing: Routing,
    /// The nodes where packets of real hosts enter and leave; none twice.
    pub attachments: Vec<usize>,
    /// The satellites among the nodes, and the places on the ground that use them.
    pub sky: Option<SkyPlan>,
    /// How long it runs.
    pub duration: Duration,
    /// Which series are recorded.
    pub recording: RecordingPlan,
    /// The seed of all random streams.
    pub seed: u64,
    /// The replication's number.
    pub run: u64,
}

/// Nodes of several domains: IP packets find their way inside a domain, and another network
/// layer of the nodes carries them from one to another.
#[derive(Clone, Debug)]
pub struct DomainsPlan {
    /// By node, the number of its domain.
    pub of: Arc<[u32]>,
    /// What carries packets: each node has a layer of it, beside those of its own.
    pub carrier: Arc<dyn LayerMaker>,
    /// The bytes of the header under which it carries NDN packets over links between domains;
    /// none: they go over those as over others.
    pub ndn_header: Option<u16>,
    /// Whether IP joins all domains too: what the carrier cannot take goes by the shortest path as it
    /// was at the beginning.
    pub has_plain_paths: bool,
}

/// A strategy's name in the registry of strategies.
pub type StrategyName = &'static str;

/// A node.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Its name.
    pub name: String,
    /// How many Data packets its content store holds; none: it is off.
    pub cached: usize,
    /// Which Data goes when the store is full.
    pub policy: ReplacementPolicy,
    /// Its forwarding strategy.
    pub strategy: StrategyName,
    /// What it does with congestion marks.
    pub marks: ForwarderMarks,
    /// How long its NDN forwarder takes for each packet, one after another.
    pub processing_time: Duration,
    /// Network layers that it has beside IP and NDN.
    pub layers: Vec<Arc<dyn LayerMaker>>,
}

/// A duplex link.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Its name.
    pub name: String,
    /// The two nodes that it joins.
    pub nodes: [usize; 2],
    /// From the first node to the second, and back.
    pub directions: [DirectionPlan; 2],
    /// What its rate follows, if it is not always the same.
    pub channel: Option<Arc<dyn ChannelMaker>>,
    /// The medium that it shares with itself, direction by direction, and with all other
    /// links of that number: one packet is transmitted there at a time. Media are numbered
    /// from zero on. Not for directions with a delivery trace, or a queue that shapes.
    pub medium: Option<usize>,
    /// What it asks of NDN's link services at its ends.
    pub link_service: LinkServiceSettings,
}

/// One direction of a link, with the queue before it.
#[derive(Clone, Debug)]
pub struct DirectionPlan {
    /// How fast it sends: at first, where it follows a channel; in the mean, where it
    /// has a delivery trace.
    pub rate: Rate,
    /// When it may send, if it has a delivery trace.
    pub opportunities: Option<Arc<Opportunities>>,
    /// How packets get across, if not in one attempt at the rate.
    pub physical_layer: Option<Arc<dyn PhysicalLayerMaker>>,
    /// How long a bit takes to the other end.
    pub delay: Duration,
    /// How often it loses packets.
    pub loss: Loss,
    /// Which packets it can lose.
    pub victims: Victims,
    /// Which it delivers twice or late.
    pub impairment: Impairment,
    /// How much may wait before it.
    pub limit: QueueLimit,
    /// What is dropped and marked there.
    pub discipline: Discipline,
    /// The bytes that the link's own framing adds to each packet.
    pub overhead: u32,
    /// What a path pays for it where paths are measured by weight, in thousandths.
    pub weight: u64,
}

impl DomainsPlan {
    /// Whether two nodes are in different domains.
    #[must_use]
    pub fn are_apart(&self, [first, second]: [usize; 2]) -> bool {
        self.of[first] != self.of[second]
    }

    /// The bytes of the header under which NDN packets go over a link between two nodes, if they
    /// go under one.
    #[must_use]
    pub fn ndn_header_between(&self, nodes: [usize; 2]) -> Option<u16> {
        self.ndn_header.filter(|_| self.are_apart(nodes))
    }

    /// What carries packets between the domains, if it is an `L`.
    #[must_use]
    pub fn carrier<L: LayerMaker>(&self) -> Option<&L> {
        let carrier: &dyn Any = self.carrier.as_ref();
        carrier.downcast_ref()
    }

    /// By node, the number that its addresses are made from: in each domain they begin anew.
    #[must_use]
    pub fn address_numbers(&self) -> Vec<usize> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        let number = |domain: &u32| {
            let count = counts.entry(*domain).or_default();
            *count += 1;
            *count - 1
        };
        self.of.iter().map(number).collect()
    }
}

impl DirectionPlan {
    /// The weight of a link that has none of its own: 1, as of ns-3's interfaces.
    pub const USUAL_WEIGHT: u64 = 1000;
}

/// A producer on a node.
#[derive(Clone, Debug)]
pub struct ProducerPlan {
    /// The node.
    pub node: usize,
    /// The prefix that it serves, by number.
    pub prefix: usize,
    /// What it serves.
    pub producer: Producer,
}

/// A consumer on a node.
#[derive(Clone, Debug)]
pub struct ConsumerPlan {
    /// Its name: the flow's.
    pub name: String,
    /// The node.
    pub node: usize,
    /// How it asks.
    pub settings: ConsumerSettings,
    /// Which controller drives it.
    pub controller: ControllerSettings,
}

/// Nodes whose places follow from the time, and links that follow from the places.
///
/// At every interval the links between them get the delays of light between the places where
/// their ends are then, and all paths are computed anew. A change of a link is known to the
/// nodes at the next interval.
#[derive(Clone, Debug)]
pub struct SkyPlan {
    /// The satellites.
    pub sky: Arc<Sky>,
    /// The node of each.
    pub satellites: Vec<usize>,
    /// The nodes on the ground that use them, and where those are.
    pub stations: Vec<(usize, GroundPath)>,
    /// The links between such nodes.
    pub links: Vec<usize>,
    /// Those of them that no path leads over before they are announced.
    pub intermittent: Vec<usize>,
    /// When which of them can be used, in the order in which that begins.
    pub contacts: Vec<ContactPlan>,
    /// From one computation of the paths to the next.
    pub interval: Duration,
    /// Each node forwards by new paths so much later at the most, after a time of its own that
    /// is drawn once.
    pub spread: Duration,
}

/// A time in which a link can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactPlan {
    /// The link, between a station and a satellite, or two satellites.
    pub link: usize,
    /// When it begins.
    pub from: Time,
    /// When it ends; none if it lasts until the end of the run.
    pub until: Option<Time>,
    /// How much later the link is cut; none: never, so that it sends what it was given.
    pub cut: Option<Duration>,
}

/// What a path's length is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Propagation delay.
    Delay,
    /// Links.
    Hops,
    /// The weights of links (OSPF's interface output cost, RFC 2328 section 2.1).
    Weight,
}

impl Metric {
    /// What a path pays for a link of that delay and weight. By delay, one more picosecond a link:
    /// of equal delays, fewer hops.
    #[must_use]
    pub fn cost(self, delay: Duration, weight: u64) -> u64 {
        match self {
            Self::Delay => delay.as_picos().saturating_add(1),
            Self::Hops => 1,
            Self::Weight => weight,
        }
    }
}

/// Which paths become next hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// To each producer, the shortest.
    Shortest,
    /// To each producer, the shortest through each neighbour.
    All,
}

/// How traffic is shared among paths of equal cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// It is not: all packets between two hosts take one path.
    #[default]
    None,
    /// By a hash of the flow: all packets of a connection take one path (RFC 2992).
    Flows,
    /// Packet by packet, in turn.
    Packets,
}

/// How names and packets find their way.
#[derive(Clone, Debug)]
pub struct Routing {
    /// What computed paths are measured by.
    pub metric: Metric,
    /// Which of them are used.
    pub paths: Paths,
    /// How IP packets are shared among paths of equal cost.
    pub sharing: Sharing,
    /// How long after a change of the topology all nodes forward by the new paths;
    /// without, paths stay as they are at the start.
    pub convergence: Option<Duration>,
    /// Routes that replace the computed ones of that node and prefix.
    pub given: Vec<RoutePlan>,
    /// Routes of IP packets that replace the computed ones of that node and destination.
    pub static_routes: Vec<StaticRoutePlan>,
}

/// A route that the scenario gives.
#[derive(Clone, Debug)]
pub struct RoutePlan {
    /// Where it applies.
    pub node: usize,
    /// To which announced prefix.
    pub prefix: wire::Name<'static>,
    /// Over which link of that node.
    pub link: usize,
    /// The lower, the better.
    pub cost: u64,
}

/// A route of IP packets that the scenario gives, and that no change of the topology replaces. No
/// node has two to the same destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticRoutePlan {
    /// The node that it leads to.
    pub destination: usize,
    /// The port that it takes, of the node where it applies.
    pub port: PortId,
}

impl Plan {
    /// A node's interfaces: for each end of a link there, the link, and whether
    /// it is the link's first node (0) or its second (1).
    pub fn interfaces(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        let links = self.links.iter().enumerate();
        let ends = links.flat_map(|(link, plan)| [0, 1].map(|side| (link, side, plan.nodes[side])));
        ends.filter(move |(.., end)| *end == node).map(|(link, side, _)| (link, side))
    }

    /// By node, the number that its addresses are made from: in each domain they begin anew.
    #[must_use]
    pub fn address_numbers(&self) -> Vec<usize> {
        let domains = self.domains.as_ref();
        domains.map_or_else(|| (0..self.nodes.len()).collect(), DomainsPlan::address_numbers)
    }

    /// Whether anything on it speaks NDN.
    #[must_use]
    pub fn has_ndn(&self) -> bool {
        !(self.consumers.is_empty() && self.producers.is_empty())
    }

    /// Whether another network layer than IP carries packets between two nodes.
    #[must_use]
    pub fn are_apart(&self, nodes: [usize; 2]) -> bool {
        self.domains.as_ref().is_some_and(|it| it.are_apart(nodes))
    }

    /// What carries IP packets between domains, if it is an `L`.
    #[must_use]
    pub fn carrier<L: LayerMaker>(&self) -> Option<&L> {
        self.domains.as_ref()?.carrier()
    }

    /// The bytes of the header under which another network layer carries NDN packets over a link,
    /// if one does.
    #[must_use]
    pub fn ndn_header(&self, link: usize) -> Option<u16> {
        self.domains.as_ref()?.ndn_header_between(self.links[link].nodes)
    }

    /// A port's direction of its link.
    #[must_use]
    pub fn direction(&self, port: PortId) -> &DirectionPlan {
        &self.links[port.link()].directions[port.direction()]
    }

    /// Whether functions are on the paths of packets.
    #[must_use]
    pub(crate) fn has_functions(&self) -> bool {
        !(self.bridges.is_empty() && self.tunnels.is_empty())
    }

    /// Whether packets may be larger than a link carries: those of real hosts and of stacks.
    #[must_use]
    pub(crate) fn drops_large_packets(&self) -> bool {
        let is_over_stack = |it: &FlowPlan| matches!(it.transport, Transport::Stack { .. });
        let may_be = !self.attachments.is_empty() || self.flows.iter().any(is_over_stack);
        may_be && self.links.iter().any(|it| it.link_service.mtu.is_some())
    }

    /// Whether paths may change in the course of the run.
    #[must_use]
    pub(crate) fn routes_change(&self) -> bool {
        let changes = |it: &ChangePlan| it.change.is_of_topology();
        self.sky.is_some() || self.routing.convergence.is_some() && self.changes.iter().any(changes)
    }

    /// Whether a flow that begins later may be another one than in a plan that is otherwise the
    /// same: nothing but its hosts knows of it before.
    #[must_use]
    pub(crate) fn flows_may_differ(&self) -> bool {
        !self.routes_change() && self.sessions.is_empty() && self.domains.is_none()
    }

    /// How many shared media there are.
    #[must_use]
    pub fn media(&self) -> usize {
        self.links.iter().filter_map(|it| it.medium).max().map_or(0, |it| it + 1)
    }

    /// When the run ends.
    #[must_use]
    pub fn end(&self) -> Time {
        Time::ZERO + self.duration
    }
}
