//! The message with which the destination edge acknowledges a packet to the source
//! edge: its values and its encoding.
//!
//! A message is a UDP datagram over IPv4 from edge to edge. As an ICMP message
//! does (RFC 792), it quotes the packet that it refers to: fields that no router
//! changes, and enough of them to identify the packet. Numbers are in network byte
//! order:
//!
//! ```text
//!  byte   0  the format: 1
//!         1  the IP version of the acknowledged packet: 4 or 6
//!         2  its protocol: 6 (TCP)
//!         3  0
//!         4  its source address, then its destination address: 4 or 16 bytes each
//!            its source port, then its destination port: 2 bytes each
//!            its sequence number: 4 bytes
//!            its acknowledgement number: 4 bytes
//!            its timestamp value, or 0 if it has none: 4 bytes
//! ```

use std::net::{Ipv4Addr, SocketAddrV4, SocketAddrV6};

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpHeaders, IpNumber, Ipv4Header, PacketBuilder, UdpHeader, err};
use thiserror::Error;

use crate::ip::{Addresses, IpVersion};
use crate::message::{MESSAGE_WORDS, ProtocolNumber};
use crate::tcp::{Flags, Segment};
use crate::udp;

/// The UDP port of both edges, from the dynamic range (RFC 6335, section 6).
pub const PORT: u16 = 0xdc1b;

/// The protocol of the edges' messages.
pub const PROTOCOL: ProtocolNumber = ProtocolNumber(PORT);

/// The version of the format.
const FORMAT: u8 = 1;
/// The length of what precedes the addresses.
const PREAMBLE: u16 = 4;
/// The length of ports, sequence number, acknowledgement number and timestamp value.
const NUMBERS: u16 = 16;
/// Time to live, as that of other packets here.
const HOPS: u8 = 64;

/// The acknowledgement of one packet, which it identifies by header fields that no
/// router changes. A retransmission by the host has another timestamp value, and so
/// counts as another packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeAcknowledgement {
    /// The packet's connection; represents both addresses and ports.
    pub connection: u32,
    /// Its sequence number.
    pub sequence: u32,
    /// Its acknowledgement number; distinguishes segments without data.
    pub acknowledgement: u32,
    /// Its timestamp value, or 0 if it has none.
    pub timestamp: u32,
}

impl EdgeAcknowledgement {
    /// The acknowledgement of a segment's packet.
    #[inline]
    #[must_use]
    pub fn of(segment: &Segment) -> Self {
        let has_timestamp = segment.flags.has(Flags::TIMESTAMPS);
        Self {
            connection: segment.connection,
            sequence: segment.sequence,
            acknowledgement: segment.acknowledgement,
            timestamp: if has_timestamp { segment.timestamp } else { 0 },
        }
    }

    /// As the first words of a message.
    #[must_use]
    pub fn words(&self) -> [u32; 4] {
        [self.connection, self.sequence, self.acknowledgement, self.timestamp]
    }

    /// From the words of a message.
    #[must_use]
    pub fn from_words(words: &[u32; MESSAGE_WORDS]) -> Self {
        let [connection, sequence, acknowledgement, timestamp, ..] = *words;
        Self { connection, sequence, acknowledgement, timestamp }
    }

    /// The bytes of the IP packet that carries it, for an acknowledged packet of
    /// that version of IP: 56 or 80.
    #[inline]
    #[must_use]
    pub const fn size(acknowledged: IpVersion) -> u16 {
        let addresses = match acknowledged {
            IpVersion::V4 => 8,
            IpVersion::V6 => 32,
        };
        IpVersion::V4.header() + udp::HEADER + PREAMBLE + addresses + NUMBERS
    }

    /// The message from edge to edge about a packet between those `addresses`.
    #[must_use]
    pub fn message(&self, addresses: Addresses, edges: EdgeAddresses) -> EdgeMessage {
        let Self { sequence, acknowledgement, timestamp, .. } = *self;
        EdgeMessage { edges, addresses, sequence, acknowledgement, timestamp }
    }
}

/// The two edges' own addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeAddresses {
    /// The destination edge, which acknowledges.
    pub from: Ipv4Addr,
    /// The source edge.
    pub to: Ipv4Addr,
}

/// An acknowledgement in the form it has on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeMessage {
    /// Source and destination of the message itself.
    pub edges: EdgeAddresses,
    /// The acknowledged packet's addresses and ports.
    pub addresses: Addresses,
    /// The acknowledged packet's sequence number.
    pub sequence: u32,
    /// The acknowledged packet's acknowledgement number.
    pub acknowledgement: u32,
    /// The acknowledged packet's timestamp value, or 0 if it has none.
    pub timestamp: u32,
}

/// Why bytes are not a valid message from edge to edge.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EdgeMessageError {
    /// They do not begin with an IPv4 header.
    #[error("no valid IPv4 header: {0}")]
    Ip(err::ipv4::HeaderSliceError),
    /// The IPv4 header is not followed by a UDP header.
    #[error("no valid UDP header: {0}")]
    Udp(err::LenError),
    /// The length field of a header is not the length of the input.
    #[error("the {header} header has a length field of {stated} bytes, but there are {found}")]
    Length {
        /// Which header.
        header: &'static str,
        /// Its length field, in bytes, header included.
        stated: usize,
        /// The bytes there are.
        found: usize,
    },
    /// A checksum is wrong.
    #[error("the {header} checksum is wrong; the packet was changed in transit")]
    Checksum {
        /// Which header's.
        header: &'static str,
    },
    /// A field has an invalid value.
    #[error("{field} is {found}; it must be {expected}")]
    Field {
        /// Which field.
        field: &'static str,
        /// Its value.
        found: u16,
        /// The valid values.
        expected: &'static str,
    },
    /// The message is too short or too long.
    #[error("the message has {found} bytes; this kind of message has {expected}")]
    Size {
        /// The bytes it has.
        found: usize,
        /// The bytes it should have.
        expected: usize,
    },
}

impl EdgeMessage {
    /// The acknowledgement in it, for the receiver who knows the number of the
    /// connection between these addresses.
    #[must_use]
    pub fn acknowledgement(&self, connection: u32) -> EdgeAcknowledgement {
        let Self { sequence, acknowledgement, timestamp, .. } = *self;
        EdgeAcknowledgement { connection, sequence, acknowledgement, timestamp }
    }

    /// Its IP packet: as many bytes as [`EdgeAcknowledgement::size`] says. It is not
    /// ECN-capable, because no sender would respond to a mark on it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let payload = self.payload();
        let header = Ipv4Header {
            time_to_live: HOPS,
            dont_fragment: true,
            source: self.edges.from.octets(),
            destination: self.edges.to.octets(),
            ..Ipv4Header::default()
        };
        let mut output = Vec::with_capacity(usize::from(EdgeAcknowledgement::size(IpVersion::V6)));
        PacketBuilder::ip(IpHeaders::Ipv4(header, Default::default()))
            .udp(PORT, PORT)
            .write_to_vec(&mut output, &payload)
            .expect("a message is short, so its lengths fit their fields");
        output
    }

    fn payload(&self) -> Vec<u8> {
        let version = match self.addresses {
            Addresses::V4 { .. } => 4,
            Addresses::V6 { .. } => 6,
        };
        let mut output = vec![FORMAT, version, IpNumber::TCP.0, 0];
        let ports = match self.addresses {
            Addresses::V4 { source, destination } => {
                output.extend([source.ip().octets(), destination.ip().octets()].concat());
                [source.port(), destination.port()]
            }
            Addresses::V6 { source, destination } => {
                output.extend([source.ip().octets(), destination.ip().octets()].concat());
                [source.port(), destination.port()]
            }
        };
        output.extend(ports.map(u16::to_be_bytes).concat());
        let numbers = [self.sequence, self.acknowledgement, self.timestamp];
        output.extend(numbers.map(u32::to_be_bytes).concat());
        output
    }

    /// Decodes the message in an IP packet; `bytes` are the whole packet.
    ///
    /// # Errors
    /// If they are not one whole message with correct lengths and checksums.
    pub fn decode(bytes: &[u8]) -> Result<Self, EdgeMessageError> {
        let (ip, rest) = Ipv4Header::from_slice(bytes).map_err(EdgeMessageError::Ip)?;
        check_length("IPv4", usize::from(ip.total_len), bytes.len())?;
        // Over the bytes: not all bits of them have a field in `ip`.
        let header = Sum16BitWords::new().add_slice(&bytes[..ip.header_len()]);
        check_checksum("IPv4", header.ones_complement() == 0)?;
        check("the protocol", ip.protocol.0, IpNumber::UDP.0, "17 (UDP)")?;
        let fragment = ip.more_fragments || ip.fragment_offset.value() != 0;
        check("the fragment's place", u8::from(fragment), 0, "0 (a whole packet)")?;
        let (udp, payload) = UdpHeader::from_slice(rest).map_err(EdgeMessageError::Udp)?;
        check_length("UDP", usize::from(udp.length), rest.len())?;
        let checksum = udp.calc_checksum_ipv4(&ip, payload);
        check_checksum("UDP", checksum == Ok(udp.checksum))?;
        check("the destination port", udp.destination_port, PORT, "56347")?;
        let edges = EdgeAddresses { from: ip.source.into(), to: ip.destination.into() };
        Self::from_payload(edges, payload)
    }

    fn from_payload(edges: EdgeAddresses, payload: &[u8]) -> Result<Self, EdgeMessageError> {
        let mut reader = Reader { payload, place: 0, expected: usize::from(PREAMBLE) };
        let [format, version, protocol, zero] = reader.take()?;
        check("the format", format, FORMAT, "1")?;
        check("the acknowledged packet's protocol", protocol, IpNumber::TCP.0, "6 (TCP)")?;
        check("the fourth byte", zero, 0, "0")?;
        let kind = match version {
            4 => IpVersion::V4,
            6 => IpVersion::V6,
            found => {
                let field = "the acknowledged packet's IP version";
                return Err(EdgeMessageError::Field {
                    field,
                    found: found.into(),
                    expected: "4 or 6",
                });
            }
        };
        let headers = IpVersion::V4.header() + udp::HEADER;
        reader.expected = usize::from(EdgeAcknowledgement::size(kind) - headers);
        check_size(payload.len(), reader.expected)?;
        let addresses = reader.addresses(kind)?;
        let mut number = || reader.take().map(u32::from_be_bytes);
        let (sequence, acknowledgement, timestamp) = (number()?, number()?, number()?);
        Ok(Self { edges, addresses, sequence, acknowledgement, timestamp })
    }
}

/// Reads the payload of a message from its start.
struct Reader<'a> {
    payload: &'a [u8],
    place: usize,
    /// How long the message should be, as far as is known.
    expected: usize,
}

impl Reader<'_> {
    fn take<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], EdgeMessageError> {
        let taken = self.payload[self.place..].first_chunk().copied();
        self.place += BYTES;
        taken.ok_or(EdgeMessageError::Size { found: self.payload.len(), expected: self.expected })
    }

    fn addresses(&mut self, version: IpVersion) -> Result<Addresses, EdgeMessageError> {
        Ok(match version {
            IpVersion::V4 => {
                let (source, destination) = (self.take::<4>()?, self.take::<4>()?);
                Addresses::V4 {
                    source: SocketAddrV4::new(source.into(), self.port()?),
                    destination: SocketAddrV4::new(destination.into(), self.port()?),
                }
            }
            IpVersion::V6 => {
                let (source, destination) = (self.take::<16>()?, self.take::<16>()?);
                Addresses::V6 {
                    source: SocketAddrV6::new(source.into(), self.port()?, 0, 0),
                    destination: SocketAddrV6::new(destination.into(), self.port()?, 0, 0),
                }
            }
        })
    }

    fn port(&mut self) -> Result<u16, EdgeMessageError> {
        self.take().map(u16::from_be_bytes)
    }
}

fn check<T: Into<u16>>(
    field: &'static str,
    found: T,
    right: T,
    expected: &'static str,
) -> Result<(), EdgeMessageError> {
    let (found, right) = (found.into(), right.into());
    if found == right { Ok(()) } else { Err(EdgeMessageError::Field { field, found, expected }) }
}

fn check_length(header: &'static str, stated: usize, found: usize) -> Result<(), EdgeMessageError> {
    if stated == found { Ok(()) } else { Err(EdgeMessageError::Length { header, stated, found }) }
}

fn check_checksum(header: &'static str, is_right: bool) -> Result<(), EdgeMessageError> {
    if is_right { Ok(()) } else { Err(EdgeMessageError::Checksum { header }) }
}

fn check_size(found: usize, expected: usize) -> Result<(), EdgeMessageError> {
    if found == expected { Ok(()) } else { Err(EdgeMessageError::Size { found, expected }) }
}
