//! TCP on the wire: the ends of `crates/transports` as a host that talks with other implementations.
//!
//! A [`TcpHost`] has connections by their addresses and ports. A connection of its own keeps the
//! bytes, and maps a `Segment` without bytes to a packet and back. Real networks drive it
//! (`crates/live`), scripts do (`crates/packetdrill`), and so do simulated networks, where it is an
//! implementation beside others: [`Tcp`] makes its ends.

mod bytes;
mod connection;
mod end;
mod host;
mod kind;
mod maker;
mod numbers;
mod settings;
mod state;
mod stream;

pub use connection::{GIVE_UP, Status, TIME_WAIT};
pub use host::{ConnectionId, HostCounters, TcpHost};
pub use kind::TcpKind;
pub use maker::Tcp;
pub use settings::{ControllerError, check, controller, settings};
pub use state::State;
