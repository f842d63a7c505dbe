//! Named Data Networking: names, the values of Interests, Data and NACKs, and their
//! encoding.

mod encoding;
mod link_packet;
mod name;
mod packet;
pub mod wire;

pub use encoding::{encode_data, encode_interest, encode_link_packet};
pub use link_packet::LinkPacket;
pub use name::{Name, PrefixId};
pub use packet::{Data, Interest, Nack};
pub use wire::NackReason;
