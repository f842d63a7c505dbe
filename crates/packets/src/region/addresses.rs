//! Two addresses of any kind before the payload: how hosts with different kinds of addresses
//! reach each other (section VI.D.3). Protocol [`TYPED_ADDRESSES`](super::protocol).
//!
//! ```text
//! 0  kind of the destination's address   1  its length
//! 2  kind of the source's address        3  its length
//! 4  protocol of what follows            5  zero, 3 bytes
//! 8  the destination's address, padded to a multiple of 4, then the source's
//! ```

use etherparse::IpNumber;
use etherparse::checksum::Sum16BitWords;

use super::code::Code;
use super::error::{DecodeError, EncodeError};

/// The length of what precedes the addresses.
const PREAMBLE: usize = 8;

/// What an address is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressKind {
    /// There is none: the source is hidden.
    #[default]
    Absent,
    /// An IPv4 address, 4 bytes.
    Ipv4,
    /// An IPv6 address, 16 bytes.
    Ipv6,
    /// A hardware address of IEEE 802, 6 bytes.
    Mac,
    /// A public key, up to 255 bytes.
    PublicKey,
}

impl AddressKind {
    const ALL: [Self; 5] = [Self::Absent, Self::Ipv4, Self::Ipv6, Self::Mac, Self::PublicKey];

    /// The bytes of an address of this kind here: keys are those of X25519 and Ed25519.
    #[must_use]
    pub const fn length(self) -> u16 {
        match self {
            Self::Absent => 0,
            Self::Ipv4 => 4,
            Self::Ipv6 => 16,
            Self::Mac => 6,
            Self::PublicKey => 32,
        }
    }

    /// Whether an address of this kind can have this many bytes.
    fn takes(self, length: usize) -> bool {
        match self {
            Self::Absent => length == 0,
            Self::Ipv4 => length == 4,
            Self::Ipv6 => length == 16,
            Self::Mac => length == 6,
            Self::PublicKey => (1..=255).contains(&length),
        }
    }
}

/// An address and its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedAddress {
    /// What it is.
    pub kind: AddressKind,
    /// Its bytes, as many as its kind has.
    pub bytes: Vec<u8>,
}

/// The bytes that precede a payload between addresses of two kinds.
#[must_use]
pub const fn typed_header([source, destination]: [AddressKind; 2]) -> u16 {
    PREAMBLE as u16 + source.length().next_multiple_of(4) + destination.length().next_multiple_of(4)
}

/// The addresses of both ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedAddresses {
    /// Where the payload goes.
    pub destination: TypedAddress,
    /// Where it comes from.
    pub source: TypedAddress,
    /// The protocol of the payload.
    pub next: u8,
}

impl TypedAddresses {
    /// The bytes that precede the payload.
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] if an address has not a length that its kind can have.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = Vec::with_capacity(PREAMBLE + 32);
        for it in [&self.destination, &self.source] {
            let length = it.bytes.len();
            if !it.kind.takes(length) {
                return Err(EncodeError::TooLong(length));
            }
            bytes.extend([it.kind as u8, length as u8]);
        }
        bytes.extend([self.next, 0, 0, 0]);
        for it in [&self.destination, &self.source] {
            bytes.extend(&it.bytes);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        Ok(bytes)
    }

    /// The payload of a packet between regions that has these addresses in the place of the IP
    /// header of `packet`. `next` becomes what that header says, and the checksum of TCP or UDP
    /// is one over both codes, both addresses as they are here, the length and the protocol (4
    /// bytes each), because an address alone says nothing of its region.
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] if an address has not a length that its kind can have, or the
    /// packet is no IP packet.
    pub fn in_place_of_ip(
        &self,
        packet: &[u8],
        [source, destination]: [Code; 2],
    ) -> Result<Vec<u8>, EncodeError> {
        let wrong = EncodeError::TooLong(packet.len());
        let (next, transport) = match packet.first().map(|it| it >> 4) {
            Some(4) => (packet.get(9), packet.get(20..)),
            Some(6) => (packet.get(6), packet.get(40..)),
            _ => (None, None),
        };
        let (Some(next), Some(transport)) = (next.copied(), transport) else { return Err(wrong) };
        let mut transport = transport.to_vec();
        let bytes = Self { next, ..self.clone() }.encode()?;
        let place = match IpNumber(next) {
            IpNumber::TCP => 16,
            IpNumber::UDP => 6,
            _ => return Ok([bytes, transport].concat()),
        };
        let checksum = transport.get_mut(place..place + 2).ok_or(wrong)?;
        checksum.fill(0);
        let sum = Sum16BitWords::new()
            .add_4bytes(source.0.to_be_bytes())
            .add_4bytes(destination.0.to_be_bytes())
            .add_slice(&bytes[PREAMBLE..])
            .add_4bytes((transport.len() as u32).to_be_bytes())
            .add_4bytes(u32::from(next).to_be_bytes())
            .add_slice(&transport);
        transport[place..place + 2].copy_from_slice(&sum.ones_complement().to_ne_bytes());
        Ok([bytes, transport].concat())
    }

    /// From a payload: the addresses and what follows them.
    ///
    /// # Errors
    /// [`DecodeError`], with offsets from the beginning of the payload.
    pub fn decode(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let available = bytes.len();
        let short = |needed| DecodeError::TooShort { needed, available };
        let Some([destination, its_length, source, other_length, next, ..]) = bytes.get(..PREAMBLE)
        else {
            return Err(short(PREAMBLE));
        };
        let mut place = PREAMBLE;
        let mut address = |kind: u8, length: u8, offset: usize| {
            let length = usize::from(length);
            let known = AddressKind::ALL.get(usize::from(kind)).copied();
            let kind = known.ok_or(DecodeError::Value { offset, value: u32::from(kind) })?;
            if !kind.takes(length) {
                return Err(DecodeError::Length { offset: offset + 1, length });
            }
            let end = place + length;
            let value = bytes.get(place..end).ok_or(short(end))?.to_vec();
            place = end.next_multiple_of(4);
            Ok(TypedAddress { kind, bytes: value })
        };
        let destination = address(*destination, *its_length, 0)?;
        let source = address(*source, *other_length, 2)?;
        let rest = bytes.get(place..).ok_or(short(place))?;
        Ok((Self { destination, source, next: *next }, rest))
    }
}
