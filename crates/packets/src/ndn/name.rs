//! Names as a forwarder handles them: the number of a prefix, and a segment below it.
//! Names of components are translated to and from these at the border of the network;
//! inside, names are compared in one step.

use super::format::PacketFormat;

/// The index of a prefix in the list of prefixes in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrefixId(pub u32);

/// The name of one Data packet: a prefix and a segment number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// All components but the last.
    pub prefix: PrefixId,
    /// The protocol of all names below it.
    pub format: PacketFormat,
    /// The last component, a segment number.
    pub segment: u64,
}
