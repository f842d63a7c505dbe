//! Encodes simulated NDN packets as they are on a link, for captures. The length is
//! that of [`Packet::size`](crate::Packet::size); the content and the signature are
//! zeros.

use super::link_packet::LinkPacket;
use super::name::Name;
use super::packet::{Data, Interest};
use super::wire::size::SignatureKind;
use super::wire::{
    self, ComponentType, EncodeError, LpPacket, MetaInfo, NackReason, SignatureInfo,
};

/// Encodes an Interest, or its NACK, whose name has that prefix.
///
/// # Errors
/// [`EncodeError::TooLarge`].
pub fn encode_interest(
    interest: &Interest,
    prefix: &wire::Name<'_>,
    nack: Option<NackReason>,
    marked: bool,
) -> Result<Vec<u8>, EncodeError> {
    let interest = wire::Interest {
        must_be_fresh: interest.must_be_fresh,
        nonce: Some(interest.nonce),
        lifetime_ms: Some(u64::from(interest.lifetime_ms)),
        hop_limit: interest.hop_limit,
        ..wire::Interest::new(full_name(interest.name, prefix))
    };
    encode_whole(&interest.encode()?, nack, marked)
}

/// Encodes a Data whose name has that prefix.
///
/// # Errors
/// [`EncodeError::TooLarge`].
pub fn encode_data(
    data: &Data,
    prefix: &wire::Name<'_>,
    signature: SignatureKind,
    marked: bool,
) -> Result<Vec<u8>, EncodeError> {
    let freshness = (data.freshness_ms > 0).then_some(u64::from(data.freshness_ms));
    let data = wire::Data {
        name: full_name(data.name, prefix),
        meta_info: MetaInfo { freshness_period_ms: freshness, ..MetaInfo::default() },
        content: Some(&vec![0; data.content as usize]),
        signature_info: SignatureInfo::new(signature.signature_type()),
        signature_value: &vec![0; signature.value_length() as usize],
    };
    encode_whole(&data.encode()?, None, marked)
}

fn full_name(name: Name, prefix: &wire::Name<'_>) -> wire::Name<'static> {
    let mut full = prefix.clone().into_owned();
    full.push_number(ComponentType::SEGMENT, name.segment);
    full
}

/// Encodes a link packet with its part of `network_packet`, `length` bytes of that. A PIT
/// token is zeros.
///
/// # Errors
/// [`EncodeError::TooLarge`].
pub fn encode_link_packet(
    link_packet: &LinkPacket,
    network_packet: &[u8],
    length: u16,
    nack: Option<NackReason>,
    marked: bool,
) -> Result<Vec<u8>, EncodeError> {
    let LinkPacket { sequence, offset, pit_token, index, count, .. } = *link_packet;
    let is_fragment = count > 1;
    let token = vec![0; usize::from(pit_token)];
    let start = usize::from(offset);
    let link_packet = LpPacket {
        sequence: is_fragment.then_some(sequence),
        fragment_index: is_fragment.then_some(u64::from(index)),
        fragment_count: is_fragment.then_some(u64::from(count)),
        pit_token: (pit_token > 0).then_some(&token),
        nack: nack.filter(|_| index == 0),
        congestion_mark: marked.then_some(1),
        fragment: Some(&network_packet[start..start + usize::from(length)]),
        ..LpPacket::default()
    };
    link_packet.encode()
}

fn encode_whole(
    network_packet: &[u8],
    nack: Option<NackReason>,
    marked: bool,
) -> Result<Vec<u8>, EncodeError> {
    let link_packet = LpPacket {
        nack,
        congestion_mark: marked.then_some(1),
        fragment: Some(network_packet),
        ..LpPacket::default()
    };
    link_packet.encode()
}
