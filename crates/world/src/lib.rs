//! The world: nodes, links and applications, placed in time. It joins the
//! protocols' state machines to the engine's events and counts what passes.
//!
//! A [`Plan`] says what there is; [`World::new`] builds it; [`World::run`] lets
//! time pass; totals are read from the world afterwards, and series go to a [`SeriesSink`]
//! meanwhile.
//!
//! A packet's way: `part` (the events), `port` (queue and link), `media` (who sends next on a
//! shared medium), `forwarding` (paths and tables), `nodes` (network layers), `hosts` (connections
//! and applications); `contraction` says which hops are no events. What changes during a run: `routing` (topology, shortest paths, static
//! routes), `channels` (links that follow a channel), `sky` (nodes that move). `recorder` takes
//! samples, `packet_log` what happens to single packets; `attachments` is where real packets enter
//! and leave, and `routers` what nodes do with them; `partition`, `agenda`, `crossing`
//! and `parallel` make one world run on several threads, and each part of it island by island.

mod agenda;
mod alarm;
mod attachments;
mod capture;
mod caught;
mod channels;
mod contraction;
mod crossing;
mod entering;
mod event;
mod forwarding;
mod functions;
mod host_paths;
mod hosts;
mod leaving;
mod loads;
mod media;
mod names;
mod network;
mod nodes;
mod numbers;
mod packet_events;
mod packet_log;
mod parallel;
mod part;
mod partition;
mod parts;
mod passing;
mod path;
mod placements;
mod plan;
mod port;
mod port_id;
mod real_packets;
mod recorder;
mod repeats;
mod routers;
mod routing;
mod series;
mod sessions;
mod side;
mod sky;
mod tcp_tunnel;
mod transfers;
mod world;

pub use attachments::{Departure, Entry};
pub use capture::{PathEnds, Seen, SeenPacket, Watcher};
pub use caught::{caught, panic_text};
pub use functions::BridgeCounters;
pub use hosts::{
    Flow, FlowCounters, StackCounters, StackCounts, Subflow, TcpCounters, TransferCounts,
};
pub use names::NameLookup;
pub use numbers::keys_of_flow;
pub use packet_events::{PacketEvent, PacketEventKind, PacketEventLocation, SendingState};
pub use placements::places;
pub use plan::{
    BridgePlan, ChangePlan, ConsumerPlan, ContactPlan, DirectionPlan, DomainsPlan, FlowPlan,
    LinkChange, LinkPlan, LossChange, Metric, Migration, MultipathPlan, NameLookupPlan, NodePlan,
    Paths, Plan, ProducerPlan, RootPlan, RoutePlan, Routing, Sharing, SkyPlan, SplitPlan,
    StackData, StackPathPlan, StackSettings, StaticRoutePlan, StrategyName, TcpTunnelPlan,
    Transport, TunnelCarrier, TunnelPlan,
};
pub use port::Counters as PortCounters;
pub use port_id::PortId;
pub use repeats::{Repeat, repeats};
pub use routing::{Groups, Reached, Topology, Tree, Unreachable, ip_tree};
pub use series::{
    ChannelSample, Chunk, FlowSample, NodeSample, PlaybackSample, PortSample, RecordingPlan,
    RouteSample, SeriesPlan, SeriesSink, SubflowSample,
};
pub use sessions::{
    SessionNode, SessionStage, SessionTotals, SessionUserPlan, SessionsPlan, StagePlan,
};
pub use transfers::{Transfer, headers};
pub use world::{World, differ_from};
