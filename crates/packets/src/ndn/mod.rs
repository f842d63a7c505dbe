//! Named Data Networking: names, the values of Interests, Data and NACKs, and their
//! encoding.

mod as_ccnx;
mod encoding;
mod format;
mod link_packet;
mod name;
mod packet;
pub mod wire;

pub use as_ccnx::{CCNX_PORT, encode_ccnx_interest, encode_content_object};
pub use encoding::{encode_data, encode_interest, encode_link_packet};
pub use format::PacketFormat;
pub use link_packet::LinkPacket;
pub use name::{Name, PrefixId};
pub use packet::{Data, Interest, Nack};
pub use wire::NackReason;
