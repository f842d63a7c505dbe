//! Names as a forwarder handles them: the number of a prefix, and a segment below it.
//! Names of components are translated to and from these at the border of the network;
//! inside, names are compared in one step.

use super::format::PacketFormat;

/// The index of a prefix in the list of prefixes in use, and the protocol of all names below
/// it. Both are one number, because names are copied and compared at every hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrefixId(u32);

impl PrefixId {
    /// The prefix of that index, below 2³¹.
    #[inline]
    #[must_use]
    pub const fn new(index: usize, format: PacketFormat) -> Self {
        Self((index as u32) << 1 | format as u32)
    }

    /// Its place in the list of prefixes in use.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The protocol of all names below it.
    #[inline]
    #[must_use]
    pub const fn format(self) -> PacketFormat {
        if self.0 & 1 == PacketFormat::Ndn as u32 { PacketFormat::Ndn } else { PacketFormat::Ccnx }
    }
}

/// The name of one Data packet: a prefix and a segment number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// All components but the last.
    pub prefix: PrefixId,
    /// The last component, a segment number; or [`Name::WHOLE`].
    pub segment: u64,
}

impl Name {
    /// In place of a segment's number: the prefix is the whole name, of which the last component
    /// is no segment. The segment of this number itself is such a name, so that none is
    /// ambiguous.
    pub const WHOLE: u64 = u64::MAX;
}
