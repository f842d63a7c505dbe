//! The header, in three encodings.

use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header};

use super::code::Code;
use super::error::{DecodeError, EncodeError};
use super::service::Service;
use crate::ecn::Ecn;

/// Numbers of what a packet can hold, from IANA's registry of protocol numbers.
pub mod protocol {
    /// An IPv4 packet (RFC 2003).
    pub const IPV4: u8 = 4;
    /// An IPv6 packet (RFC 2473).
    pub const IPV6: u8 = 41;
    /// An Ethernet frame (RFC 8986).
    pub const ETHERNET: u8 = 143;
    /// An Interest, a Data or a NACK of NDN, or a part of one. IANA has assigned NDN no number, and
    /// this one to nothing.
    pub const NDN: u8 = 252;
    /// A packet of the region protocol in an IP packet of a tunnel; for experiments too, where
    /// it cannot be a message.
    pub const REGION: u8 = 254;
    /// Messages of the region protocol's own; the number is for experiments (RFC 3692).
    pub const CONTROL: u8 = 253;
    /// Two addresses of any kind and what follows them; for experiments too.
    pub const TYPED_ADDRESSES: u8 = 254;
    /// Service options before the rest of a packet in the encoding `flow`: the number of
    /// IPv6's options for each hop (RFC 8200, section 4.3).
    pub(super) const SERVICE: u8 = 0;
}

/// How many nodes may forward a packet: the default of IP (RFC 1700).
pub const HOP_LIMIT: u8 = 64;

/// How the header is encoded. Numbers are in network byte order, sizes in bytes.
///
/// `compact`, version 1:
/// ```text
///  0  version 4 bits, flags 4 bits (zero)
///  1  DSCP 6 bits, ECN 2 bits
///  2  total length, 2
///  4  hop limit
///  5  protocol
///  6  header length in units of 4 bytes, at least 4
///  7  zero
///  8  destination code, 4
/// 12  source code, 4
/// 16  service options
/// ```
///
/// `ipv4-shaped`, version 4: the header of RFC 791, with the codes in the place of both
/// addresses and service options in that of options; never a fragment.
///
/// `flow`, version 2: the header of RFC 8200 with codes of four bytes in the place of
/// addresses; service options follow in an extension header (next header 1, length 1 in units
/// of 8 bytes without the first, 2 zeros, options).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// 16 bytes and the service options.
    #[default]
    Compact,
    /// 20 bytes and the service options, of which there may be 40 bytes: the paper's first
    /// option (section VII).
    Ipv4Shaped,
    /// 16 bytes and an extension header with the service options.
    Flow,
}

/// What the highest bits of the first byte are.
const COMPACT_VERSION: u8 = 1;
const FLOW_VERSION: u8 = 2;
const IPV4_VERSION: u8 = 4;

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Compact, Self::Ipv4Shaped, Self::Flow];

    /// The length in bytes of a header without service options.
    #[must_use]
    pub const fn header(self) -> u16 {
        match self {
            Self::Compact | Self::Flow => 16,
            Self::Ipv4Shaped => 20,
        }
    }
}

/// A header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The differentiated services code point (RFC 2474), below 64.
    pub dscp: u8,
    /// The ECN field.
    pub ecn: Ecn,
    /// How many more nodes may forward the packet.
    pub hop_limit: u8,
    /// What it holds: see [`protocol`].
    pub protocol: u8,
    /// Where it goes.
    pub destination: Code,
    /// Where it comes from.
    pub source: Code,
    /// The flow label, below 2²⁰; only the encoding `flow` carries it.
    pub flow_label: u32,
    /// The service options.
    pub service: Service,
}

impl Header {
    /// The packet with that payload.
    ///
    /// # Errors
    /// [`EncodeError`] if it would be too large, or there are more service options than the
    /// encoding has room for.
    pub fn encode(&self, encoding: Encoding, payload: &[u8]) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = match encoding {
            Encoding::Compact => self.compact(payload.len())?,
            Encoding::Ipv4Shaped => self.ipv4_shaped(payload.len())?,
            Encoding::Flow => self.flow(payload.len())?,
        };
        bytes.extend(payload);
        Ok(bytes)
    }

    /// A packet's encoding, header and payload. Bytes behind the length that it states, such as
    /// the padding of a link, are left out.
    ///
    /// # Errors
    /// [`DecodeError`] if it is none.
    pub fn decode(bytes: &[u8]) -> Result<(Encoding, Self, &[u8]), DecodeError> {
        need(bytes, 1)?;
        let (encoding, (header, payload)) = match bytes[0] >> 4 {
            COMPACT_VERSION => (Encoding::Compact, Self::from_compact(bytes)?),
            IPV4_VERSION => (Encoding::Ipv4Shaped, Self::from_ipv4_shaped(bytes)?),
            FLOW_VERSION => (Encoding::Flow, Self::from_flow(bytes)?),
            version => return Err(DecodeError::Version(version)),
        };
        Ok((encoding, header, payload))
    }

    fn compact(&self, payload: usize) -> Result<Vec<u8>, EncodeError> {
        const MOST: usize = 255 * 4 - 16;
        let service = self.services(MOST)?;
        let header = 16 + service.len();
        let total = u16::try_from(header + payload).map_err(|_| EncodeError::TooLarge)?;
        let mut bytes = vec![COMPACT_VERSION << 4, self.traffic_class()];
        bytes.extend(total.to_be_bytes());
        bytes.extend([self.hop_limit, self.protocol, (header / 4) as u8, 0]);
        bytes.extend(self.destination.0.to_be_bytes());
        bytes.extend(self.source.0.to_be_bytes());
        bytes.extend(service);
        Ok(bytes)
    }

    fn from_compact(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        need(bytes, 16)?;
        let total = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
        let length = 4 * usize::from(bytes[6]);
        if length < 16 {
            return Err(DecodeError::Length { offset: 6, length: length / 4 });
        }
        if total < length {
            return Err(DecodeError::Length { offset: 2, length: total });
        }
        need(bytes, total)?;
        let header = Self {
            hop_limit: bytes[4],
            protocol: bytes[5],
            destination: Code(word(bytes, 8)),
            source: Code(word(bytes, 12)),
            service: Service::decode(&bytes[16..length], 16)?,
            ..Self::of_traffic_class(bytes[1])
        };
        Ok((header, &bytes[length..total]))
    }

    fn ipv4_shaped(&self, payload: usize) -> Result<Vec<u8>, EncodeError> {
        const MOST: usize = 40;
        let service = self.services(MOST)?;
        let total = u16::try_from(20 + service.len() + payload);
        let mut header = Ipv4Header {
            dscp: IpDscp::try_new(self.dscp & 63).unwrap_or_default(),
            ecn: self.ecn.to_ip(),
            total_len: total.map_err(|_| EncodeError::TooLarge)?,
            dont_fragment: true,
            time_to_live: self.hop_limit,
            protocol: IpNumber(self.protocol),
            source: self.source.0.to_be_bytes(),
            destination: self.destination.0.to_be_bytes(),
            options: service[..].try_into().unwrap_or_default(),
            ..Ipv4Header::default()
        };
        header.header_checksum = header.calc_header_checksum();
        Ok(header.to_bytes().to_vec())
    }

    fn from_ipv4_shaped(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        need(bytes, 20)?;
        let length = 4 * usize::from(bytes[0] & 15);
        if length < 20 {
            return Err(DecodeError::Length { offset: 0, length: length / 4 });
        }
        need(bytes, length)?;
        let Ok((ip, _)) = Ipv4Header::from_slice(bytes) else {
            return Err(DecodeError::Length { offset: 0, length: length / 4 });
        };
        if ip.header_checksum != ip.calc_header_checksum() {
            return Err(DecodeError::Checksum);
        }
        if ip.is_fragmenting_payload() {
            return Err(DecodeError::Fragment);
        }
        let total = usize::from(ip.total_len);
        if total < length {
            return Err(DecodeError::Length { offset: 2, length: total });
        }
        need(bytes, total)?;
        let header = Self {
            dscp: ip.dscp.value(),
            ecn: Ecn::of_ip(ip.ecn),
            hop_limit: ip.time_to_live,
            protocol: ip.protocol.0,
            destination: Code(u32::from_be_bytes(ip.destination)),
            source: Code(u32::from_be_bytes(ip.source)),
            flow_label: 0,
            service: Service::decode(&ip.options, 20)?,
        };
        Ok((header, &bytes[length..total]))
    }

    fn flow(&self, payload: usize) -> Result<Vec<u8>, EncodeError> {
        const MOST: usize = 255 * 8 + 4;
        let mut service = self.services(MOST)?;
        if !service.is_empty() {
            // The extension header's own four bytes precede the options.
            service.resize((service.len() + 4).next_multiple_of(8) - 4, 0);
            let units = (service.len() + 4) / 8 - 1;
            service.splice(..0, [self.protocol, units as u8, 0, 0]);
        }
        let length = u16::try_from(service.len() + payload).map_err(|_| EncodeError::TooLarge)?;
        if usize::from(length) + 16 > usize::from(u16::MAX) {
            return Err(EncodeError::TooLarge);
        }
        let class = u32::from(self.traffic_class());
        let first = u32::from(FLOW_VERSION) << 28 | class << 20 | (self.flow_label & 0xf_ffff);
        let mut bytes = first.to_be_bytes().to_vec();
        bytes.extend(length.to_be_bytes());
        let next = if service.is_empty() { self.protocol } else { protocol::SERVICE };
        bytes.extend([next, self.hop_limit]);
        bytes.extend(self.source.0.to_be_bytes());
        bytes.extend(self.destination.0.to_be_bytes());
        bytes.extend(service);
        Ok(bytes)
    }

    fn from_flow(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        need(bytes, 16)?;
        let first = word(bytes, 0);
        let total = 16 + usize::from(u16::from_be_bytes([bytes[4], bytes[5]]));
        need(bytes, total)?;
        let mut header = Self {
            hop_limit: bytes[7],
            protocol: bytes[6],
            source: Code(word(bytes, 8)),
            destination: Code(word(bytes, 12)),
            flow_label: first & 0xf_ffff,
            ..Self::of_traffic_class((first >> 20) as u8)
        };
        let mut payload = &bytes[16..total];
        if header.protocol == protocol::SERVICE {
            need(bytes, 18)?;
            let length = 8 * (1 + usize::from(bytes[17]));
            if payload.len() < length {
                return Err(DecodeError::Length { offset: 17, length: usize::from(bytes[17]) });
            }
            header.protocol = bytes[16];
            header.service = Service::decode(&payload[4..length], 20)?;
            payload = &payload[length..];
        }
        Ok((header, payload))
    }

    fn services(&self, limit: usize) -> Result<Vec<u8>, EncodeError> {
        let bytes = self.service.encode()?;
        match bytes.len() {
            length if length > limit => Err(EncodeError::TooManyServices { limit, length }),
            _ => Ok(bytes),
        }
    }

    /// DSCP and ECN field in one byte, as in RFC 3168, section 5.
    fn traffic_class(&self) -> u8 {
        self.dscp << 2 | self.ecn.to_ip() as u8
    }

    fn of_traffic_class(class: u8) -> Self {
        let ecn = Ecn::of_ip(IpEcn::try_new(class & 3).unwrap_or_default());
        Self { dscp: class >> 2, ecn, ..Self::default() }
    }
}

fn need(bytes: &[u8], needed: usize) -> Result<(), DecodeError> {
    let available = bytes.len();
    if available < needed { Err(DecodeError::TooShort { needed, available }) } else { Ok(()) }
}

fn word(bytes: &[u8], offset: usize) -> u32 {
    u32::from_be_bytes([bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]])
}
