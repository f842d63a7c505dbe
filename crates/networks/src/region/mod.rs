//! The region protocol's routers: who learns what of whom, and what becomes of a packet.
//!
//! Inside a region records of links are flooded to all routers (a link-state protocol, as
//! OSPF's, RFC 2328); the borders of neighbouring regions tell each other by which regions
//! each is reached (a path vector, as BGP's, RFC 4271), and flood what they learn; or they flood
//! the state of the links between regions to all of them. Han and Li, "On the Study of Internet
//! Ossification and Solution", section VI.D, name both and fix neither.
//!
//! `data_plane` says what becomes of a packet; `control_plane` who learns what, over `link_state`,
//! `path_vector`, `region_graph` and `session`. The bytes are in `crates/packets/src/region`.

mod context;
mod control_plane;
mod counters;
mod data_plane;
mod link_state;
mod path_vector;
mod region_graph;
mod router;
mod session;
mod settings;

pub use counters::{RegionRouterCounters, RouteChange, TableSize};
pub use router::RegionRouter;
pub use settings::{
    Advertisement, Agreement, CodeLookup, Neighbour, Region, RegionNode, RegionRouting,
    RegionSettings, Relation, Standing, Transit,
};
pub use windtunnel_packets::region::PROTOCOL;
