//! Segmentation offload: what a network interface of the kernel leaves to whoever puts packets on a
//! wire. With it, a packet of up to 64 KiB passes the interface once, behind a header that says which
//! packets of a wire it stands for.
//!
//! [`for_each_segment`] has the packets of a wire of what the kernel sent; a [`Coalescer`] puts packets
//! that follow each other into one that the kernel receives. What the kernel would make of that again
//! are the same packets, byte for byte.

mod checksum;
mod coalescing;
mod header;
mod layout;
mod segments;

pub use coalescing::Coalescer;
pub use header::{OFFLOAD_HEADER, OffloadHeader, Segmented};
pub use segments::{InvalidOffload, for_each_segment};
