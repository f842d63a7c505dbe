//! Names as the forwarder handles them: a prefix, known by its number, and a
//! segment below it. A number is exchanged for the true name once, where a
//! packet enters or leaves; inside, names are compared in one step.

/// The number that a prefix has with whoever keeps the list of prefixes in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrefixId(pub u32);

/// The name of one Data packet: a prefix and a segment number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// All components but the last.
    pub prefix: PrefixId,
    /// The last component, a segment number.
    pub segment: u64,
}
