//! Which flow a packet belongs to, as a router sees it.

use crate::hash::hash_twice;
use crate::ndn::PrefixId;
use crate::packet::{Body, Packet};

/// A number that all packets of a flow share: a hash of what stands for the
/// addresses and ports of a TCP segment, of a datagram and of an edge's
/// acknowledgement, and of the prefix of an NDN packet's name. A router's own
/// `perturbation` makes it collide for other flows there than elsewhere (RFC 8290,
/// section 4.1.1).
#[inline]
#[must_use]
pub fn flow_of(packet: &Packet, perturbation: u64) -> u64 {
    let of_prefix = |prefix: PrefixId| (0, prefix.0);
    let (protocol, number): (u64, u32) = match &packet.body {
        Body::Interest(it) => of_prefix(it.name.prefix),
        Body::Data(it) => of_prefix(it.name.prefix),
        Body::Nack(it) => of_prefix(it.interest.name.prefix),
        Body::Segment(it) => (1, it.connection),
        Body::Datagram(it) => (2, it.flow),
        // All of a bridge have one way, so they are at the same place of it here.
        Body::EdgeAcknowledgement { .. } => (3, packet.route.0),
    };
    hash_twice(hash_twice((protocol << 32) | u64::from(number)) ^ perturbation)
}
