//! What can be wrong with bytes, and with packets that are to become bytes.

use thiserror::Error;

use super::{FIXED_HEADER, MAXIMUM_PACKET, VERSION};

/// Why bytes are not a packet. Offsets count bytes from the start of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// Something ends before it is complete.
    #[error("byte {offset}: {needed} bytes must follow here, but only {available} do")]
    Truncated {
        /// Where the bytes should begin.
        offset: usize,
        /// How many should follow.
        needed: usize,
        /// How many do, within what is around them.
        available: usize,
    },
    /// Another version.
    #[error("byte 0: version {0} instead of {VERSION}")]
    Version(u8),
    /// A packet type without a meaning.
    #[error("byte 1: packet type {0} is not valid; it must be 0 to 2")]
    PacketType(u8),
    /// A length that cannot be.
    #[error("byte {offset}: a length of {length} bytes, where it must be {least} to {most}")]
    Length {
        /// Where it is.
        offset: usize,
        /// What it says.
        length: usize,
        /// The least that it may be.
        least: usize,
        /// The most that it may be.
        most: usize,
    },
    /// What the packet must have is missing, or another element is in its place.
    #[error("byte {offset}: {missing} is missing")]
    Missing {
        /// Where it should be.
        offset: usize,
        /// What.
        missing: &'static str,
    },
    /// A number of no or of too many bytes.
    #[error("byte {offset}: a number has {length} bytes instead of 1 to 8")]
    Number {
        /// Where its bytes begin.
        offset: usize,
        /// How many there are.
        length: usize,
    },
    /// A checksum that is not that of the bytes.
    #[error("byte {offset}: the CRC-32C is {found:08x} instead of {expected:08x}")]
    Checksum {
        /// Where it is.
        offset: usize,
        /// What is there.
        found: u32,
        /// What the bytes give.
        expected: u32,
    },
}

/// Why a packet cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// It is larger than a packet may be.
    #[error("the packet would have {0} bytes; it can have at most {MAXIMUM_PACKET}")]
    TooLarge(usize),
    /// Its hop-by-hop headers are too long: the header's length is a number of 8 bits.
    #[error("the headers would have {0} bytes; they can have {FIXED_HEADER} to 255")]
    HeaderTooLarge(usize),
}
