//! Bridges, as users write them.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Rate};

use super::Located;
use crate::units::{Bytes, Measured, Share};

/// A bridge (DCIB): two nodes that are the edges of a part of the network. The
/// source edge marks what leaves as ECN-capable but for a selected share, which
/// routers between the edges may drop, and of which it keeps clones; the destination
/// edge acknowledges what comes of that share, and the source edge sends the clones
/// of what is lost. All flows pass it whose data go through `from` and later through
/// `to`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bridge {
    /// The node of the source edge.
    pub(crate) from: Located<String>,
    /// The node of the destination edge.
    pub(crate) to: Located<String>,
    /// The share of the packets that may be dropped; 10 % unless stated.
    pub(crate) selected: Option<Measured<Share>>,
    /// How many octets of clones the source edge holds.
    pub(crate) buffer: Measured<Bytes>,
    /// Which packets are cloned; `selected` unless stated.
    #[serde(default)]
    pub(crate) clones: Clones,
    /// What lets a clone leave; `stalled` unless stated.
    #[serde(default)]
    pub(crate) keep: Keep,
    /// How a clone leaves; `unchanged` unless stated.
    #[serde(default)]
    pub(crate) resend: Resend,
    /// What an acknowledgement does whose packet's clone is not held; `ignore` unless
    /// stated.
    #[serde(default)]
    pub(crate) unmatched: Unmatched,
    /// What becomes of duplicate acknowledgements that come back to the hosts; `pass`
    /// unless stated.
    #[serde(default)]
    pub(crate) duplicates: Duplicates,
    /// With `duplicates = "suppress"`: how long it takes until the acknowledgement of a
    /// clone is back at the source edge; twice the links' delays to the farthest
    /// receiver and back unless stated.
    pub(crate) round_trip: Option<Located<Measured<Duration>>>,
    /// What becomes of congestion marks at the destination edge; `pass` unless stated.
    #[serde(default)]
    pub(crate) marks: Marks,
    /// In which order packets pass the destination edge; `as-they-come` unless stated.
    pub(crate) order: Option<Located<Order>>,
    /// Packets beyond an agreed rate that are selected in addition; none unless
    /// stated.
    pub(crate) probes: Option<Probes>,
}

/// Which packets are cloned.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Clones {
    /// The selected ones, as the paper's text says.
    #[default]
    Selected,
    /// All others, as its listing says.
    Others,
}

/// What lets a clone leave.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Keep {
    /// The acknowledgement of a packet after its own.
    #[default]
    Stalled,
    /// A link with nothing else to send, for small buffers.
    LowPriority,
}

/// How a clone leaves.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Resend {
    /// As its packet left: one that may be dropped may be dropped again.
    #[default]
    Unchanged,
    /// ECN-capable.
    Capable,
}

/// What an acknowledgement does whose packet's clone is not held.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Unmatched {
    /// Nothing.
    #[default]
    Ignore,
    /// Sends all clones, as the paper's listing does.
    ResendAll,
}

/// What becomes of duplicate acknowledgements that come back to the hosts.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Duplicates {
    /// They pass.
    #[default]
    Pass,
    /// One is dropped if the source edge deals with the segment that is missing.
    Suppress,
}

/// What becomes of congestion marks at the destination edge.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Marks {
    /// They pass on to the hosts, which obey them or not as their `ecn` says.
    #[default]
    Pass,
    /// They are taken away.
    Clear,
}

/// In which order packets pass. Each kind has its own keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// Which kind.
    pub(crate) kind: OrderKind,
    /// `in-order`: how long a segment waits at most; to be stated.
    pub(crate) patience: Option<Located<Measured<Duration>>>,
    /// `in-order`: how many octets wait at most; as many as the bridge's `buffer`
    /// unless stated.
    pub(crate) buffer: Option<Located<Measured<Bytes>>>,
}

/// A kind of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OrderKind {
    /// At once, as they come.
    AsTheyCome,
    /// A connection's segments behind a gap wait until it is filled.
    InOrder,
}

/// Packets beyond an agreed rate that are selected in addition.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Probes {
    /// The agreed rate.
    pub(crate) rate: Measured<Rate>,
    /// How many octets at once count as within it; at least a packet.
    pub(crate) burst: Located<Measured<Bytes>>,
    /// The probability that a packet beyond it is selected which is not anyway.
    pub(crate) extra: Measured<Share>,
}
