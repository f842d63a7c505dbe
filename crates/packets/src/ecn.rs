//! Explicit congestion notification.

use etherparse::IpEcn;

/// The ECN field (RFC 3168, section 5), and its equivalent elsewhere: an NDN packet
/// can carry NDNLPv2's CongestionMark, so it is ECN-capable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: its sender does not support marks.
    NotCapable,
    /// ECT(0): its sender supports marks.
    #[default]
    Capable,
    /// ECT(1): its sender responds to each of many marks by a little (RFC 9331); or,
    /// in SCE, a router experienced some congestion.
    Scalable,
    /// CE: a router experienced congestion.
    Congestion,
}

impl Ecn {
    /// Whether its sender supports marks.
    #[inline]
    #[must_use]
    pub fn is_capable(self) -> bool {
        self != Self::NotCapable
    }

    /// As the two bits of an IP header.
    pub(crate) fn of_ip(ecn: IpEcn) -> Self {
        match ecn {
            IpEcn::NotEct => Self::NotCapable,
            IpEcn::Ect0 => Self::Capable,
            IpEcn::Ect1 => Self::Scalable,
            IpEcn::CongestionExperienced => Self::Congestion,
        }
    }

    /// The two bits of an IP header.
    pub(crate) fn to_ip(self) -> IpEcn {
        match self {
            Self::NotCapable => IpEcn::NotEct,
            Self::Capable => IpEcn::Ect0,
            Self::Scalable => IpEcn::Ect1,
            Self::Congestion => IpEcn::CongestionExperienced,
        }
    }
}
