//! NDN on the wire: the NDN Packet Format v0.3 and the link protocol NDNLPv2.
//!
//! - [`Interest`] and [`Data`] are the network packets, [`LpPacket`] the link
//!   packet around them; each has `decode` and `encode`. A forwarder sends an Interest on with
//!   [`relay_interest`].
//! - [`Name`] is read from bytes and from URIs, and compares in canonical order.
//! - [`size`] computes how large a packet would be without encoding it, which is
//!   what a simulated link needs.
//! - [`tlv`] is the grammar under all of them.
//!
//! Decoding borrows from its input, refuses with a [`DecodeError`] that names
//! the byte, never panics, and needs memory in proportion to the bytes that are
//! there, not to those a length claims. Nothing is hashed, signed or verified.
//!
//! Elements that a decoder may ignore are not kept: a forwarder sends on the
//! bytes it received, not what it would encode from the decoded packet.
//!
//! Sources: the NDN Packet Format Specification v0.3, by its section names; the
//! NDNLPv2 page of the NFD wiki; the NDN naming conventions, revision 3.

mod data;
mod element_type;
mod error;
mod interest;
mod link;
mod name;
mod relay;
mod signature;
pub mod size;
pub mod tlv;

pub use data::{ContentType, Data, MetaInfo};
pub use element_type::ElementType;
pub use error::{DecodeError, EncodeError, MAX_NDN_PACKET_SIZE};
pub use interest::{ApplicationParameters, Interest, InterestSignature};
pub use link::{CachePolicyType, LpPacket, NackReason};
pub use name::{Component, ComponentType, Components, Name, NameError};
pub use relay::relay_interest;
pub use signature::{KeyLocator, SignatureInfo, SignatureType};
