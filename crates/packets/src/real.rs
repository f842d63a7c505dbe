//! Packets of real hosts that cross a simulated network: IP packets whose bytes are kept, and of
//! which the network looks at what a router would; or frames, of which it looks at what a bridge would.

use std::net::IpAddr;

use etherparse::{IpNumber, IpSlice, Ipv6Header};
use windtunnel_engine::{Handle, Time, hash_twice};

use crate::dscp::Dscp;
use crate::ecn::Ecn;
use crate::flow_key::FlowKey;
use crate::ip::{IpVersion, LEAST_MTU_V6};

/// An IP packet or a frame of a real host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealPacket {
    /// The attachment where it entered the network; of a router's message the one where it leaves.
    pub from: u16,
    /// The one where it leaves; the one where it entered if it is at none, and
    /// [`TO_ROUTER`](Self::TO_ROUTER) if it is for a router itself.
    pub to: u16,
    /// The class of its IP header.
    pub dscp: Dscp,
    /// The ECN field that its bytes have.
    pub ecn: Ecn,
    /// When it entered the network.
    pub entered: Time,
    /// The flow that a router takes it to be of.
    pub flow: FlowKey,
    /// Its bytes.
    pub bytes: Handle,
    /// The bytes before its IP header, if it is a frame; else zero.
    pub link_header: u8,
}

/// What a router reads of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealHeader {
    /// The address that it comes from.
    pub source: IpAddr,
    /// The address that it is sent to.
    pub destination: IpAddr,
    /// Its flow: the addresses, and for TCP and UDP the ports.
    pub flow: FlowKey,
    /// Its length in bytes, as the header has it.
    pub length: u16,
    /// Its class.
    pub dscp: Dscp,
    /// Its ECN field.
    pub ecn: Ecn,
    /// The bytes before it, if it is inside a frame; else zero.
    pub link_header: u8,
}

impl RealHeader {
    /// Reads the headers of an IPv4 packet (RFC 791) or IPv6 packet (RFC 8200); none if the
    /// bytes are not one packet, whole. A fragment has no ports.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let ip = IpSlice::from_slice(bytes).ok()?;
        let (length, dscp, ecn, addresses) = match &ip {
            IpSlice::Ipv4(it) => {
                let it = it.header();
                let addresses = u64::from(u32::from_be_bytes(it.source())) << 32
                    | u64::from(u32::from_be_bytes(it.destination()));
                (usize::from(it.total_len()), it.dcp(), it.ecn(), [addresses, 0, 0, 0])
            }
            IpSlice::Ipv6(it) => {
                let it = it.header();
                let [source, destination] =
                    [it.source(), it.destination()].map(u128::from_be_bytes);
                let halves = [source, destination].map(|it| [(it >> 64) as u64, it as u64]);
                let length = usize::from(it.payload_length()) + Ipv6Header::LEN;
                (
                    length,
                    it.dscp(),
                    it.ecn(),
                    [halves[0][0], halves[0][1], halves[1][0], halves[1][1]],
                )
            }
        };
        let payload = ip.payload();
        let has_ports = matches!(payload.ip_number, IpNumber::TCP | IpNumber::UDP);
        let ports = payload.payload.first_chunk().filter(|_| has_ports && !payload.fragmented);
        let first = u64::from(payload.ip_number.0) << 32
            | u64::from(ports.map_or(0, |it| u32::from_be_bytes(*it)));
        let flow = addresses.iter().fold(first, |sum, it| hash_twice(sum) ^ it);
        Some(Self {
            source: ip.source_addr(),
            destination: ip.destination_addr(),
            flow: FlowKey::of_real(hash_twice(flow)),
            length: u16::try_from(length).ok().filter(|_| length == bytes.len())?,
            dscp: Dscp::new(dscp.value()),
            ecn: Ecn::of_ip(ecn),
            link_header: 0,
        })
    }
}

/// Sets the ECN field of an IP packet, and makes the checksum of IPv4 right for it. Only for bytes
/// that [`RealHeader::parse`] has read.
pub fn set_ecn(bytes: &mut [u8], ecn: Ecn) {
    let bits = ecn.to_ip().value();
    if bytes[0] >> 4 == 6 {
        bytes[1] = bytes[1] & !(3 << 4) | bits << 4;
    } else {
        change_word(bytes, (0, IPV4_CHECKSUM), |it| it & !3 | u16::from(bits));
    }
}

/// Sets the class of an IP packet, and makes the checksum of IPv4 right for it. Only for bytes that
/// [`RealHeader::parse`] has read.
pub fn set_dscp(bytes: &mut [u8], dscp: Dscp) {
    let bits = u16::from(dscp.value());
    if bytes[0] >> 4 == 6 {
        let first = u16::from_be_bytes([bytes[0], bytes[1]]) & !(0x3f << 6) | bits << 6;
        bytes[..2].copy_from_slice(&first.to_be_bytes());
    } else {
        change_word(bytes, (0, IPV4_CHECKSUM), |it| it & !0xfc | bits << 2);
    }
}

/// Decrements the time to live or hop limit of an IP packet, as a router does that forwards it
/// (RFC 1812, section 5.3.1; RFC 8200, section 3); false if it is used up, and the packet must not
/// be forwarded. Only for bytes that [`RealHeader::parse`] has read.
#[must_use]
pub fn decrement_hop_limit(bytes: &mut [u8]) -> bool {
    let is_v6 = bytes[0] >> 4 == 6;
    if bytes[if is_v6 { 7 } else { 8 }] <= 1 {
        return false;
    }
    if is_v6 {
        bytes[7] -= 1;
    } else {
        change_word(bytes, (8, IPV4_CHECKSUM), |it| it - 0x100);
    }
    true
}

/// Where an IPv4 header has its checksum.
const IPV4_CHECKSUM: usize = 10;

/// Changes the word at a place, and with it the checksum at another (RFC 1624, equation 3).
pub(crate) fn change_word(
    bytes: &mut [u8],
    (at, checksum_at): (usize, usize),
    change: impl FnOnce(u16) -> u16,
) {
    let word = |bytes: &[u8], at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let before = word(bytes, at);
    let after = change(before);
    bytes[at..at + 2].copy_from_slice(&after.to_be_bytes());
    let sum = u32::from(!word(bytes, checksum_at)) + u32::from(!before) + u32::from(after);
    let sum = (sum & 0xffff) + (sum >> 16);
    let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
    bytes[checksum_at..checksum_at + 2].copy_from_slice(&checksum.to_be_bytes());
}

impl RealPacket {
    /// Where a packet leaves that is for a router itself.
    pub const TO_ROUTER: u16 = u16::MAX;

    /// Whether it is a frame, which nodes carry as bridges do.
    #[must_use]
    pub fn is_frame(&self) -> bool {
        self.link_header > 0
    }

    /// Whether it goes from an attachment to another.
    #[must_use]
    pub fn is_between_attachments(&self) -> bool {
        self.from != self.to
    }

    /// Whether it is larger than what a link with that MTU carries, both in bytes: one of IPv6 is
    /// carried up to 1280 bytes by each link (RFC 8200, section 5).
    #[must_use]
    pub fn exceeds(bytes: &[u8], mtu: u16) -> bool {
        let least = if Self::version(bytes) == IpVersion::V6 { LEAST_MTU_V6 } else { 0 };
        bytes.len() > usize::from(mtu.max(least))
    }

    /// The version of IP of these bytes.
    #[must_use]
    pub fn version(bytes: &[u8]) -> IpVersion {
        if bytes.first().is_some_and(|it| it >> 4 == 6) { IpVersion::V6 } else { IpVersion::V4 }
    }
}
