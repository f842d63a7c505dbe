//! Data Center Interconnect Bridging (DCIB): two edge routers that let the
//! network between them drop chosen packets, and send these again, so that the
//! hosts hear nothing of it. Both edges are state machines without input or
//! output of their own.
//!
//! Source: M. Bahnasy, A. Munir, Y. Ganjali et al., "ECN Works Better for
//! Selective Dropping in High Bandwidth-Delay Product Connections", sections III
//! and V.
//!
//! - The [`SourceEdge`] marks what leaves as ECN-capable, but for a share selected
//!   by chance, and keeps a clone of each selected packet.
//! - Routers between the edges (RED with ECN, DualPI2) mark what is ECN-capable,
//!   and drop what is not.
//! - The [`DestinationEdge`] answers each packet that comes not ECN-capable with an
//!   [`Acknowledgement`]. Packets keep their order on the way, so an
//!   acknowledgement tells that all selected before it, and not acknowledged, are
//!   lost: the source edge sends their clones.
//!
//! Only TCP segments are selected: a router tells them apart by their own headers.
//! Datagrams bear no number, so they are protected like all others.

mod acknowledgement;
mod connections;
mod destination;
mod duplicates;
mod reordering;
mod source;
mod stalled;
#[cfg(test)]
mod tests;

pub use acknowledgement::{Acknowledgement, DecodeError, Edges, Message, PORT};
pub use destination::{
    Counters as DestinationCounters, DestinationEdge, Marks, Order, Settings as DestinationSettings,
};
pub use source::{
    Clones, Counters as SourceCounters, Duplicates, Keep, Probes, Resend,
    Settings as SourceSettings, SourceEdge, Unmatched, greatest_share,
};
