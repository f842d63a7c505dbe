//! The registry of TLV-TYPE numbers.

use std::fmt;

/// A TLV-TYPE number of a packet's elements ("TLV Type Registry"; NDNLPv2).
/// Those of name components are [`ComponentType`](super::ComponentType)s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementType(pub u32);

macro_rules! element_types {
    ($($constant:ident = $number:literal $name:literal),+ $(,)?) => {
        impl ElementType {
            $(#[doc = concat!("`", $name, "`.")]
            pub const $constant: Self = Self($number);)+

            fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$constant => Some($name),)+
                    _ => None,
                }
            }
        }
    };
}

element_types! {
    INTEREST = 5 "Interest",
    DATA = 6 "Data",
    NAME = 7 "Name",
    NONCE = 10 "Nonce",
    INTEREST_LIFETIME = 12 "InterestLifetime",
    MUST_BE_FRESH = 18 "MustBeFresh",
    META_INFO = 20 "MetaInfo",
    CONTENT = 21 "Content",
    SIGNATURE_INFO = 22 "SignatureInfo",
    SIGNATURE_VALUE = 23 "SignatureValue",
    CONTENT_TYPE = 24 "ContentType",
    FRESHNESS_PERIOD = 25 "FreshnessPeriod",
    FINAL_BLOCK_ID = 26 "FinalBlockId",
    SIGNATURE_TYPE = 27 "SignatureType",
    KEY_LOCATOR = 28 "KeyLocator",
    KEY_DIGEST = 29 "KeyDigest",
    FORWARDING_HINT = 30 "ForwardingHint",
    CAN_BE_PREFIX = 33 "CanBePrefix",
    HOP_LIMIT = 34 "HopLimit",
    APPLICATION_PARAMETERS = 36 "ApplicationParameters",
    SIGNATURE_NONCE = 38 "SignatureNonce",
    SIGNATURE_TIME = 40 "SignatureTime",
    SIGNATURE_SEQUENCE_NUMBER = 42 "SignatureSeqNum",
    INTEREST_SIGNATURE_INFO = 44 "InterestSignatureInfo",
    INTEREST_SIGNATURE_VALUE = 46 "InterestSignatureValue",
    FRAGMENT = 80 "Fragment",
    SEQUENCE = 81 "Sequence",
    FRAGMENT_INDEX = 82 "FragIndex",
    FRAGMENT_COUNT = 83 "FragCount",
    PIT_TOKEN = 98 "PitToken",
    LP_PACKET = 100 "LpPacket",
    VALIDITY_PERIOD = 253 "ValidityPeriod",
    NACK = 800 "Nack",
    NACK_REASON = 801 "NackReason",
    INCOMING_FACE_ID = 812 "IncomingFaceId",
    NEXT_HOP_FACE_ID = 816 "NextHopFaceId",
    CACHE_POLICY = 820 "CachePolicy",
    CACHE_POLICY_TYPE = 821 "CachePolicyType",
    CONGESTION_MARK = 832 "CongestionMark",
}

impl ElementType {
    /// Whether a decoder that does not expect this element must refuse the
    /// packet rather than ignore the element ("Considerations for Evolvability").
    #[must_use]
    pub const fn is_critical(self) -> bool {
        self.0 <= 31 || self.0 % 2 == 1
    }

    /// The same for a header field of an `LpPacket` (NDNLPv2): only types in
    /// 800–959 whose two low bits are zero may be ignored.
    #[must_use]
    pub const fn is_critical_link_header(self) -> bool {
        !(800 <= self.0 && self.0 <= 959 && self.0.is_multiple_of(4))
    }
}

/// The name and the number, such as `Nonce (10)`.
impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.name().unwrap_or("element of type"), self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_up_to_31_and_odd_types_are_critical() {
        let critical = |number| ElementType(number).is_critical();
        assert!(critical(1) && critical(30) && critical(31) && critical(33) && critical(801));
        assert!(!critical(32) && !critical(34) && !critical(800));
    }

    #[test]
    fn link_headers_may_be_ignored_only_in_their_range_with_two_low_bits_zero() {
        let ignorable = |number| !ElementType(number).is_critical_link_header();
        assert!(ignorable(800) && ignorable(836) && ignorable(956));
        assert!(!ignorable(796) && !ignorable(802) && !ignorable(959) && !ignorable(960));
        assert!(!ignorable(84), "no one-octet header may be ignored");
    }

    #[test]
    fn an_unnamed_type_is_told_by_its_number() {
        assert_eq!(ElementType::NONCE.to_string(), "Nonce (10)");
        assert_eq!(ElementType(9).to_string(), "element of type (9)");
    }
}
