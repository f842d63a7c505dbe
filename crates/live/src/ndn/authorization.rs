//! Whether a command may be carried out: who signed it, and when.
//!
//! Source: NDN Packet Format, "Signed Interest". Without keys, each application on this machine may
//! command. With keys, a command is signed by one of them, not long ago, and later than the last one
//! by the same key: none is carried out twice, but for one of the last two minutes after a restart.

use std::time::{SystemTime, UNIX_EPOCH};

use windtunnel_packets::ndn::wire::tlv::Reader;
use windtunnel_packets::ndn::wire::{self, Component, ElementType, Name, SignatureType};

use super::management::components;
use super::signing::Verifier;

/// How far the time of a command may be from the clock here, in milliseconds.
const TOLERANCE_MS: u64 = 120_000;

/// Who may command.
#[derive(Debug)]
pub(super) struct Authorization {
    /// None: all on this machine may.
    keys: Vec<Key>,
    clock: fn() -> u64,
}

#[derive(Debug)]
struct Key {
    verifier: Verifier,
    /// When the last command by it was signed.
    last_ms: Option<u64>,
}

impl Authorization {
    /// By these keys; without any, all may. `clock` tells milliseconds since 1970.
    pub(super) fn new(keys: Vec<Verifier>, clock: fn() -> u64) -> Self {
        let keys = keys.into_iter().map(|verifier| Key { verifier, last_ms: None }).collect();
        Self { keys, clock }
    }

    /// Checks the signature of an Interest, which fills `input`. Without keys a digest that is right
    /// will do, and signatures by keys are not checked.
    ///
    /// # Errors
    /// Why it is not accepted.
    pub(super) fn check(
        &mut self,
        interest: &wire::Interest<'_>,
        input: &[u8],
    ) -> Result<(), &'static str> {
        let found = match &interest.parameters {
            None => signature_of_name(&interest.name),
            Some(_) => signature(interest, input),
        };
        let signature = found.ok_or("commands must be signed")?;
        if self.keys.is_empty() {
            let is_right = signature.is_by(&Verifier::default());
            return is_right
                .then_some(())
                .ok_or("commands must be signed, and the digest be right");
        }
        let key = self.keys.iter_mut().find(|it| signature.is_by(&it.verifier));
        let key = key.ok_or("commands must be signed by a key that this forwarder was given")?;
        let time_ms = signature.time_ms.ok_or("commands must say when they were signed")?;
        if time_ms.abs_diff((self.clock)()) > TOLERANCE_MS {
            return Err("commands must be signed within two minutes of now");
        }
        if key.last_ms.is_some_and(|last| time_ms <= last) {
            return Err("this command, or a later one by the same key, was carried out already");
        }
        key.last_ms = Some(time_ms);
        Ok(())
    }
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The signature of an Interest.
struct Signature {
    algorithm: SignatureType,
    signed: Vec<u8>,
    value: Vec<u8>,
    time_ms: Option<u64>,
}

impl Signature {
    fn is_by(&self, verifier: &Verifier) -> bool {
        verifier.check_signature(self.algorithm, &self.signed, &self.value).is_ok()
    }
}

/// The signature of an Interest of version 0.3. What is signed: the name without the digest of its
/// parameters, and all from the parameters to before the signature.
fn signature(interest: &wire::Interest<'_>, input: &[u8]) -> Option<Signature> {
    let found = interest.parameters.as_ref()?.signature.as_ref()?;
    let (name, _) = interest.name.split_last()?;
    let mut fields = Reader::new(input).element().ok()??.elements();
    let (mut start, mut end) = (None, None);
    while let Some(field) = fields.element().ok()? {
        match field.element_type {
            ElementType::APPLICATION_PARAMETERS => start = Some(field.offset),
            ElementType::INTEREST_SIGNATURE_VALUE => end = Some(field.offset),
            _ => {}
        }
    }
    Some(Signature {
        algorithm: found.info.signature_type,
        signed: [&components(&name), input.get(start?..end?)?].concat(),
        value: found.value.to_vec(),
        time_ms: found.info.time_ms,
    })
}

/// The same of the format before version 0.3: the last four components are the time, a nonce, and
/// the two of the signature.
fn signature_of_name(name: &Name<'_>) -> Option<Signature> {
    let (others, value) = name.split_last()?;
    let (before, info) = others.split_last()?;
    let info = Reader::new(info.value()).element().ok()??;
    let value = Reader::new(value.value()).element().ok()??;
    let kind = info.elements().element().ok()??;
    let is_signature = (info.element_type, value.element_type)
        == (ElementType::SIGNATURE_INFO, ElementType::SIGNATURE_VALUE);
    let place = before.components().count().checked_sub(2);
    let time = place.and_then(|it| before.components().nth(it));
    is_signature.then_some(Signature {
        algorithm: SignatureType(kind.number().ok()?),
        signed: components(&others),
        value: value.value.to_vec(),
        time_ms: time.and_then(|it| number(&it)),
    })
}

/// A component that is a number.
fn number(component: &Component<'_>) -> Option<u64> {
    let octets = component.value();
    let is_number = matches!(octets.len(), 1 | 2 | 4 | 8);
    is_number.then(|| octets.iter().fold(0, |number, it| number << 8 | u64::from(*it)))
}
