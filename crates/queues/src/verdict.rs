//! What becomes of a packet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_packets::Ecn;

/// What a queue does to a packet that it chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Action")]
pub enum CongestionAction {
    /// Drops it.
    Drop,
    /// Marks it if it is ECN-capable, and drops it otherwise.
    Mark,
}

/// What a discipline decides about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passes unchanged.
    Pass,
    /// It passes and signals some congestion: ECT(0) becomes ECT(1), as in SCE.
    MarkSome,
    /// It passes with a congestion mark.
    Mark,
    /// It is dropped.
    Drop,
}

impl Verdict {
    /// The verdict as it applies to a packet with that ECN field: a packet that is not
    /// ECN-capable is dropped instead of marked (RFC 3168, section 5), and only an
    /// ECT(0) packet can signal some congestion.
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
