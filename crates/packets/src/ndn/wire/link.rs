//! The packet of a link (NDNLPv2).
//!
//! The features known here: fragmentation, negative acknowledgement, PIT
//! tokens, congestion marks, and the fields between a forwarder and its local
//! applications. Those of link reliability and self-learning are ignored, as
//! NDNLPv2 requires of a node that does not support them.

use super::element_type::ElementType;
use super::error::{DecodeError, EncodeError};
use super::tlv::{
    Element, Fields, encode_packet, only, packet, write_element, write_nested, write_number,
};

/// An `LpPacket`: a fragment of a network packet, or a whole one, with its
/// link headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LpPacket<'a> {
    /// Numbers link packets, for reassembly.
    pub sequence: Option<u64>,
    /// Which fragment this is, from 0; none means 0.
    pub fragment_index: Option<u64>,
    /// How many fragments there are; none means 1.
    pub fragment_count: Option<u64>,
    /// Opaque to the receiver, which returns it with the Data; 1 to 32 octets.
    pub pit_token: Option<&'a [u8]>,
    /// Makes the Interest in the fragment a negative acknowledgement.
    pub nack: Option<NackReason>,
    /// The face on which the forwarder received the packet.
    pub incoming_face_id: Option<u64>,
    /// The face to which the forwarder shall send the Interest.
    pub next_hop_face_id: Option<u64>,
    /// Whether the forwarder may cache the Data.
    pub cache_policy: Option<CachePolicyType>,
    /// Congestion on the path, if not 0; none means 0.
    pub congestion_mark: Option<u64>,
    /// The octets of the network packet; without them the packet is idle.
    pub fragment: Option<&'a [u8]>,
}

/// Why an Interest came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NackReason(pub u64);

impl NackReason {
    /// No reason stated.
    pub const NONE: Self = Self(0);
    /// The link is congested.
    pub const CONGESTION: Self = Self(50);
    /// The nonce was seen before.
    pub const DUPLICATE: Self = Self(100);
    /// No route to any producer.
    pub const NO_ROUTE: Self = Self(150);

    /// Writes `NackReason`, which is absent where no reason is stated.
    fn write(self, output: &mut Vec<u8>) {
        if self != Self::NONE {
            write_number(output, ElementType::NACK_REASON, self.0);
        }
    }
}

/// What a cache may do with a Data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CachePolicyType(pub u64);

impl CachePolicyType {
    /// Do not cache it.
    pub const NO_CACHE: Self = Self(1);
}

/// The order of the fields: by number, and the fragment last.
const GRAMMAR: &[ElementType] = &[
    ElementType::SEQUENCE,
    ElementType::FRAGMENT_INDEX,
    ElementType::FRAGMENT_COUNT,
    ElementType::PIT_TOKEN,
    ElementType::NACK,
    ElementType::INCOMING_FACE_ID,
    ElementType::NEXT_HOP_FACE_ID,
    ElementType::CACHE_POLICY,
    ElementType::CONGESTION_MARK,
    ElementType::FRAGMENT,
];

const PIT_TOKEN_LENGTHS: std::ops::RangeInclusive<usize> = 1..=32;
const PIT_TOKEN_LENGTH: &str = "1 to 32 octets";

impl<'a> LpPacket<'a> {
    /// Reads the link packet that fills `input`. A bare Interest or Data is a
    /// link packet with nothing but a fragment.
    ///
    /// # Errors
    /// See [`DecodeError`]; the fragment is not looked into.
    pub fn decode(input: &'a [u8]) -> Result<Self, DecodeError> {
        let element = packet(input)?;
        match element.element_type {
            ElementType::LP_PACKET => Self::decode_fields(&element),
            ElementType::INTEREST | ElementType::DATA => {
                Ok(Self { fragment: Some(input), ..Self::default() })
            }
            _ => Err(element.wrong(ElementType::LP_PACKET)),
        }
    }

    /// The link packet as bytes; bare if it is nothing but a whole Interest or
    /// Data.
    ///
    /// # Errors
    /// See [`EncodeError`].
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.check()?;
        match self.fragment {
            Some(fragment) if self.has_no_header() && is_network_packet(fragment) => {
                Ok(fragment.to_vec())
            }
            _ => encode_packet(ElementType::LP_PACKET, |output| self.write_fields(output)),
        }
    }

    fn decode_fields(element: &Element<'a>) -> Result<Self, DecodeError> {
        let is_critical = ElementType::is_critical_link_header;
        let mut fields = Fields::with_criticality(element, GRAMMAR, is_critical);
        let mut link_packet = Self::default();
        while let Some(field) = fields.next()? {
            link_packet.set(&field)?;
        }
        Ok(link_packet)
    }

    fn set(&mut self, field: &Element<'a>) -> Result<(), DecodeError> {
        match field.element_type {
            ElementType::SEQUENCE => {
                self.sequence = Some(u64::from_be_bytes(field.octets("8 octets")?));
            }
            ElementType::FRAGMENT_INDEX => self.fragment_index = Some(field.number()?),
            ElementType::FRAGMENT_COUNT => self.fragment_count = Some(field.number()?),
            ElementType::PIT_TOKEN if PIT_TOKEN_LENGTHS.contains(&field.value.len()) => {
                self.pit_token = Some(field.value);
            }
            ElementType::PIT_TOKEN => return Err(field.wrong_length(PIT_TOKEN_LENGTH)),
            ElementType::NACK => self.nack = Some(decode_nack(field)?),
            ElementType::INCOMING_FACE_ID => self.incoming_face_id = Some(field.number()?),
            ElementType::NEXT_HOP_FACE_ID => self.next_hop_face_id = Some(field.number()?),
            ElementType::CACHE_POLICY => self.cache_policy = Some(decode_cache_policy(field)?),
            ElementType::CONGESTION_MARK => self.congestion_mark = Some(field.number()?),
            _ => self.fragment = Some(field.value),
        }
        Ok(())
    }

    fn has_no_header(&self) -> bool {
        Self { fragment: None, ..*self } == Self::default()
    }

    fn check(&self) -> Result<(), EncodeError> {
        match self.pit_token {
            Some(token) if !PIT_TOKEN_LENGTHS.contains(&token.len()) => Err(EncodeError::Length {
                element: ElementType::PIT_TOKEN,
                found: token.len(),
                expected: PIT_TOKEN_LENGTH,
            }),
            _ => Ok(()),
        }
    }

    fn write_fields(&self, output: &mut Vec<u8>) {
        if let Some(sequence) = self.sequence {
            write_element(output, ElementType::SEQUENCE, &sequence.to_be_bytes());
        }
        if let Some(index) = self.fragment_index {
            write_number(output, ElementType::FRAGMENT_INDEX, index);
        }
        if let Some(count) = self.fragment_count {
            write_number(output, ElementType::FRAGMENT_COUNT, count);
        }
        if let Some(token) = self.pit_token {
            write_element(output, ElementType::PIT_TOKEN, token);
        }
        if let Some(reason) = self.nack {
            write_nested(output, ElementType::NACK, |output| reason.write(output));
        }
        if let Some(face) = self.incoming_face_id {
            write_number(output, ElementType::INCOMING_FACE_ID, face);
        }
        if let Some(face) = self.next_hop_face_id {
            write_number(output, ElementType::NEXT_HOP_FACE_ID, face);
        }
        if let Some(policy) = self.cache_policy {
            write_nested(output, ElementType::CACHE_POLICY, |output| {
                write_number(output, ElementType::CACHE_POLICY_TYPE, policy.0);
            });
        }
        if let Some(mark) = self.congestion_mark {
            write_number(output, ElementType::CONGESTION_MARK, mark);
        }
        if let Some(fragment) = self.fragment {
            write_element(output, ElementType::FRAGMENT, fragment);
        }
    }
}

fn is_network_packet(input: &[u8]) -> bool {
    let element_type = packet(input).map(|element| element.element_type);
    matches!(element_type, Ok(ElementType::INTEREST | ElementType::DATA))
}

fn decode_nack(element: &Element<'_>) -> Result<NackReason, DecodeError> {
    match only(element, &[ElementType::NACK_REASON])? {
        Some(reason) => reason.number().map(NackReason),
        None => Ok(NackReason::NONE),
    }
}

fn decode_cache_policy(element: &Element<'_>) -> Result<CachePolicyType, DecodeError> {
    match only(element, &[ElementType::CACHE_POLICY_TYPE])? {
        Some(policy) => policy.number().map(CachePolicyType),
        None => Err(element.missing(ElementType::CACHE_POLICY_TYPE)),
    }
}
