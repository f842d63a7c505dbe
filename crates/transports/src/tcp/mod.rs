//! The Transmission Control Protocol: both ends of a connection, without input
//! or output of their own.

mod accurate_ecn;
mod counters;
mod ecn_negotiation;
mod endpoint;
mod prr;
mod rack;
mod reassembly;
mod receive_buffer;
mod receive_offload;
mod receiver;
mod sack_compression;
mod scoreboard;
mod sender;
mod sequence;
mod settings;

pub use counters::EndpointCounters;
pub use endpoint::{Endpoint, Role, TcpOutbox, acknowledge_again};
pub use settings::{BufferLimits, EcnMode, Idleness, Reading, Recovery, TcpSettings};
