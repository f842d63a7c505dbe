//! Service options: what the header's field of variable length holds.

use super::error::{DecodeError, EncodeError};

/// The length of an option's type and length.
const OPTION_HEADER: usize = 2;
/// The bit of a type that says what becomes of a packet where the option is not known: with it
/// the packet is dropped and reported, without it the option is skipped.
const MUST_KNOW: u8 = 0x80;

/// What a service option asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceOption {
    /// The least MTU of the links that the packet has crossed, in bytes (type 1).
    PathMtu(u16),
    /// Which flow the packet belongs to (type 2).
    Flow(u32),
    /// Under which agreement it travels (type 129).
    Agreement(u32),
    /// What the payload is, beyond the protocol's number (type 3).
    Subtype(u16),
    /// One that is not known here, and may be skipped.
    Other {
        /// Its type, below 128.
        kind: u8,
        /// Its value.
        value: Vec<u8>,
    },
}

impl ServiceOption {
    fn kind(&self) -> u8 {
        match self {
            Self::PathMtu(_) => 1,
            Self::Flow(_) => 2,
            Self::Subtype(_) => 3,
            Self::Agreement(_) => 1 | MUST_KNOW,
            Self::Other { kind, .. } => *kind,
        }
    }

    fn value(&self) -> Vec<u8> {
        match self {
            Self::PathMtu(it) | Self::Subtype(it) => it.to_be_bytes().to_vec(),
            Self::Flow(it) | Self::Agreement(it) => it.to_be_bytes().to_vec(),
            Self::Other { value, .. } => value.clone(),
        }
    }

    /// From its type and value, which stand at `offset`.
    fn of(kind: u8, value: &[u8], offset: usize) -> Result<Self, DecodeError> {
        let wrong = DecodeError::Length { offset: offset + 1, length: value.len() };
        let short = || value.try_into().map(u16::from_be_bytes).map_err(|_| wrong);
        let long = || value.try_into().map(u32::from_be_bytes).map_err(|_| wrong);
        Ok(match kind {
            1 => Self::PathMtu(short()?),
            2 => Self::Flow(long()?),
            3 => Self::Subtype(short()?),
            129 => Self::Agreement(long()?),
            kind if kind & MUST_KNOW != 0 => {
                return Err(DecodeError::UnknownService { offset, kind });
            }
            kind => Self::Other { kind, value: value.to_vec() },
        })
    }
}

/// The service options of a packet, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service(pub Vec<ServiceOption>);

impl Service {
    /// The bytes of all, each padded to a multiple of four.
    pub(super) fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = Vec::new();
        for option in &self.0 {
            let value = option.value();
            let length =
                u8::try_from(value.len()).map_err(|_| EncodeError::TooLong(value.len()))?;
            bytes.extend([option.kind(), length]);
            bytes.extend(value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        Ok(bytes)
    }

    /// From bytes that stand at `offset` of the packet. A type of 0 ends the list.
    pub(super) fn decode(bytes: &[u8], offset: usize) -> Result<Self, DecodeError> {
        let mut options = Vec::new();
        let mut place = 0;
        while place < bytes.len() && bytes[place] != 0 {
            let Some([kind, length]) = bytes.get(place..place + OPTION_HEADER) else {
                let available = offset + bytes.len();
                return Err(DecodeError::TooShort { needed: available + 1, available });
            };
            let end = place + OPTION_HEADER + usize::from(*length);
            let Some(value) = bytes.get(place + OPTION_HEADER..end) else {
                let length = usize::from(*length);
                return Err(DecodeError::Length { offset: offset + place + 1, length });
            };
            options.push(ServiceOption::of(*kind, value, offset + place)?);
            place = end.next_multiple_of(4);
        }
        Ok(Self(options))
    }
}
