//! TCP on the wire: the ends of `crates/transports` talk with those of real hosts.
//!
//! A [`TcpHost`] has connections by their addresses and ports. A connection of its own keeps the
//! bytes, and maps a `Segment` without bytes to a packet and back. [`drive`] lets a host live on
//! a [`Wire`], such as a TUN interface.

mod bytes;
mod command;
mod connection;
mod host;
mod interface_address;
mod numbers;
mod run;
mod settings;
mod transfer;

pub use command::{End, Failure, Served, connect, serve};
pub use connection::{GIVE_UP, Status, TIME_WAIT};
pub use host::{ConnectionId, HostCounters, TcpHost};
pub use interface_address::{InterfaceAddress, InterfaceAddressError, open};
pub use run::{Wire, drive};
pub use settings::{ControllerError, controller, settings};
pub use transfer::{Files, Sink, TransferError, Transferred};
