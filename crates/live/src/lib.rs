//! What is measured here, live: the state machines of the protocols on sockets, on virtual
//! interfaces and in the Linux kernel. No protocol is written a second time: an adapter gives a
//! state machine the time of a clock and what a socket received, and does what it returns.
//!
//! A real packet's way: `emulation` (the world in real time, between `interface` and `namespace`),
//! `crates/packets/src/offload` (which packets of a wire it is of),
//! `crates/world/src/attachments.rs` (where it enters and leaves), `crates/world/src/routers.rs`
//! (what nodes do with it), `crates/packets/src/real.rs` (what routers read of it). Controllers in the kernel: `bpf` measures and applies, `kernel`
//! decides; in QUIC: `crates/quinn`. `tcp` drives the host of `crates/tcp`, and `ndn` is
//! an adapter that keeps the bytes; the protocols are those of `crates/transports` and `crates/networks`.
#![cfg(target_os = "linux")]

pub mod capabilities;
mod clock;
pub mod emulation;
mod interface;
pub mod kernel;
mod namespace;
pub mod ndn;
pub mod tcp;

pub use clock::Clock;
pub use interface::{Carries, MTU, TunInterface};
pub use namespace::{Namespace, ip};
