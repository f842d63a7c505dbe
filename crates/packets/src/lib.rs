//! What travels on links: packets as values, their sizes and their encodings. There
//! is no protocol behaviour here.

pub mod bridge;
pub mod ccnx;
mod corruption;
pub mod dns;
mod dscp;
mod ecn;
mod flow_key;
pub mod fragments;
pub mod frame;
pub mod icmp;
pub mod ip;
mod message;
pub mod multipath;
pub mod ndn;
pub mod offload;
mod packet;
pub mod real;
pub mod region;
pub mod scion;
mod store;
mod stored_paths;
pub mod tcp;
pub mod tunnel;
pub mod udp;
pub mod wireguard;

pub use corruption::Corruption;
pub use dscp::Dscp;
pub use ecn::Ecn;
pub use flow_key::FlowKey;
pub use message::{MESSAGE_WORDS, Message, ProtocolNumber};
pub use packet::{Body, Packet, Route};
pub use store::{PacketStore, RealPackets};
