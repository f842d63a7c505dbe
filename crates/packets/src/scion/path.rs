//! Paths in packets: info fields, hop fields, and where a packet is on its path.

use windtunnel_engine::Duration;

use super::error::{DecodeError, Reader};

/// The most segments of a path.
pub const MOST_SEGMENTS: usize = 3;
/// The most hop fields of a path: the number of the current one has six bits.
pub const MOST_HOPS: usize = 64;
/// A step of a hop field's expiry: a 256th of a day.
pub const EXPIRY_UNIT: Duration = Duration::from_millis(337_500);

/// How long a hop field is valid whose expiry has that value.
#[must_use]
pub fn lifetime(expiry: u8) -> Duration {
    Duration::from_nanos(EXPIRY_UNIT.as_nanos() * (u64::from(expiry) + 1))
}

/// The expiry of hop fields that are valid for at most so long; none if that is less than a
/// step.
#[must_use]
pub fn expiry_steps(lifetime: Duration) -> Option<u8> {
    let steps = lifetime.as_nanos() / EXPIRY_UNIT.as_nanos();
    u8::try_from(steps.min(256).checked_sub(1)?).ok()
}

/// The authenticator of a hop field: the first six bytes of AES-CMAC.
pub type Mac = [u8; 6];

/// What a path says about one of its segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InfoField {
    /// Whether its hop next to the other segment is one over a peering link.
    pub is_peering: bool,
    /// Whether it is used in the direction in which beacons made it.
    pub is_forward: bool,
    /// The accumulator of authenticators, which changes on the way.
    pub segment_id: u16,
    /// When the segment was begun, in seconds since the epoch.
    pub timestamp: u32,
}

/// How an autonomous system is crossed; ingress and egress as beacons crossed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopField {
    /// When it becomes invalid, in steps after the segment's time: see [`lifetime`].
    pub expiry: u8,
    /// The interface that beacons came in by; 0: they began here.
    pub ingress: u16,
    /// The interface that they left by; 0: they ended here.
    pub egress: u16,
    /// The authenticator.
    pub mac: Mac,
}

/// One segment of a path: its info field, and its hop fields in the order of travel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSection {
    /// The info field, as it is at the sender.
    pub info: InfoField,
    /// The hop fields.
    pub hops: Vec<HopField>,
}

/// A path: one to three segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Its segments, in the order of travel.
    pub sections: Vec<PathSection>,
}

/// Where a packet is on its path, and the accumulators of the segments as they are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The current segment.
    pub section: u8,
    /// The current hop field, counted over all segments.
    pub hop: u8,
    /// The accumulators.
    pub segment_ids: [u16; MOST_SEGMENTS],
}

/// A hop field where a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    /// The info field, with the accumulator as it is there.
    pub info: InfoField,
    /// The hop field.
    pub hop: HopField,
    /// Whether it is the last of its segment.
    pub ends_section: bool,
    /// Whether it is the last of all.
    pub is_last: bool,
    /// Whether it is a hop over a peering link, whose authenticator is not in the chain.
    pub is_peering: bool,
}

impl HopField {
    /// The interfaces by which a packet comes in and leaves.
    #[must_use]
    pub fn crossed(&self, is_forward: bool) -> [u16; 2] {
        if is_forward { [self.ingress, self.egress] } else { [self.egress, self.ingress] }
    }
}

impl InfoField {
    const LENGTH: usize = 8;

    fn encode(&self, output: &mut Vec<u8>) {
        output.push(u8::from(self.is_peering) << 1 | u8::from(self.is_forward));
        output.push(0);
        output.extend(self.segment_id.to_be_bytes());
        output.extend(self.timestamp.to_be_bytes());
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let [flags, _] = reader.array()?;
        Ok(Self {
            is_peering: flags & 2 != 0,
            is_forward: flags & 1 != 0,
            segment_id: reader.u16()?,
            timestamp: reader.u32()?,
        })
    }
}

impl HopField {
    const LENGTH: usize = 12;

    pub(super) fn encode(&self, output: &mut Vec<u8>) {
        output.extend([0, self.expiry]);
        output.extend(self.ingress.to_be_bytes());
        output.extend(self.egress.to_be_bytes());
        output.extend(self.mac);
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let [_, expiry] = reader.array()?;
        let (ingress, egress, mac) = (reader.u16()?, reader.u16()?, reader.array()?);
        Ok(Self { expiry, ingress, egress, mac })
    }
}

impl Position {
    /// Where a packet begins.
    #[must_use]
    pub fn first(path: &Path) -> Self {
        let mut segment_ids = [0; MOST_SEGMENTS];
        for (id, section) in segment_ids.iter_mut().zip(&path.sections) {
            *id = section.info.segment_id;
        }
        Self { section: 0, hop: 0, segment_ids }
    }

    /// The hop field there; none behind the last one.
    #[must_use]
    pub fn current(&self, path: &Path) -> Option<Current> {
        let number = usize::from(self.section);
        let before: usize =
            path.sections[..number.min(path.sections.len())].iter().map(|it| it.hops.len()).sum();
        let section = path.sections.get(number)?;
        let place = usize::from(self.hop).checked_sub(before)?;
        let hop = *section.hops.get(place)?;
        let info = InfoField { segment_id: self.segment_ids[number], ..section.info };
        let ends_section = place + 1 == section.hops.len();
        let is_last = ends_section && number + 1 == path.sections.len();
        let is_beside_other = if number == 0 { ends_section } else { place == 0 };
        let is_peering = info.is_peering && is_beside_other;
        Some(Current { info, hop, ends_section, is_last, is_peering })
    }

    /// The interfaces by which a packet comes into the system where it is, and leaves it; 0: it
    /// begins or ends there.
    #[must_use]
    pub fn crossed(&self, path: &Path) -> [u16; 2] {
        let Some(current) = self.current(path) else { return [0; 2] };
        let [mut ingress, egress] = current.hop.crossed(current.info.is_forward);
        let is_first = usize::from(self.hop)
            == path.sections[..usize::from(self.section)].iter().map(|it| it.hops.len()).sum();
        if is_first && self.section > 0 && !current.is_peering {
            let before = &path.sections[usize::from(self.section) - 1];
            let last = before.hops.last().map(|it| it.crossed(before.info.is_forward)[0]);
            ingress = last.unwrap_or_default();
        }
        [ingress, egress]
    }

    /// Adds the authenticator of a hop field to the accumulator of its segment, or takes it out.
    pub fn chain(&mut self, hop: &HopField) {
        let [a, b, ..] = hop.mac;
        self.segment_ids[usize::from(self.section)] ^= u16::from_be_bytes([a, b]);
    }

    /// The next hop field is the current one.
    pub fn advance(&mut self, current: &Current) {
        self.hop += 1;
        self.section += u8::from(current.ends_section && !current.is_last);
    }

    /// The same place on the path back.
    #[must_use]
    pub fn reversed(&self, path: &Path) -> Self {
        let count = path.sections.len();
        let mut segment_ids = [0; MOST_SEGMENTS];
        segment_ids[..count].copy_from_slice(&self.segment_ids[..count]);
        segment_ids[..count].reverse();
        let last = |count: usize, place: u8| (count as u8).saturating_sub(1).saturating_sub(place);
        Self { section: last(count, self.section), hop: last(path.hops(), self.hop), segment_ids }
    }
}

impl Path {
    /// The length of a path's meta header.
    pub const META_HEADER: usize = 4;

    /// The number of hop fields.
    #[must_use]
    pub fn hops(&self) -> usize {
        self.sections.iter().map(|it| it.hops.len()).sum()
    }

    /// The length of its encoding in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        let sections = InfoField::LENGTH * self.sections.len();
        Self::META_HEADER + sections + HopField::LENGTH * self.hops()
    }

    /// The path back from its end, for a packet whose accumulators there are those of
    /// `position`.
    #[must_use]
    pub fn reversed(&self, position: &Position) -> Self {
        let back = |(section, id): (&PathSection, &u16)| PathSection {
            info: InfoField {
                is_forward: !section.info.is_forward,
                segment_id: *id,
                ..section.info
            },
            hops: section.hops.iter().rev().copied().collect(),
        };
        let mut sections: Vec<PathSection> =
            self.sections.iter().zip(&position.segment_ids).map(back).collect();
        sections.reverse();
        Self { sections }
    }

    /// When its first hop field becomes invalid, in milliseconds since the epoch.
    #[must_use]
    pub fn expires_ms(&self) -> u64 {
        let ends = self.sections.iter().flat_map(|section| {
            let begin = 1000 * u64::from(section.info.timestamp);
            section.hops.iter().map(move |it| begin + lifetime(it.expiry).as_nanos() / 1_000_000)
        });
        ends.min().unwrap_or(u64::MAX)
    }

    /// Its bytes, for a packet that is at `position`.
    #[must_use]
    pub fn encode(&self, position: &Position) -> Vec<u8> {
        let mut output = Vec::with_capacity(self.length());
        let lengths = [0, 1, 2].map(|it| self.sections.get(it).map_or(0, |it| it.hops.len()));
        let [a, b, c] = lengths.map(|it| it as u32 & 63);
        let current = u32::from(position.section) << 30 | (u32::from(position.hop) & 63) << 24;
        output.extend((current | a << 12 | b << 6 | c).to_be_bytes());
        for (section, id) in self.sections.iter().zip(position.segment_ids) {
            InfoField { segment_id: id, ..section.info }.encode(&mut output);
        }
        let hops = self.sections.iter().flat_map(|it| &it.hops);
        hops.for_each(|it| it.encode(&mut output));
        output
    }

    /// The path of these bytes, and where the packet is on it. Its info fields are those of
    /// there.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &[u8]) -> Result<(Self, Position), DecodeError> {
        let mut reader = Reader::new(bytes);
        let meta = reader.u32()?;
        let field = |shift: u32, mask: u32| (meta >> shift & mask) as usize;
        let lengths = [field(12, 63), field(6, 63), field(0, 63)];
        let count = lengths.iter().position(|it| *it == 0).unwrap_or(MOST_SEGMENTS);
        let (section, hop) = (field(30, 3), field(24, 63));
        let is_wrong = count == 0 || lengths[count..].iter().any(|it| *it > 0);
        let total: usize = lengths.iter().sum();
        if is_wrong || total > MOST_HOPS || section >= count || hop >= total {
            return Err(DecodeError::Value { offset: 0, value: u64::from(meta) });
        }
        let mut sections = Vec::with_capacity(count);
        for _ in 0..count {
            sections.push(PathSection { info: InfoField::decode(&mut reader)?, hops: Vec::new() });
        }
        for (section, length) in sections.iter_mut().zip(lengths) {
            let hops = (0..length).map(|_| HopField::decode(&mut reader));
            section.hops = hops.collect::<Result<_, _>>()?;
        }
        if !reader.is_empty() {
            return Err(DecodeError::Length { offset: reader.offset(), length: bytes.len() });
        }
        let path = Self { sections };
        let position =
            Position { section: section as u8, hop: hop as u8, ..Position::first(&path) };
        Ok((path, position))
    }
}
