//! Encodes simulated packets as CCNx has them, for captures: the length is that of
//! [`Packet::size`](crate::Packet::size) without the headers around; the payload is zeros, and
//! nothing expires.

use super::name::Name;
use super::packet::{Data, Interest};
use super::wire::{self, NackReason};
use crate::ccnx::{
    self, ContentObject, EncodeError, InterestReturn, Packet, ReturnCode, Segment, SegmentType,
};

/// The UDP port of CCNx, as IANA registered it.
pub const CCNX_PORT: u16 = 9695;

/// Encodes an Interest whose name has that prefix, or what comes back of it: an Interest Return
/// with the same Interest.
///
/// # Errors
/// [`EncodeError`] if it is too large.
pub fn encode_ccnx_interest(
    interest: &Interest,
    prefix: &wire::Name<'_>,
    nack: Option<NackReason>,
) -> Result<Vec<u8>, EncodeError> {
    let interest = ccnx::Interest {
        name: full_name(interest.name, prefix),
        hop_limit: interest.hop_limit.unwrap_or(u8::MAX),
        lifetime_ms: Some(u64::from(interest.lifetime_ms)),
        ..ccnx::Interest::default()
    };
    match nack {
        None => Packet::Interest(interest).encode(),
        Some(reason) => {
            let code = return_code(reason);
            Packet::InterestReturn(InterestReturn { code, interest }).encode()
        }
    }
}

/// Encodes Data whose name has that prefix, as a Content Object.
///
/// # Errors
/// [`EncodeError`] if it is too large.
pub fn encode_content_object(data: &Data, prefix: &wire::Name<'_>) -> Result<Vec<u8>, EncodeError> {
    let object = ContentObject {
        name: Some(full_name(data.name, prefix)),
        cache_time_ms: Some(u64::MAX),
        expiry_ms: Some(u64::MAX),
        payload: Some(vec![0; data.content as usize]),
        ..ContentObject::default()
    };
    Packet::ContentObject(object).encode()
}

/// The Interest Return's code for what refused an Interest (RFC 8569, section 10.3).
fn return_code(reason: NackReason) -> ReturnCode {
    match reason {
        NackReason::CONGESTION => ReturnCode::CONGESTED,
        _ => ReturnCode::NO_ROUTE,
    }
}

fn full_name(name: Name, prefix: &wire::Name<'_>) -> ccnx::Name {
    let segment =
        |it: wire::Component<'_>| Segment { kind: SegmentType::NAME, value: it.value().to_vec() };
    let segments = prefix.components().map(segment).collect();
    ccnx::Name { segments }.with_chunk(name.segment)
}
