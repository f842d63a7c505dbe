//! Protocol buffers: as much of their encoding as beacons need.

use super::error::{DecodeError, Reader};

const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const BYTES: u64 = 2;
const FIXED_32: u64 = 5;

/// A message under construction. Fields with the value 0 are left out, as proto3 has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    fn varint(&mut self, mut value: u64) {
        while value > 127 {
            self.0.push(value as u8 & 127 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(super) fn number(&mut self, field: u32, value: u64) {
        if value > 0 {
            self.varint(u64::from(field) << 3 | VARINT);
            self.varint(value);
        }
    }

    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    pub(super) fn message(&mut self, field: u32, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    /// A map from numbers to numbers: a message for each entry.
    pub(super) fn map(&mut self, field: u32, entries: &[(u16, u32)]) {
        for (key, value) in entries {
            self.message(field, |it| {
                it.number(1, u64::from(*key));
                it.number(2, u64::from(*value));
            });
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub(super) fn number(self) -> Result<u64, DecodeError> {
        match self {
            Self::Number(it) => Ok(it),
            Self::Bytes(it) => Err(DecodeError::Length { offset: 0, length: it.len() }),
        }
    }

    pub(super) fn bytes(self) -> Result<&'a [u8], DecodeError> {
        match self {
            Self::Bytes(it) => Ok(it),
            Self::Number(value) => Err(DecodeError::Value { offset: 0, value }),
        }
    }

    /// A number that fits into a smaller type.
    pub(super) fn small<T: TryFrom<u64>>(self) -> Result<T, DecodeError> {
        let value = self.number()?;
        T::try_from(value).map_err(|_| DecodeError::Value { offset: 0, value })
    }

    /// An entry of a map from numbers to numbers.
    pub(super) fn entry(self) -> Result<(u16, u32), DecodeError> {
        let (mut key, mut value) = (0, 0);
        for field in fields(self.bytes()?) {
            match field? {
                (1, it) => key = it.small()?,
                (2, it) => value = it.small()?,
                _ => {}
            }
        }
        Ok((key, value))
    }
}

fn varint(reader: &mut Reader<'_>) -> Result<u64, DecodeError> {
    let offset = reader.offset();
    let mut value = 0;
    for place in 0..10 {
        let byte = reader.u8()?;
        value |= u64::from(byte & 127).checked_shl(7 * place).unwrap_or(0);
        if byte < 128 {
            return Ok(value);
        }
    }
    Err(DecodeError::Value { offset, value })
}

/// The fields of a message, by their numbers.
pub(super) fn fields(bytes: &[u8]) -> impl Iterator<Item = Result<(u32, Value<'_>), DecodeError>> {
    let mut reader = Reader::new(bytes);
    std::iter::from_fn(move || {
        if reader.is_empty() {
            return None;
        }
        let field = field(&mut reader);
        if field.is_err() {
            // Nothing behind it can be understood.
            reader = Reader::new(&[]);
        }
        Some(field)
    })
}

fn field<'a>(reader: &mut Reader<'a>) -> Result<(u32, Value<'a>), DecodeError> {
    let offset = reader.offset();
    let tag = varint(reader)?;
    let number = u32::try_from(tag >> 3).ok().filter(|it| *it > 0);
    let number = number.ok_or(DecodeError::Value { offset, value: tag })?;
    let value = match tag & 7 {
        VARINT => Value::Number(varint(reader)?),
        BYTES => {
            let length = varint(reader)?;
            Value::Bytes(reader.take(usize::try_from(length).unwrap_or(usize::MAX))?)
        }
        FIXED_32 => Value::Bytes(reader.take(4)?),
        FIXED_64 => Value::Bytes(reader.take(8)?),
        _ => return Err(DecodeError::Value { offset, value: tag }),
    };
    Ok((number, value))
}
