//! What can be wrong with the bytes of a packet, or with what is to become one.

use thiserror::Error;

/// Why bytes are not a packet of the region protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// They end too early.
    #[error("{needed} bytes are required, but only {available} are available")]
    TooShort {
        /// How many there had to be.
        needed: usize,
        /// How many there are.
        available: usize,
    },
    /// No encoding has this version.
    #[error("version {0} is unknown")]
    Version(u8),
    /// A length that contradicts the others, or that no such field can have.
    #[error("the length at byte {offset} is {length}, which is not valid")]
    Length {
        /// Where it stands.
        offset: usize,
        /// Its value, in the units of the field.
        length: usize,
    },
    /// The checksum of the `ipv4-shaped` header is another one.
    #[error("the checksum of the header is wrong")]
    Checksum,
    /// The packet is a fragment, and there are none.
    #[error("it is a fragment")]
    Fragment,
    /// A service option that nobody knows, and without which the packet must not be forwarded.
    #[error("the service option at byte {offset} has the unknown type {kind}")]
    UnknownService {
        /// Where it stands.
        offset: usize,
        /// Its type.
        kind: u8,
    },
    /// A value that its field cannot have.
    #[error("the value at byte {offset} is {value}, which is not valid")]
    Value {
        /// Where it stands.
        offset: usize,
        /// The value.
        value: u32,
    },
}

impl DecodeError {
    /// The byte that an error report points to (type 4, bad header).
    #[must_use]
    pub fn offset(&self) -> usize {
        match *self {
            Self::TooShort { available, .. } => available,
            Self::Version(_) => 0,
            Self::Length { offset, .. }
            | Self::UnknownService { offset, .. }
            | Self::Value { offset, .. } => offset,
            Self::Checksum => 10,
            Self::Fragment => 6,
        }
    }
}

/// Why something cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The packet would have more than 65,535 bytes.
    #[error("a packet has at most 65,535 bytes")]
    TooLarge,
    /// The service options need more room than the encoding has for them.
    #[error("service options may have at most {limit} bytes, and these have {length}")]
    TooManyServices {
        /// How much room there is.
        limit: usize,
        /// How much they need.
        length: usize,
    },
    /// An address or option has more than 255 bytes.
    #[error("an address or option has at most 255 bytes, and this has {0}")]
    TooLong(usize),
}
