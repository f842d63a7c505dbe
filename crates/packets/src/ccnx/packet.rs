//! Packets: a fixed header, hop-by-hop headers, a message and its validation (RFC 8609,
//! section 3).

use crc::{CRC_32_ISCSI, Crc};

use super::error::{DecodeError, EncodeError};
use super::name::Name;
use super::tlv::{self, Element, Reader};
use super::{FIXED_HEADER, MAXIMUM_PACKET, VERSION};

/// Types of packets (section 3.2).
mod packet_type {
    pub(super) const INTEREST: u8 = 0;
    pub(super) const CONTENT_OBJECT: u8 = 1;
    pub(super) const INTEREST_RETURN: u8 = 2;
}

/// Types of hop-by-hop headers (section 3.4).
mod hop_by_hop {
    pub(super) const INTEREST_LIFETIME: u16 = 1;
    pub(super) const RECOMMENDED_CACHE_TIME: u16 = 2;
}

/// Types of messages and what validates them (section 3.5).
mod message_type {
    pub(super) const INTEREST: u16 = 1;
    pub(super) const CONTENT_OBJECT: u16 = 2;
    pub(super) const VALIDATION_ALGORITHM: u16 = 3;
    pub(super) const VALIDATION_PAYLOAD: u16 = 4;
}

/// Types of a message's elements (section 3.6).
mod element {
    pub(super) const NAME: u16 = 0;
    pub(super) const PAYLOAD: u16 = 1;
    pub(super) const KEY_ID_RESTRICTION: u16 = 2;
    pub(super) const OBJECT_HASH_RESTRICTION: u16 = 3;
    pub(super) const EXPIRY_TIME: u16 = 6;
    /// Of draft-irtf-icnrg-ccnxchunking.
    pub(super) const END_CHUNK: u16 = 7;
}

/// The algorithm CRC-32C (section 3.6.4.1).
const CRC32C: [u8; 4] = [0, 2, 0, 0];
const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// An Interest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interest {
    /// What is asked for.
    pub name: Name,
    /// How many more nodes it may go to.
    pub hop_limit: u8,
    /// How long it is to be kept pending, in milliseconds; 0: no answer is wanted. None: 2 s.
    pub lifetime_ms: Option<u64>,
    /// Which Content Objects alone will do.
    pub restrictions: Restrictions,
    /// What it brings.
    pub payload: Option<Vec<u8>>,
}

/// What a Content Object must be besides of that name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Signed by the key of that identifier.
    pub key_id: Option<Vec<u8>>,
    /// The one with that hash.
    pub object_hash: Option<Vec<u8>>,
}

/// Why an Interest came back (RFC 8569, section 10.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReturnCode(pub u8);

impl ReturnCode {
    /// No route leads to its name.
    pub const NO_ROUTE: Self = Self(1);
    /// It has gone as far as it may.
    pub const HOP_LIMIT_EXCEEDED: Self = Self(2);
    /// The node cannot keep it.
    pub const NO_RESOURCES: Self = Self(3);
    /// The path towards its name has failed.
    pub const PATH_ERROR: Self = Self(4);
    /// It is not allowed.
    pub const PROHIBITED: Self = Self(5);
    /// It was dropped because of congestion.
    pub const CONGESTED: Self = Self(6);
    /// It is larger than the next link lets through.
    pub const MTU_TOO_LARGE: Self = Self(7);
    /// The node cannot compute the hash that it asks for.
    pub const UNSUPPORTED_HASH_RESTRICTION: Self = Self(8);
    /// It is malformed.
    pub const MALFORMED: Self = Self(9);
}

/// An Interest that came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterestReturn {
    /// Why.
    pub code: ReturnCode,
    /// The Interest.
    pub interest: Interest,
}

/// A Content Object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentObject {
    /// Its name; one without a name is asked for by its hash.
    pub name: Option<Name>,
    /// Until when caches are recommended to keep it, in milliseconds since 1970.
    pub cache_time_ms: Option<u64>,
    /// When it expires, in milliseconds since 1970.
    pub expiry_ms: Option<u64>,
    /// The number of the last chunk.
    pub end_chunk: Option<u64>,
    /// What it holds.
    pub payload: Option<Vec<u8>>,
    /// What validates it.
    pub validation: Validation,
}

/// How a message is validated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// Not at all.
    #[default]
    None,
    /// By a CRC-32C, which is checked where it is decoded.
    Crc32c,
    /// By something that is neither made nor checked here.
    Other {
        /// The algorithm's element, without type and length.
        algorithm: Vec<u8>,
        /// The value of the element that follows.
        payload: Vec<u8>,
    },
}

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet {
    /// A request.
    Interest(Interest),
    /// What answers one.
    ContentObject(ContentObject),
    /// A request that could not be served.
    InterestReturn(InterestReturn),
}

impl Packet {
    /// Its bytes.
    ///
    /// # Errors
    /// [`EncodeError`] if they would be too many.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = vec![VERSION, 0, 0, 0, 0, 0, 0, 0];
        match self {
            Self::Interest(it) => it.write(packet_type::INTEREST, &mut bytes)?,
            Self::InterestReturn(it) => {
                it.interest.write(packet_type::INTEREST_RETURN, &mut bytes)?;
                bytes[5] = it.code.0;
            }
            Self::ContentObject(it) => it.write(&mut bytes)?,
        }
        let length = bytes.len();
        if length > MAXIMUM_PACKET {
            return Err(EncodeError::TooLarge(length));
        }
        bytes[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        Ok(bytes)
    }

    /// The packet that `bytes` begin with.
    ///
    /// # Errors
    /// [`DecodeError`] if they do not begin with one.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (fixed, available) = (FIXED_HEADER, bytes.len());
        let Some(header) = bytes.first_chunk::<FIXED_HEADER>() else {
            return Err(DecodeError::Truncated { offset: 0, needed: fixed, available });
        };
        let [version, kind, high, low, hop_limit, code, _flags, header_length] = *header;
        if version != VERSION {
            return Err(DecodeError::Version(version));
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        let header_length = usize::from(header_length);
        within(2, length, fixed, available)?;
        within(7, header_length, fixed, length)?;
        let headers = Reader::new(&bytes[fixed..header_length], fixed);
        let body = Reader::new(&bytes[header_length..length], header_length);
        match kind {
            packet_type::INTEREST => Interest::read(hop_limit, headers, body).map(Self::Interest),
            packet_type::CONTENT_OBJECT => {
                let signed = &bytes[header_length..length];
                ContentObject::read(headers, body, signed).map(Self::ContentObject)
            }
            packet_type::INTEREST_RETURN => {
                let interest = Interest::read(hop_limit, headers, body)?;
                let code = ReturnCode(code);
                Ok(Self::InterestReturn(InterestReturn { code, interest }))
            }
            other => Err(DecodeError::PacketType(other)),
        }
    }
}

fn within(offset: usize, length: usize, least: usize, most: usize) -> Result<(), DecodeError> {
    if (least..=most).contains(&length) {
        return Ok(());
    }
    Err(DecodeError::Length { offset, length, least, most })
}

/// Notes the length of the headers, all of which have been written.
fn end_headers(bytes: &mut [u8]) -> Result<(), EncodeError> {
    let length = bytes.len();
    bytes[7] = u8::try_from(length).map_err(|_| EncodeError::HeaderTooLarge(length))?;
    Ok(())
}

/// The first element of a reader, which must be of that type.
fn first<'a>(
    reader: &mut Reader<'a>,
    kind: u16,
    missing: &'static str,
) -> Result<Element<'a>, DecodeError> {
    let offset = reader.offset();
    let found = reader.next()?.filter(|it| it.kind == kind);
    found.ok_or(DecodeError::Missing { offset, missing })
}

impl Interest {
    fn write(&self, kind: u8, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        (bytes[1], bytes[4]) = (kind, self.hop_limit);
        if let Some(lifetime) = self.lifetime_ms {
            tlv::write_number(bytes, hop_by_hop::INTEREST_LIFETIME, lifetime);
        }
        end_headers(bytes)?;
        tlv::write_nested(bytes, message_type::INTEREST, |bytes| {
            tlv::write_nested(bytes, element::NAME, |bytes| self.name.write(bytes));
            let Restrictions { key_id, object_hash } = &self.restrictions;
            write_optional(bytes, element::KEY_ID_RESTRICTION, key_id.as_deref());
            write_optional(bytes, element::OBJECT_HASH_RESTRICTION, object_hash.as_deref());
            write_optional(bytes, element::PAYLOAD, self.payload.as_deref());
        });
        Ok(())
    }

    fn read(
        hop_limit: u8,
        mut headers: Reader<'_>,
        mut body: Reader<'_>,
    ) -> Result<Self, DecodeError> {
        let mut interest = Self { hop_limit, ..Self::default() };
        while let Some(it) = headers.next()? {
            if it.kind == hop_by_hop::INTEREST_LIFETIME {
                interest.lifetime_ms = Some(it.number()?);
            }
        }
        let message = first(&mut body, message_type::INTEREST, "the Interest message")?;
        let mut elements = Reader::within(&message);
        interest.name = Name::read(&first(&mut elements, element::NAME, "the name")?)?;
        while let Some(it) = elements.next()? {
            let place = match it.kind {
                element::KEY_ID_RESTRICTION => &mut interest.restrictions.key_id,
                element::OBJECT_HASH_RESTRICTION => &mut interest.restrictions.object_hash,
                element::PAYLOAD => &mut interest.payload,
                _ => continue,
            };
            *place = Some(it.value.to_vec());
        }
        Ok(interest)
    }
}

fn write_optional(bytes: &mut Vec<u8>, kind: u16, value: Option<&[u8]>) {
    if let Some(value) = value {
        tlv::write(bytes, kind, value);
    }
}

fn write_time(bytes: &mut Vec<u8>, kind: u16, time_ms: Option<u64>) {
    write_optional(bytes, kind, time_ms.map(u64::to_be_bytes).as_ref().map(|it| &it[..]));
}

impl ContentObject {
    fn write(&self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        bytes[1] = packet_type::CONTENT_OBJECT;
        write_time(bytes, hop_by_hop::RECOMMENDED_CACHE_TIME, self.cache_time_ms);
        end_headers(bytes)?;
        let signed = bytes.len();
        tlv::write_nested(bytes, message_type::CONTENT_OBJECT, |bytes| {
            if let Some(name) = &self.name {
                tlv::write_nested(bytes, element::NAME, |bytes| name.write(bytes));
            }
            write_time(bytes, element::EXPIRY_TIME, self.expiry_ms);
            if let Some(chunk) = self.end_chunk {
                tlv::write_number(bytes, element::END_CHUNK, chunk);
            }
            write_optional(bytes, element::PAYLOAD, self.payload.as_deref());
        });
        self.validation.write(bytes, signed);
        Ok(())
    }

    fn read(
        mut headers: Reader<'_>,
        mut body: Reader<'_>,
        signed: &[u8],
    ) -> Result<Self, DecodeError> {
        let mut object = Self::default();
        while let Some(it) = headers.next()? {
            if it.kind == hop_by_hop::RECOMMENDED_CACHE_TIME {
                object.cache_time_ms = Some(it.number()?);
            }
        }
        let begin = body.offset();
        let message = first(&mut body, message_type::CONTENT_OBJECT, "the Content Object")?;
        let mut elements = Reader::within(&message);
        while let Some(it) = elements.next()? {
            match it.kind {
                element::NAME => object.name = Some(Name::read(&it)?),
                element::EXPIRY_TIME => object.expiry_ms = Some(it.number()?),
                element::END_CHUNK => object.end_chunk = Some(it.number()?),
                element::PAYLOAD => object.payload = Some(it.value.to_vec()),
                _ => {}
            }
        }
        object.validation = Validation::read(&mut body, signed, begin)?;
        Ok(object)
    }
}

impl Validation {
    /// Appends what validates the bytes from `signed` on.
    fn write(&self, bytes: &mut Vec<u8>, signed: usize) {
        match self {
            Self::None => {}
            Self::Crc32c => {
                tlv::write(bytes, message_type::VALIDATION_ALGORITHM, &CRC32C);
                let checksum = CHECKSUM.checksum(&bytes[signed..]);
                tlv::write(bytes, message_type::VALIDATION_PAYLOAD, &checksum.to_be_bytes());
            }
            Self::Other { algorithm, payload } => {
                tlv::write(bytes, message_type::VALIDATION_ALGORITHM, algorithm);
                tlv::write(bytes, message_type::VALIDATION_PAYLOAD, payload);
            }
        }
    }

    /// Reads what follows a message; `signed` is the message and that, and begins at `begin`.
    fn read(reader: &mut Reader<'_>, signed: &[u8], begin: usize) -> Result<Self, DecodeError> {
        let Some(algorithm) = reader.next()? else { return Ok(Self::None) };
        if algorithm.kind != message_type::VALIDATION_ALGORITHM {
            return Ok(Self::None);
        }
        let end = reader.offset() - begin;
        let payload =
            first(reader, message_type::VALIDATION_PAYLOAD, "what validates the message")?;
        if algorithm.value != CRC32C {
            let [algorithm, payload] = [algorithm, payload].map(|it| it.value.to_vec());
            return Ok(Self::Other { algorithm, payload });
        }
        let offset = payload.offset;
        let missing = DecodeError::Missing { offset, missing: "a CRC-32C of four bytes" };
        let found = <[u8; 4]>::try_from(payload.value).map_err(|_| missing)?;
        let (found, expected) = (u32::from_be_bytes(found), CHECKSUM.checksum(&signed[..end]));
        if found != expected {
            return Err(DecodeError::Checksum { offset, found, expected });
        }
        Ok(Self::Crc32c)
    }
}
