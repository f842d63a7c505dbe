//! The Transmission Control Protocol: both ends of a connection, without input
//! or output of their own.

mod endpoint;
mod prr;
mod rack;
mod reassembly;
mod receiver;
mod scoreboard;
mod segment;
mod sender;
mod sequence;
mod settings;

pub use endpoint::{Counters, Endpoint, Role, acknowledge_again};
pub use segment::{Flags, IpVersion, SackBlock, Segment, SynOptions};
pub use settings::{EcnMode, Reading, Recovery, Settings};

use crate::packet::Packet;

/// What is to be sent. Callers keep one and empty it, so that sending allocates
/// nothing once warm.
pub type Outbox = Vec<Packet>;
