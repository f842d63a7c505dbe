//! Networks in which hosts choose the paths of their packets, as in SCION: autonomous systems
//! that find segments by beacons, hosts that combine these to paths, and border routers that
//! forward by the hop fields in a packet and keep no table between systems.
//!
//! Sources: the SCION header specification, and docs.scion.org on the control plane, beaconing
//! and SCMP.
//!
//! `data_plane` says what becomes of a packet, `host` which path it takes; `beacons` and `control`
//! make segments, `combination` makes paths of them. The bytes are in `crates/packets/src/scion`.

mod beacons;
mod combination;
mod control;
mod counters;
mod data_plane;
mod discovery;
mod flows;
mod fragments;
mod host;
mod inside;
mod lookups;
mod maker;
mod messages;
mod node;
mod paths;
mod plan;
pub mod policies;
mod probes;
mod reports;
mod settings;

pub use beacons::Beacons;
pub use combination::{Combined, combine};
pub use counters::{ControlCounters, ScionRouterCounters};
pub use discovery::{Known, discover, paths};
pub use flows::{FlowNumber, FlowPolicies, FlowPolicy};
pub use host::{FlowPathChange, PathUse};
pub use maker::ScionMaker;
pub use node::{FlowView, ScionNode};
pub use plan::{Relation, SystemLinkPlan, SystemPlan};
pub use settings::{Beaconing, ExternalInterface, ScionSettings, System};
pub use windtunnel_packets::scion::PROTOCOL;
