//! What can be wrong with the bytes of a SCION packet or beacon.

use thiserror::Error;

/// Why bytes are not what they should be.
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
    /// Another version than 0.
    #[error("version {0} is unknown")]
    Version(u8),
    /// A length that contradicts the others.
    #[error("the length at byte {offset} is {length}, which is not valid")]
    Length {
        /// Where it stands.
        offset: usize,
        /// Its value, in the units of the field.
        length: usize,
    },
    /// A value that its field cannot have.
    #[error("the value at byte {offset} is {value}, which is not valid")]
    Value {
        /// Where it stands.
        offset: usize,
        /// The value.
        value: u64,
    },
    /// A checksum is another one.
    #[error("the checksum is wrong")]
    Checksum,
    /// A field without which a message means nothing.
    #[error("field {0} is missing")]
    Missing(u32),
}

/// The first bytes of an input, and how many were read before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let available = self.offset + self.bytes.len();
        let needed = self.offset.saturating_add(count);
        let (taken, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or(DecodeError::TooShort { needed, available })?;
        (self.bytes, self.offset) = (rest, needed);
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let taken = self.take(N)?;
        let mut array = [0; N];
        array.copy_from_slice(taken);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, DecodeError> {
        Ok(u64::from_be_bytes(self.array()?))
    }
}
