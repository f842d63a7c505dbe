//! The part of NFD's management that applications need to announce what they serve: the
//! commands `rib/register` and `rib/unregister`.
//!
//! Source: NFD Management Protocol, "Control Command" and "RIB Management". Commands are signed
//! Interests of either format, whose signatures [authorization](super::authorization) checks.

use sha2::{Digest, Sha256};
use windtunnel_packets::ndn::wire::tlv::{
    Element, Reader, write_element, write_nested, write_number,
};
use windtunnel_packets::ndn::wire::{
    self, Component, ComponentType, ContentType, DecodeError, ElementType, KeyLocator, Name,
    SignatureInfo, SignatureType,
};

use super::signing::Signer;

const CONTROL_PARAMETERS: ElementType = ElementType(104);
pub(super) const FACE_ID: ElementType = ElementType(105);
const COST: ElementType = ElementType(106);
const FLAGS: ElementType = ElementType(108);
const ORIGIN: ElementType = ElementType(111);
const CONTROL_RESPONSE: ElementType = ElementType(101);
const STATUS_CODE: ElementType = ElementType(102);
const STATUS_TEXT: ElementType = ElementType(103);

/// Lower numbers of faces are reserved in NFD.
pub(super) const FIRST_FACE: u64 = 256;
/// How a route came to be, for NFD: an application registered it.
const FROM_APPLICATION: u64 = 0;
/// Longer prefixes have these next hops too.
const CHILD_INHERIT: u64 = 1;

/// What a command wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// A route to who asks.
    Register,
    /// No such route any more.
    Unregister,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) verb: Verb,
    pub(super) prefix: Name<'static>,
    /// The face of the route; none: the one that the command comes from.
    pub(super) face: Option<u64>,
    pub(super) cost: u64,
}

/// Whether a name is for this machine alone; so are commands here, for which applications that
/// are connected over UDP use the scope of one hop.
pub(super) fn is_local(name: &Name<'_>) -> bool {
    let [localhost, localhop, nfd] =
        ["localhost", "localhop", "nfd"].map(|it| Some(Component::generic(it.as_bytes())));
    let mut components = name.components();
    let first = components.next();
    first == localhost || first == localhop && components.next() == nfd
}

impl Command {
    /// Reads the name of a command; none of what is not one of those known here.
    pub(super) fn read(name: &Name<'_>) -> Option<Result<Self, DecodeError>> {
        let components: Vec<Component<'_>> = name.components().take(5).collect();
        let [_, nfd, rib, verb, parameters] = components[..] else { return None };
        if !is_local(name) || [nfd, rib].map(|it| it.value()) != [&b"nfd"[..], b"rib"] {
            return None;
        }
        let verb = match verb.value() {
            b"register" => Verb::Register,
            b"unregister" => Verb::Unregister,
            _ => return None,
        };
        Some(Self::read_parameters(verb, parameters.value()))
    }

    fn read_parameters(verb: Verb, input: &[u8]) -> Result<Self, DecodeError> {
        let nothing = DecodeError::Truncated { offset: 0, needed: 2, available: input.len() };
        let parameters = Reader::new(input).element()?.ok_or(nothing)?;
        if parameters.element_type != CONTROL_PARAMETERS {
            let (found, expected) = (parameters.element_type, CONTROL_PARAMETERS);
            return Err(DecodeError::WrongElement { offset: 0, found, expected });
        }
        let (mut prefix, mut face, mut cost) = (None, None, 0);
        let mut fields = parameters.elements();
        while let Some(field) = fields.element()? {
            match field.element_type {
                ElementType::NAME => prefix = Some(Name::decode(&field)?.into_owned()),
                FACE_ID => face = Some(field.number()?).filter(|it| *it > 0),
                COST => cost = field.number()?,
                _ => {}
            }
        }
        let missing = DecodeError::Missing {
            offset: input.len(),
            missing: ElementType::NAME,
            within: CONTROL_PARAMETERS,
        };
        Ok(Self { verb, prefix: prefix.ok_or(missing)?, face, cost })
    }

    /// The command as a signed Interest (of version 0.3 of the packet format), to a forwarder on
    /// this machine. `nonce` makes it one of its kind; `time_ms` is when it is signed, in
    /// milliseconds since 1970.
    pub(super) fn interest(&self, nonce: u32, time_ms: u64, signer: &Signer) -> Vec<u8> {
        let mut name: Name<'static> = ["localhost", "nfd", "rib"]
            .map(|it| Component::generic(it.as_bytes()))
            .into_iter()
            .collect();
        name.push(Component::generic(match self.verb {
            Verb::Register => b"register",
            Verb::Unregister => b"unregister",
        }));
        let mut parameters = Vec::new();
        self.write_parameters(&mut parameters);
        name.push(Component::generic(&parameters));
        let mut signed = Vec::new();
        write_element(&mut signed, ElementType::APPLICATION_PARAMETERS, &[]);
        write_nested(&mut signed, ElementType::INTEREST_SIGNATURE_INFO, |output| {
            write_signer(output, &signer.info());
            write_element(output, ElementType::SIGNATURE_NONCE, &nonce.to_be_bytes());
            write_number(output, ElementType::SIGNATURE_TIME, time_ms);
        });
        // What is signed: the name without its digest, and all from the parameters on.
        let signature = signer.sign(&[components(&name), signed.clone()].concat());
        write_element(&mut signed, ElementType::INTEREST_SIGNATURE_VALUE, &signature);
        let digest = Sha256::digest(&signed);
        name.push(
            Component::new(ComponentType::PARAMETERS_SHA256_DIGEST, &digest)
                .expect("a digest has 32 octets"),
        );
        let mut interest = Vec::new();
        write_nested(&mut interest, ElementType::INTEREST, |output| {
            name.write(output);
            write_element(output, ElementType::MUST_BE_FRESH, &[]);
            write_element(output, ElementType::NONCE, &nonce.to_be_bytes());
            output.extend_from_slice(&signed);
        });
        interest
    }

    fn write_parameters(&self, output: &mut Vec<u8>) {
        write_nested(output, CONTROL_PARAMETERS, |output| {
            self.prefix.write(output);
            if let Some(face) = self.face {
                write_number(output, FACE_ID, face);
            }
            write_number(output, ORIGIN, FROM_APPLICATION);
            write_number(output, COST, self.cost);
            write_number(output, FLAGS, CHILD_INHERIT);
        });
    }

    /// The Data that says it was done.
    pub(super) fn done(&self, name: Name<'_>, face: u64) -> Option<Vec<u8>> {
        let done = Self { face: Some(face), ..self.clone() };
        respond(name, 200, "OK", |output| done.write_parameters(output))
    }
}

/// Which algorithm signs, and with which key.
fn write_signer(output: &mut Vec<u8>, info: &SignatureInfo<'_>) {
    write_number(output, ElementType::SIGNATURE_TYPE, info.signature_type.0);
    if let Some(KeyLocator::KeyDigest(digest)) = info.key_locator {
        write_nested(output, ElementType::KEY_LOCATOR, |output| {
            write_element(output, ElementType::KEY_DIGEST, digest);
        });
    }
}

/// The components of a name as bytes.
pub(super) fn components(name: &Name<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    name.write(&mut bytes);
    let element = Reader::new(&bytes).element().ok().flatten();
    element.map_or_else(Vec::new, |it| it.value.to_vec())
}

/// The Data that says why a command was refused.
pub(super) fn refuse(name: Name<'_>, code: u64, why: &str) -> Option<Vec<u8>> {
    respond(name, code, why, |_| {})
}

fn respond(
    name: Name<'_>,
    code: u64,
    text: &str,
    parameters: impl FnOnce(&mut Vec<u8>),
) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    write_nested(&mut content, CONTROL_RESPONSE, |output| {
        write_number(output, STATUS_CODE, code);
        write_element(output, STATUS_TEXT, text.as_bytes());
        parameters(output);
    });
    let meta_info = wire::MetaInfo {
        content_type: Some(ContentType::BLOB),
        freshness_period_ms: Some(1000),
        final_block_id: None,
    };
    let data = wire::Data {
        name,
        meta_info,
        content: Some(&content),
        signature_info: SignatureInfo::new(SignatureType::DIGEST_SHA256),
        signature_value: &[],
    };
    data.encode_signed(|it| Sha256::digest(it).to_vec()).ok()
}

/// The code and the text of a response.
pub(super) fn read_response(content: &[u8]) -> Option<(u64, String)> {
    let response = Reader::new(content).element().ok()??;
    let mut fields = Some(response).filter(|it| it.element_type == CONTROL_RESPONSE)?.elements();
    let mut next = |wanted: ElementType| -> Option<Element<'_>> {
        fields.element().ok()?.filter(|it| it.element_type == wanted)
    };
    let code = next(STATUS_CODE)?.number().ok()?;
    let text = next(STATUS_TEXT)?;
    Some((code, String::from_utf8_lossy(text.value).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_it_was_written_and_answered() {
        let prefix: Name<'static> = "/example".parse().unwrap();
        let command = Command { verb: Verb::Register, prefix, face: None, cost: 3 };
        let bytes = command.interest(7, 1, &Signer::digest());
        let interest = wire::Interest::decode(&bytes).expect("it is an Interest");
        assert!(is_local(&interest.name));
        assert_eq!(Command::read(&interest.name), Some(Ok(command.clone())));
        let data = command.done(interest.name.clone(), 256).unwrap();
        let data = wire::Data::decode(&data).unwrap();
        let response = read_response(data.content.unwrap());
        assert_eq!((data.name, response), (interest.name, Some((200, "OK".into()))));
    }

    #[test]
    fn what_is_no_command_is_not_taken_for_one() {
        let read = |text: &str| Command::read(&text.parse().unwrap());
        assert_eq!(read("/localhost/nfd/rib/list/x"), None);
        assert_eq!(read("/example/nfd/rib/register/x"), None);
        assert_eq!(read("/localhost/nfd/rib/register"), None);
        assert!(matches!(read("/localhost/nfd/rib/register/x"), Some(Err(_))));
        assert!(matches!(read("/localhost/nfd/rib/register/%68%00"), Some(Err(_))));
    }
}
