//! The world: nodes, links and applications, placed in time. It joins the
//! protocols' state machines to the engine's events and counts what passes.
//!
//! A [`Plan`] says what there is; [`World::new`] builds it; [`World::run`] lets
//! time pass; totals are read from the world afterwards, and series go to a [`SeriesSink`]
//! meanwhile.

mod air;
mod alarm;
mod capture;
mod channels;
mod event;
mod forwarding;
mod functions;
mod hosts;
mod impairment;
mod loss;
mod network;
mod nodes;
mod numbers;
mod opportunities;
mod parallel;
mod part;
mod partition;
mod parts;
mod path;
mod placements;
mod plan;
mod port;
mod port_id;
pub mod radio;
mod recorder;
mod routing;
mod series;
mod side;
mod transfers;
mod world;

pub use air::AirPlan;
pub use capture::{PathEnds, Seen, Watcher};
pub use channels::{ChannelPlan, RateTrace};
pub use functions::BridgeCounters;
pub use hosts::{Flow, FlowCounters, TcpCounters};
pub use impairment::Impairment;
pub use loss::{Loss, Victims};
pub use opportunities::{OPPORTUNITY, Opportunities};
pub use placements::places;
pub use plan::{
    BridgePlan, ChangePlan, ConsumerPlan, DirectionPlan, FlowPlan, LinkChange, LinkPlan, Metric,
    NodePlan, Paths, Plan, ProducerPlan, RoutePlan, Routing, Sharing, SplitPlan, StrategyName,
    Transport,
};
pub use port::Counters as PortCounters;
pub use port_id::PortId;
pub use routing::{Groups, Reached, Topology, Tree, Unreachable};
pub use series::{
    ChannelSample, Chunk, FlowSample, PortSample, RecordingPlan, SeriesPlan, SeriesSink,
};
pub use transfers::{Transfer, headers};
pub use world::World;
