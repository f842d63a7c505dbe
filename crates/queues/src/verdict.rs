//! What becomes of a packet.

use windtunnel_packets::Ecn;

/// What a discipline does to a packet that it chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionAction {
    /// Drops it.
    Drop,
    /// Marks it if it is ECN-capable, and drops it otherwise.
    Mark,
}

/// What a discipline decides about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on as it is.
    Pass,
    /// It goes on, and tells of some congestion: ECT(0) becomes ECT(1), as in SCE.
    MarkSome,
    /// It goes on with a congestion mark.
    Mark,
    /// It is dropped.
    Drop,
}

impl Verdict {
    /// What the verdict comes to for a packet with that ECN field: a mark that
    /// nobody would understand is a drop (RFC 3168, section 5), and only an
    /// ECT(0) packet can tell of some congestion.
    #[inline]
    #[must_use]
    pub fn on(self, ecn: Ecn) -> Self {
        match self {
            Self::Mark if !ecn.is_capable() => Self::Drop,
            Self::MarkSome if ecn != Ecn::Capable => Self::Pass,
            verdict => verdict,
        }
    }
}

impl From<CongestionAction> for Verdict {
    fn from(action: CongestionAction) -> Self {
        match action {
            CongestionAction::Drop => Self::Drop,
            CongestionAction::Mark => Self::Mark,
        }
    }
}
