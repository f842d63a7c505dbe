//! Type-length-value: reading and writing elements ("Type-Length-Value (TLV)
//! Encoding").

use std::ops::Deref;

use super::element_type::ElementType;
use super::error::{DecodeError, EncodeError, MAX_NDN_PACKET_SIZE};

/// Octets of an encoded VAR-NUMBER.
#[inline]
#[must_use]
pub const fn var_number_size(number: u64) -> u32 {
    match number {
        0..=252 => 1,
        253..=0xFFFF => 3,
        0x1_0000..=0xFFFF_FFFF => 5,
        _ => 9,
    }
}

/// Octets of a NonNegativeInteger in its shortest form.
#[inline]
#[must_use]
pub const fn number_size(number: u64) -> u32 {
    match number {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFFFF_FFFF => 4,
        _ => 8,
    }
}

/// One element, borrowed from the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    /// Its TLV-TYPE.
    pub element_type: ElementType,
    /// Its TLV-VALUE.
    pub value: &'a [u8],
    /// Where its TLV-TYPE begins, in octets from the start of the input.
    pub offset: usize,
    /// Where its TLV-VALUE begins, likewise.
    pub value_offset: usize,
}

impl<'a> Element<'a> {
    /// Reads the elements inside this one.
    #[must_use]
    pub fn elements(&self) -> Reader<'a> {
        Reader { input: self.value, position: 0, base: self.value_offset }
    }

    /// The value as a NonNegativeInteger.
    ///
    /// # Errors
    /// [`DecodeError::Length`] if the value has not 1, 2, 4 or 8 octets.
    pub fn number(&self) -> Result<u64, DecodeError> {
        match self.value.len() {
            1 | 2 | 4 | 8 => Ok(big_endian(self.value)),
            _ => Err(self.wrong_length("1, 2, 4 or 8 octets")),
        }
    }

    /// The value as exactly `N` octets; `expected` says so in an error.
    ///
    /// # Errors
    /// [`DecodeError::Length`] if the value has another length.
    pub(super) fn octets<const N: usize>(
        &self,
        expected: &'static str,
    ) -> Result<[u8; N], DecodeError> {
        self.value.try_into().map_err(|_| self.wrong_length(expected))
    }

    /// This element's value should have the length that `expected` says.
    pub(super) fn wrong_length(&self, expected: &'static str) -> DecodeError {
        let found = self.value.len();
        DecodeError::Length { offset: self.offset, element: self.element_type, found, expected }
    }

    /// There should be an element of the `expected` type instead of this one.
    pub(super) fn wrong(&self, expected: ElementType) -> DecodeError {
        DecodeError::WrongElement { offset: self.offset, found: self.element_type, expected }
    }

    /// This element is neither allowed `within` that one nor ignorable there.
    pub(super) fn unexpected(&self, within: ElementType) -> DecodeError {
        DecodeError::Unexpected { offset: self.offset, found: self.element_type, within }
    }

    /// This element lacks one.
    pub(super) fn missing(&self, missing: ElementType) -> DecodeError {
        let offset = self.value_offset + self.value.len();
        DecodeError::Missing { offset, missing, within: self.element_type }
    }
}

fn big_endian(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |number, &octet| number << 8 | u64::from(octet))
}

/// Reads elements one after another.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    input: &'a [u8],
    position: usize,
    base: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `input`.
    #[must_use]
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, position: 0, base: 0 }
    }

    /// The next VAR-NUMBER.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`], and [`DecodeError::NotShortest`] for a number
    /// that a shorter form could hold.
    pub fn var_number(&mut self) -> Result<u64, DecodeError> {
        let offset = self.offset();
        let value = match self.take(1)?[0] {
            253 => big_endian(self.take(2)?),
            254 => big_endian(self.take(4)?),
            255 => big_endian(self.take(8)?),
            first => return Ok(u64::from(first)),
        };
        let found = (self.offset() - offset) as u32;
        let shortest = var_number_size(value);
        if found == shortest {
            Ok(value)
        } else {
            Err(DecodeError::NotShortest { offset, value, found, shortest })
        }
    }

    /// The next element; `None` at the end.
    ///
    /// # Errors
    /// Whatever [`Reader::var_number`] refuses, [`DecodeError::InvalidType`],
    /// and [`DecodeError::Truncated`] for a value that is longer than what is
    /// left.
    pub fn element(&mut self) -> Result<Option<Element<'a>>, DecodeError> {
        if self.position == self.input.len() {
            return Ok(None);
        }
        let offset = self.offset();
        let found = self.var_number()?;
        let number = u32::try_from(found).ok().filter(|&number| number != 0);
        let element_type = ElementType(number.ok_or(DecodeError::InvalidType { offset, found })?);
        let length = self.var_number()?;
        let value_offset = self.offset();
        let value = self.take(length)?;
        Ok(Some(Element { element_type, value, offset, value_offset }))
    }

    fn offset(&self) -> usize {
        self.base + self.position
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], DecodeError> {
        let rest = &self.input[self.position..];
        let taken = usize::try_from(count).ok().and_then(|count| rest.get(..count));
        let taken = taken.ok_or(DecodeError::Truncated {
            offset: self.offset(),
            needed: count,
            available: rest.len(),
        })?;
        self.position += taken.len();
        Ok(taken)
    }
}

/// The one element that fills `input`.
pub(super) fn packet(input: &[u8]) -> Result<Element<'_>, DecodeError> {
    if input.len() > MAX_NDN_PACKET_SIZE {
        return Err(DecodeError::TooLarge { size: input.len() });
    }
    let mut reader = Reader::new(input);
    let truncated = DecodeError::Truncated { offset: 0, needed: 2, available: 0 };
    let element = reader.element()?.ok_or(truncated)?;
    match input.len() - reader.position {
        0 => Ok(element),
        count => Err(DecodeError::TrailingOctets { offset: reader.position, count }),
    }
}

/// The one element that fills `input`, which must be of the `expected` type.
pub(super) fn packet_of_type(
    input: &[u8],
    expected: ElementType,
) -> Result<Element<'_>, DecodeError> {
    let element = packet(input)?;
    if element.element_type == expected { Ok(element) } else { Err(element.wrong(expected)) }
}

/// Of the elements inside another, the one of the types `choices`; the others
/// must be such as may be ignored.
pub(super) fn only<'a>(
    element: &Element<'a>,
    choices: &[ElementType],
) -> Result<Option<Element<'a>>, DecodeError> {
    let mut chosen = None;
    let mut reader = element.elements();
    while let Some(inner) = reader.element()? {
        if chosen.is_none() && choices.contains(&inner.element_type) {
            chosen = Some(inner);
        } else if inner.element_type.is_critical() {
            return Err(inner.unexpected(element.element_type));
        }
    }
    Ok(chosen)
}

/// Reads the elements inside another against their grammar: in its order, each
/// at most once. What else is there is ignored or refused.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    reader: Reader<'a>,
    within: ElementType,
    expected: &'static [ElementType],
    is_critical: fn(ElementType) -> bool,
}

impl<'a> Fields<'a> {
    /// The fields of an NDN packet's element.
    pub(super) fn new(element: &Element<'a>, grammar: &'static [ElementType]) -> Self {
        Self::with_criticality(element, grammar, ElementType::is_critical)
    }

    /// The fields of an element with its own rule of what may be ignored.
    pub(super) fn with_criticality(
        element: &Element<'a>,
        grammar: &'static [ElementType],
        is_critical: fn(ElementType) -> bool,
    ) -> Self {
        let within = element.element_type;
        Self { reader: element.elements(), within, expected: grammar, is_critical }
    }

    /// The next field that the grammar knows; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Element<'a>>, DecodeError> {
        while let Some(element) = self.reader.element()? {
            let found = element.element_type;
            if let Some(index) = self.expected.iter().position(|&expected| expected == found) {
                self.expected = &self.expected[index + 1..];
                return Ok(Some(element));
            }
            if (self.is_critical)(found) {
                return Err(element.unexpected(self.within));
            }
        }
        Ok(None)
    }

    /// The next field, which must be of the grammar's first type: not even an
    /// ignorable element may precede it.
    pub(super) fn first(&mut self) -> Result<Element<'a>, DecodeError> {
        let (&expected, rest) = self.expected.split_first().expect("the grammar has a first type");
        self.expected = rest;
        let offset = self.reader.offset();
        let missing = DecodeError::Missing { offset, missing: expected, within: self.within };
        let element = self.reader.element()?.ok_or(missing)?;
        if element.element_type == expected { Ok(element) } else { Err(element.wrong(expected)) }
    }
}

/// A NonNegativeInteger's shortest encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberOctets {
    octets: [u8; 8],
    start: usize,
}

impl From<u64> for NumberOctets {
    fn from(number: u64) -> Self {
        Self { octets: number.to_be_bytes(), start: 8 - number_size(number) as usize }
    }
}

impl Deref for NumberOctets {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.octets[self.start..]
    }
}

/// Appends a VAR-NUMBER.
pub fn write_var_number(output: &mut Vec<u8>, number: u64) {
    let octets = number.to_be_bytes();
    match var_number_size(number) {
        1 => output.push(octets[7]),
        3 => {
            output.push(253);
            output.extend_from_slice(&octets[6..]);
        }
        5 => {
            output.push(254);
            output.extend_from_slice(&octets[4..]);
        }
        _ => {
            output.push(255);
            output.extend_from_slice(&octets);
        }
    }
}

/// Appends an element with the given value.
pub fn write_element(output: &mut Vec<u8>, element_type: ElementType, value: &[u8]) {
    write_var_number(output, u64::from(element_type.0));
    write_var_number(output, value.len() as u64);
    output.extend_from_slice(value);
}

/// Appends an element whose value is a NonNegativeInteger.
pub fn write_number(output: &mut Vec<u8>, element_type: ElementType, number: u64) {
    write_element(output, element_type, &NumberOctets::from(number));
}

/// Appends an element whose value `write` appends.
pub fn write_nested(
    output: &mut Vec<u8>,
    element_type: ElementType,
    write: impl FnOnce(&mut Vec<u8>),
) {
    let start = output.len();
    write(output);
    // The length is known only now, so type and length are written behind the
    // value and rotated before it.
    let length = output.len() - start;
    write_var_number(output, u64::from(element_type.0));
    write_var_number(output, length as u64);
    output[start..].rotate_left(length);
}

/// The packet whose value `write` appends.
pub(super) fn encode_packet(
    packet_type: ElementType,
    write: impl FnOnce(&mut Vec<u8>),
) -> Result<Vec<u8>, EncodeError> {
    let mut output = Vec::new();
    write_nested(&mut output, packet_type, write);
    if output.len() <= MAX_NDN_PACKET_SIZE {
        Ok(output)
    } else {
        Err(EncodeError::TooLarge { size: output.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var_number(number: u64) -> Vec<u8> {
        let mut output = Vec::new();
        write_var_number(&mut output, number);
        output
    }

    #[test]
    fn var_numbers_have_the_specified_forms() {
        assert_eq!(var_number(252), [0xFC]);
        assert_eq!(var_number(253), [0xFD, 0x00, 0xFD]);
        assert_eq!(var_number(1024), [0xFD, 0x04, 0x00]);
        assert_eq!(var_number(65_536), [0xFE, 0x00, 0x01, 0x00, 0x00]);
        assert_eq!(var_number(1 << 32), [0xFF, 0, 0, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn var_numbers_are_read_back_at_every_boundary() {
        for number in [0, 252, 253, 65_535, 65_536, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            assert_eq!(Reader::new(&var_number(number)).var_number(), Ok(number));
        }
    }

    #[test]
    fn a_longer_form_than_needed_is_refused() {
        let shortest = |input: &[u8]| match Reader::new(input).var_number() {
            Err(DecodeError::NotShortest { shortest, .. }) => shortest,
            other => panic!("{other:?}"),
        };
        assert_eq!(shortest(&[0xFD, 0x00, 0xFC]), 1);
        assert_eq!(shortest(&[0xFE, 0x00, 0x00, 0x04, 0x00]), 3);
        assert_eq!(shortest(&[0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]), 5);
    }

    #[test]
    fn integers_are_encoded_as_in_the_specifications_examples() {
        let encoded = |number| {
            let mut output = Vec::new();
            write_number(&mut output, ElementType(0x54), number);
            output
        };
        assert_eq!(encoded(0), [0x54, 0x01, 0x00]);
        assert_eq!(encoded(1), [0x54, 0x01, 0x01]);
        assert_eq!(encoded(255), [0x54, 0x01, 0xFF]);
        assert_eq!(encoded(256), [0x54, 0x02, 0x01, 0x00]);
        assert_eq!(encoded(65_535), [0x54, 0x02, 0xFF, 0xFF]);
        assert_eq!(encoded(65_536), [0x54, 0x04, 0x00, 0x01, 0x00, 0x00]);
    }

    #[test]
    fn an_integer_has_1_2_4_or_8_octets_and_need_not_be_shortest() {
        let number = |input| Reader::new(input).element().unwrap().unwrap().number();
        assert_eq!(number(&[0x54, 0x02, 0x00, 0x07]), Ok(7));
        assert!(matches!(
            number(&[0x54, 0x03, 0, 0, 7]),
            Err(DecodeError::Length { offset: 0, found: 3, .. })
        ));
        assert!(matches!(number(&[0x54, 0x00]), Err(DecodeError::Length { found: 0, .. })));
    }

    #[test]
    fn a_claimed_length_is_not_believed() {
        let input = [0x15, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
        let refused = DecodeError::Truncated { offset: 10, needed: u64::MAX, available: 1 };
        assert_eq!(Reader::new(&input).element(), Err(refused));
    }

    #[test]
    fn types_are_1_to_2_to_the_32_minus_1() {
        let element = |input| Reader::new(input).element();
        assert_eq!(element(&[0, 0]), Err(DecodeError::InvalidType { offset: 0, found: 0 }));
        assert_eq!(
            element(&[0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
            Err(DecodeError::InvalidType { offset: 0, found: 1 << 32 })
        );
        let largest = element(&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0]).unwrap().unwrap();
        assert_eq!(largest.element_type, ElementType(u32::MAX));
    }

    #[test]
    fn a_long_nested_value_gets_its_length_in_three_octets() {
        let mut output = vec![0xAA];
        write_nested(&mut output, ElementType::CONTENT, |inner| inner.extend([1; 300]));
        assert_eq!(output[..5], [0xAA, 0x15, 0xFD, 0x01, 0x2C]);
        assert_eq!(output[5..], [1; 300]);
    }
}
