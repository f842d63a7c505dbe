//! Explicit congestion notification.

/// The ECN field (RFC 3168, section 5), and what stands for it elsewhere: an NDN
/// packet can carry NDNLPv2's CongestionMark, so it is ECN-capable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Its sender would not understand a mark.
    NotCapable,
    /// ECT(0): its sender understands marks.
    #[default]
    Capable,
    /// ECT(1): its sender answers many marks by little each (RFC 9331); or, in
    /// SCE, a router saw some congestion.
    Scalable,
    /// CE: a router saw congestion.
    Congestion,
}

impl Ecn {
    /// Whether a mark would be understood.
    #[inline]
    #[must_use]
    pub fn is_capable(self) -> bool {
        self != Self::NotCapable
    }
}
