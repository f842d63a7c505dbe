//! Elements: a type and a length of two bytes each, and a value (RFC 8609, section 3.1).

use super::error::DecodeError;

/// The bytes of an element's type and length.
pub(super) const HEADER: usize = 4;

/// Appends an element. Its value has at most 65,535 bytes, because a packet has no more.
pub(super) fn write(bytes: &mut Vec<u8>, element: u16, value: &[u8]) {
    bytes.extend(element.to_be_bytes());
    bytes.extend((value.len() as u16).to_be_bytes());
    bytes.extend(value);
}

/// Appends an element whose value `write` appends.
pub(super) fn write_nested(bytes: &mut Vec<u8>, element: u16, write: impl FnOnce(&mut Vec<u8>)) {
    bytes.extend(element.to_be_bytes());
    let length = bytes.len();
    bytes.extend([0; 2]);
    write(bytes);
    let written = bytes.len() - length - 2;
    bytes[length..length + 2].copy_from_slice(&(written as u16).to_be_bytes());
}

/// A number in network byte order, in as few bytes as it needs, and at least one.
pub(super) fn number(value: u64) -> ([u8; 8], usize) {
    (value.to_be_bytes(), super::size::number_size(value) as usize)
}

/// Appends an element whose value is a number.
pub(super) fn write_number(bytes: &mut Vec<u8>, element: u16, value: u64) {
    let (octets, size) = number(value);
    write(bytes, element, &octets[8 - size..]);
}

/// An element that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    pub(super) kind: u16,
    pub(super) value: &'a [u8],
    /// Where the value begins.
    pub(super) offset: usize,
}

impl Element<'_> {
    /// Its value as a number.
    pub(super) fn number(&self) -> Result<u64, DecodeError> {
        let length = self.value.len();
        if !(1..=8).contains(&length) {
            return Err(DecodeError::Number { offset: self.offset, length });
        }
        Ok(self.value.iter().fold(0, |sum, it| sum << 8 | u64::from(*it)))
    }
}

/// Elements one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Those in `bytes`, which begin at that offset of the input.
    pub(super) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { rest: bytes, offset }
    }

    /// The elements in an element.
    pub(super) fn within(element: &Element<'a>) -> Self {
        Self::new(element.value, element.offset)
    }

    /// Where it is.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The next element; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Element<'a>>, DecodeError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let header = self.take(HEADER)?;
        let [kind, length] = [0, 2].map(|it| u16::from_be_bytes([header[it], header[it + 1]]));
        let offset = self.offset;
        Ok(Some(Element { kind, value: self.take(usize::from(length))?, offset }))
    }

    fn take(&mut self, needed: usize) -> Result<&'a [u8], DecodeError> {
        let (offset, available) = (self.offset, self.rest.len());
        let Some((taken, rest)) = self.rest.split_at_checked(needed) else {
            return Err(DecodeError::Truncated { offset, needed, available });
        };
        (self.rest, self.offset) = (rest, offset + needed);
        Ok(taken)
    }
}
