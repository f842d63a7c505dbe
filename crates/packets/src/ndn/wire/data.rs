//! The packet that answers ("Data Packet").

use super::element_type::ElementType;
use super::error::{DecodeError, EncodeError};
use super::name::{Component, Name};
use super::signature::SignatureInfo;
use super::tlv::{
    Element, Fields, encode_packet, packet_of_type, write_element, write_nested, write_number,
};

/// A Data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Data<'a> {
    /// What it is.
    pub name: Name<'a>,
    /// Its `MetaInfo`; not encoded if it is empty.
    pub meta_info: MetaInfo<'a>,
    /// What it carries; there is a difference on the wire between an empty
    /// content and none.
    pub content: Option<&'a [u8]>,
    /// How it is signed.
    pub signature_info: SignatureInfo<'a>,
    /// The signature itself.
    pub signature_value: &'a [u8],
}

/// A Data's `MetaInfo`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MetaInfo<'a> {
    /// What the content is; none means [`ContentType::BLOB`].
    pub content_type: Option<ContentType>,
    /// How long it stays fresh after its arrival, in milliseconds; none means 0.
    pub freshness_period_ms: Option<u64>,
    /// The last component of the name of the last Data of the same series.
    pub final_block_id: Option<Component<'a>>,
}

/// What a Data's content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentType(pub u64);

impl ContentType {
    /// Bytes; the default.
    pub const BLOB: Self = Self(0);
    /// A list of names.
    pub const LINK: Self = Self(1);
    /// A public key.
    pub const KEY: Self = Self(2);
    /// An application's negative acknowledgement.
    pub const NACK: Self = Self(3);
}

const GRAMMAR: &[ElementType] = &[
    ElementType::NAME,
    ElementType::META_INFO,
    ElementType::CONTENT,
    ElementType::SIGNATURE_INFO,
    ElementType::SIGNATURE_VALUE,
];

const META_INFO_GRAMMAR: &[ElementType] =
    &[ElementType::CONTENT_TYPE, ElementType::FRESHNESS_PERIOD, ElementType::FINAL_BLOCK_ID];

impl<'a> Data<'a> {
    /// Reads the Data that fills `input`.
    ///
    /// # Errors
    /// See [`DecodeError`]; the signature must be there, but is not verified.
    pub fn decode(input: &'a [u8]) -> Result<Self, DecodeError> {
        let element = packet_of_type(input, ElementType::DATA)?;
        let mut fields = Fields::new(&element, GRAMMAR);
        let name = Name::decode(&fields.first()?)?;
        let mut meta_info = MetaInfo::default();
        let mut content = None;
        let (mut signature_info, mut signature_value) = (None, None);
        while let Some(field) = fields.next()? {
            match field.element_type {
                ElementType::META_INFO => meta_info = MetaInfo::decode(&field)?,
                ElementType::CONTENT => content = Some(field.value),
                ElementType::SIGNATURE_INFO => {
                    signature_info = Some(SignatureInfo::decode(&field)?);
                }
                _ => signature_value = Some(field.value),
            }
        }
        let missing = |what| move || element.missing(what);
        Ok(Self {
            name,
            meta_info,
            content,
            signature_info: signature_info.ok_or_else(missing(ElementType::SIGNATURE_INFO))?,
            signature_value: signature_value.ok_or_else(missing(ElementType::SIGNATURE_VALUE))?,
        })
    }

    /// The Data as bytes.
    ///
    /// # Errors
    /// [`EncodeError::TooLarge`].
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        encode_packet(ElementType::DATA, |output| self.write_fields(output))
    }

    /// The Data as bytes, with the signature that `sign` makes of what is signed, in place of
    /// its own.
    ///
    /// # Errors
    /// [`EncodeError::TooLarge`].
    pub fn encode_signed(
        &self,
        sign: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Result<Vec<u8>, EncodeError> {
        encode_packet(ElementType::DATA, |output| {
            self.write_signed_portion(output);
            let signature = sign(output);
            write_element(output, ElementType::SIGNATURE_VALUE, &signature);
        })
    }

    /// What the signature of the Data that fills `input` is of: its elements from the name to
    /// `SignatureInfo` ("Data Signature").
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn signed_portion(input: &'a [u8]) -> Result<&'a [u8], DecodeError> {
        let element = packet_of_type(input, ElementType::DATA)?;
        let mut reader = element.elements();
        while let Some(field) = reader.element()? {
            if field.element_type == ElementType::SIGNATURE_INFO {
                let end = field.value_offset + field.value.len();
                return Ok(&input[element.value_offset..end]);
            }
        }
        Err(element.missing(ElementType::SIGNATURE_INFO))
    }

    fn write_fields(&self, output: &mut Vec<u8>) {
        self.write_signed_portion(output);
        write_element(output, ElementType::SIGNATURE_VALUE, self.signature_value);
    }

    fn write_signed_portion(&self, output: &mut Vec<u8>) {
        self.name.write(output);
        if self.meta_info != MetaInfo::default() {
            write_nested(output, ElementType::META_INFO, |output| self.meta_info.write(output));
        }
        if let Some(content) = self.content {
            write_element(output, ElementType::CONTENT, content);
        }
        write_nested(output, ElementType::SIGNATURE_INFO, |output| {
            self.signature_info.write_start(output);
            self.signature_info.write_time(output);
        });
    }
}

impl<'a> MetaInfo<'a> {
    fn decode(element: &Element<'a>) -> Result<Self, DecodeError> {
        let mut fields = Fields::new(element, META_INFO_GRAMMAR);
        let mut meta_info = Self::default();
        while let Some(field) = fields.next()? {
            match field.element_type {
                ElementType::CONTENT_TYPE => {
                    meta_info.content_type = Some(ContentType(field.number()?));
                }
                ElementType::FRESHNESS_PERIOD => {
                    meta_info.freshness_period_ms = Some(field.number()?);
                }
                _ => meta_info.final_block_id = Some(decode_final_block_id(&field)?),
            }
        }
        Ok(meta_info)
    }

    fn write(&self, output: &mut Vec<u8>) {
        if let Some(content_type) = self.content_type {
            write_number(output, ElementType::CONTENT_TYPE, content_type.0);
        }
        if let Some(freshness) = self.freshness_period_ms {
            write_number(output, ElementType::FRESHNESS_PERIOD, freshness);
        }
        if let Some(component) = self.final_block_id {
            write_nested(output, ElementType::FINAL_BLOCK_ID, |output| component.write(output));
        }
    }
}

/// The one component in a `FinalBlockId`. Any type of element is a component
/// here, so nothing can follow it to be ignored.
fn decode_final_block_id<'a>(element: &Element<'a>) -> Result<Component<'a>, DecodeError> {
    let mut elements = element.elements();
    let component = elements
        .element()?
        .ok_or_else(|| element.wrong_length("one name component, so at least 2 octets"))?;
    match elements.element()? {
        None => Component::decode(&component),
        Some(second) => Err(second.unexpected(element.element_type)),
    }
}
