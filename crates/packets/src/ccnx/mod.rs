//! CCNx 1.0 on the wire: the packets of RFC 8569 in the encoding of RFC 8609, with the chunks of
//! draft-irtf-icnrg-ccnxchunking.
//!
//! - [`Interest`], [`ContentObject`] and [`InterestReturn`] are what a packet carries; [`Packet`]
//!   is one of them, with `encode` and `decode`.
//! - [`Name`] is a list of typed segments, read from bytes and from URIs.
//! - [`size`] computes how large a packet would be without encoding it.
//!
//! Decoding refuses with a [`DecodeError`] that names the byte and never panics. Elements of types
//! that it does not know are skipped (RFC 8609, section 3.3).

mod error;
mod name;
mod packet;
pub mod size;
mod tlv;

pub use error::{DecodeError, EncodeError};
pub use name::{Name, NameError, Segment, SegmentType};
pub use packet::{
    ContentObject, Interest, InterestReturn, Packet, Restrictions, ReturnCode, Validation,
};

/// The version in each packet (RFC 8609, section 3.2).
pub const VERSION: u8 = 1;

/// The bytes of the fixed header.
pub const FIXED_HEADER: usize = 8;

/// The most bytes of a packet: its length is a number of 16 bits.
pub const MAXIMUM_PACKET: usize = u16::MAX as usize;
