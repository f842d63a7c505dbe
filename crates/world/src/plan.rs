//! What a world is made of: plain data, already checked by whoever made it.

use windtunnel_controllers::{Settings as ControllerSettings, Start};
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_protocols::ndn::consumer::Settings as ConsumerSettings;
use windtunnel_protocols::ndn::content_store::Policy;
use windtunnel_protocols::ndn::forwarder::Marks;
use windtunnel_protocols::ndn::producer::Producer;
use windtunnel_protocols::ndn::wire;
use windtunnel_protocols::queues::{Discipline, Limit};

use crate::Loss;

/// Everything about one run. Nodes, links and prefixes are referred to by
/// their place in these lists.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The nodes.
    pub nodes: Vec<NodePlan>,
    /// The links between them.
    pub links: Vec<LinkPlan>,
    /// All prefixes in use; their place is their number.
    pub prefixes: Vec<wire::Name<'static>>,
    /// Who serves what.
    pub producers: Vec<ProducerPlan>,
    /// Who asks for what.
    pub consumers: Vec<ConsumerPlan>,
    /// How names find their way.
    pub routing: Routing,
    /// How long it runs.
    pub duration: Duration,
    /// How often the series are sampled.
    pub interval: Duration,
    /// The seed of all random streams.
    pub seed: u64,
    /// The replication's number.
    pub run: u64,
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
    pub policy: Policy,
    /// Its forwarding strategy.
    pub strategy: StrategyName,
    /// What it does with congestion marks.
    pub marks: Marks,
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
}

/// One direction of a link, with the queue before it.
#[derive(Clone, Debug)]
pub struct DirectionPlan {
    /// How fast it sends.
    pub rate: Rate,
    /// How long a bit takes to the other end.
    pub delay: Duration,
    /// Which packets it loses.
    pub loss: Loss,
    /// How much may wait before it.
    pub limit: Limit,
    /// What is dropped and marked there.
    pub discipline: Discipline,
    /// The octets that the link's own framing adds to each packet.
    pub overhead: u32,
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
    /// Where the controller begins.
    pub start: Start,
}

/// What a path's length is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Propagation delay.
    Delay,
    /// Links.
    Hops,
}

/// Which paths become next hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// To each producer, the shortest.
    Shortest,
    /// To each producer, the shortest through each neighbour.
    All,
}

/// How names find their way.
#[derive(Clone, Debug)]
pub struct Routing {
    /// What computed paths are measured by.
    pub metric: Metric,
    /// Which of them are used.
    pub paths: Paths,
    /// Routes that replace the computed ones of that node and prefix.
    pub given: Vec<RoutePlan>,
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

impl Plan {
    /// When the run ends.
    #[must_use]
    pub fn end(&self) -> Time {
        Time::ZERO + self.duration
    }
}
