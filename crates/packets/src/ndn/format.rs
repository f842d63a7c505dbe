//! How Interests and Data are encoded.

use super::wire::size::{DataShape, InterestShape, NameSize, data_size, interest_size};
use super::wire::{ComponentType, Name};
use crate::ccnx::size as ccnx;
use crate::ip::IpVersion;
use crate::udp;

/// The protocol of a name. Both have Interests that Data answers, and refuse what cannot be
/// served; what differs is on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PacketFormat {
    /// NDN's packets, bare on the link.
    #[default]
    Ndn,
    /// CCNx's packets (RFC 8609) in UDP datagrams over IPv4, from node to node, or in a stream
    /// between two. Data is a Content Object, a NACK an Interest Return, and a congestion mark is
    /// in the IP header.
    Ccnx,
}

impl PacketFormat {
    /// The bytes of the headers around a packet that is on a link by itself.
    #[inline]
    #[must_use]
    pub const fn encapsulation(self) -> u16 {
        match self {
            Self::Ndn => 0,
            Self::Ccnx => IpVersion::V4.header() + udp::HEADER,
        }
    }

    /// The encoded size of a name's components or segments.
    #[must_use]
    pub fn name_size(self, name: &Name<'_>) -> NameSize {
        match self {
            Self::Ndn => NameSize::of(name),
            // Types and lengths have two bytes each.
            Self::Ccnx => NameSize(name.components().map(|it| 4 + it.value().len() as u32).sum()),
        }
    }

    /// Whether a name can be encoded: CCNx has no types for the numbers of NDN's conventions.
    #[must_use]
    pub fn has(self, name: &Name<'_>) -> bool {
        let is_generic =
            |it: super::wire::Component<'_>| it.component_type() == ComponentType::GENERIC;
        self == Self::Ndn || name.components().all(is_generic)
    }

    /// The bytes of the Interest for a segment below a prefix of that size.
    #[inline]
    #[must_use]
    pub const fn interest_size(self, prefix: NameSize, segment: u64, shape: &InterestShape) -> u32 {
        match self {
            Self::Ndn => interest_size(prefix, segment, shape),
            Self::Ccnx => {
                let lifetime = match shape.lifetime_ms {
                    Some(it) => it,
                    None => ccnx::DEFAULT_LIFETIME_MS,
                };
                let size = ccnx::interest_size(prefix.0, segment, lifetime);
                size + self.encapsulation() as u32
            }
        }
    }

    /// The bytes of the Data that answers it.
    #[inline]
    #[must_use]
    pub const fn data_size(self, prefix: NameSize, segment: u64, shape: &DataShape) -> u32 {
        match self {
            Self::Ndn => data_size(prefix, segment, shape),
            Self::Ccnx => {
                let size =
                    ccnx::content_object_size(prefix.0, segment, shape.content_length, false);
                size + self.encapsulation() as u32
            }
        }
    }
}
