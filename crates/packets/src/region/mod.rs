//! The region protocol of Han and Li, "On the Study of Internet Ossification and Solution":
//! packets between regions, which are forwarded by the codes of their regions.
//!
//! The paper (section V) names the fields of its header but not their order and sizes. Three
//! encodings are here, each a reading of it ([`Encoding`]); none is the paper's.

mod addresses;
mod code;
mod control;
mod error;
mod header;
mod packet;
mod records;
mod service;

pub use addresses::{AddressKind, TypedAddress, TypedAddresses, typed_header};
pub use code::Code;
pub use control::{
    ErrorKind, NO_AGREEMENT, NOT_ACCEPTED, RegionControl, SessionMessage, UNKNOWN_ADDRESS,
    UNKNOWN_REGION, UNKNOWN_SUB_REGION,
};
pub use error::{DecodeError, EncodeError};
pub use header::{Encoding, HOP_LIMIT, Header, protocol};
pub use packet::{Content, RegionPacket};
pub use records::{
    BorderRecord, ExternalRecord, Neighbour, Record, RegionLink, RouterRecord, Update,
};
pub use service::{Service, ServiceOption};

use crate::message::ProtocolNumber;

/// The EtherType of the region protocol: the first for local experiments (RFC 7042, appendix
/// B.1), because none is assigned.
pub const ETHER_TYPE: u16 = 0x88b5;

/// The number by which nodes know the layer: the protocol's EtherType.
pub const PROTOCOL: ProtocolNumber = ProtocolNumber(ETHER_TYPE);
