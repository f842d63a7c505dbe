//! The Transmission Control Protocol: both ends of a connection, without input
//! or output of their own.

mod accounting;
mod accurate_ecn;
mod counters;
mod ecn_negotiation;
mod endpoint;
mod judgement;
pub(crate) mod limits;
mod outstanding;
mod path_mtu;
mod quick_acknowledgements;
mod rack;
pub(crate) mod reassembly;
pub(crate) mod receive_buffer;
mod receive_offload;
pub(crate) mod receiver;
mod receiver_control;
mod sack_compression;
mod scoreboard;
mod sender;
mod sender_state;
pub(crate) mod sequence;
mod settings;
mod small_queue;
mod subflow;
mod validation;
mod validity;
pub(crate) mod writes;

pub use accounting::{Accounting, WindowUnit};
pub use counters::EndpointCounters;
pub use endpoint::{Endpoint, Role, TcpOutbox, acknowledge_again, refuse};
pub use limits::{Limit, LimitTimes};
pub use outstanding::{Agreed, CongestionState, Outstanding};
pub use sender_state::SenderState;
pub use settings::{
    Acknowledgements, AfterPathChange, Buffers, EcnMode, Idleness, MOST_BUFFER, Misbehaviour,
    Nagle, Offload, Reading, Recovery, Socket, TcpSettings, Window,
};
