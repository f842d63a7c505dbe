//! Data Center Interconnect Bridging (DCIB): two edge routers that let the
//! network between them drop chosen packets, and retransmit these, so that the hosts
//! do not notice. Both edges are state machines without input or
//! output of their own.
//!
//! Source: M. Bahnasy, A. Munir, Y. Ganjali et al., "ECN Works Better for
//! Selective Dropping in High Bandwidth-Delay Product Connections", sections III
//! and V.
//!
//! - The [`SourceEdge`] marks what leaves as ECN-capable, except for a share selected
//!   by chance, and keeps a clone of each selected packet.
//! - Routers between the edges (RED with ECN, DualPI2) mark what is ECN-capable,
//!   and drop what is not.
//! - The [`DestinationEdge`] answers each packet that arrives not ECN-capable with an
//!   [`EdgeAcknowledgement`]. Packets keep their order on the path, so an
//!   acknowledgement means that all packets selected earlier, and not acknowledged,
//!   are lost: the source edge sends their clones.
//!
//! Only TCP segments are selected, because their own headers identify them. Datagrams
//! have no sequence number, so they are protected like all other packets.
//!
//! [`EdgeAcknowledgement`]: windtunnel_packets::bridge::EdgeAcknowledgement

mod connections;
mod counters;
mod destination;
mod duplicates;
mod functions;
mod reordering;
mod source;
mod stalled;
mod start;

pub use counters::{DestinationCounters, SourceCounters};
pub use destination::{DestinationEdge, DestinationSettings, EdgeMarks, Order};
pub use functions::{ACKNOWLEDGED, DestinationFunction, FORTH, RETURNED, SourceFunction};
pub use reordering::EdgeOutbox;
pub use source::{
    Clones, Duplicates, Keep, Probes, Resend, SourceEdge, SourceSettings, Unmatched, greatest_share,
};
