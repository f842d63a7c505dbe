//! The packet that asks ("Interest Packet").

use super::element_type::ElementType;
use super::error::{DecodeError, EncodeError};
use super::name::{ComponentType, Name};
use super::signature::{KeyLocator, SignatureInfo, SignatureType};
use super::tlv::{
    Element, Fields, encode_packet, packet_of_type, write_element, write_nested, write_number,
};

/// An Interest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interest<'a> {
    /// What is asked for; at least one component.
    pub name: Name<'a>,
    /// Whether the name may be a prefix of the Data's.
    pub can_be_prefix: bool,
    /// Whether a cache may answer only with fresh Data.
    pub must_be_fresh: bool,
    /// Names towards which the Interest may be forwarded; empty for none.
    pub forwarding_hint: Vec<Name<'a>>,
    /// Tells looping Interests apart, in network byte order; required on a link.
    pub nonce: Option<u32>,
    /// Time until the Interest expires, in milliseconds.
    pub lifetime_ms: Option<u64>,
    /// How many more hops it may take.
    pub hop_limit: Option<u8>,
    /// What parameterises the request.
    pub parameters: Option<ApplicationParameters<'a>>,
}

/// An Interest's `ApplicationParameters`, signed or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApplicationParameters<'a> {
    /// The parameters.
    pub value: &'a [u8],
    /// Makes it a Signed Interest.
    pub signature: Option<InterestSignature<'a>>,
}

/// An Interest's signature ("Interest Signature").
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InterestSignature<'a> {
    /// The algorithm, the key and the time.
    pub info: SignatureInfo<'a>,
    /// Makes the signature unique; at least one octet.
    pub nonce: Option<&'a [u8]>,
    /// Makes the signature unique.
    pub sequence_number: Option<u64>,
    /// The signature itself.
    pub value: &'a [u8],
}

const GRAMMAR: &[ElementType] = &[
    ElementType::NAME,
    ElementType::CAN_BE_PREFIX,
    ElementType::MUST_BE_FRESH,
    ElementType::FORWARDING_HINT,
    ElementType::NONCE,
    ElementType::INTEREST_LIFETIME,
    ElementType::HOP_LIMIT,
    ElementType::APPLICATION_PARAMETERS,
    ElementType::INTEREST_SIGNATURE_INFO,
    ElementType::INTEREST_SIGNATURE_VALUE,
];

const SIGNATURE_INFO_GRAMMAR: &[ElementType] = &[
    ElementType::SIGNATURE_TYPE,
    ElementType::KEY_LOCATOR,
    ElementType::SIGNATURE_NONCE,
    ElementType::SIGNATURE_TIME,
    ElementType::SIGNATURE_SEQUENCE_NUMBER,
];

const SIGNATURE_NONCE_LENGTH: &str = "at least 1 octet";

impl<'a> Interest<'a> {
    /// The lifetime of an Interest that states none, in milliseconds.
    pub const DEFAULT_LIFETIME_MS: u64 = 4000;

    /// An Interest with nothing but a name.
    #[must_use]
    pub fn new(name: Name<'a>) -> Self {
        Self {
            name,
            can_be_prefix: false,
            must_be_fresh: false,
            forwarding_hint: Vec::new(),
            nonce: None,
            lifetime_ms: None,
            hop_limit: None,
            parameters: None,
        }
    }

    /// The lifetime in milliseconds, stated or default.
    #[must_use]
    pub fn effective_lifetime_ms(&self) -> u64 {
        self.lifetime_ms.unwrap_or(Self::DEFAULT_LIFETIME_MS)
    }

    /// Reads the Interest that fills `input`.
    ///
    /// # Errors
    /// See [`DecodeError`]; a digest of the parameters must be in the name, but
    /// is not computed.
    pub fn decode(input: &'a [u8]) -> Result<Self, DecodeError> {
        let element = packet_of_type(input, ElementType::INTEREST)?;
        let mut fields = Fields::new(&element, GRAMMAR);
        let mut interest = Self::new(decode_name(&fields.first()?)?);
        let (mut signature_info, mut signature_value) = (None, None);
        while let Some(field) = fields.next()? {
            match field.element_type {
                ElementType::CAN_BE_PREFIX => interest.can_be_prefix = decode_flag(&field)?,
                ElementType::MUST_BE_FRESH => interest.must_be_fresh = decode_flag(&field)?,
                ElementType::FORWARDING_HINT => {
                    interest.forwarding_hint = decode_forwarding_hint(&field)?;
                }
                ElementType::NONCE => {
                    interest.nonce = Some(u32::from_be_bytes(field.octets("4 octets")?));
                }
                ElementType::INTEREST_LIFETIME => interest.lifetime_ms = Some(field.number()?),
                ElementType::HOP_LIMIT => {
                    let [hop_limit] = field.octets("1 octet")?;
                    interest.hop_limit = Some(hop_limit);
                }
                ElementType::APPLICATION_PARAMETERS => {
                    interest.require_parameters_digest(&field)?;
                    interest.parameters =
                        Some(ApplicationParameters { value: field.value, signature: None });
                }
                ElementType::INTEREST_SIGNATURE_INFO => signature_info = Some(field),
                _ => signature_value = Some(field),
            }
        }
        let signature = decode_signature(&element, signature_info, signature_value)?;
        interest.attach_signature(&element, signature)?;
        Ok(interest)
    }

    /// The Interest as bytes.
    ///
    /// # Errors
    /// See [`EncodeError`].
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.check()?;
        encode_packet(ElementType::INTEREST, |output| self.write_fields(output))
    }

    fn require_parameters_digest(&self, field: &Element<'a>) -> Result<(), DecodeError> {
        if self.has_parameters_digest() {
            Ok(())
        } else {
            Err(DecodeError::MissingParametersDigest { offset: field.offset })
        }
    }

    fn has_parameters_digest(&self) -> bool {
        let is_digest = |kind| kind == ComponentType::PARAMETERS_SHA256_DIGEST;
        self.name.components().any(|component| is_digest(component.component_type()))
    }

    fn attach_signature(
        &mut self,
        element: &Element<'a>,
        signature: Option<InterestSignature<'a>>,
    ) -> Result<(), DecodeError> {
        match &mut self.parameters {
            Some(parameters) => parameters.signature = signature,
            None if signature.is_some() => {
                return Err(element.missing(ElementType::APPLICATION_PARAMETERS));
            }
            None => {}
        }
        Ok(())
    }

    fn check(&self) -> Result<(), EncodeError> {
        if self.name.is_empty() {
            return Err(EncodeError::EmptyName);
        }
        let Some(parameters) = &self.parameters else { return Ok(()) };
        if !self.has_parameters_digest() {
            return Err(EncodeError::MissingParametersDigest);
        }
        match parameters.signature.as_ref().and_then(|signature| signature.nonce) {
            Some([]) => Err(EncodeError::Length {
                element: ElementType::SIGNATURE_NONCE,
                found: 0,
                expected: SIGNATURE_NONCE_LENGTH,
            }),
            _ => Ok(()),
        }
    }

    fn write_fields(&self, output: &mut Vec<u8>) {
        self.name.write(output);
        if self.can_be_prefix {
            write_element(output, ElementType::CAN_BE_PREFIX, &[]);
        }
        if self.must_be_fresh {
            write_element(output, ElementType::MUST_BE_FRESH, &[]);
        }
        if !self.forwarding_hint.is_empty() {
            write_nested(output, ElementType::FORWARDING_HINT, |output| {
                self.forwarding_hint.iter().for_each(|name| name.write(output));
            });
        }
        if let Some(nonce) = self.nonce {
            write_element(output, ElementType::NONCE, &nonce.to_be_bytes());
        }
        if let Some(lifetime) = self.lifetime_ms {
            write_number(output, ElementType::INTEREST_LIFETIME, lifetime);
        }
        if let Some(hop_limit) = self.hop_limit {
            write_element(output, ElementType::HOP_LIMIT, &[hop_limit]);
        }
        if let Some(parameters) = &self.parameters {
            parameters.write(output);
        }
    }
}

impl ApplicationParameters<'_> {
    fn write(&self, output: &mut Vec<u8>) {
        write_element(output, ElementType::APPLICATION_PARAMETERS, self.value);
        if let Some(signature) = &self.signature {
            signature.write(output);
        }
    }
}

impl InterestSignature<'_> {
    fn write(&self, output: &mut Vec<u8>) {
        write_nested(output, ElementType::INTEREST_SIGNATURE_INFO, |output| {
            self.info.write_start(output);
            if let Some(nonce) = self.nonce {
                write_element(output, ElementType::SIGNATURE_NONCE, nonce);
            }
            self.info.write_time(output);
            if let Some(number) = self.sequence_number {
                write_number(output, ElementType::SIGNATURE_SEQUENCE_NUMBER, number);
            }
        });
        write_element(output, ElementType::INTEREST_SIGNATURE_VALUE, self.value);
    }
}

fn decode_name<'a>(element: &Element<'a>) -> Result<Name<'a>, DecodeError> {
    let name = Name::decode(element)?;
    if name.is_empty() { Err(DecodeError::EmptyName { offset: element.offset }) } else { Ok(name) }
}

fn decode_flag(element: &Element<'_>) -> Result<bool, DecodeError> {
    element.octets::<0>("no octets").map(|_| true)
}

fn decode_forwarding_hint<'a>(element: &Element<'a>) -> Result<Vec<Name<'a>>, DecodeError> {
    let mut names = Vec::new();
    let mut reader = element.elements();
    while let Some(field) = reader.element()? {
        if field.element_type == ElementType::NAME {
            names.push(Name::decode(&field)?);
        } else if field.element_type.is_critical() {
            return Err(field.unexpected(element.element_type));
        }
    }
    if names.is_empty() { Err(element.missing(ElementType::NAME)) } else { Ok(names) }
}

fn decode_signature<'a>(
    interest: &Element<'a>,
    info: Option<Element<'a>>,
    value: Option<Element<'a>>,
) -> Result<Option<InterestSignature<'a>>, DecodeError> {
    match (info, value) {
        (Some(info), Some(value)) => decode_signature_info(&info, value.value).map(Some),
        (Some(_), None) => Err(interest.missing(ElementType::INTEREST_SIGNATURE_VALUE)),
        (None, Some(_)) => Err(interest.missing(ElementType::INTEREST_SIGNATURE_INFO)),
        (None, None) => Ok(None),
    }
}

fn decode_signature_info<'a>(
    element: &Element<'a>,
    value: &'a [u8],
) -> Result<InterestSignature<'a>, DecodeError> {
    let mut fields = Fields::new(element, SIGNATURE_INFO_GRAMMAR);
    let mut signature_type = None;
    let (mut key_locator, mut time_ms) = (None, None);
    let (mut nonce, mut sequence_number) = (None, None);
    while let Some(field) = fields.next()? {
        match field.element_type {
            ElementType::SIGNATURE_TYPE => signature_type = Some(SignatureType(field.number()?)),
            ElementType::KEY_LOCATOR => key_locator = Some(KeyLocator::decode(&field)?),
            ElementType::SIGNATURE_NONCE if field.value.is_empty() => {
                return Err(field.wrong_length(SIGNATURE_NONCE_LENGTH));
            }
            ElementType::SIGNATURE_NONCE => nonce = Some(field.value),
            ElementType::SIGNATURE_TIME => time_ms = Some(field.number()?),
            _ => sequence_number = Some(field.number()?),
        }
    }
    let signature_type =
        signature_type.ok_or_else(|| element.missing(ElementType::SIGNATURE_TYPE))?;
    let info = SignatureInfo { signature_type, key_locator, time_ms };
    Ok(InterestSignature { info, nonce, sequence_number, value })
}
