//! The Transmission Control Protocol: both ends of a connection, without input
//! or output of their own.

mod accurate_ecn;
mod counters;
mod ecn_negotiation;
mod endpoint;
pub(crate) mod limits;
mod rack;
pub(crate) mod reassembly;
pub(crate) mod receive_buffer;
mod receive_offload;
pub(crate) mod receiver;
mod receiver_control;
mod sack_compression;
mod scoreboard;
mod sender;
pub(crate) mod sequence;
mod settings;
mod subflow;
mod validity;
pub(crate) mod writes;

pub use counters::EndpointCounters;
pub use endpoint::{Endpoint, Role, TcpOutbox, acknowledge_again, refuse};
pub use limits::{Limit, LimitTimes};
pub use sender::SenderState;
pub use settings::{
    AfterPathChange, BufferLimits, EcnMode, Idleness, Nagle, Reading, Recovery, TcpSettings,
};
pub use subflow::{Accounting, WindowUnit};
