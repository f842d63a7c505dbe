//! SCION: packets that carry the path which they take between autonomous systems.
//!
//! The header and its processing are those of the SCION header specification
//! (docs.scion.org, "SCION Header Specification"; draft-dekater-scion-dataplane), messages
//! about errors those of SCMP, and beacons are encoded as the control plane's
//! `PathSegment` in protocol buffers. Signatures are zeros of the right length: nobody here
//! holds a key that others trust.

mod control;
mod error;
mod header;
mod isd_as;
mod mac;
mod packet;
mod path;
mod protobuf;
mod scmp;
mod segment;
mod segment_wire;

pub use control::{ControlMessage, FRAGMENT_HEADER, Fragment, SegmentKind};
pub use error::DecodeError;
pub use header::{
    ADDRESSES, COMMON_HEADER, HostAddress, OneHop, PathHeader, ScionHeader, protocol,
};
pub use isd_as::{IsdAs, ParseIsdAsError};
pub use mac::Key;
pub use packet::{ErrorReport, PathHandle, PathReference, ScionContent, ScionPacket};
pub use path::{
    Current, EXPIRY_UNIT, HopField, InfoField, MOST_HOPS, MOST_SEGMENTS, Mac, Path, PathSection,
    Position, expiry_steps, lifetime,
};
pub use scmp::{LARGEST_SCMP, Scmp, ScmpError, quoted_at_most};
pub use segment::{AsEntry, HopEntry, PathSegment, PeerEntry, StaticInfo};

use crate::message::ProtocolNumber;

/// The UDP port of the underlay: that of border routers in the examples of SCION's
/// implementation.
pub const UNDERLAY_PORT: u16 = 30042;

/// The number by which nodes know the layer: the underlay's UDP port.
pub const PROTOCOL: ProtocolNumber = ProtocolNumber(UNDERLAY_PORT);
