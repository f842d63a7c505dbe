//! Differentiated services.

use etherparse::IpDscp;

/// A differentiated services codepoint (RFC 2474, section 3): the upper six bits of the
/// traffic class in an IP header, by which routers tell classes of packets apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dscp(u8);

impl Dscp {
    /// How many there are.
    pub const COUNT: usize = 64;
    /// The default class (RFC 2474, section 4.1).
    pub const DEFAULT: Self = Self(0);
    /// Lower effort (RFC 8622).
    pub const LE: Self = Self(1);
    /// Class selector 1, of low priority (RFC 4594, section 4.10).
    pub const CS1: Self = Self(8);
    /// Voice that was admitted (RFC 5865).
    pub const VA: Self = Self(44);
    /// Expedited forwarding (RFC 3246).
    pub const EF: Self = Self(46);
    /// Class selector 6, of network control (RFC 4594, section 3.2).
    pub const CS6: Self = Self(48);
    /// Class selector 7.
    pub const CS7: Self = Self(56);

    /// That of the lower six bits of a number.
    #[must_use]
    pub const fn new(bits: u8) -> Self {
        Self(bits & 63)
    }

    /// Its six bits.
    #[inline]
    #[must_use]
    pub const fn value(self) -> u8 {
        self.0
    }

    /// As in an IP header.
    pub(crate) fn to_ip(self) -> IpDscp {
        IpDscp::try_new(self.0).unwrap_or_default()
    }
}
