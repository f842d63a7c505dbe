//! Names: segments with types (RFC 8609, section 3.6.1).

use std::fmt::{self, Write};
use std::str::FromStr;

use thiserror::Error;

use super::error::DecodeError;
use super::tlv::{self, Element, Reader};

/// The type of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentType(pub u16);

impl SegmentType {
    /// Any bytes.
    pub const NAME: Self = Self(1);
    /// What identifies an Interest's payload.
    pub const INTEREST_PAYLOAD_ID: Self = Self(2);
    /// The number of a chunk (draft-irtf-icnrg-ccnxchunking).
    pub const CHUNK: Self = Self(0x10);
    /// The first of those that applications define.
    pub const APPLICATION: Self = Self(0x1000);
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment {
    /// Its type.
    pub kind: SegmentType,
    /// Its bytes.
    pub value: Vec<u8>,
}

/// A name. The one without segments is the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// Its segments.
    pub segments: Vec<Segment>,
}

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// It does not begin as names do.
    #[error("a name begins with `ccnx:/`")]
    Scheme,
    /// A percent sign without two hexadecimal digits.
    #[error("`%` in segment `{0}` must be followed by two hexadecimal digits")]
    Escape(String),
    /// The number of a chunk or of a type that is none.
    #[error("`{0}` is not a number")]
    Number(String),
}

impl Name {
    /// The same with the number of a chunk appended.
    #[must_use]
    pub fn with_chunk(mut self, chunk: u64) -> Self {
        let (bytes, size) = tlv::number(chunk);
        let value = bytes[8 - size..].to_vec();
        self.segments.push(Segment { kind: SegmentType::CHUNK, value });
        self
    }

    /// The bytes of its segments, without the type and length of the name.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.segments.iter().map(|it| (tlv::HEADER + it.value.len()) as u32).sum()
    }

    /// Appends its segments.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        for it in &self.segments {
            tlv::write(bytes, it.kind.0, &it.value);
        }
    }

    pub(super) fn read(element: &Element<'_>) -> Result<Self, DecodeError> {
        let mut reader = Reader::within(element);
        let mut name = Self::default();
        while let Some(it) = reader.next()? {
            let kind = SegmentType(it.kind);
            name.segments.push(Segment { kind, value: it.value.to_vec() });
        }
        Ok(name)
    }
}

impl FromStr for Name {
    type Err = NameError;

    /// Reads `ccnx:/foo/bar/Chunk=3`; a segment of another type is written with its number, as
    /// `0x1000=x` (RFC 8569, section 3).
    fn from_str(text: &str) -> Result<Self, NameError> {
        let path = text.strip_prefix("ccnx:/").ok_or(NameError::Scheme)?;
        let mut name = Self::default();
        for segment in path.split('/').filter(|it| !it.is_empty()) {
            name = match segment.split_once('=') {
                Some(("Chunk", number)) => {
                    let chunk = number.parse().map_err(|_| NameError::Number(number.to_owned()))?;
                    name.with_chunk(chunk)
                }
                Some((label, value)) if label != "Name" => {
                    name.with(SegmentType(type_of(label)?), value)?
                }
                Some((_, value)) => name.with(SegmentType::NAME, value)?,
                None => name.with(SegmentType::NAME, segment)?,
            };
        }
        Ok(name)
    }
}

impl Name {
    fn with(mut self, kind: SegmentType, text: &str) -> Result<Self, NameError> {
        self.segments.push(Segment { kind, value: unescaped(text)? });
        Ok(self)
    }
}

fn type_of(label: &str) -> Result<u16, NameError> {
    let digits = label.strip_prefix("0x").unwrap_or_default();
    u16::from_str_radix(digits, 16).map_err(|_| NameError::Number(label.to_owned()))
}

fn unescaped(text: &str) -> Result<Vec<u8>, NameError> {
    let escape = || NameError::Escape(text.to_owned());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let mut digit = || rest.next().and_then(|it| char::from(it).to_digit(16));
            let [high, low] = [digit().ok_or_else(escape)?, digit().ok_or_else(escape)?];
            (high << 4 | low) as u8
        } else {
            byte
        });
    }
    Ok(bytes)
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ccnx:/")?;
        for (place, it) in self.segments.iter().enumerate() {
            if place > 0 {
                f.write_char('/')?;
            }
            match (it.kind, it.chunk()) {
                (_, Some(chunk)) => write!(f, "Chunk={chunk}")?,
                (SegmentType::NAME, _) if !it.value.is_empty() => escaped(f, &it.value)?,
                (SegmentType::NAME, _) => f.write_str("Name=")?,
                (kind, _) => {
                    write!(f, "0x{:x}=", kind.0)?;
                    escaped(f, &it.value)?;
                }
            }
        }
        Ok(())
    }
}

impl Segment {
    /// The number of the chunk, if it is one in as few bytes as it needs.
    #[must_use]
    pub fn chunk(&self) -> Option<u64> {
        let element = Element { kind: self.kind.0, value: &self.value, offset: 0 };
        let number = element.number().ok()?;
        let is_shortest = super::size::number_size(number) as usize == self.value.len();
        (self.kind == SegmentType::CHUNK && is_shortest).then_some(number)
    }
}

/// Writes what RFC 3986 leaves unreserved as it is, and other bytes escaped.
fn escaped(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            f.write_char(char::from(*byte))?;
        } else {
            write!(f, "%{byte:02X}")?;
        }
    }
    Ok(())
}
