//! The SCION header.

use std::net::{Ipv4Addr, Ipv6Addr};

use etherparse::IpEcn;

use super::error::{DecodeError, Reader};
use super::isd_as::IsdAs;
use super::path::{HopField, InfoField, Path, PathSection, Position};
use crate::ecn::Ecn;

/// The length of the common header.
pub const COMMON_HEADER: u16 = 12;
/// The length of the two numbers of autonomous systems.
pub const ADDRESSES: u16 = 16;
/// The length of a header is counted in units of this many bytes.
const LINE: usize = 4;

/// The numbers of what a packet holds.
pub mod protocol {
    /// The Transmission Control Protocol.
    pub const TCP: u8 = 6;
    /// The User Datagram Protocol.
    pub const UDP: u8 = 17;
    /// SCION's control message protocol.
    pub const SCMP: u8 = 202;
}

/// The address of a host in its autonomous system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAddress {
    /// An IPv4 address.
    V4(Ipv4Addr),
    /// An IPv6 address.
    V6(Ipv6Addr),
}

impl HostAddress {
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::V4(it) => it.octets().to_vec(),
            Self::V6(it) => it.octets().to_vec(),
        }
    }

    /// Its type and length, as they are encoded.
    fn kind(&self) -> u8 {
        match self {
            Self::V4(_) => 0,
            Self::V6(_) => 3,
        }
    }

    fn decode(kind: u8, offset: usize, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match kind {
            0 => Ok(Self::V4(reader.array::<4>()?.into())),
            3 => Ok(Self::V6(reader.array::<16>()?.into())),
            _ => Err(DecodeError::Value { offset, value: u64::from(kind) }),
        }
    }
}

/// What a header says about the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathHeader {
    /// Nothing: the packet stays in its autonomous system.
    Empty,
    /// A path, and where the packet is on it.
    Standard(Path, Position),
    /// Across one link, for beacons.
    OneHop(OneHop),
}

/// A path across one link: the second hop field is filled in behind that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneHop {
    /// The info field.
    pub info: InfoField,
    /// The two hop fields.
    pub hops: [HopField; 2],
}

impl OneHop {
    /// The length of its encoding.
    pub const LENGTH: u16 = 8 + 2 * 12;
}

impl PathHeader {
    const EMPTY: u8 = 0;
    const STANDARD: u8 = 1;
    const ONE_HOP: u8 = 2;

    fn kind(&self) -> u8 {
        match self {
            Self::Empty => Self::EMPTY,
            Self::Standard(..) => Self::STANDARD,
            Self::OneHop(_) => Self::ONE_HOP,
        }
    }

    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Empty => Vec::new(),
            Self::Standard(path, position) => path.encode(position),
            Self::OneHop(it) => {
                // The same as a path of one segment without its meta header.
                let section = PathSection { info: it.info, hops: it.hops.to_vec() };
                let path = Path { sections: vec![section] };
                path.encode(&Position::first(&path)).split_off(Path::META_HEADER)
            }
        }
    }

    fn decode(kind: u8, bytes: &[u8]) -> Result<Self, DecodeError> {
        match kind {
            Self::EMPTY if bytes.is_empty() => Ok(Self::Empty),
            Self::EMPTY => Err(DecodeError::Length { offset: 5, length: bytes.len() }),
            Self::STANDARD => {
                let (path, position) = Path::decode(bytes)?;
                Ok(Self::Standard(path, position))
            }
            Self::ONE_HOP => {
                let meta = (2_u32 << 12).to_be_bytes();
                let (path, _) = Path::decode(&[&meta[..], bytes].concat())?;
                let PathSection { info, hops } = &path.sections[0];
                Ok(Self::OneHop(OneHop { info: *info, hops: [hops[0], hops[1]] }))
            }
            _ => Err(DecodeError::Value { offset: 8, value: u64::from(kind) }),
        }
    }
}

/// A SCION header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScionHeader {
    /// The differentiated services codepoint.
    pub dscp: u8,
    /// The ECN field.
    pub ecn: Ecn,
    /// The flow's number, of 20 bits.
    pub flow: u32,
    /// What it holds: see [`protocol`].
    pub next: u8,
    /// The sender's autonomous system.
    pub source: IsdAs,
    /// The receiver's autonomous system.
    pub destination: IsdAs,
    /// The sender.
    pub from: HostAddress,
    /// The receiver.
    pub to: HostAddress,
    /// The path.
    pub path: PathHeader,
}

impl ScionHeader {
    /// The length of a header whose hosts have addresses of this many bytes each, and whose path
    /// is so long.
    #[must_use]
    pub const fn length(host: u16, path: u16) -> u16 {
        COMMON_HEADER + ADDRESSES + 2 * host + path
    }

    /// The packet with that payload; none if the header or the payload is too long.
    #[must_use]
    pub fn encode(&self, payload: &[u8]) -> Option<Vec<u8>> {
        let path = self.path.encode();
        let [to, from] = [self.to.bytes(), self.from.bytes()];
        let fixed = usize::from(COMMON_HEADER + ADDRESSES);
        let lines = u8::try_from((fixed + to.len() + from.len() + path.len()) / LINE).ok()?;
        let length = u16::try_from(payload.len()).ok()?;
        let class = u32::from(self.dscp & 63) << 2 | u32::from(self.ecn.to_ip().value());
        let mut output = (class << 20 | (self.flow & 0xf_ffff)).to_be_bytes().to_vec();
        output.extend([self.next, lines]);
        output.extend(length.to_be_bytes());
        output.extend([self.path.kind(), self.to.kind() << 4 | self.from.kind(), 0, 0]);
        output.extend(self.destination.0.to_be_bytes());
        output.extend(self.source.0.to_be_bytes());
        for part in [&to[..], &from, &path, payload] {
            output.extend(part);
        }
        Some(output)
    }

    /// The header at the beginning of a packet, and the payload behind it.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut reader = Reader::new(bytes);
        let first = reader.u32()?;
        let version = (first >> 28) as u8;
        if version != 0 {
            return Err(DecodeError::Version(version));
        }
        let [next, lines] = reader.array()?;
        let payload = usize::from(reader.u16()?);
        let [kind, hosts, ..] = reader.array::<4>()?;
        let (destination, source) = (IsdAs(reader.u64()?), IsdAs(reader.u64()?));
        let to = HostAddress::decode(hosts >> 4, 9, &mut reader)?;
        let from = HostAddress::decode(hosts & 15, 9, &mut reader)?;
        let length = usize::from(lines) * LINE;
        let path = length.checked_sub(reader.offset());
        let path = path.ok_or(DecodeError::Length { offset: 5, length: lines.into() })?;
        let path = PathHeader::decode(kind, reader.take(path)?)?;
        let payload = reader.take(payload)?;
        let header = Self {
            dscp: (first >> 22) as u8 & 63,
            ecn: Ecn::of_ip(IpEcn::try_new((first >> 20) as u8 & 3).unwrap_or_default()),
            flow: first & 0xf_ffff,
            next,
            source,
            destination,
            from,
            to,
            path,
        };
        Ok((header, payload))
    }

    /// The internet checksum of an upper layer's packet under this header, whose own checksum
    /// field is zero (RFC 1071, over the pseudo-header of SCION).
    #[must_use]
    pub fn checksum(&self, upper: &[u8]) -> u16 {
        let [to, from] = [self.to.bytes(), self.from.bytes()];
        let mut pseudo = self.destination.0.to_be_bytes().to_vec();
        pseudo.extend(self.source.0.to_be_bytes());
        pseudo.extend(to);
        pseudo.extend(from);
        pseudo.extend((upper.len() as u32).to_be_bytes());
        pseudo.extend([0, 0, 0, self.next]);
        let words = |bytes: &[u8]| {
            let pairs = bytes.chunks(2).map(|it| [it[0], it.get(1).copied().unwrap_or(0)]);
            pairs.map(|it| u64::from(u16::from_be_bytes(it))).sum::<u64>()
        };
        let mut sum = words(&pseudo) + words(upper);
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }
}
