//! The world: nodes, links and applications, placed in time. It joins the
//! protocols' state machines to the engine's events and counts what passes.
//!
//! A [`Plan`] says what there is; [`World::new`] builds it; [`World::run`] lets
//! time pass; what was measured is read from the world afterwards.

mod loss;
mod plan;
mod port;
mod record;
mod routing;
mod world;

pub use loss::Loss;
pub use plan::{
    ConsumerPlan, DirectionPlan, LinkPlan, Metric, NodePlan, Paths, Plan, ProducerPlan, RoutePlan,
    Routing, StrategyName,
};
pub use port::Counters as PortCounters;
pub use record::{FlowSample, PortSample, Series};
pub use routing::{Graph, Reached, Unreachable};
pub use world::World;
