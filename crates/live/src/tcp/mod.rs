//! TCP with real hosts: a `TcpHost` of `crates/tcp` lives on a [`Wire`], such as a TUN interface, and
//! [`drive`] lets it; one file goes each way.

mod command;
mod interface_address;
mod run;
mod transfer;

pub use command::{End, Failure, Served, connect, serve};
pub use interface_address::{InterfaceAddress, InterfaceAddressError, open};
pub use run::{Wire, drive};
pub use transfer::{Files, Sink, TransferError, Transferred};
