//! A file as segmented Data with a version, and what tells consumers of it.
//!
//! Sources: the NDN naming conventions, revision 3; Realtime Data Retrieval (RDR,
//! <https://redmine.named-data.net/projects/ndn-tlv/wiki/RDR>): `PREFIX/32=metadata` leads to Data
//! with the name of the newest version.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{SystemTime, UNIX_EPOCH};

use windtunnel_packets::ndn::wire::{Component, ComponentType, Data, Interest, MetaInfo, Name};

use super::signing::Signer;

/// What metadata's names have behind the prefix.
pub(super) const METADATA: &[u8] = b"metadata";

/// How long a segment counts as fresh, and metadata, in milliseconds.
const FRESH_MS: u64 = 10_000;
const METADATA_FRESH_MS: u64 = 10;

/// A file that is served.
#[derive(Debug)]
pub(super) struct Object {
    file: File,
    size: u64,
    segment_size: u64,
    prefix: Name<'static>,
    versioned: Name<'static>,
}

impl Object {
    /// The file in segments of this many bytes; its version is the time now.
    pub(super) fn new(file: File, size: u64, segment_size: u32, prefix: Name<'static>) -> Self {
        let mut versioned = prefix.clone();
        versioned.push_number(ComponentType::VERSION, microseconds());
        Self { file, size, segment_size: u64::from(segment_size), prefix, versioned }
    }

    /// The name of its segments, without their numbers.
    pub(super) fn versioned(&self) -> &Name<'static> {
        &self.versioned
    }

    /// How many segments it has: an empty file has one, which is empty.
    pub(super) fn segments(&self) -> u64 {
        self.size.div_ceil(self.segment_size).max(1)
    }

    /// The Data that answers an Interest, if there is any.
    pub(super) fn answer(&self, interest: &Interest<'_>, signer: &Signer) -> Option<Vec<u8>> {
        let name = &interest.name;
        let mut metadata = self.prefix.clone();
        metadata.push(Component::new(ComponentType::KEYWORD, METADATA).ok()?);
        if metadata.is_prefix_of(name) {
            return self.metadata(metadata, interest, signer);
        }
        let is_first = |name: &Name<'_>| name.is_prefix_of(&self.name_of(0));
        if interest.can_be_prefix && is_first(name) {
            return self.segment(0, signer);
        }
        let (versioned, last) = name.split_last()?;
        let segment = last.number().filter(|_| last.component_type() == ComponentType::SEGMENT)?;
        if versioned == self.versioned { self.segment(segment, signer) } else { None }
    }

    fn name_of(&self, segment: u64) -> Name<'static> {
        let mut name = self.versioned.clone();
        name.push_number(ComponentType::SEGMENT, segment);
        name
    }

    fn segment(&self, segment: u64, signer: &Signer) -> Option<Vec<u8>> {
        if segment >= self.segments() {
            return None;
        }
        let start = segment * self.segment_size;
        let mut content = vec![0; self.segment_size.min(self.size - start) as usize];
        self.file.read_exact_at(&mut content, start).ok()?;
        data(self.name_of(segment), &content, [self.segments() - 1, FRESH_MS], signer)
    }

    /// The metadata's name ends with a version and a segment; an Interest says as much of it as
    /// it likes.
    fn metadata(
        &self,
        mut name: Name<'static>,
        interest: &Interest<'_>,
        signer: &Signer,
    ) -> Option<Vec<u8>> {
        let asked = interest.name.components().skip(name.components().count());
        let version = asked.clone().next();
        let version = match version {
            Some(it) if it.component_type() == ComponentType::VERSION => it.number()?,
            Some(_) => return None,
            None => microseconds(),
        };
        name.push_number(ComponentType::VERSION, version);
        name.push_number(ComponentType::SEGMENT, 0);
        let is_answer =
            name == interest.name || interest.can_be_prefix && interest.name.is_prefix_of(&name);
        let mut content = Vec::new();
        self.versioned.write(&mut content);
        is_answer.then(|| data(name, &content, [0, METADATA_FRESH_MS], signer))?
    }
}

/// A segment of which `last` is the last one, fresh for that many milliseconds.
fn data(
    name: Name<'_>,
    content: &[u8],
    [last, fresh_ms]: [u64; 2],
    signer: &Signer,
) -> Option<Vec<u8>> {
    let mut last_name = Name::new();
    last_name.push_number(ComponentType::SEGMENT, last);
    let final_block_id = last_name.components().next();
    let meta_info =
        MetaInfo { freshness_period_ms: Some(fresh_ms), final_block_id, ..MetaInfo::default() };
    let signature_info = signer.info();
    let data =
        Data { name, meta_info, content: Some(content), signature_info, signature_value: &[] };
    data.encode_signed(|it| signer.sign(it)).ok()
}

/// The time since 1970, as versions have it.
pub(super) fn microseconds() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
}
