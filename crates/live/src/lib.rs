//! What is measured here, live: the state machines of the protocols on sockets, on virtual
//! interfaces and in the Linux kernel. No protocol is written a second time: an adapter gives a
//! state machine the time of a clock and what a socket received, and does what it returns.
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
pub use interface::{Interface, MTU};
pub use namespace::{Namespace, ip};
