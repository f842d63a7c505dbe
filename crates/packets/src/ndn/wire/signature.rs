//! What Interest and Data signatures have in common ("Signature Elements").

use super::element_type::ElementType;
use super::error::DecodeError;
use super::name::Name;
use super::tlv::{Element, Fields, only, write_element, write_nested, write_number};

/// The algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignatureType(pub u64);

impl SignatureType {
    /// A SHA-256 digest: integrity only.
    pub const DIGEST_SHA256: Self = Self(0);
    /// RSA over a SHA-256 digest.
    pub const SHA256_WITH_RSA: Self = Self(1);
    /// ECDSA over a SHA-256 digest; the value is DER-encoded.
    pub const SHA256_WITH_ECDSA: Self = Self(3);
    /// HMAC with SHA-256.
    pub const HMAC_WITH_SHA256: Self = Self(4);
    /// Ed25519.
    pub const ED25519: Self = Self(5);
    /// No signature: an empty value (registered on the NDN packet
    /// specification's wiki).
    pub const NULL: Self = Self(200);
}

/// Where the key of a signature can be found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeyLocator<'a> {
    /// The name of the certificate, or a prefix of it.
    Name(Name<'a>),
    /// A digest of the public key.
    KeyDigest(&'a [u8]),
}

/// How a packet is signed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignatureInfo<'a> {
    /// The algorithm.
    pub signature_type: SignatureType,
    /// The key.
    pub key_locator: Option<KeyLocator<'a>>,
    /// When it was signed, in milliseconds since 1970-01-01T00:00:00Z.
    pub time_ms: Option<u64>,
}

/// A certificate's `ValidityPeriod` is critical, so it must be known here; the
/// network does not look into it.
const GRAMMAR: &[ElementType] = &[
    ElementType::SIGNATURE_TYPE,
    ElementType::KEY_LOCATOR,
    ElementType::SIGNATURE_TIME,
    ElementType::VALIDITY_PERIOD,
];

impl<'a> SignatureInfo<'a> {
    /// A signature without key locator and time.
    #[must_use]
    pub const fn new(signature_type: SignatureType) -> Self {
        Self { signature_type, key_locator: None, time_ms: None }
    }

    /// Reads a Data's `SignatureInfo`.
    pub(super) fn decode(element: &Element<'a>) -> Result<Self, DecodeError> {
        let mut fields = Fields::new(element, GRAMMAR);
        let mut signature_type = None;
        let (mut key_locator, mut time_ms) = (None, None);
        while let Some(field) = fields.next()? {
            match field.element_type {
                ElementType::SIGNATURE_TYPE => {
                    signature_type = Some(SignatureType(field.number()?));
                }
                ElementType::KEY_LOCATOR => key_locator = Some(KeyLocator::decode(&field)?),
                ElementType::SIGNATURE_TIME => time_ms = Some(field.number()?),
                _ => {}
            }
        }
        let signature_type =
            signature_type.ok_or_else(|| element.missing(ElementType::SIGNATURE_TYPE))?;
        Ok(Self { signature_type, key_locator, time_ms })
    }

    /// Writes `SignatureType` and `KeyLocator`, with which both kinds begin.
    pub(super) fn write_start(&self, output: &mut Vec<u8>) {
        write_number(output, ElementType::SIGNATURE_TYPE, self.signature_type.0);
        if let Some(locator) = &self.key_locator {
            write_nested(output, ElementType::KEY_LOCATOR, |output| locator.write(output));
        }
    }

    /// Writes `SignatureTime`, if there is one.
    pub(super) fn write_time(&self, output: &mut Vec<u8>) {
        if let Some(time) = self.time_ms {
            write_number(output, ElementType::SIGNATURE_TIME, time);
        }
    }
}

impl<'a> KeyLocator<'a> {
    /// Reads a `KeyLocator`, which holds one or the other.
    pub(super) fn decode(element: &Element<'a>) -> Result<Self, DecodeError> {
        let choices = [ElementType::NAME, ElementType::KEY_DIGEST];
        let field = only(element, &choices)?.ok_or_else(|| element.missing(ElementType::NAME))?;
        match field.element_type {
            ElementType::NAME => Ok(Self::Name(Name::decode(&field)?)),
            _ => Ok(Self::KeyDigest(field.value)),
        }
    }

    fn write(&self, output: &mut Vec<u8>) {
        match self {
            Self::Name(name) => name.write(output),
            Self::KeyDigest(digest) => write_element(output, ElementType::KEY_DIGEST, digest),
        }
    }
}
