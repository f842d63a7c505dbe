//! [smoltcp](https://docs.rs/smoltcp)'s TCP as hosts of simulated networks, with its defaults but for
//! the congestion controller and the buffers.
//!
//! What it sends are whole IP packets, and the same bytes in each run of a seed.

mod connection;
mod controller;
mod end;
mod kind;
mod maker;
mod wire;

pub use controller::SmoltcpController;
pub use kind::SmoltcpKind;
pub use maker::Smoltcp;
