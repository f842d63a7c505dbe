//! Names: sequences of typed components ("Name"; NDN naming conventions).

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::num::NonZeroU16;
use std::str::FromStr;

use thiserror::Error;

use super::element_type::ElementType;
use super::error::DecodeError;
use super::tlv::{Element, NumberOctets, Reader, write_element};

/// The type of a name component: 1 to 65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentType(NonZeroU16);

impl ComponentType {
    /// The digest of a whole Data.
    pub const IMPLICIT_SHA256_DIGEST: Self = Self::known(1);
    /// The digest of an Interest's parameters.
    pub const PARAMETERS_SHA256_DIGEST: Self = Self::known(2);
    /// Any octets; most components are of this type.
    pub const GENERIC: Self = Self::known(8);
    /// A word of a protocol.
    pub const KEYWORD: Self = Self::known(32);
    /// The number of a segment.
    pub const SEGMENT: Self = Self::known(50);
    /// Where a segment begins, in octets.
    pub const BYTE_OFFSET: Self = Self::known(52);
    /// A version.
    pub const VERSION: Self = Self::known(54);
    /// Microseconds since 1970-01-01T00:00:00Z.
    pub const TIMESTAMP: Self = Self::known(56);
    /// A number in a sequence.
    pub const SEQUENCE_NUMBER: Self = Self::known(58);

    /// The type of that number; `None` for 0, which is no type.
    #[must_use]
    pub const fn new(number: u16) -> Option<Self> {
        match NonZeroU16::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    const fn known(number: u16) -> Self {
        match Self::new(number) {
            Some(component_type) => component_type,
            None => panic!("0 is not a type"),
        }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0.get()
    }

    const fn is_digest(self) -> bool {
        matches!(self, Self::IMPLICIT_SHA256_DIGEST | Self::PARAMETERS_SHA256_DIGEST)
    }
}

/// The types whose values are numbers, with their prefixes in URIs.
const NUMBERS: [(&str, ComponentType); 5] = [
    ("seg", ComponentType::SEGMENT),
    ("off", ComponentType::BYTE_OFFSET),
    ("v", ComponentType::VERSION),
    ("t", ComponentType::TIMESTAMP),
    ("seq", ComponentType::SEQUENCE_NUMBER),
];

/// The types whose values are digests, with their prefixes in URIs.
const DIGESTS: [(&str, ComponentType); 2] = [
    ("sha256digest", ComponentType::IMPLICIT_SHA256_DIGEST),
    ("params-sha256", ComponentType::PARAMETERS_SHA256_DIGEST),
];

/// Octets in a SHA-256 digest.
const DIGEST_LENGTH: usize = 32;

/// One component of a name. Its order is the canonical one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Component<'a> {
    component_type: ComponentType,
    value: &'a [u8],
}

impl<'a> Component<'a> {
    /// A component of that type and value.
    ///
    /// # Errors
    /// [`NameError::DigestLength`] if it is a digest without 32 octets.
    pub fn new(component_type: ComponentType, value: &'a [u8]) -> Result<Self, NameError> {
        if component_type.is_digest() && value.len() != DIGEST_LENGTH {
            return Err(NameError::DigestLength { found: value.len() });
        }
        Ok(Self { component_type, value })
    }

    /// A component of type [`ComponentType::GENERIC`].
    #[must_use]
    pub const fn generic(value: &'a [u8]) -> Self {
        Self { component_type: ComponentType::GENERIC, value }
    }

    /// The component of segment `number`.
    #[must_use]
    pub fn segment(number: &'a NumberOctets) -> Self {
        Self { component_type: ComponentType::SEGMENT, value: number }
    }

    /// Its type.
    #[must_use]
    pub const fn component_type(&self) -> ComponentType {
        self.component_type
    }

    /// Its octets.
    #[must_use]
    pub const fn value(&self) -> &'a [u8] {
        self.value
    }

    /// Its octets as a number, if they are one in its shortest form.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        let number = match *self.value {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_be_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_be_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            _ => return None,
        };
        (*NumberOctets::from(number) == *self.value).then_some(number)
    }

    pub(super) fn decode(element: &Element<'a>) -> Result<Self, DecodeError> {
        let offset = element.offset;
        let found = element.element_type.0;
        let component_type = u16::try_from(found).ok().and_then(ComponentType::new);
        let component_type = component_type.ok_or(DecodeError::ComponentType { offset, found })?;
        let found = element.value.len();
        Self::new(component_type, element.value)
            .map_err(|_| DecodeError::DigestLength { offset, found })
    }

    pub(super) fn write(&self, output: &mut Vec<u8>) {
        write_element(output, element_type(self.component_type), self.value);
    }
}

fn element_type(component_type: ComponentType) -> ElementType {
    ElementType(u32::from(component_type.number()))
}

impl Ord for Component<'_> {
    /// "Canonical Order": by type, then by length, then by octets.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |it: &Self| (it.component_type, it.value.len());
        key(self).cmp(&key(other)).then_with(|| self.value.cmp(other.value))
    }
}

impl PartialOrd for Component<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// As in a URI ("NDN URI Scheme").
impl fmt::Display for Component<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix_in = |table: &[(&'static str, ComponentType)]| {
            let entry = table.iter().find(|(_, known)| *known == self.component_type);
            entry.map(|(prefix, _)| *prefix)
        };
        if let Some(prefix) = prefix_in(&DIGESTS) {
            write!(formatter, "{prefix}=")?;
            return self.value.iter().try_for_each(|octet| write!(formatter, "{octet:02x}"));
        }
        if let (Some(prefix), Some(number)) = (prefix_in(&NUMBERS), self.number()) {
            return write!(formatter, "{prefix}={number}");
        }
        if self.component_type != ComponentType::GENERIC {
            write!(formatter, "{}=", self.component_type.number())?;
        }
        write_escaped(formatter, self.value)
    }
}

fn write_escaped(formatter: &mut fmt::Formatter<'_>, value: &[u8]) -> fmt::Result {
    if value.iter().all(|&octet| octet == b'.') {
        formatter.write_str("...")?;
    }
    value.iter().try_for_each(|&octet| {
        if is_unreserved(octet) {
            formatter.write_char(char::from(octet))
        } else {
            write!(formatter, "%{octet:02X}")
        }
    })
}

/// What needs no percent sign in a URI (RFC 3986, section 2.3).
const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// A name: a sequence of components. Its order is the canonical one.
///
/// It holds the encoding of its components, so that comparing, hashing and
/// writing need no look inside: the order of the encodings is the canonical
/// order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name<'a> {
    components: Cow<'a, [u8]>,
}

impl<'a> Name<'a> {
    /// The name without components, `/`.
    #[must_use]
    pub const fn new() -> Self {
        Self { components: Cow::Borrowed(&[]) }
    }

    /// Reads a `Name` element.
    ///
    /// # Errors
    /// [`DecodeError::WrongElement`] if it is another element, and what its
    /// components are refused for.
    pub fn decode(element: &Element<'a>) -> Result<Self, DecodeError> {
        if element.element_type != ElementType::NAME {
            return Err(element.wrong(ElementType::NAME));
        }
        let mut reader = element.elements();
        while let Some(component) = reader.element()? {
            Component::decode(&component)?;
        }
        Ok(Self { components: Cow::Borrowed(element.value) })
    }

    /// Appends the `Name` element.
    pub fn write(&self, output: &mut Vec<u8>) {
        write_element(output, ElementType::NAME, &self.components);
    }

    /// Appends a component.
    pub fn push(&mut self, component: Component<'_>) {
        component.write(self.components.to_mut());
    }

    /// Appends a component whose value is a number, such as a segment's.
    ///
    /// # Panics
    /// If `component_type` is that of a digest.
    pub fn push_number(&mut self, component_type: ComponentType, number: u64) {
        assert!(!component_type.is_digest(), "a digest is not a number");
        self.push(Component { component_type, value: &NumberOctets::from(number) });
    }

    /// Its components, in order.
    #[must_use]
    pub fn components(&self) -> Components<'_> {
        Components { reader: Reader::new(&self.components) }
    }

    /// Whether it has no components.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Octets of its encoded components, without the type and length of the
    /// `Name` element.
    #[must_use]
    pub fn components_size(&self) -> usize {
        self.components.len()
    }

    /// The name without its last component, and that component; none of a name without any.
    #[must_use]
    pub fn split_last(&self) -> Option<(Name<'_>, Component<'_>)> {
        let mut reader = Reader::new(&self.components);
        let mut last = None;
        while let Some(element) = reader.element().expect("a name's components are well-formed") {
            last = Some(element);
        }
        let last = last?;
        let component = Component::decode(&last).expect("a name's components are valid");
        Some((Name { components: Cow::Borrowed(&self.components[..last.offset]) }, component))
    }

    /// Its prefixes, from the name without components to itself.
    pub fn prefixes(&self) -> impl Iterator<Item = Name<'_>> {
        let mut reader = Reader::new(&self.components);
        let ends = std::iter::from_fn(move || {
            let element = reader.element().expect("a name's components are well-formed")?;
            Some(element.value_offset + element.value.len())
        });
        let prefix = |end: usize| Name { components: Cow::Borrowed(&self.components[..end]) };
        std::iter::once(0).chain(ends).map(prefix)
    }

    /// Whether `other` begins with these components; so does every name with
    /// itself.
    #[must_use]
    pub fn is_prefix_of(&self, other: &Name<'_>) -> bool {
        // Encoded components are self-delimiting: equal octets, equal components.
        other.components.starts_with(&self.components)
    }

    /// The same name, independent of what it was read from.
    #[must_use]
    pub fn into_owned(self) -> Name<'static> {
        Name { components: Cow::Owned(self.components.into_owned()) }
    }
}

/// The components of a name.
#[derive(Clone, Debug)]
pub struct Components<'a> {
    reader: Reader<'a>,
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    fn next(&mut self) -> Option<Component<'a>> {
        let element = self.reader.element().expect("a name's components are well-formed")?;
        Some(Component::decode(&element).expect("a name's components are valid"))
    }
}

impl<'a> FromIterator<Component<'a>> for Name<'static> {
    fn from_iter<I: IntoIterator<Item = Component<'a>>>(components: I) -> Self {
        let mut name = Self::new();
        components.into_iter().for_each(|component| name.push(component));
        name
    }
}

/// As a URI without the scheme, such as `/video/v=3/seg=17`.
impl fmt::Display for Name<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return formatter.write_char('/');
        }
        self.components().try_for_each(|component| write!(formatter, "/{component}"))
    }
}

/// What is wrong with a name or its URI.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// A digest component has not the length of a SHA-256 digest.
    #[error("a digest component has {found} octets; it must have 32")]
    DigestLength {
        /// Octets it has.
        found: usize,
    },
    /// The URI does not begin as one.
    #[error("a name begins with `/`, as in `/video/seg=17`")]
    NoSlash,
    /// There is nothing between two slashes.
    #[error("component {index} is empty; a component without octets is written `...`")]
    EmptyComponent {
        /// Which component, from 1.
        index: usize,
    },
    /// One or two periods.
    #[error("component `{component}` is relative; periods alone take three more, as in `....`")]
    Relative {
        /// The component.
        component: String,
    },
    /// A character must be escaped.
    #[error("component `{component}`: write octet {octet:#04x} as `%{octet:02X}`")]
    Unescaped {
        /// The component.
        component: String,
        /// The octet.
        octet: u8,
    },
    /// A percent sign without two hexadecimal digits.
    #[error("component `{component}`: `%` must be followed by two hexadecimal digits")]
    Escape {
        /// The component.
        component: String,
    },
    /// A prefix is no type.
    #[error(
        "component `{component}`: the type before `=` must be 1 to 65535 without leading zeros, \
         or sha256digest, params-sha256, seg, off, v, t or seq"
    )]
    Type {
        /// The component.
        component: String,
    },
    /// A value is no number.
    #[error(
        "component `{component}`: the value must be 0 to 18446744073709551615 without leading zeros"
    )]
    Number {
        /// The component.
        component: String,
    },
    /// A value is no digest.
    #[error("component `{component}`: the value must be 64 hexadecimal digits")]
    Digest {
        /// The component.
        component: String,
    },
}

impl FromStr for Name<'static> {
    type Err = NameError;

    /// Reads a URI ("NDN URI Scheme"); `ndn:` before it and `/` after it are
    /// optional, an authority is ignored.
    fn from_str(uri: &str) -> Result<Self, NameError> {
        let path = uri.strip_prefix("ndn:").unwrap_or(uri);
        let path = match path.strip_prefix("//") {
            Some(rest) => rest.find('/').map_or("/", |start| &rest[start..]),
            None => path,
        };
        let path = path.strip_prefix('/').ok_or(NameError::NoSlash)?;
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut name = Self::new();
        if !path.is_empty() {
            for (index, component) in path.split('/').enumerate() {
                if component.is_empty() {
                    return Err(NameError::EmptyComponent { index: index + 1 });
                }
                push_parsed(&mut name, component)?;
            }
        }
        Ok(name)
    }
}

fn push_parsed(name: &mut Name<'static>, component: &str) -> Result<(), NameError> {
    let Some((prefix, value)) = component.split_once('=') else {
        name.push(Component::generic(&unescape(component, component)?));
        return Ok(());
    };
    let type_in = |table: &[(&str, ComponentType)]| {
        table.iter().find(|(known, _)| *known == prefix).map(|(_, component_type)| *component_type)
    };
    if let Some(component_type) = type_in(&NUMBERS) {
        let number =
            decimal(value).ok_or_else(|| NameError::Number { component: component.into() });
        name.push_number(component_type, number?);
    } else if let Some(component_type) = type_in(&DIGESTS) {
        let digest = digest(value).ok_or_else(|| NameError::Digest { component: component.into() });
        name.push(Component::new(component_type, &digest?)?);
    } else {
        let number = decimal(prefix).and_then(|number| u16::try_from(number).ok());
        let component_type = number.and_then(ComponentType::new);
        let refused = || NameError::Type { component: component.into() };
        let component_type = component_type.ok_or_else(refused)?;
        name.push(Component::new(component_type, &unescape(component, value)?)?);
    }
    Ok(())
}

/// A decimal number without sign and leading zeros.
fn decimal(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|digit| digit.is_ascii_digit());
    if !is_plain || (text.starts_with('0') && text != "0") {
        return None;
    }
    text.parse().ok()
}

fn digest(text: &str) -> Option<[u8; DIGEST_LENGTH]> {
    let mut octets = [0; DIGEST_LENGTH];
    if text.len() != 2 * octets.len() {
        return None;
    }
    for (octet, digits) in octets.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *octet = hexadecimal(digits[0], digits[1])?;
    }
    Some(octets)
}

fn hexadecimal(high: u8, low: u8) -> Option<u8> {
    let digit = |octet| char::from(octet).to_digit(16);
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

/// The octets of an escaped `value`, which is part of `component`.
fn unescape(component: &str, value: &str) -> Result<Vec<u8>, NameError> {
    if value.bytes().all(|octet| octet == b'.') {
        let relative = || NameError::Relative { component: component.into() };
        let periods = value.strip_prefix("...").ok_or_else(relative)?;
        return Ok(periods.into());
    }
    let mut octets = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [octet, after @ ..] = rest {
        rest = after;
        if *octet == b'%' {
            let (digits, after) = rest.split_at_checked(2).unwrap_or_default();
            let escaped = match *digits {
                [high, low] => hexadecimal(high, low),
                _ => None,
            };
            octets.push(escaped.ok_or_else(|| NameError::Escape { component: component.into() })?);
            rest = after;
        } else if is_unreserved(*octet) {
            octets.push(*octet);
        } else {
            return Err(NameError::Unescaped { component: component.into(), octet: *octet });
        }
    }
    Ok(octets)
}
