//! What the control plane tells: the records that are flooded inside a region, and what the
//! borders of two regions tell each other.

use super::code::Code;
use super::error::DecodeError;

/// A link from one router to another of the same region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The other router.
    pub router: u32,
    /// What a path pays for the link.
    pub metric: u32,
}

/// The links of one router inside its region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouterRecord {
    /// The router that made it.
    pub router: u32,
    /// Of two records of one router the higher number is the newer.
    pub sequence: u32,
    /// The router's sub-region.
    pub sub_region: u32,
    /// Its links that are up.
    pub neighbours: Vec<Neighbour>,
}

/// That a border reaches another region over one of its own links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalRecord {
    /// The border that made it.
    pub router: u32,
    /// Of two records of one border and code the higher number is the newer.
    pub sequence: u32,
    /// The region that is reached.
    pub code: Code,
    /// How much its own border prefers it: the lower the more.
    pub preference: u8,
    /// The largest packet that the links between regions carry there, in bytes.
    pub mtu: u16,
    /// The regions on the way, from the next to the last; none: it is not reached any more.
    pub path: Vec<u8>,
}

/// A link from a border to another region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionLink {
    /// The other region.
    pub region: u8,
    /// The largest packet that the link carries, in bytes.
    pub mtu: u16,
}

/// The links of one border to other regions, of which all regions are told by a link-state
/// protocol between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BorderRecord {
    /// The border that made it.
    pub router: u32,
    /// Of two records of one border the higher number is the newer.
    pub sequence: u32,
    /// The border's region.
    pub code: Code,
    /// Whether that carries what others send to others.
    pub carries: bool,
    /// Its links over which packets are exchanged.
    pub links: Vec<RegionLink>,
}

/// What is flooded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The links of a router.
    Router(RouterRecord),
    /// A region that a border reaches.
    External(ExternalRecord),
    /// The links of a border to other regions.
    Border(BorderRecord),
}

/// How a region is reached, as one border tells a neighbour of another region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// The region.
    pub code: Code,
    /// The largest packet that the links between regions carry there, in bytes.
    pub mtu: u16,
    /// The regions on the way, the teller's own first; none: it is withdrawn.
    pub path: Vec<u8>,
}

const ROUTER: u8 = 1;
const EXTERNAL: u8 = 2;
const BORDER: u8 = 3;

impl Record {
    /// Who made it.
    #[must_use]
    pub fn router(&self) -> u32 {
        match self {
            Self::Router(it) => it.router,
            Self::External(it) => it.router,
            Self::Border(it) => it.router,
        }
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Router(it) => {
                bytes.extend([ROUTER, 0]);
                bytes.extend((it.neighbours.len() as u16).to_be_bytes());
                for word in [it.router, it.sequence, it.sub_region] {
                    bytes.extend(word.to_be_bytes());
                }
                for neighbour in &it.neighbours {
                    bytes.extend(neighbour.router.to_be_bytes());
                    bytes.extend(neighbour.metric.to_be_bytes());
                }
            }
            Self::External(it) => {
                bytes.extend([EXTERNAL, it.preference]);
                bytes.extend((it.path.len() as u16).to_be_bytes());
                for word in [it.router, it.sequence, it.code.0] {
                    bytes.extend(word.to_be_bytes());
                }
                bytes.extend(it.mtu.to_be_bytes());
                bytes.extend(&it.path);
            }
            Self::Border(it) => {
                bytes.extend([BORDER, u8::from(it.carries)]);
                bytes.extend((it.links.len() as u16).to_be_bytes());
                for word in [it.router, it.sequence, it.code.0] {
                    bytes.extend(word.to_be_bytes());
                }
                for link in &it.links {
                    bytes.extend([link.region, 0]);
                    bytes.extend(link.mtu.to_be_bytes());
                }
            }
        }
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let offset = reader.offset;
        let kind = reader.byte()?;
        let second = reader.byte()?;
        let count = usize::from(reader.short()?);
        let [router, sequence, third] = [reader.word()?, reader.word()?, reader.word()?];
        match kind {
            ROUTER => {
                let mut neighbours = Vec::new();
                for _ in 0..count {
                    let [router, metric] = [reader.word()?, reader.word()?];
                    neighbours.push(Neighbour { router, metric });
                }
                Ok(Self::Router(RouterRecord { router, sequence, sub_region: third, neighbours }))
            }
            EXTERNAL => {
                let mtu = reader.short()?;
                let path = reader.take(count)?.to_vec();
                let (code, preference) = (Code(third), second);
                let record = ExternalRecord { router, sequence, code, preference, mtu, path };
                Ok(Self::External(record))
            }
            BORDER => {
                let mut links = Vec::new();
                for _ in 0..count {
                    let [region, _] = [reader.byte()?, reader.byte()?];
                    links.push(RegionLink { region, mtu: reader.short()? });
                }
                let (code, carries) = (Code(third), second != 0);
                Ok(Self::Border(BorderRecord { router, sequence, code, carries, links }))
            }
            _ => Err(DecodeError::Value { offset, value: u32::from(kind) }),
        }
    }
}

impl Update {
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.code.0.to_be_bytes());
        bytes.extend(self.mtu.to_be_bytes());
        bytes.extend([0, self.path.len() as u8]);
        bytes.extend(&self.path);
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let code = Code(reader.word()?);
        let mtu = reader.short()?;
        reader.byte()?;
        let count = usize::from(reader.byte()?);
        Ok(Self { code, mtu, path: reader.take(count)?.to_vec() })
    }
}

/// Reads bytes from the front.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    pub(super) offset: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let needed = self.offset + count;
        let available = self.bytes.len();
        let taken = self.bytes.get(self.offset..needed);
        self.offset = needed;
        taken.ok_or(DecodeError::TooShort { needed, available })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn short(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn word(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        self.offset = self.bytes.len();
        rest
    }
}
