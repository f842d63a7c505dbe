//! What routers tell real hosts about their packets: error messages of ICMP (RFC 792, RFC 1812)
//! and ICMPv6 (RFC 4443).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::icmpv4::{DestUnreachableHeader, TimeExceededCode as TimeExceededV4};
use etherparse::icmpv6::{DestUnreachableCode, TimeExceededCode as TimeExceededV6};
use etherparse::{
    Icmpv4Type, Icmpv6Type, IpNumber, IpSlice, Ipv4Header, Ipv6Header, PacketBuilder,
};

use crate::ip::HOPS;
use crate::ip::LEAST_MTU_V6;
use crate::real::change_word;

/// The length of a message's header, in bytes.
const HEADER: usize = 8;
/// The longest message over IPv4, in bytes (RFC 1812, section 4.3.2.3).
const LONGEST_V4: usize = 576;
/// The longest message over IPv6, in bytes (RFC 4443, section 2.4 (c)).
const LONGEST_V6: usize = LEAST_MTU_V6 as usize;
/// The types of ICMP that are errors: destination unreachable, source quench, redirect, time
/// exceeded, parameter problem (RFC 1122, section 3.2.2).
const ERRORS_V4: [u8; 5] = [3, 4, 5, 11, 12];
/// The least type of ICMPv6 that is not an error (RFC 4443, section 2.1).
const INFORMATION_V6: u8 = 128;
/// The types of echo requests and replies.
const ECHO_V4: u8 = 8;
const ECHO_REPLY_V4: u8 = 0;
const ECHO_V6: u8 = 128;
const ECHO_REPLY_V6: u8 = 129;
/// The type of an ICMPv6 redirect.
const REDIRECT_V6: u8 = 137;

/// Why a router does not forward a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IcmpError {
    /// No route leads to its destination.
    NoRoute,
    /// Its time to live or hop limit is used up.
    TimeExceeded,
    /// It is larger than the MTU of the next link, in bytes, and must not be fragmented.
    TooBig(u16),
    /// It is for the router itself, which has no transport protocols.
    NoPort,
}

/// The message about a packet that a router with these addresses sends, with as much of the packet
/// as there is room for; none about what must not be answered: other messages about errors,
/// fragments except for the first, and what is not from one host to one (RFC 1122, section 3.2.2;
/// RFC 4443, section 2.4 (e)).
#[must_use]
pub fn message_about(
    error: IcmpError,
    router: (Ipv4Addr, Ipv6Addr),
    packet: &[u8],
) -> Option<Vec<u8>> {
    let ip = IpSlice::from_slice(packet).ok().filter(may_be_answered)?;
    let quoted =
        |longest: usize, header: usize| &packet[..packet.len().min(longest - header - HEADER)];
    let mut bytes = Vec::new();
    let written = match ip.source_addr() {
        IpAddr::V4(sender) => PacketBuilder::ipv4(router.0.octets(), sender.octets(), HOPS)
            .icmpv4(type_v4(error))
            .write(&mut bytes, quoted(LONGEST_V4, Ipv4Header::MIN_LEN)),
        IpAddr::V6(sender) => PacketBuilder::ipv6(router.1.octets(), sender.octets(), HOPS)
            .icmpv6(type_v6(error))
            .write(&mut bytes, quoted(LONGEST_V6, Ipv6Header::LEN)),
    };
    written.ok().map(|()| bytes)
}

/// What a router that a packet is for sends back with these addresses: an echo reply to an echo request
/// (RFC 792, RFC 4443, section 4.2), to any other ICMP nothing, and that it has no such port to the rest.
#[must_use]
pub fn answer_of_router(router: (Ipv4Addr, Ipv6Addr), packet: &[u8]) -> Option<Answer> {
    let ip = IpSlice::from_slice(packet).ok()?;
    match ip.payload_ip_number() {
        IpNumber::ICMP | IpNumber::IPV6_ICMP => echo_reply(packet, &ip).map(Answer::Echo),
        _ => message_about(IcmpError::NoPort, router, packet).map(Answer::Error),
    }
}

/// A packet that a router sends back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An echo reply.
    Echo(Vec<u8>),
    /// A message about an error, of which a router sends a limited number.
    Error(Vec<u8>),
}

/// The reply to an echo request, with the same data; none to anything else, and to fragments.
fn echo_reply(packet: &[u8], ip: &IpSlice<'_>) -> Option<Vec<u8>> {
    let payload = ip.payload();
    let (addresses, half, hop_limit, reply) = match (ip, payload.payload.first()?) {
        (IpSlice::Ipv4(_), &ECHO_V4) => (12..20, 4, 8, ECHO_REPLY_V4),
        (IpSlice::Ipv6(_), &ECHO_V6) => (8..40, 16, 7, ECHO_REPLY_V6),
        _ => return None,
    };
    if payload.fragmented || payload.payload.len() < HEADER {
        return None;
    }
    let mut bytes = packet.to_vec();
    let at = packet.len() - payload.payload.len();
    // The order of the addresses is nothing to the checksums.
    bytes[addresses].rotate_left(half);
    change_word(&mut bytes, (at, at + 2), |it| it & 0xff | u16::from(reply) << 8);
    if half == 4 {
        change_word(&mut bytes, (hop_limit, 10), |it| it & 0xff | u16::from(HOPS) << 8);
    } else {
        bytes[hop_limit] = HOPS;
    }
    Some(bytes)
}

fn type_v4(error: IcmpError) -> Icmpv4Type {
    use DestUnreachableHeader::{FragmentationNeeded, Network, Port};
    match error {
        IcmpError::NoPort => Icmpv4Type::DestinationUnreachable(Port),
        IcmpError::NoRoute => Icmpv4Type::DestinationUnreachable(Network),
        IcmpError::TimeExceeded => Icmpv4Type::TimeExceeded(TimeExceededV4::TtlExceededInTransit),
        IcmpError::TooBig(next_hop_mtu) => {
            Icmpv4Type::DestinationUnreachable(FragmentationNeeded { next_hop_mtu })
        }
    }
}

fn type_v6(error: IcmpError) -> Icmpv6Type {
    match error {
        IcmpError::NoPort => Icmpv6Type::DestinationUnreachable(DestUnreachableCode::Port),
        IcmpError::NoRoute => Icmpv6Type::DestinationUnreachable(DestUnreachableCode::NoRoute),
        IcmpError::TimeExceeded => Icmpv6Type::TimeExceeded(TimeExceededV6::HopLimitExceeded),
        IcmpError::TooBig(mtu) => {
            Icmpv6Type::PacketTooBig { mtu: u32::from(mtu.max(LEAST_MTU_V6)) }
        }
    }
}

fn may_be_answered(ip: &IpSlice<'_>) -> bool {
    let is_later_fragment = ip.ipv4().is_some_and(|it| it.header().fragments_offset().value() > 0);
    !is_later_fragment
        && !is_error(ip)
        && is_one_host(ip.source_addr())
        && is_one_host(ip.destination_addr())
}

fn is_error(ip: &IpSlice<'_>) -> bool {
    let payload = ip.payload();
    let kind = payload.payload.first().copied().unwrap_or_default();
    match payload.ip_number {
        IpNumber::ICMP => ERRORS_V4.contains(&kind),
        IpNumber::IPV6_ICMP => kind < INFORMATION_V6 || kind == REDIRECT_V6,
        _ => false,
    }
}

/// Whether an address is one host's, which others can send to.
fn is_one_host(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(it) if it.is_broadcast());
    !(is_broadcast || address.is_multicast() || address.is_unspecified() || address.is_loopback())
}
