//! How large packets are, without making them: exact, and cheap enough to ask
//! for every packet of a simulation.
//!
//! The packets are those of bulk transfer: an Interest for a segment under a
//! prefix, and the Data that answers it. Sizes are in octets; no function
//! looks at [`MAX_NDN_PACKET_SIZE`](super::MAX_NDN_PACKET_SIZE).

use super::element_type::ElementType;
use super::link::NackReason;
use super::name::Name;
use super::signature::SignatureType;
use super::tlv::{number_size, var_number_size};

/// Octets of an element whose value has `length` octets.
#[inline]
#[must_use]
pub const fn element_size(element_type: ElementType, length: u32) -> u32 {
    var_number_size(element_type.0 as u64) + var_number_size(length as u64) + length
}

#[inline]
const fn number_element_size(element_type: ElementType, number: u64) -> u32 {
    element_size(element_type, number_size(number))
}

#[inline]
const fn optional_number_size(element_type: ElementType, number: Option<u64>) -> u32 {
    match number {
        Some(number) => number_element_size(element_type, number),
        None => 0,
    }
}

#[inline]
const fn optional_size(present: bool, size: u32) -> u32 {
    if present { size } else { 0 }
}

/// Octets of a name's encoded components, without the type and length of the
/// `Name` element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameSize(pub u32);

impl NameSize {
    /// Those of a name.
    #[must_use]
    pub fn of(name: &Name<'_>) -> Self {
        Self(name.components_size() as u32)
    }

    /// Those of the same name with a segment's number appended.
    #[inline]
    #[must_use]
    pub const fn with_segment(self, segment: u64) -> Self {
        Self(self.0 + segment_component_size(segment))
    }

    #[inline]
    const fn element_size(self) -> u32 {
        element_size(ElementType::NAME, self.0)
    }
}

/// Octets of a segment's encoded name component.
#[inline]
#[must_use]
pub const fn segment_component_size(segment: u64) -> u32 {
    // Type 50 and a length of at most 8 take an octet each.
    2 + number_size(segment)
}

/// What decides an Interest's size beside its name. It always has a nonce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InterestShape {
    /// Whether it has `CanBePrefix`.
    pub can_be_prefix: bool,
    /// Whether it has `MustBeFresh`.
    pub must_be_fresh: bool,
    /// Its `InterestLifetime` in milliseconds, if stated.
    pub lifetime_ms: Option<u64>,
    /// Whether it has `HopLimit`.
    pub hop_limit: bool,
}

/// Octets of the Interest for a segment.
#[inline]
#[must_use]
pub const fn interest_size(prefix: NameSize, segment: u64, shape: &InterestShape) -> u32 {
    let value = prefix.with_segment(segment).element_size()
        + optional_size(shape.can_be_prefix, element_size(ElementType::CAN_BE_PREFIX, 0))
        + optional_size(shape.must_be_fresh, element_size(ElementType::MUST_BE_FRESH, 0))
        + element_size(ElementType::NONCE, 4)
        + optional_number_size(ElementType::INTEREST_LIFETIME, shape.lifetime_ms)
        + optional_size(shape.hop_limit, element_size(ElementType::HOP_LIMIT, 1));
    element_size(ElementType::INTEREST, value)
}

/// How a Data is signed, as far as it decides the size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SignatureKind {
    /// A SHA-256 digest: 32 octets.
    #[default]
    DigestSha256,
    /// No signature: 0 octets.
    Null,
    /// HMAC with SHA-256: 32 octets.
    HmacSha256,
    /// Ed25519: 64 octets.
    Ed25519,
    /// ECDSA on P-256: 71 octets. DER gives 70, 71 or 72 in proportions of
    /// nearly 1:2:1, as each of two numbers of 256 bits takes one octet more if
    /// its first bit is set.
    EcdsaP256,
    /// RSA with a key of 2048 bits: 256 octets.
    Rsa2048,
}

impl SignatureKind {
    /// Its `SignatureType`.
    #[inline]
    #[must_use]
    pub const fn signature_type(self) -> SignatureType {
        match self {
            Self::DigestSha256 => SignatureType::DIGEST_SHA256,
            Self::Null => SignatureType::NULL,
            Self::HmacSha256 => SignatureType::HMAC_WITH_SHA256,
            Self::Ed25519 => SignatureType::ED25519,
            Self::EcdsaP256 => SignatureType::SHA256_WITH_ECDSA,
            Self::Rsa2048 => SignatureType::SHA256_WITH_RSA,
        }
    }

    /// Octets of its `SignatureValue`'s value.
    #[inline]
    #[must_use]
    pub const fn value_length(self) -> u32 {
        match self {
            Self::Null => 0,
            Self::DigestSha256 | Self::HmacSha256 => 32,
            Self::Ed25519 => 64,
            Self::EcdsaP256 => 71,
            Self::Rsa2048 => 256,
        }
    }
}

/// What decides a Data's size beside its name. It always has `Content`, and
/// `MetaInfo` only if that is not empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DataShape {
    /// Octets of content.
    pub content_length: u32,
    /// Its `FreshnessPeriod` in milliseconds, if stated.
    pub freshness_period_ms: Option<u64>,
    /// The segment that its `FinalBlockId` names, if it has one.
    pub final_block: Option<u64>,
    /// How it is signed.
    pub signature: SignatureKind,
    /// The name in its `KeyLocator`, if it has one.
    pub key_locator: Option<NameSize>,
}

impl DataShape {
    #[inline]
    const fn meta_info_size(&self) -> u32 {
        let final_block = match self.final_block {
            Some(segment) => {
                element_size(ElementType::FINAL_BLOCK_ID, segment_component_size(segment))
            }
            None => 0,
        };
        let freshness =
            optional_number_size(ElementType::FRESHNESS_PERIOD, self.freshness_period_ms);
        let value = freshness + final_block;
        optional_size(value > 0, element_size(ElementType::META_INFO, value))
    }

    #[inline]
    const fn signature_size(&self) -> u32 {
        let signature_type = self.signature.signature_type().0;
        let key_locator = match self.key_locator {
            Some(name) => element_size(ElementType::KEY_LOCATOR, name.element_size()),
            None => 0,
        };
        let info = number_element_size(ElementType::SIGNATURE_TYPE, signature_type) + key_locator;
        element_size(ElementType::SIGNATURE_INFO, info)
            + element_size(ElementType::SIGNATURE_VALUE, self.signature.value_length())
    }
}

/// Octets of the Data that holds a segment.
#[inline]
#[must_use]
pub const fn data_size(prefix: NameSize, segment: u64, shape: &DataShape) -> u32 {
    let value = prefix.with_segment(segment).element_size()
        + shape.meta_info_size()
        + element_size(ElementType::CONTENT, shape.content_length)
        + shape.signature_size();
    element_size(ElementType::DATA, value)
}

/// The link headers of the network packet in a link packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinkHeaders {
    /// Whether it has `CongestionMark`, of value 1.
    pub congestion_mark: bool,
    /// Octets in its `PitToken`, 1 to 32, if it has one.
    pub pit_token: Option<u32>,
    /// The reason in its `Nack`, if it is one.
    pub nack: Option<NackReason>,
    /// Its `FragIndex` and `FragCount`, beside its `Sequence`, if it is a fragment.
    pub fragment: Option<[u64; 2]>,
}

impl LinkHeaders {
    /// Octets of these headers.
    #[inline]
    #[must_use]
    pub const fn size(&self) -> u32 {
        let fragment = match self.fragment {
            Some([index, count]) => {
                element_size(ElementType::SEQUENCE, 8)
                    + number_element_size(ElementType::FRAGMENT_INDEX, index)
                    + number_element_size(ElementType::FRAGMENT_COUNT, count)
            }
            None => 0,
        };
        let pit_token = match self.pit_token {
            Some(length) => element_size(ElementType::PIT_TOKEN, length),
            None => 0,
        };
        let nack = match self.nack {
            Some(NackReason::NONE) => element_size(ElementType::NACK, 0),
            Some(NackReason(reason)) => {
                let reason = number_element_size(ElementType::NACK_REASON, reason);
                element_size(ElementType::NACK, reason)
            }
            None => 0,
        };
        fragment + pit_token + nack + optional_size(self.congestion_mark, CONGESTION_MARK_SIZE)
    }
}

/// Octets of the link packet around a whole network packet of `network_size`
/// octets; without headers the network packet goes bare.
#[inline]
#[must_use]
pub const fn link_size(network_size: u32, headers: &LinkHeaders) -> u32 {
    match headers.size() {
        0 => network_size,
        size => link_packet_size(size, network_size),
    }
}

/// Octets of the `CongestionMark` that a queue adds to a link packet.
pub const CONGESTION_MARK_SIZE: u32 = number_element_size(ElementType::CONGESTION_MARK, 1);

/// Octets of a link packet with this many octets of headers around this many of a network
/// packet.
#[inline]
#[must_use]
pub const fn link_packet_size(headers: u32, payload: u32) -> u32 {
    let fragment = element_size(ElementType::FRAGMENT, payload);
    element_size(ElementType::LP_PACKET, headers + fragment)
}

/// The most octets of a network packet that a link packet with this many octets of headers
/// holds, if it has at most `mtu` octets; none if there is no room for any.
#[must_use]
pub const fn link_payload(headers: u32, mtu: u32) -> u32 {
    let mut payload = mtu.saturating_sub(headers);
    while payload > 0 && link_packet_size(headers, payload) > mtu {
        payload -= 1;
    }
    payload
}
