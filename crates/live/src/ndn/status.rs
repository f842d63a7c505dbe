//! The status of faces as a dataset: what each counted, for tools of NFD's.
//!
//! Source: NFD Management Protocol, "Status Dataset" and "Face Management, Face Dataset". Rates are
//! what changes between two readings.

use std::net::SocketAddr;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ndn::wire::tlv::{write_element, write_nested, write_number};
use windtunnel_packets::ndn::wire::{
    Component, ComponentType, Data, ElementType, Interest, MetaInfo, Name,
};
use windtunnel_scenario::{FaceAddress, FaceProtocol};

use super::management::FACE_ID;
use super::object::microseconds;
use super::signing::Signer;

const FACE_STATUS: ElementType = ElementType(0x80);
const URI: ElementType = ElementType(0x72);
const LOCAL_URI: ElementType = ElementType(0x81);
const FACE_SCOPE: ElementType = ElementType(0x84);
const FACE_PERSISTENCY: ElementType = ElementType(0x85);
const LINK_TYPE: ElementType = ElementType(0x86);
const MTU: ElementType = ElementType(0x89);
const IN_INTERESTS: ElementType = ElementType(0x90);
const IN_DATA: ElementType = ElementType(0x91);
const OUT_INTERESTS: ElementType = ElementType(0x92);
const OUT_DATA: ElementType = ElementType(0x93);
const IN_BYTES: ElementType = ElementType(0x94);
const OUT_BYTES: ElementType = ElementType(0x95);
const IN_NACKS: ElementType = ElementType(0x97);
const OUT_NACKS: ElementType = ElementType(0x98);
const FLAGS: ElementType = ElementType(108);

/// The bytes of the dataset in a Data packet.
const SEGMENT: usize = 8000;
/// How long one reading is kept for who reads it in segments, and counts as fresh.
const KEPT: Duration = Duration::from_secs(1);

/// What went over a face in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PacketCounters {
    pub(super) interests: u64,
    pub(super) data: u64,
    pub(super) nacks: u64,
    /// Of link packets.
    pub(super) bytes: u64,
}

/// A face, and what it counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceStatus {
    pub(super) id: u64,
    pub(super) protocol: FaceProtocol,
    pub(super) remote: SocketAddr,
    pub(super) local: SocketAddr,
    pub(super) is_local: bool,
    /// Whether somebody else made it.
    pub(super) is_on_demand: bool,
    pub(super) mtu: u16,
    pub(super) received: PacketCounters,
    pub(super) sent: PacketCounters,
}

impl FaceStatus {
    fn write(&self, output: &mut Vec<u8>) {
        let (received, sent) = (&self.received, &self.sent);
        write_nested(output, FACE_STATUS, |output| {
            write_number(output, FACE_ID, self.id);
            write_element(output, URI, uri(self.protocol, self.remote).as_bytes());
            write_element(output, LOCAL_URI, uri(self.protocol, self.local).as_bytes());
            let numbers = [
                (FACE_SCOPE, u64::from(self.is_local)),
                (FACE_PERSISTENCY, u64::from(self.is_on_demand)),
                // Point to point.
                (LINK_TYPE, 0),
                (MTU, self.mtu.into()),
                (IN_INTERESTS, received.interests),
                (IN_DATA, received.data),
                (IN_NACKS, received.nacks),
                (OUT_INTERESTS, sent.interests),
                (OUT_DATA, sent.data),
                (OUT_NACKS, sent.nacks),
                (IN_BYTES, received.bytes),
                (OUT_BYTES, sent.bytes),
                (FLAGS, 0),
            ];
            numbers.into_iter().for_each(|(which, number)| write_number(output, which, number));
        });
    }
}

/// As NFD writes it, such as `udp4://192.0.2.1:6363`.
fn uri(protocol: FaceProtocol, address: SocketAddr) -> String {
    let version = if address.is_ipv4() { 4 } else { 6 };
    let url = FaceAddress { protocol, address }.to_string();
    url.replacen("://", &format!("{version}://"), 1)
}

/// The dataset `/localhost/nfd/faces/list`, as it was read last.
#[derive(Debug, Default)]
pub(super) struct FaceDataset {
    /// When, with which version, and what.
    reading: Option<(Time, u64, Vec<u8>)>,
}

impl FaceDataset {
    /// Whether an Interest asks for it.
    pub(super) fn is_asked_for(interest: &Interest<'_>) -> bool {
        name().is_prefix_of(&interest.name)
    }

    /// The segment that an Interest asks for: of the reading that is kept, or the first one of a
    /// new reading.
    pub(super) fn answer(
        &mut self,
        now: Time,
        interest: &Interest<'_>,
        read: impl FnOnce() -> Vec<FaceStatus>,
    ) -> Option<Vec<u8>> {
        if self.reading.as_ref().is_none_or(|it| now.since(it.0) > KEPT) {
            let mut content = Vec::new();
            read().iter().for_each(|it| it.write(&mut content));
            self.reading = Some((now, microseconds(), content));
        }
        let (_, version, content) = self.reading.as_ref()?;
        let versioned = versioned(&interest.name, *version);
        let segment = match interest.name.split_last() {
            Some((prefix, last)) if prefix == versioned => {
                last.number().filter(|_| last.component_type() == ComponentType::SEGMENT)?
            }
            _ if interest.can_be_prefix && interest.name.is_prefix_of(&versioned) => 0,
            _ => return None,
        };
        data(&versioned, content, segment)
    }
}

fn name() -> Name<'static> {
    let parts = ["localhost", "nfd", "faces", "list"];
    parts.map(|it| Component::generic(it.as_bytes())).into_iter().collect()
}

/// The name of a version for who asks for that name: one with parameters keeps their digest.
fn versioned(asked: &Name<'_>, version: u64) -> Name<'static> {
    let mut name = name();
    let digest = asked.components().nth(name.components().count());
    let is_digest =
        |it: &Component<'_>| it.component_type() == ComponentType::PARAMETERS_SHA256_DIGEST;
    if let Some(digest) = digest.filter(is_digest) {
        name.push(digest);
    }
    name.push_number(ComponentType::VERSION, version);
    name
}

fn data(versioned: &Name<'static>, content: &[u8], segment: u64) -> Option<Vec<u8>> {
    let segments = content.len().div_ceil(SEGMENT).max(1) as u64;
    let start = usize::try_from(segment).ok().filter(|_| segment < segments)? * SEGMENT;
    let (mut name, mut last) = (versioned.clone(), Name::new());
    name.push_number(ComponentType::SEGMENT, segment);
    last.push_number(ComponentType::SEGMENT, segments - 1);
    let meta_info = MetaInfo {
        freshness_period_ms: Some(KEPT.as_nanos() / 1_000_000),
        final_block_id: last.components().next(),
        ..MetaInfo::default()
    };
    let signer = Signer::digest();
    let content = Some(&content[start..content.len().min(start + SEGMENT)]);
    let data =
        Data { name, meta_info, content, signature_info: signer.info(), signature_value: &[] };
    data.encode_signed(|it| signer.sign(it)).ok()
}
