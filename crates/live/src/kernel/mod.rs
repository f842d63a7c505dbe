//! The congestion controllers in the Linux kernel.
//!
//! A program in the kernel (`bpf/controller.bpf.c`) measures, and user space decides: each
//! acknowledgement is reported through a ring buffer to a thread that has a controller for each
//! connection, the very type that the simulator drives, and that writes windows and pacing rates
//! into a map, from where they are applied at the next acknowledgement. Programs of the kernel
//! cannot compute with floating point, so that the controllers cannot be there themselves.
//!
//! A `Flight` has the sockets of a command use a controller; while it lasts, other programs can
//! choose it by its name too (the socket option `TCP_CONGESTION`).

#[cfg(feature = "kernel")]
mod connection;
mod error;
#[cfg(feature = "kernel")]
mod flight;
#[cfg(feature = "kernel")]
mod group;
#[cfg(feature = "kernel")]
mod layout;
#[cfg(feature = "kernel")]
mod leader;
mod leftovers;
#[cfg(feature = "kernel")]
mod programs;
#[cfg(feature = "kernel")]
mod requirements;
#[cfg(feature = "kernel")]
mod sample;

pub use error::KernelError;
#[cfg(feature = "kernel")]
pub use flight::Flight;
#[cfg(feature = "kernel")]
pub use leader::{Delays, Totals};
pub use leftovers::clean;
