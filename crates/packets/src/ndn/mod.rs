//! Named Data Networking: names, the values of Interests, Data and NACKs, and their
//! encoding.

mod encoding;
mod name;
mod packet;
pub mod wire;

pub use encoding::{encode_data, encode_interest};
pub use name::{Name, PrefixId};
pub use packet::{Data, Interest, Nack};
pub use wire::NackReason;
